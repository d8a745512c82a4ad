"""What was measured inside trained perceptrons, as stored by benchmarks/insight.py, over seeds."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from visarith.errors import VisarithError
from visarith.evaluation import wilson
from visarith.experiments.catalogue import ENTRIES
from visarith.experiments.reproduce import run_folder
from visarith.report.evidence import Evidence, NoResultError, Share, over_seeds, students_reach

FILE = "insight.json"

Row = Mapping[str, Any]  # the figures of one run


class NoInsightError(NoResultError):
    """Nothing was measured inside a run of this entry."""

    remedy = "python benchmarks/insight.py"


class Insight:
    """The rows of each entry, a seed each; asking for an entry that has none raises NoInsightError."""

    def __init__(self, rows: Mapping[str, Sequence[Row]], complaints: Sequence[str] = ()) -> None:
        self.rows, self.complaints = rows, list(complaints)

    def __bool__(self) -> bool:
        return bool(self.rows)

    def __contains__(self, entry: str) -> bool:
        return entry in self.rows

    def __getitem__(self, entry: str) -> Sequence[Row]:
        if entry not in self.rows:
            raise NoInsightError(f"insight into {entry}")
        return self.rows[entry]

    def share(self, entry: str, of: Callable[[Row], float], count: int) -> Share:
        """A share with its 95 % interval: over seeds, or with one seed that of `count` trials."""
        values = [of(row) for row in self[entry]]
        return over_seeds(values, wilson(values[0], count))

    def value(self, entry: str, of: Callable[[Row], float]) -> "Value":
        """A figure that is no share, with its 95 % interval over seeds."""
        return Value([of(row) for row in self[entry]])


class Value:
    """A mean over seeds; with one seed there is no interval."""

    def __init__(self, values: Sequence[float]) -> None:
        self.mean = float(np.mean(values))
        reach = students_reach(values) if len(values) > 1 else 0.0
        self.seeds, self.low, self.high = len(values), self.mean - reach, self.mean + reach

    def __str__(self) -> str:
        """With a true minus, and two decimals.

        >>> print(Value([-0.5, -0.6, -0.7]), Value([1.25]))
        −0.60 (−0.85 to −0.35) 1.25
        """
        interval = f" ({self.low:.2f} to {self.high:.2f})" if self.seeds > 1 else ""
        return f"{self.mean:.2f}{interval}".replace("-", "−")


def insight(evidence: Evidence) -> Insight:
    """What is stored beside the results."""
    return load(evidence.folder)


def load(folder: Path) -> Insight:
    """The rows of runs of this code; of others it is said that they are left out. Empty if nothing is stored."""
    file = folder / FILE
    rows: dict[str, list[Row]] = {}
    complaints = []
    for name, row in _stored(file).items():
        entry = ENTRIES.get(row["entry"])
        if entry is None or run_folder(Path(), entry, row["seed"], quick=False).name != name:
            complaints.append(f"{file} has figures of {name}, a run of other code; {NoInsightError.remedy} makes them")
            continue
        rows.setdefault(entry.name, []).append(row)
    return Insight({name: sorted(each, key=lambda row: int(row["seed"])) for name, each in rows.items()}, complaints)


def _stored(file: Path) -> dict[str, Row]:
    if not file.exists():
        return {}
    try:
        rows: dict[str, Row] = json.loads(file.read_text())
        if all({"entry", "seed", "trained"} <= row.keys() for row in rows.values()):
            return rows
        why = "a run has no layers"
    except (ValueError, AttributeError) as error:
        why = str(error)
    raise VisarithError(f"{file} is damaged ({why}); delete it and run {NoInsightError.remedy}")


def at(*path: str | int) -> Callable[[Row], Any]:
    """The figure at the end of a path of names and places."""

    def found(row: Row) -> Any:
        here: Any = row
        for step in path:
            here = here[step]
        return here

    return found


def layer(number: int, *path: str | int, network: str = "trained") -> Callable[[Row], Any]:
    """A figure of one layer: 0 is the pixels, -1 the top hidden layer; without a path, all its figures."""

    def found(row: Row) -> Any:
        layers = row[network]
        return at(*path)(layers[-1] if number < 0 else next(each for each in layers if each["layer"] == number))

    return found


def hidden_layers(row: Row) -> range:
    return range(1, row["trained"][-1]["layer"] + 1)
