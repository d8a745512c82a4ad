"""The layers of a trained network: their activations, and what their units respond to.

A unit is a *one-hot detector* if the digit at one place explains at least half of the variance of its activation, and
one digit there stands out: its mean activation is above the middle between the lowest and the highest mean, and no
other digit's is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.task import Examples, Task
from visarith.data.view import intensities
from visarith.learners.learner import Network
from visarith.randomness import generator
from visarith.runs.run import Run
from visarith.studies.insight.probes import Fact

AT_A_TIME = 2_000
EXPLAINED = 0.5  # of the variance, by one place
SAME = 0.99  # correlation of two units that do the same


def stack(run: Run) -> Network:
    """The learner of a run; raises VisarithError if it is no stack of linear layers."""
    run.learner.linear()
    return cast(Network, run.learner)


def untrained(run: Run) -> Network:
    """The network as it was before training: the same shape, mean and initial weights."""
    recipe, network = run.experiment.recipe, cast(Network, run.experiment.learner.build(run.experiment.task))
    network.initialise(recipe.initialisation, recipe.output_initialisation, generator(run.experiment.seed, "weights"))
    network.mean.copy_(stack(run).mean)
    return network.eval()


def clean_pictures(task: Task, examples: Examples) -> Tensor:
    """The inputs without noise, in the learner's own order of pixels."""
    return intensities(task.layout.typeset(examples.inputs))


def activations(network: Network, pictures: Tensor) -> list[np.ndarray]:
    """The pixels and the activations of each hidden layer: (count, units) each."""
    return [given for given, _ in _at_work(network, pictures)]


def drive(network: Network, pictures: Tensor) -> np.ndarray:
    """The pre-activations of the first hidden layer: (count, units)."""
    return _at_work(network, pictures)[0][1]


@torch.no_grad()
def _at_work(network: Network, pictures: Tensor) -> list[tuple[np.ndarray, np.ndarray]]:
    """The input and output of each linear layer, from bottom to top."""
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


@dataclass(frozen=True, eq=False)
class Selectivity:
    """How much each unit (row) depends on each fact."""

    shares: np.ndarray  # (units, facts) of the variance that the fact explains
    digit_shares: np.ndarray  # (units,) the largest share that the presence of one digit at one place explains
    margins: np.ndarray  # (units,) at the best fact: (highest - second highest mean) / (highest - lowest)
    switched_on: np.ndarray  # (units,) values of the best fact with a mean above the middle; 0 for a constant unit

    @property
    def best(self) -> np.ndarray:
        return np.asarray(self.shares.max(1))

    @property
    def detectors(self) -> np.ndarray:
        """Which units are one-hot detectors."""
        return np.asarray((self.best >= EXPLAINED) & (self.switched_on == 1))


def selectivity(activations: np.ndarray, facts: Sequence[Fact]) -> Selectivity:
    """Measure activations (count, units) against facts about the same pairs."""
    units = activations.shape[1]
    centred = activations.astype(np.float64) - activations.mean(0, dtype=np.float64)
    variance = (centred**2).mean(0)
    alive = variance > 1e-12
    scale = np.where(alive, variance, 1.0)
    shares, digits = np.zeros((units, len(facts))), np.zeros(units)
    means = []
    for number, fact in enumerate(facts):
        counts = np.bincount(fact.values, minlength=fact.classes)
        there = counts > 0
        weight = (counts[there] / len(fact.values))[:, None]
        mean = (fact.one_hot[:, there].T @ centred) / counts[there][:, None]
        means.append(mean)
        shares[:, number] = np.where(alive, (weight * mean**2).sum(0) / scale, 0)
        each = weight * mean**2 / np.maximum(1 - weight, 1e-12) / scale  # squared correlation with one digit's presence
        digits = np.maximum(digits, np.where(alive, each.max(0), 0))
    best = shares.argmax(1)
    margins, switched_on = np.zeros(units), np.zeros(units, np.int64)
    for unit in np.flatnonzero(alive):
        ordered = np.sort(means[best[unit]][:, unit])
        spread = ordered[-1] - ordered[0]
        if spread > 0:
            margins[unit] = (ordered[-1] - ordered[-2]) / spread
            switched_on[unit] = int((ordered > (ordered[0] + ordered[-1]) / 2).sum())
    return Selectivity(shares, digits, margins, switched_on)


@dataclass(frozen=True)
class Usage:
    """How many units of a layer are dead, always active or duplicates, and its effective dimension."""

    units: int
    dead: int  # never active
    always: int  # active for every pair, so linear
    duplicates: int  # correlated beyond SAME with another unit
    participation: float  # (sum of the variances along the main axes)^2 / sum of their squares
    axes: int  # main axes that hold 99 % of the variance


def usage(activations: np.ndarray) -> Usage:
    """Measure usage on activations (count, units)."""
    centred = activations.astype(np.float64) - activations.mean(0, dtype=np.float64)
    covariance = centred.T @ centred / len(centred)
    deviation = np.sqrt(np.diag(covariance))
    alive = deviation > 1e-6
    correlation = np.abs(covariance[np.ix_(alive, alive)] / np.outer(deviation[alive], deviation[alive]))
    np.fill_diagonal(correlation, 0)
    variances = np.clip(np.linalg.eigvalsh(covariance)[::-1], 0, None)
    total = variances.sum()
    return Usage(
        units=activations.shape[1],
        dead=int((activations <= 0).all(0).sum()),
        always=int((activations > 0).all(0).sum()),
        duplicates=int((correlation > SAME).any(0).sum()),
        participation=float(total**2 / (variances**2).sum()) if total else 0.0,
        axes=int(np.searchsorted(np.cumsum(variances), 0.99 * total) + 1) if total else 0,
    )
