"""What there is to know about a pair of numbers: its digits, the digits of its answer, and what is carried."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from visarith.data.task import Examples, Task

Kind = Literal["input", "answer", "carry", "column", "total"]
SIGNS = {"add": 1, "subtract": -1}  # of the second operand


@dataclass(frozen=True, eq=False)
class Fact:
    """A value for every pair: the digit in a cell, whether something is carried (or borrowed) there, or a column."""

    kind: Kind
    picture: int  # which input or answer; 0 for what has no picture of its own
    cell: int  # from the left; a carry is that into this cell
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
    """Everything that differs between these pairs: a digit that is always 0 tells nothing."""
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
    """The sum or difference of the two digits at one place, whatever is carried; nothing for other operations."""
    sign = SIGNS.get(task.operation.name)
    if sign is None:
        return []
    inputs = examples.inputs.astype(np.int64)
    total = inputs[:, 0] + sign * inputs[:, 1]
    return _varied("total", total - total.min())


def _varied(kind: Kind, values: np.ndarray) -> list[Fact]:
    found = [Fact(kind, 0, cell, values[:, cell]) for cell in range(values.shape[1])]
    return [fact for fact in found if fact.values.min() < fact.values.max()]
