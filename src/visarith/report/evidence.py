"""What the stored results say of each entry: means and 95 % intervals over seeds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from visarith.evaluation import Score, Z, percent
from visarith.experiments.catalogue import CATALOGUE, ENTRIES
from visarith.experiments.entry import Entry
from visarith.experiments.results import Result, Results

STUDENT = (0.0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)  # two-sided 95 %, by degrees of freedom


@dataclass(frozen=True)
class Share:
    """An error as a share, with its 95 % interval: over seeds if there are several, of the one run otherwise."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{percent(self.mean)} ({percent(self.low)} to {percent(self.high)})"


@dataclass(frozen=True)
class Summary:
    """An entry's runs together."""

    entry: Entry
    runs: tuple[Result, ...]  # those that ended well
    failures: tuple[Result, ...]

    @property
    def seeds(self) -> int:
        return len(self.runs)

    @property
    def digits(self) -> Share:
        return over_seeds([score.digit_error for score in self._scores()], self._scores()[0].digit_interval)

    @property
    def numbers(self) -> Share:
        return over_seeds([score.number_error for score in self._scores()], self._scores()[0].number_interval)

    @property
    def written(self) -> float:
        return _mean([score.written_error for score in self._scores()])

    @property
    def tesseract(self) -> Share | None:
        scores = [run.tesseract for run in self.runs if run.tesseract]
        return over_seeds([score.digit_error for score in scores], scores[0].digit_interval) if scores else None

    @property
    def tesseract_unreadable(self) -> float:
        """The share of answers in which Tesseract saw nothing, or not as many symbols as there are cells."""
        scores = [run.tesseract for run in self.runs if run.tesseract]
        return _mean([score.unreadable / score.pairs for score in scores])

    @property
    def training(self) -> float:
        return _mean([run.train_digit_error or 0.0 for run in self.runs])

    @property
    def distance(self) -> float | None:
        """How far right answers are from clean pictures, root mean square a pixel."""
        found = [run.distance for run in self.runs if run.distance is not None]
        return _mean(found) if found else None

    @property
    def positions(self) -> list[float]:
        return [float(share) for share in np.mean([score.per_position for score in self._scores()], axis=0)]

    @property
    def seconds(self) -> float:
        return _mean([run.seconds for run in self.runs])

    @property
    def core_seconds(self) -> float:
        return _mean([run.core_seconds for run in self.runs])

    def after(self, epochs: int) -> float:
        """The mean digit error of the watched pairs after so many epochs: to compare runs of unequal length."""
        return _mean([run.curve[min(epochs, len(run.curve)) - 1][1] for run in self.runs if run.curve])

    def first_epoch_below(self, error: float) -> int | None:
        """How many epochs the first run needed to get below an error."""
        errors = [digit_error for _, digit_error in self.runs[0].curve]
        return next((epoch for epoch, at in enumerate(errors, 1) if at < error), None)

    def _scores(self) -> list[Score]:
        return [run.score for run in self.runs if run.score]


class Evidence:
    """The summaries of all entries; asking for one that has no result raises NoResultError."""

    def __init__(self, results: Results) -> None:
        self.quick, self.folder = results.quick, results.folder
        self.stored = {entry.name: results.seeds(entry) for entry in CATALOGUE}
        self.complaints = [text for entry in CATALOGUE for text in results.complaints(entry)]

    def summary(self, name: str) -> Summary:
        runs = self.stored[name]
        ended = tuple(run for run in runs if run.failed is None)
        return Summary(ENTRIES[name], ended, tuple(run for run in runs if run.failed is not None))

    def __getitem__(self, name: str) -> Summary:
        found = self.summary(name)
        if not found.runs:
            raise NoResultError(name)
        return found


class NoResultError(LookupError):
    """There is no result of this entry yet."""


def over_seeds(errors: Sequence[float], of_one: tuple[float, float]) -> Share:
    """Student's interval of the mean over seeds; with one seed, the interval that its own pairs give.

    >>> print(over_seeds([0.01, 0.02, 0.03], (0, 1)))
    2.00 % (0 % to 4.48 %)
    """
    mean = _mean(errors)
    if len(errors) == 1:
        return Share(mean, *of_one)
    freedom = len(errors) - 1
    wide = STUDENT[freedom] if freedom < len(STUDENT) else Z + (Z**3 + Z) / (4 * freedom)  # Cornish and Fisher's
    reach = wide * float(np.std(errors, ddof=1)) / len(errors) ** 0.5
    return Share(mean, max(0.0, mean - reach), min(1.0, mean + reach))


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else 0.0
