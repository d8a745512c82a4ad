"""What each layer of a stack of layers passes on, and the same network as it was before training."""

from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.task import Examples, Task
from visarith.data.view import intensities
from visarith.learners.learner import Network
from visarith.randomness import generator
from visarith.runs.run import Run

AT_A_TIME = 2_000


def stack(run: Run) -> Network:
    """The learner of a run, which must be a stack of layers; others refuse."""
    run.learner.linear()
    return cast(Network, run.learner)


def untrained(run: Run) -> Network:
    """The network whose hidden layers this run started from: same shape, same mean, its own starting weights."""
    recipe, network = run.experiment.recipe, cast(Network, run.experiment.learner.build(run.experiment.task))
    network.initialise(recipe.initialisation, recipe.output_initialisation, generator(run.experiment.seed, "weights"))
    network.mean.copy_(stack(run).mean)
    return network.eval()


def clean_pictures(task: Task, examples: Examples) -> Tensor:
    """The inputs without noise, in the learner's own order of pixels."""
    return intensities(task.layout.typeset(examples.inputs))


def activations(network: Network, pictures: Tensor) -> list[np.ndarray]:
    """The pixels, then what each hidden layer passes on: (count, units) each."""
    return [given for given, _ in _at_work(network, pictures)]


def drive(network: Network, pictures: Tensor) -> np.ndarray:
    """What the bottom weights make of the pixels, before the activation cuts it: (count, units)."""
    return _at_work(network, pictures)[0][1]


@torch.no_grad()
def _at_work(network: Network, pictures: Tensor) -> list[tuple[np.ndarray, np.ndarray]]:
    """What each layer is given and what it makes of it, from bottom to top, while the network draws."""
    layers = network.linear()
    seen: list[list[tuple[Tensor, Tensor]]] = [[] for _ in layers]

    def watch(layer: nn.Module, given: tuple[Tensor], made: Tensor) -> None:
        seen[layers.index(cast(nn.Linear, layer))].append((given[0], made))

    hooks = [layer.register_forward_hook(watch) for layer in layers]
    try:
        for start in range(0, len(pictures), AT_A_TIME):
            network(pictures[start : start + AT_A_TIME])
    finally:
        for hook in hooks:
            hook.remove()
    return [(torch.cat([a for a, _ in parts]).numpy(), torch.cat([b for _, b in parts]).numpy()) for parts in seen]
