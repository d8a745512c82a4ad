"""Stored results over seeds. Everything that the report knows of results and runs, it asks of `Evidence`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from visarith.errors import VisarithError
from visarith.evaluation import Score
from visarith.files import parsed, read_bytes
from visarith.report.estimates import Share, share
from visarith.runs.experiment import from_json
from visarith.runs.pretrained import pretrained
from visarith.runs.run import Run, load
from visarith.studies import studies
from visarith.studies.catalogue import ENTRIES, Entry
from visarith.studies.experiments import FOLDER, RunResult, identity, run_folder
from visarith.studies.results import MOST, Results

Row = Mapping[str, Any]


class NoResultError(LookupError):
    """Something is not stored; `remedy` is the command that makes it."""

    def __init__(self, what: str, remedy: str = "visarith reproduce") -> None:
        super().__init__(f"there is no result of {what} yet; {remedy} makes it")
        self.what, self.remedy = what, remedy


@dataclass(frozen=True)
class Summary:
    """The runs of one entry together."""

    entry: Entry
    runs: tuple[RunResult, ...]  # those that ended well
    failures: tuple[RunResult, ...]

    @property
    def seeds(self) -> int:
        return len(self.runs)

    @property
    def scores(self) -> list[Score]:
        return [run.score for run in self.runs if run.score]

    @property
    def digits(self) -> Share:
        return _digits(self.scores)

    @property
    def mean(self) -> float:
        """The mean digit error."""
        return self.digits.mean

    @property
    def numbers(self) -> Share:
        errors, pairs = [score.number_error for score in self.scores], [score.pairs for score in self.scores]
        return share(errors, pairs, self.scores[0].number_interval)

    @property
    def written(self) -> float:
        return _mean([score.written_error for score in self.scores])

    @property
    def tesseract(self) -> Share | None:
        scores = self._by_tesseract()
        return _digits(scores) if scores else None

    @property
    def tesseract_unreadable(self) -> float:
        """The share of answers in which Tesseract saw nothing, or not as many symbols as there are cells."""
        return _mean([score.unreadable / score.pairs for score in self._by_tesseract()])

    @property
    def training(self) -> float:
        return _mean([run.train_digit_error or 0.0 for run in self.runs])

    @property
    def distance(self) -> float | None:
        """The root mean square difference a pixel between right answers and clean pictures."""
        found = [run.distance for run in self.runs if run.distance is not None]
        return _mean(found) if found else None

    @property
    def positions(self) -> list[float]:
        """The digit error at each position, from the left."""
        return [float(share) for share in np.mean([score.per_position for score in self.scores], axis=0)]

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
        """The epoch after which the first run was below an error."""
        errors = [digit_error for _, digit_error in self.runs[0].curve]
        return next((epoch for epoch, at in enumerate(errors, 1) if at < error), None)

    def _by_tesseract(self) -> list[Score]:
        return [run.tesseract for run in self.runs if run.tesseract]


@dataclass(frozen=True, eq=False)
class StoredRun:
    """A run whose network a figure shows, and where it comes from, for the caption."""

    run: Run
    source: str


class Evidence:
    """The stored results of every entry and study, and the runs that figures need."""

    def __init__(self, results: Results, runs: Path | None = None) -> None:
        self.quick, self.folder, self._runs = results.quick, results.folder, runs or Path()
        self._stored: dict[str, list[RunResult]] = {name: [] for name in ENTRIES}
        self._rows: dict[str, list[Row]] = {}
        self.complaints: list[str] = []
        for study in studies().values():
            good, complaints = results.stored(study)
            self.complaints += complaints
            for result in good:
                if result.job.folder == FOLDER:
                    self._stored[result.job.name].append(RunResult.of(result))
                elif result.failed is not None:
                    self.complaints.append(f"{result.job.title} failed: {result.failed}")
                else:
                    self._rows.setdefault(study.name, []).append({"name": result.job.name, **result.found})
        self._loaded: dict[tuple[str, ...], StoredRun] = {}

    def __bool__(self) -> bool:
        """Whether there is any result at all."""
        return any(self._stored.values()) or bool(self._rows)

    def summary(self, name: str) -> Summary:
        """The runs of an entry, if any."""
        runs = self._stored[name]
        ended = tuple(run for run in runs if run.failed is None)
        return Summary(ENTRIES[name], ended, tuple(run for run in runs if run.failed is not None))

    def __getitem__(self, name: str) -> Summary:
        """The runs of an entry; NoResultError if there are none."""
        found = self.summary(name)
        if not found.runs:
            raise NoResultError(name)
        return found

    def rows(self, study: str) -> list[Row]:
        """What the jobs of a study found, each with its `name`; NoResultError if there is nothing."""
        if study not in self._rows:
            raise NoResultError(study, f"visarith reproduce --only {study}")
        return self._rows[study]

    def people(self, entry: str) -> list[Mapping[str, Score]]:
        """What people, templates and Tesseract read of an entry's answers: the files of `visarith read` in `people`."""
        found: list[Mapping[str, Score]] = []
        for file in sorted((self.folder / "people").glob("*.json")):
            try:
                data = parsed(read_bytes(file, MOST))
                experiment = from_json(data["experiment"], str(file))
                scores = {name: Score.from_json(data["scores"][name]) for name in ("person", "templates", "tesseract")}
            except (OSError, ValueError, KeyError, TypeError) as error:
                self.complaints.append(f"{file} is damaged ({error})")
                continue
            if identity(experiment) == identity(ENTRIES[entry].experiment(experiment.seed)):
                found.append(scores)
        return found

    def run(self, *entries: str) -> StoredRun:
        """The user's own run of the first of these entries that has one, else the pretrained run of such an entry.

        A quick report shows quick runs only. NoResultError if there is no run.
        """
        if entries not in self._loaded:
            found = next(chain(self._own_runs(entries), self._pretrained_runs(entries)), None)
            if found is None:
                raise NoResultError(f"the run of {entries[0]}", f"visarith reproduce --only {entries[0]}")
            self._loaded[entries] = found
        return self._loaded[entries]

    def _own_runs(self, entries: Sequence[str]) -> Iterator[StoredRun]:
        for name in entries:
            for result in self.summary(name).runs:
                try:
                    run = load(run_folder(self._runs, ENTRIES[name], result.seed, quick=self.quick))
                except VisarithError:
                    continue  # results are committed, run folders are not
                yield StoredRun(run, f"entry {name}, seed {result.seed}")

    def _pretrained_runs(self, entries: Sequence[str]) -> Iterator[StoredRun]:
        """Pretrained runs that are the very experiment of an entry, with seed 0."""
        for entry in (ENTRIES[name] for name in entries if not self.quick):
            wanted = identity(entry.experiment(0))
            for each in pretrained():
                if (each.learner, each.operation) == (entry.learner.name, entry.task.operation.name):
                    run = each.load()
                    if identity(run.experiment) == wanted:
                        yield StoredRun(run, f"pretrained run {each.name}: entry {entry.name}, seed 0")


def _digits(scores: Sequence[Score]) -> Share:
    return share([score.digit_error for score in scores], [score.pairs for score in scores], scores[0].digit_interval)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else 0.0
