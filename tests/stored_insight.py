"""Made-up figures of the inside of networks, for tests of what a report makes of them."""

from typing import Any

from stored_results import keep_row
from visarith.studies.results import Results

WORLD = {  # what the report weighs; a test changes what it is about
    "detectors": 0.03,  # of bottom units, for one input digit
    "place": 0.4,
    "column": 0.95,
    "single": 0.2,  # of top units, for one answer digit
    "answers": (0.6, 0.9, 0.999),
    "inputs": (0.99, 0.5, 0.2),
    "start": 0.14,  # answers read off the network before training
    "gates": (0.0, 0.0, 0.3),
    "closest": 1.3,
    "slope": 4.0,
    "deviation": 0.19,
    "mixed": 0.5,
    "ink": 0.85,
    "right": 1.0,
    "apart": 0.05,
}


def row(entry: str, seed: int = 0, **changes: Any) -> dict[str, Any]:
    """The figures of one run of three hidden layers in this world."""
    world = WORLD | changes
    found = {
        "entry": entry,
        "seed": seed,
        "train_pairs": 6_000,
        "test_pairs": 3_000,
        "trained": [_layer(number, world, trained=True) for number in range(4)],
        "untrained": [_layer(number, world, trained=False) for number in range(1, 4)],
        "filters": {
            kind: {"closest": closest, "correlation": 1 - closest}
            for kind, closest in (
                ("trained", world["closest"]),
                ("untrained", 1.0),
                ("templates", 0.6),
                ("least squares", 1.6),
            )
        },
    }
    if "subtract" not in entry:
        found["mixtures"] = {"alone": _curve(world), "carried": _curve(world), "likely": [0.0, 0.5, 1.0]}
        found["reliability"] = {
            "counts": [90, 90, 2],
            "drawn": [0.1, 0.5, 0.9],
            "true": [0.1, 0.4, 1.0],
            "apart": world["apart"],
        }
    return found


def _layer(number: int, world: dict[str, Any], *, trained: bool) -> dict[str, Any]:
    place, answer = max(number - 1, 0), world["answers"][max(number - 1, 0)]
    units = {
        kind: {
            "place_share": [0.0, 0.1, world["place"], 0.6, 1.0],
            "for_one_digit": 0.1,
            "detectors": share if trained else 0.0,
        }
        for kind, share in (("input", world["detectors"]), ("answer", world["single"]))
    }
    share = [0.0, 0.1, world["column"], 0.97, 1.0]
    return {
        "layer": number,
        "probes": {
            "input": world["inputs"][place] if number else 1.0,
            "answer": (answer if trained else world["start"]) if number else 0.14,
            "carry": 0.9,
        },
        "shuffled": {"input": 0.1, "answer": 0.1, "carry": 0.5},
        "usage": {"units": 256, "dead": 3, "always": 0, "duplicates": 2, "participation": 20.0, "axes": 90},
        "units": units,
        "drive": {"place_share": share, "column_share": share, "detectors": 0.0},
        "explained": {kind: {"share": share, "almost_all": 0.6} for kind in ("column", "total", "carry")},
        "construction": {
            "gates": 70,
            "units_that_are_gates": 0.0,
            "gates_found": world["gates"][place] if trained else 0.0,
            "gates_alike": 0.5,
            "linear": 0.7 if trained else 0.1,
        },
    }


def _curve(world: dict[str, Any]) -> dict[str, Any]:
    counted = {"cases": 100, "right_at_ends": world["right"]}
    if not world["right"]:
        return counted
    return counted | {
        "proportions": [0.0, 0.5, 1.0],
        "mean": [0.0, 0.5, 1.0],
        "quantiles": {q: [0.0, 0.5, 1.0] for q in ("0.05", "0.25", "0.5", "0.75", "0.95")},
        "slope_of_the_mean": world["slope"],
        "slope_of_a_case": world["slope"],
        "deviation": world["deviation"],
        "deviation_of_a_switch": 0.21,
        "mixed_at_half": world["mixed"],
        "ink_explained_at_half": world["ink"],
    }


def keep(results: Results, **changes: Any) -> None:
    """Store a world as the study would: three seeds of sums, two of differences, one of noisy sums."""
    for entry, seed in (("add", 0), ("add", 1), ("add", 2), ("subtract", 0), ("subtract", 1), ("noise-better", 0)):
        keep_row(results, "insight", entry, row(entry, seed, **changes), seed)
