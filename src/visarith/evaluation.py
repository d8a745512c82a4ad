"""How good the answers are: digit error and number error, with intervals, by position, by any reader."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from visarith.notation import Arabic
from visarith.reading import Reading

Z = 1.959964  # of a two-sided 95 % interval


@dataclass(frozen=True)
class Score:
    """Errors are shares in [0, 1]; intervals are 95 %."""

    reader: str
    pairs: int
    digit_error: float  # wrong cells over all cells; every cell of a reading of the wrong length is wrong
    digit_interval: tuple[float, float]
    number_error: float  # answers with at least one wrong cell
    number_interval: tuple[float, float]
    edit_error: float  # edit distance between reading and truth, over all cells
    unreadable: int  # answers in which the reader saw nothing, or a cell that it could not read
    per_position: list[float]  # digit error of each cell, from the left

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Score":
        """The score that was stored as JSON, which knows no tuples."""
        pairs = {name: tuple(map(float, data[name])) for name in ("digit_interval", "number_interval")}
        errors = {name: float(data[name]) for name in ("digit_error", "number_error", "edit_error")}
        return cls(**(data | pairs | errors))


def score(reader: str, readings: list[Reading], truth: np.ndarray, notation: Arabic) -> Score:
    """Compare the readings of each answer picture with the true symbols (count, answers, cells)."""
    wrong = np.concatenate([_wrong_cells(r, truth[:, i], notation) for i, r in enumerate(readings)], axis=1)
    unreadable = [
        any(not text or "?" in text for text in texts) for texts in zip(*(r.texts for r in readings), strict=True)
    ]
    edits = sum(_edits(r, truth[:, i], notation) for i, r in enumerate(readings))
    numbers_wrong = int(wrong.any(1).sum())
    return Score(
        reader=reader,
        pairs=len(wrong),
        digit_error=float(wrong.mean()),
        digit_interval=_clustered_interval(wrong),
        number_error=numbers_wrong / len(wrong),
        number_interval=wilson(numbers_wrong / len(wrong), len(wrong)),
        edit_error=edits / wrong.size,
        unreadable=sum(unreadable),
        per_position=wrong.mean(0).tolist(),
    )


def wilson(share: float, count: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of `count` independent trials.

    >>> [round(bound, 4) for bound in wilson(0, 30000)]
    [0.0, 0.0001]
    """
    centre = (share + Z**2 / (2 * count)) / (1 + Z**2 / count)
    spread = Z / (1 + Z**2 / count) * (share * (1 - share) / count + Z**2 / (4 * count**2)) ** 0.5
    return (0.0 if share == 0 else max(0.0, centre - spread), 1.0 if share == 1 else min(1.0, centre + spread))


def _clustered_interval(wrong: np.ndarray) -> tuple[float, float]:
    """Wilson's interval for the digit error, with as many independent trials as the digits are worth.

    Digits of one number go wrong together (a lost carry), so cells are not trials; their worth is taken from how much
    the error varies from number to number, and lies between one trial a number and one a cell.
    """
    numbers, cells = wrong.shape
    share = float(wrong.mean())
    variance = float(wrong.mean(1).var()) / numbers
    worth: float = numbers  # nothing or everything wrong says little of single cells
    if 0 < share < 1:
        worth = share * (1 - share) / max(variance, 1e-20)
    return wilson(share, float(np.clip(worth, numbers, numbers * cells)))


def _wrong_cells(reading: Reading, truth: np.ndarray, notation: Arabic) -> np.ndarray:
    wrong: np.ndarray = reading.symbols != truth
    length = _lengths(truth, notation)
    wrong[_lengths(reading.symbols, notation) != length] = True
    return wrong


def _lengths(symbols: np.ndarray, notation: Arabic) -> np.ndarray:
    if notation.padded:
        return np.full(len(symbols), symbols.shape[1])
    blank = notation.alphabet.index(" ")
    return np.asarray((symbols != blank).sum(1))


def _edits(reading: Reading, truth: np.ndarray, notation: Arabic) -> int:
    differs = (reading.symbols != truth).any(1)
    return sum(edit_distance(reading.texts[i], notation.text(truth[i])) for i in np.flatnonzero(differs))


def edit_distance(one: str, other: str) -> int:
    """Insertions, deletions and substitutions that turn one text into the other.

    >>> edit_distance("1234567", "123467")
    1
    """
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]
