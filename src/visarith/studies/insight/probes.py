"""Facts about a pair of numbers, and linear probes that read them off a layer.

Facts are digits, digits of the answer, carries, and the gates of Section 6. A probe is a ridge regression that answers
with the value whose output is largest. It is fitted on some pairs and judged on others. What it reads is in the layer;
what it does not read may still be there in another form.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from visarith.data.task import Examples, Task
from visarith.randomness import rng, untouched

Kind = Literal["input", "answer", "carry", "column", "total"]
SIGNS = {"add": 1, "subtract": -1}  # of the second operand
STRENGTHS = (1e-5, 1e-3, 1e-1)  # of the ridge, chosen on a sixth of the training pairs
CONSTANT = 1e-6
FOUND = 0.9  # a unit with this squared correlation is the gate
ALIKE = 0.5


@dataclass(frozen=True, eq=False)
class Fact:
    """One value a pair: the digit in a cell, the carry (or borrow) into a cell, or the digits of a column."""

    kind: Kind
    picture: int  # index of the input or answer; 0 for facts that belong to no picture
    cell: int  # from the left; a carry goes into this cell
    values: np.ndarray  # (count,)

    @property
    def classes(self) -> int:
        return int(self.values.max()) + 1

    @property
    def one_hot(self) -> np.ndarray:
        """(count, classes), 1 where the value is that class."""
        return np.asarray(np.eye(self.classes, dtype=np.float32)[self.values])

    def __getitem__(self, rows: slice | np.ndarray) -> "Fact":
        return Fact(self.kind, self.picture, self.cell, self.values[rows])


def facts(task: Task, examples: Examples) -> list[Fact]:
    """All digits and carries that are not the same for all pairs."""
    written: list[tuple[Kind, np.ndarray]] = [("input", examples.inputs), ("answer", examples.answers)]
    found = [
        fact
        for kind, symbols in written
        for picture in range(symbols.shape[1])
        for fact in _varied(kind, symbols[:, picture].astype(np.int64), picture)
    ]
    carried = carries(task, examples)
    return found if carried is None else [*found, *_varied("carry", carried)]


def carries(task: Task, examples: Examples) -> np.ndarray | None:
    """Whether 1 is carried into (or borrowed from) each cell of a sum or difference: (count, cells)."""
    sign, base = SIGNS.get(task.operation.name), task.notation.place_base
    if sign is None or base is None:
        return None
    first, second = (examples.inputs[:, picture].astype(np.int64) for picture in (0, 1))
    into = np.zeros_like(first)
    for cell in range(first.shape[1] - 1, 0, -1):
        total = first[:, cell] + sign * (second[:, cell] + into[:, cell])
        into[:, cell - 1] = (total < 0) | (total >= base)
    return into


def columns(examples: Examples) -> list[Fact]:
    """The digits of all inputs at one place together, as one value."""
    powers = (int(examples.inputs.max()) + 1) ** np.arange(examples.inputs.shape[1])
    return _varied("column", (examples.inputs.astype(np.int64) * powers[:, None]).sum(1))


def totals(task: Task, examples: Examples) -> list[Fact]:
    """The sum or difference of the two digits at each place, without the carry; empty for other operations."""
    sign = SIGNS.get(task.operation.name)
    if sign is None:
        return []
    inputs = examples.inputs.astype(np.int64)
    total = inputs[:, 0] + sign * inputs[:, 1]
    return _varied("total", total - total.min())


def _varied(kind: Kind, values: np.ndarray, picture: int = 0) -> list[Fact]:
    """A fact for each cell of values (count, cells) that is not the same for all pairs."""
    found = [Fact(kind, picture, cell, values[:, cell]) for cell in range(values.shape[1])]
    return [fact for fact in found if fact.values.min() < fact.values.max()]


def gates(task: Task, examples: Examples, facts: Sequence[Fact]) -> list[np.ndarray]:
    """HL1, HL2 and HL3 of addition as (count, gates) of 0 and 1, without gates that never change; empty for others."""
    base, cells = task.notation.place_base, task.notation.cells
    if task.operation.name != "add" or base is None:
        return []
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


def probe(
    train: np.ndarray, train_facts: Sequence[Fact], test: np.ndarray, test_facts: Sequence[Fact]
) -> tuple[list[float], list[float]]:
    """The accuracy of probes on test pairs for each fact: with true labels, and with shuffled labels as a control."""
    order = rng(0, "shuffled labels").permutation(len(train))
    targets = [fact.one_hot for fact in train_facts]
    both = np.concatenate([*targets, *(target[order] for target in targets)], axis=1)
    held = len(train) // 6
    widths = [fact.classes for fact in train_facts]
    inside = [fact[slice(held)] for fact in train_facts]
    scores = [
        np.mean(_right(ridge(train[held:], both[held:], train[:held], strength), inside, widths))
        for strength in STRENGTHS
    ]
    predicted = ridge(train, both, test, STRENGTHS[int(np.argmax(scores))])
    return _right(predicted, test_facts, widths), _right(predicted[:, sum(widths) :], test_facts, widths)


def explained(train: np.ndarray, train_targets: np.ndarray, test: np.ndarray, test_targets: np.ndarray) -> np.ndarray:
    """The R² of each target on test pairs, at least 0."""
    left = ((ridge(train, train_targets, test, STRENGTHS[1]) - test_targets) ** 2).mean(0)
    return np.asarray(np.clip(1 - left / np.maximum(test_targets.var(0), 1e-12), 0, 1))


def ridge(train: np.ndarray, targets: np.ndarray, test: np.ndarray, strength: float) -> np.ndarray:
    """Fit standardised activations to targets (count, columns), and predict those of the test pairs."""
    with untouched():
        from sklearn.linear_model import Ridge  # slow to import
        from sklearn.preprocessing import StandardScaler

    used = train.std(0) > CONSTANT
    if not used.any():
        return np.tile(targets.mean(0), (len(test), 1))
    scaler = StandardScaler()
    inside = scaler.fit_transform(train[:, used].astype(np.float64))
    fitted = Ridge(alpha=strength * len(train), solver="cholesky").fit(inside, targets.astype(np.float64))
    return np.asarray(fitted.predict(scaler.transform(test[:, used].astype(np.float64))))


def _right(predicted: np.ndarray, facts: Sequence[Fact], widths: Sequence[int]) -> list[float]:
    shares, start = [], 0
    for fact, width in zip(facts, widths, strict=True):
        shares.append(float((predicted[:, start : start + width].argmax(1) == fact.values).mean()))
        start += width
    return shares


def squared_correlations(activations: np.ndarray, indicators: np.ndarray) -> np.ndarray:
    """The squared correlation of every unit with every gate: (units, gates); 0 for a constant unit."""
    columns = []
    for values in (activations, indicators):
        centred = values.astype(np.float64) - values.mean(0, dtype=np.float64)
        length = np.linalg.norm(centred, axis=0)
        columns.append(centred / np.where(length > 1e-9 * len(values), length, np.inf))
    return np.asarray((columns[0].T @ columns[1]) ** 2)


def match(activations: np.ndarray, indicators: np.ndarray, train: int) -> dict[str, float]:
    """How well units match gates, one by one and as linear combinations; the first `train` pairs are for fitting."""
    found = squared_correlations(activations, indicators)
    held = explained(activations[:train], indicators[:train], activations[train:], indicators[train:])
    return {
        "gates": float(indicators.shape[1]),
        "units_that_are_gates": float((found.max(1) >= FOUND).mean()),
        "units_like_gates": float((found.max(1) >= ALIKE).mean()),
        "gates_found": float((found.max(0) >= FOUND).mean()),
        "gates_alike": float((found.max(0) >= ALIKE).mean()),
        "best_unit": float(found.max(0).mean()),  # squared correlation of a gate with the unit most like it
        "linear": float(held.mean()),  # R² of a gate by a linear combination of the units
    }
