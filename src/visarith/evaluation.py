"""How good the answers are: digit error and number error, with intervals, and by position."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from visarith.notation import Notation, blank, writes_nothing
from visarith.reading import Reading

Z = NormalDist().inv_cdf(0.975)  # of a two-sided 95 % interval; the standard library, since SciPy imports slowly


@dataclass(frozen=True, repr=False)
class Score:
    """Errors are shares in [0, 1]; intervals are 95 %."""

    reader: str
    pairs: int
    digit_error: float  # wrong cells over all cells, blank ones too
    digit_interval: tuple[float, float]
    written_error: float  # wrong cells over those in which the truth has a symbol
    number_error: float  # answers with at least one wrong cell
    number_interval: tuple[float, float]
    edit_error: float  # edit distance between reading and truth, over all cells
    unreadable: int  # answers that are empty, or have a cell that the reader could not read
    per_position: list[float]  # digit error of each cell, from the left

    def __repr__(self) -> str:
        return f"Score({self.reader}: {percent(self.digit_error)} of digits wrong, {self.pairs:,} answers)"

    def _repr_html_(self) -> str:
        """The share of wrong digits at each position as bars, for notebooks."""
        wide, high = 14, 60
        bars = "".join(
            f'<rect x="{wide * place}" y="{high * (1 - share):.1f}" width="{wide - 2}" height="{high * share + 1:.1f}">'
            f"<title>{percent(share)}</title></rect>"
            for place, share in enumerate(self.per_position)
        )
        size = f'width="{wide * len(self.per_position)}" height="{high + 1}"'
        return f'<svg {size} fill="#0072b2">{bars}</svg><br>{self!r}'

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Score":
        """The score that was stored as JSON, which has no tuples."""
        pairs = {name: tuple(map(float, data[name])) for name in ("digit_interval", "number_interval")}
        errors = {name: float(data[name]) for name in ("digit_error", "written_error", "number_error", "edit_error")}
        return cls(**(data | pairs | errors))


def score(reader: str, readings: list[Reading], truth: np.ndarray, notation: Notation) -> Score:
    """Compare the readings of each answer picture with the true symbols (count, answers, cells).

    If an Arabic reading has the wrong length, all its cells are wrong. Roman numerals have no fixed length and are
    compared cell by cell, from the left.
    """
    wrong = np.concatenate([_wrong_cells(r, truth[:, i], notation) for i, r in enumerate(readings)], axis=1)
    unreadable = np.any([_unreadable(reading, notation) for reading in readings], axis=0)
    edits = sum(_edits(r, truth[:, i], notation) for i, r in enumerate(readings))
    empty = blank(notation)
    written = wrong if empty is None else wrong[truth.reshape(wrong.shape) != empty]
    numbers_wrong = int(wrong.any(1).sum())
    return Score(
        reader=reader,
        pairs=len(wrong),
        digit_error=float(wrong.mean()),
        digit_interval=_clustered_interval(wrong),
        written_error=float(written.mean()) if written.size else 0.0,
        number_error=numbers_wrong / len(wrong),
        number_interval=wilson(numbers_wrong / len(wrong), len(wrong)),
        edit_error=edits / wrong.size,
        unreadable=int(unreadable.sum()),
        per_position=wrong.mean(0).tolist(),
    )


def wilson(share: float, count: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of `count` independent trials, a number that need not be whole.

    >>> [round(bound, 4) for bound in wilson(0, 30000)]
    [0.0, 0.0001]
    """
    centre = (share + Z**2 / (2 * count)) / (1 + Z**2 / count)
    spread = Z / (1 + Z**2 / count) * (share * (1 - share) / count + Z**2 / (4 * count**2)) ** 0.5
    return (0.0 if share == 0 else max(0.0, centre - spread), 1.0 if share == 1 else min(1.0, centre + spread))


def _clustered_interval(wrong: np.ndarray) -> tuple[float, float]:
    """Wilson's interval for the digit error, with the effective number of independent trials.

    The digits of one number are often wrong together (a lost carry), so cells are not independent. The effective number
    follows from the variance of the error between numbers, and lies between the number of numbers and that of cells.
    """
    numbers, cells = wrong.shape
    share = float(wrong.mean())
    variance = float(wrong.mean(1).var()) / numbers
    trials: float = numbers  # without variance
    if 0 < share < 1:
        trials = share * (1 - share) / max(variance, 1e-20)
    return wilson(share, float(np.clip(trials, numbers, numbers * cells)))


def _wrong_cells(reading: Reading, truth: np.ndarray, notation: Notation) -> np.ndarray:
    wrong: np.ndarray = reading.symbols != truth
    empty = blank(notation)
    if empty is not None and notation.aligned == "right":
        wrong[(reading.symbols != empty).sum(1) != (truth != empty).sum(1)] = True
    return wrong


def _unreadable(reading: Reading, notation: Notation) -> np.ndarray:
    empty = np.array([not text for text in reading.texts])
    cells = np.asarray((reading.symbols < 0).any(1))
    return cells if writes_nothing(notation) else cells | empty


def _edits(reading: Reading, truth: np.ndarray, notation: Notation) -> int:
    differs = (reading.symbols != truth).any(1)
    return sum(edit_distance(reading.texts[i], notation.text(truth[i])) for i in np.flatnonzero(differs))


def edit_distance(one: str, other: str) -> int:
    """The smallest number of insertions, deletions and substitutions that turn one text into the other.

    >>> edit_distance("1234567", "123467")
    1
    """
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def percent(share: float) -> str:
    """A share as text, with about three digits.

    >>> percent(0.00123), percent(0.715), percent(0)
    ('0.12 %', '71.5 %', '0 %')
    """
    return f"{100 * share:.{_decimals(share)}f} %"


def _decimals(share: float) -> int:
    return 0 if share == 0 else 1 if share >= 0.1 else 2 if share >= 0.001 else 3


def bounded(share: float, interval: tuple[float, float], over: str) -> str:
    """A share and its interval as text; of 0 and 1 only the bound that is not trivial.

    >>> bounded(0.02, (0.015, 0.026), "pairs")
    '2.00 % (1.50 % to 2.60 % over pairs)'
    >>> bounded(0, (0, 0.00013), "pairs"), bounded(1, (0.9995, 1), "pairs")
    ('0 %, at most 0.013 %', '100 %, at least 99.950 %')
    """
    low, high = interval
    if share == 0:
        return f"0 %, at most {percent(high)}"
    if share == 1:
        return f"100 %, at least {100 * low:.{_decimals(1 - low)}f} %"
    return f"{percent(share)} ({percent(low)} to {percent(high)} over {over})"
