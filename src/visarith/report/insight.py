"""Measurements inside trained perceptrons, over seeds, and their short table in docs/insight.md.

`layers.py` and `illegible.py` decide the claims and make the tables and figures of the report from them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from visarith.evaluation import percent, wilson
from visarith.report.evidence import Evidence, NoResultError, Row, Share, Value, over_seeds
from visarith.report.parts import NOTHING, Table

CLEAN, NOISY = "add", "noise-better"  # the entries by which claims are decided
SUMS = ("add", "noise", "noise-better")
MEDIAN = 2  # of smallest, quarter, median, three quarters, largest
NETWORKS = {  # entry, and whether as trained or as it was before
    "addition": ("add", "trained"),
    "before training": ("add", "untrained"),
    "subtraction": ("subtract", "trained"),
    "noisy addition": ("noise", "trained"),
    "noisy addition, better recipe": ("noise-better", "trained"),
}
BOTTOM, TOP = 1, -1
ONE_LAYER: dict[str, tuple[int, tuple[str | int, ...]]] = {
    "bottom units that are one-hot detectors of an input digit": (BOTTOM, ("units", "input", "detectors")),
    "the same, however little of the unit that place explains": (BOTTOM, ("units", "input", "for_one_digit")),
    "median bottom unit explained by one place of one input": (BOTTOM, ("units", "input", "place_share", MEDIAN)),
    "median bottom unit explained by one column": (BOTTOM, ("explained", "column", "share", MEDIAN)),
    "its weighted sum, before the ReLU, by one place": (BOTTOM, ("drive", "place_share", MEDIAN)),
    "its weighted sum, before the ReLU, by one column": (BOTTOM, ("drive", "column_share", MEDIAN)),
    "top units that are one-hot detectors of an answer digit": (TOP, ("units", "answer", "detectors")),
}
EACH_LAYER: dict[str, tuple[str | int, ...]] = {
    "input digits read off layer 1, 2, 3": ("probes", "input"),
    "answer digits read off layer 1, 2, 3": ("probes", "answer"),
    "carries read off layer 1, 2, 3": ("probes", "carry"),
    "gates of the construction that are a unit of layer 1, 2, 3": ("construction", "gates_found"),
    "gates held by layer 1, 2, 3 as weighted sums": ("construction", "linear"),
}
UNITS: dict[str, tuple[str | int, ...]] = {
    "units of 256 that are dead in layer 1, 2, 3": ("usage", "dead"),
    "axes with 99 % of the variance of layer 1, 2, 3": ("usage", "axes"),
}
BLENDS: dict[str, tuple[str | int, ...]] = {
    "slope of the median blend at one half (1 in proportion)": ("mixtures", "alone", "slope_of_a_case"),
    "distance of blends from proportion": ("mixtures", "alone", "deviation"),
    "distance of a switch": ("mixtures", "alone", "deviation_of_a_switch"),
    "ink and truth in noisy pictures, distance": ("reliability", "apart"),
}


class Insight:
    """The rows of each entry, one a seed."""

    def __init__(self, rows: Mapping[str, Sequence[Row]]) -> None:
        self.rows = rows

    def __contains__(self, entry: str) -> bool:
        return entry in self.rows

    def __getitem__(self, entry: str) -> Sequence[Row]:
        """The rows of an entry; NoResultError if there are none."""
        if entry not in self.rows:
            raise NoResultError(f"insight into {entry}", "visarith reproduce --only insight")
        return self.rows[entry]

    def share(self, entry: str, of: Callable[[Row], float], count: int) -> Share:
        """A share with its 95 % interval: over seeds, or with one seed that of `count` trials."""
        values = [of(row) for row in self[entry]]
        return over_seeds(values, wilson(values[0], count))

    def value(self, entry: str, of: Callable[[Row], float]) -> Value:
        """A figure that is not a share, with its 95 % interval over seeds."""
        return Value([of(row) for row in self[entry]])


def insight(evidence: Evidence) -> Insight:
    """The stored rows by entry; NoResultError if there are none."""
    rows: dict[str, list[Row]] = {}
    for row in sorted(evidence.rows("insight"), key=lambda row: int(row["seed"])):
        rows.setdefault(row["entry"], []).append(row)
    return Insight(rows)


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


def summary(found: Insight) -> Table:
    """A line a measurement, a column a network of which something is stored; `-` where it was not measured."""
    shown = {words: each for words, each in NETWORKS.items() if each[0] in found}
    rows = [
        [words, *(_layers(found, *each, [number], path, shares=True) for each in shown.values())]
        for words, (number, path) in ONE_LAYER.items()
    ]
    for lines, shares in ((EACH_LAYER, True), (UNITS, False)):
        for words, path in lines.items():
            cells = []
            for entry, network in shown.values():
                numbers = list(hidden_layers(found[entry][0]))
                cells.append(_layers(found, entry, network, numbers, path, shares=shares))
            rows.append([words, *cells])
    rows.append(["emphasis of bottom filters on similar digits", *(_filters(found, *each) for each in shown.values())])
    rows += [[words, *(_blend(found, *each, path) for each in shown.values())] for words, path in BLENDS.items()]
    seeds = ["seeds", *(str(len(found[entry])) for entry, _ in shown.values())]
    return Table("Inside", "Means over seeds.", ["what", *shown], [*rows, seeds])


def _layers(
    found: Insight, entry: str, network: str, numbers: list[int], path: tuple[str | int, ...], *, shares: bool
) -> str:
    if path[0] not in layer(numbers[0], network=network)(found[entry][0]):
        return NOTHING
    means = [found.value(entry, layer(number, *path, network=network)).mean for number in numbers]
    return ", ".join(percent(mean) if shares else f"{mean:.0f}" for mean in means)


def _filters(found: Insight, entry: str, network: str) -> str:
    return f"{found.value(entry, at('filters', network, 'closest')).mean:.2f}"


def _blend(found: Insight, entry: str, network: str, path: tuple[str | int, ...]) -> str:
    there = network == "trained" and all(path[0] in row and "mean" in row["mixtures"]["alone"] for row in found[entry])
    return f"{found.value(entry, at(*path)).mean:.2f}" if there else NOTHING
