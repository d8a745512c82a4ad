"""Illegible digits: the share of each answer that a network draws for a blend of two digits, and its calibration."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from visarith.data.task import Examples, Task
from visarith.errors import VisarithError
from visarith.pictures.layout import Layout
from visarith.randomness import generator, rng

PROPORTIONS = np.linspace(0, 1, 21)
HALF = len(PROPORTIONS) // 2
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
MIXED = (0.25, 0.75)  # a share within these bounds counts as a mixture
CANDIDATES = 600  # pairs tried for every place and two digits
AT_A_TIME = 200  # cases drawn together
BINS = 10
ENOUGH = 30  # digits in a bin that counts

Predict = Callable[[np.ndarray], np.ndarray]  # (count, operands, height, width) -> (count, answers, height, width)


@dataclass(frozen=True, eq=False)
class Cases:
    """Cases of two operand pairs each, which differ in one digit of one operand."""

    low: np.ndarray  # (count, operands): with the lower digit
    high: np.ndarray  # with the higher digit
    cells: np.ndarray  # (count,) where they differ
    digits: np.ndarray  # (count, 2) in what

    def __len__(self) -> int:
        return len(self.low)

    def __getitem__(self, rows: slice) -> "Cases":
        return Cases(self.low[rows], self.high[rows], self.cells[rows], self.digits[rows])


def cases(task: Task, each: int, *, carried: bool, seed: int = 0, candidates: int = CANDIDATES) -> Cases:
    """For every place and every two digits, up to `each` cases in which the answers differ in that cell.

    With `carried` they must differ in others too, because something is carried for one of the digits only; without, in
    no other. Which operand has the digit alternates.
    """
    base, cells = len(task.notation.alphabet), task.notation.cells
    found: list[tuple[np.ndarray, ...]] = []
    drawn = task.domain.sample(candidates, rng=rng(seed, "mixtures")).astype(np.int64)
    rows = np.arange(len(drawn))
    side = rows % drawn.shape[1]
    for cell, (low, high) in itertools.product(range(cells), itertools.combinations(range(base), 2)):
        unit = base ** (cells - 1 - cell)
        two = [drawn.copy(), drawn.copy()]
        for digit, numbers in zip((low, high), two, strict=True):
            numbers[rows, side] += (digit - numbers[rows, side] // unit % base) * unit
        legal = [row for row in rows.tolist() if all(task.domain.trained(numbers[row].tolist()) for numbers in two)]
        if not legal:
            continue
        differ = (task.write(two[0][legal]).answers != task.write(two[1][legal]).answers)[:, 0]
        fits = differ[:, cell] & ((differ.sum(1) > 1) == carried)
        chosen = np.array(legal)[fits][:each]
        where, which = np.full(len(chosen), cell), np.tile([low, high], (len(chosen), 1))
        found.append((two[0][chosen], two[1][chosen], where, which))
    return Cases(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def shares(ink: np.ndarray, one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The share of `other` in ink = a one + b other, a and b >= 0 by least squares, and how much of the ink that is.

    All (count, pixels). The share is NaN where there is no ink of either; the second is of the squared intensities.
    """
    ones, others, cross = (one**2).sum(1), (other**2).sum(1), (one * other).sum(1)
    first, second = (ink * one).sum(1), (ink * other).sum(1)
    determinant = np.maximum(ones * others - cross**2, 1e-12)
    a, b = (others * first - cross * second) / determinant, (ones * second - cross * first) / determinant
    a, b = (
        np.where(b < 0, np.maximum(first / ones, 0), np.maximum(a, 0)),
        np.where(a < 0, np.maximum(second / others, 0), np.maximum(b, 0)),
    )
    total = a + b
    share = np.where(total > 1e-6, b / np.where(total > 1e-6, total, 1), np.nan)
    left = ((ink - a[:, None] * one - b[:, None] * other) ** 2).sum(1)
    return share, 1 - left / np.maximum((ink**2).sum(1), 1e-12)


def respond(task: Task, predict: Predict, tried: Cases) -> tuple[np.ndarray, np.ndarray]:
    """The share of the answer to the higher digit at each proportion of that digit, and the ink that is explained.

    Both are (cases, proportions).
    """
    if task.operation.answers != 1 or task.corruption.permutation:
        raise VisarithError("mixtures are measured where there is one answer and no permutation of the pixels")
    found = [_respond(task, predict, tried[start : start + AT_A_TIME]) for start in range(0, len(tried), AT_A_TIME)]
    return np.concatenate([share for share, _ in found]), np.concatenate([ink for _, ink in found])


def _respond(task: Task, predict: Predict, tried: Cases) -> tuple[np.ndarray, np.ndarray]:
    layout = task.plain_answer_layout
    written = task.write(tried.low), task.write(tried.high)
    low, high = (task.plain_layout.typeset(each.inputs).astype(np.float32) / 255 for each in written)
    rows = np.arange(len(tried))
    glyphs = [layout.patterns[each.answers[rows, 0, tried.cells]] for each in written]
    ends = []
    for proportion in PROPORTIONS.astype(np.float32):
        drawn = predict((1 - proportion) * low + proportion * high)[:, 0].reshape(len(tried), -1)
        ends.append(shares(cells_of(drawn, layout, tried.cells), *glyphs))
    return np.stack([share for share, _ in ends], 1), np.stack([ink for _, ink in ends], 1)


def cells_of(pictures: np.ndarray, layout: Layout, cells: np.ndarray) -> np.ndarray:
    """The pixels of one cell of each picture: (count, pixels of a picture) -> (count, pixels of a glyph)."""
    return np.asarray(np.take_along_axis(pictures, layout.places[cells], 1))


def right_at_ends(share: np.ndarray) -> np.ndarray:
    """Which cases are answered right without a blend; the others say nothing about blends."""
    return np.asarray((share[:, 0] < 0.5) & (share[:, -1] > 0.5))


def slopes(share: np.ndarray) -> np.ndarray:
    """The slope of each case at one half: 1 in proportion, much more for a switch."""
    before, after = HALF - 1, HALF + 1
    return np.asarray((share[:, after] - share[:, before]) / (PROPORTIONS[after] - PROPORTIONS[before]))


def calibration(share: np.ndarray, ink: np.ndarray) -> dict[str, object]:
    """The curve of the cases that are right at both ends, how steep it is, and how far from proportion."""
    right = right_at_ends(share)
    counted: dict[str, object] = {"cases": len(share), "right_at_ends": float(right.mean())}
    if not right.any():
        return counted
    share, ink = share[right], ink[right]
    half = share[:, HALF]
    return counted | {
        "no_ink": float(np.isnan(share).mean()),
        "proportions": PROPORTIONS.tolist(),
        "mean": np.nanmean(share, 0).tolist(),
        "quantiles": {str(q): np.nanquantile(share, q, axis=0).tolist() for q in QUANTILES},
        "slope_of_the_mean": float(np.nanmean(slopes(share))),
        "slope_of_a_case": float(np.nanmedian(slopes(share))),
        "deviation": deviation(share),
        "deviation_of_a_switch": deviation(np.where(PROPORTIONS == 0.5, 0.5, PROPORTIONS > 0.5)[None]),
        "mixed_at_half": float(((half >= MIXED[0]) & (half <= MIXED[1])).mean()),
        "ink_explained": float(ink.mean()),
        "ink_explained_at_half": float(ink[:, HALF].mean()),
        "ink_explained_at_ends": float(ink[:, [0, -1]].mean()),
    }


def deviation(share: np.ndarray) -> float:
    """The mean distance from proportion."""
    return float(np.nanmean(np.abs(share - PROPORTIONS)))


def likely_share(glyphs: np.ndarray, noise: float) -> np.ndarray:
    """The posterior of the higher digit if the noise is known: mean over pairs of digits, at each proportion.

    The odds of the higher digit are exp(|difference|^2 (p - 1/2) / noise^2): with noise that leaves digits legible,
    a switch.
    """
    squares = np.array([((one - other) ** 2).sum() for one, other in itertools.combinations(glyphs, 2)])
    return np.asarray((1 / (1 + np.exp(-np.outer(squares, PROPORTIONS - 0.5) / noise**2))).mean(0))


def amounts(task: Task, pictures: np.ndarray) -> np.ndarray:
    """How much of each glyph is in each cell of pictures, by least squares: (count, cells, glyphs)."""
    layout = task.plain_answer_layout
    cells = pictures.reshape(len(pictures), -1)[:, layout.places]
    return np.asarray(cells @ np.linalg.pinv(layout.patterns.astype(np.float64)))


def reliability(task: Task, predict: Predict, examples: Examples, *, seed: int = 0) -> dict[str, object]:
    """Compare the ink of each drawn digit, clipped to [0, 1], with how often that digit is the true one."""
    pictures = task.inputs(examples.inputs, generator(seed, "reliability")).numpy()
    drawn = np.clip(amounts(task, predict(pictures)[:, 0]), 0, 1)
    true = np.eye(drawn.shape[-1])[examples.answers[:, 0]]
    return by_bins(drawn.ravel(), true.ravel())


def by_bins(drawn: np.ndarray, true: np.ndarray) -> dict[str, object]:
    """A reliability diagram: mean ink and share of true digits in each bin, and their mean distance over bins."""
    which = np.minimum((drawn * BINS).astype(int), BINS - 1)
    counts = np.bincount(which, minlength=BINS)
    some = np.maximum(counts, 1)
    mean, share = np.bincount(which, drawn, BINS) / some, np.bincount(which, true, BINS) / some
    enough = counts >= ENOUGH
    return {
        "counts": counts.tolist(),
        "drawn": mean.tolist(),
        "true": share.tolist(),
        "apart": float(np.abs(mean - share)[enough].mean()) if enough.any() else None,
        "between": float(counts[1:-1].sum() / counts.sum()),  # neither hardly any ink nor almost all
    }
