"""The gates of Section 6's construction as values for each pair, to hold against what the layers of a network hold."""

from collections.abc import Sequence

import numpy as np

from visarith.data.task import Examples, Task
from visarith.insight.facts import Fact
from visarith.insight.probes import explained

FOUND = 0.9  # squared correlation of a unit with a gate that it can be said to be
ALIKE = 0.5


def gates(task: Task, examples: Examples, facts: Sequence[Fact]) -> list[np.ndarray] | None:
    """HL1, HL2 and HL3 of addition as (count, gates) of 0 and 1, without gates that never change; None for others."""
    base, cells = task.notation.place_base, task.notation.cells
    if task.operation.name != "add" or base is None:
        return None
    numbers = examples.operands.astype(np.int64)
    thresholds = []
    for place in range(cells):
        unit = base**place
        total = (numbers % (unit * base)).sum(1)
        thresholds += [total >= i * unit for i in range(1, 2 * base)]
    layers = [
        np.concatenate([fact.one_hot for fact in facts if fact.kind == "input"], 1),
        np.stack(thresholds, 1).astype(np.float32),
        np.concatenate([fact.one_hot for fact in facts if fact.kind == "answer"], 1),
    ]
    return [layer[:, (layer.min(0) < layer.max(0))] for layer in layers]


def squared_correlations(activations: np.ndarray, indicators: np.ndarray) -> np.ndarray:
    """Of every unit with every gate: (units, gates); 0 for a unit that never changes."""
    columns = []
    for values in (activations, indicators):
        centred = values.astype(np.float64) - values.mean(0, dtype=np.float64)
        length = np.linalg.norm(centred, axis=0)
        columns.append(centred / np.where(length > 1e-9 * len(values), length, np.inf))
    return np.asarray((columns[0].T @ columns[1]) ** 2)


def match(activations: np.ndarray, indicators: np.ndarray, train: int) -> dict[str, float]:
    """How far a layer is a layer of gates: unit by unit, and up to a change of basis (judged after `train` pairs)."""
    found = squared_correlations(activations, indicators)
    held = explained(activations[:train], indicators[:train], activations[train:], indicators[train:])
    return {
        "gates": float(indicators.shape[1]),
        "units_that_are_gates": float((found.max(1) >= FOUND).mean()),
        "units_like_gates": float((found.max(1) >= ALIKE).mean()),
        "gates_found": float((found.max(0) >= FOUND).mean()),
        "gates_alike": float((found.max(0) >= ALIKE).mean()),
        "best_unit": float(found.max(0).mean()),  # squared correlation of a gate with the unit most like it
        "linear": float(held.mean()),  # share of a gate's variance that a weighted sum of the layer gets right
    }
