"""Measurements inside trained perceptrons, over seeds, and their short table in docs/insight.md.

`layers.py` and `illegible.py` decide the claims and make the tables and figures of the report from them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from visarith.evaluation import percent
from visarith.report.estimates import Share, Value, share
from visarith.report.evidence import Evidence, NoResultError, Row
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
Keys = tuple[str | int, ...]  # of a figure in a row: names and places
BOTTOM, TOP = 1, -1
KINDS = {"input": "input digits", "answer": "answer digits", "carry": "carries"}
ONE_LAYER: dict[str, tuple[int, Keys]] = {
    "bottom units that are one-hot detectors of an input digit": (BOTTOM, ("units", "input", "detectors")),
    "the same, however little of the unit that place explains": (BOTTOM, ("units", "input", "for_one_digit")),
    "median bottom unit explained by one place of one input": (BOTTOM, ("units", "input", "place_share", MEDIAN)),
    "median bottom unit explained by one column": (BOTTOM, ("explained", "column", "share", MEDIAN)),
    "its weighted sum, before the ReLU, by one place": (BOTTOM, ("drive", "place_share", MEDIAN)),
    "its weighted sum, before the ReLU, by one column": (BOTTOM, ("drive", "column_share", MEDIAN)),
    "top units that are one-hot detectors of an answer digit": (TOP, ("units", "answer", "detectors")),
}
EACH_LAYER: dict[str, Keys] = {
    "input digits read off layer 1, 2, 3": ("probes", "input"),
    "answer digits read off layer 1, 2, 3": ("probes", "answer"),
    "carries read off layer 1, 2, 3": ("probes", "carry"),
    "gates of the construction that are a unit of layer 1, 2, 3": ("construction", "gates_found"),
    "gates held by layer 1, 2, 3 as weighted sums": ("construction", "linear"),
    "units of 256 that are dead in layer 1, 2, 3": ("usage", "dead"),
    "axes with 99 % of the variance of layer 1, 2, 3": ("usage", "axes"),
}
BLENDS: dict[str, Keys] = {
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

    def share(self, entry: str, count: int, path: Keys, *, of: str) -> Share:
        """A share with its 95 % interval: over seeds, or with one seed that of `count` units, gates or pairs."""
        values = [at(row, *path) for row in self[entry]]
        return share(values, [count] * len(values), of=of)

    def value(self, entry: str, *path: str | int) -> Value:
        """A figure that is not a share, with its 95 % interval over seeds."""
        return Value([at(row, *path) for row in self[entry]])

    def explained(self, entry: str, path: Keys) -> Value:
        """A share of a variance: no trials are counted, so that one seed has no interval."""
        return Value([at(row, *path) for row in self[entry]], percent)

    def mean(self, entry: str, *path: str | int) -> float:
        return self.value(entry, *path).mean

    def hidden_layers(self, entry: str) -> range:
        return range(1, len(self[entry][0]["trained"]))


def insight(evidence: Evidence) -> Insight:
    """The stored rows by entry; NoResultError if there are none."""
    rows: dict[str, list[Row]] = {}
    for row in sorted(evidence.rows("insight"), key=lambda row: int(row["seed"])):
        rows.setdefault(row["entry"], []).append(row)
    return Insight(rows)


def at(row: Row, *path: str | int) -> Any:
    """The figure at the end of a path of names and places."""
    here: Any = row
    for step in path:
        here = here[step]
    return here


def layer(number: int, *path: str | int, network: str = "trained") -> Keys:
    """The path to a figure of one layer: 0 is the pixels (of trained networks only), -1 the top hidden layer."""
    place = number - 1 if network == "untrained" and number > 0 else number
    return (network, place, *path)


def summary(found: Insight) -> Table:
    """A line a measurement, a column a network of which something is stored; `-` where it was not measured."""
    shown = {words: each for words, each in NETWORKS.items() if each[0] in found}
    rows = [
        [words, *(_layers(found, *each, [number], path) for each in shown.values())]
        for words, (number, path) in ONE_LAYER.items()
    ]
    for words, path in EACH_LAYER.items():
        rows.append([words, *(_layers(found, *each, found.hidden_layers(each[0]), path) for each in shown.values())])
    closest = [f"{found.mean(entry, 'filters', network, 'closest'):.2f}" for entry, network in shown.values()]
    rows.append(["emphasis of bottom filters on similar digits", *closest])
    rows += [[words, *(_blend(found, *each, path) for each in shown.values())] for words, path in BLENDS.items()]
    seeds = ["seeds", *(str(len(found[entry])) for entry, _ in shown.values())]
    return Table("Inside", "Means over seeds.", ["what", *shown], [*rows, seeds])


def _layers(found: Insight, entry: str, network: str, numbers: Sequence[int], path: Keys) -> str:
    if path[0] not in at(found[entry][0], *layer(numbers[0], network=network)):
        return NOTHING
    means = [found.mean(entry, *layer(number, *path, network=network)) for number in numbers]
    return ", ".join(f"{mean:.0f}" if path[0] == "usage" else percent(mean) for mean in means)


def _blend(found: Insight, entry: str, network: str, path: Keys) -> str:
    there = network == "trained" and all(path[0] in row and "mean" in row["mixtures"]["alone"] for row in found[entry])
    return f"{found.mean(entry, *path):.2f}" if there else NOTHING
