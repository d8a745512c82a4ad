"""What single units respond to: whether a unit is for one digit at one place, and how many units are used at all.

A unit is a *one-hot detector* if the digit at one place explains at least half of the variance of its activation, and
one digit there stands out: its mean activation is above the middle between the lowest and the highest mean, and no
other digit's is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from visarith.insight.facts import Fact

EXPLAINED = 0.5  # of the variance, by one place
SAME = 0.99  # correlation of two units that do the same


@dataclass(frozen=True, eq=False)
class Selectivity:
    """How each unit (a row or an entry) depends on each of several facts."""

    shares: np.ndarray  # (units, facts) of the variance that the fact explains
    digit_shares: np.ndarray  # (units,) the most that one digit at one place, there or not, explains
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
    """Weigh units (count, units) against facts about the same pairs."""
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
    """How many units of a layer there are, and how many do something of their own."""

    units: int
    dead: int  # never active
    always: int  # active for every pair, so that they compute nothing but a weighted sum
    duplicates: int  # correlated beyond SAME with another unit
    participation: float  # (sum of the variances along the main axes)^2 / sum of their squares
    axes: int  # main axes that hold 99 % of the variance


def usage(activations: np.ndarray) -> Usage:
    """Count them over these pairs."""
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
