"""Facts about a pair of numbers that a layer may hold: digits, digits of the answer, carries, gates of Section 6."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from visarith.data.task import Examples, Task

Kind = Literal["input", "answer", "carry", "column", "total"]
SIGNS = {"add": 1, "subtract": -1}  # of the second operand


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
        Fact(kind, picture, cell, symbols[:, picture, cell].astype(np.int64))
        for kind, symbols in written
        for picture in range(symbols.shape[1])
        for cell in range(symbols.shape[2])
    ]
    carried = carries(task, examples)
    if carried is not None:
        found += [Fact("carry", 0, cell, carried[:, cell]) for cell in range(carried.shape[1])]
    return [fact for fact in found if fact.values.min() < fact.values.max()]


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
    base = int(examples.inputs.max()) + 1
    powers = base ** np.arange(examples.inputs.shape[1])
    together = (examples.inputs.astype(np.int64) * powers[:, None]).sum(1)
    return _varied("column", together)


def totals(task: Task, examples: Examples) -> list[Fact]:
    """The sum or difference of the two digits at each place, without the carry; empty for other operations."""
    sign = SIGNS.get(task.operation.name)
    if sign is None:
        return []
    inputs = examples.inputs.astype(np.int64)
    total = inputs[:, 0] + sign * inputs[:, 1]
    return _varied("total", total - total.min())


def _varied(kind: Kind, values: np.ndarray) -> list[Fact]:
    found = [Fact(kind, 0, cell, values[:, cell]) for cell in range(values.shape[1])]
    return [fact for fact in found if fact.values.min() < fact.values.max()]


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
