"""What each layer of a perceptron passes on, and the same network as it was before training."""

from typing import cast

import numpy as np
import torch

from visarith.data.task import Examples, Task
from visarith.data.view import intensities
from visarith.learners.perceptron.network import Perceptron
from visarith.randomness import generator
from visarith.runs.run import Run

AT_A_TIME = 2_000


def perceptron(run: Run) -> Perceptron:
    """The learner of a run, which must be a stack of layers; others refuse."""
    run.learner.linear()
    return cast(Perceptron, run.learner)


def untrained(run: Run) -> Perceptron:
    """The network whose hidden layers this run started from: same shape, same mean, its own starting weights."""
    recipe, network = run.experiment.recipe, cast(Perceptron, run.experiment.learner.build(run.experiment.task))
    network.initialise(recipe.initialisation, recipe.output_initialisation, generator(run.experiment.seed, "weights"))
    network.mean.copy_(perceptron(run).mean)
    return network.eval()


def clean_pictures(task: Task, examples: Examples) -> torch.Tensor:
    """The inputs without noise, in the learner's own order of pixels."""
    return intensities(task.page.typeset(examples.inputs))


@torch.no_grad()
def activations(network: Perceptron, pictures: torch.Tensor) -> list[np.ndarray]:
    """The pixels, then what each hidden layer passes on: (count, units) each."""
    *hidden, _ = network.linear()
    layers: list[list[np.ndarray]] = [[] for _ in range(len(hidden) + 1)]
    for start in range(0, len(pictures), AT_A_TIME):
        values = (pictures[start : start + AT_A_TIME] - network.mean).flatten(1)
        layers[0].append(values.numpy())
        for parts, layer in zip(layers[1:], hidden, strict=True):
            values = network.activation(layer(values))
            parts.append(values.numpy())
    return [np.concatenate(parts) for parts in layers]


@torch.no_grad()
def drive(network: Perceptron, pictures: torch.Tensor) -> np.ndarray:
    """What the bottom weights make of the pixels, before the activation cuts it: (count, units)."""
    bottom = network.linear()[0]
    parts = [pictures[start : start + AT_A_TIME] for start in range(0, len(pictures), AT_A_TIME)]
    return np.concatenate([bottom((part - network.mean).flatten(1)).numpy() for part in parts])
