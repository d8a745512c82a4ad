"""Mixed operations: several in one, with a picture of the sign between the operands."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from visarith.errors import VisarithError
from visarith.operations.operation import Domain, Operation


@dataclass(frozen=True)
class _Chosen:
    """The rule of the operation whose index is the middle operand."""

    parts: tuple[Operation, ...]

    def __call__(self, left: int, which: int, right: int) -> int | Sequence[int]:
        return self.parts[which].rule(left, right)


class Mixed(Operation):
    """Operands are (a, which, b); `which` is the index of one of the operations, and its picture shows the sign."""

    parts: tuple[Operation, ...]

    def __init__(self, name: str, parts: tuple[Operation, ...]) -> None:
        layers = max(part.hidden_layers for part in parts)
        super().__init__(name, _Chosen(parts), operands=3, digits=parts[0].digits, hidden_layers=layers)
        object.__setattr__(self, "parts", parts)

    @property
    def signs(self) -> str:
        return "".join(part.sign for part in self.parts).replace("x", "×")  # the printed sign

    def domain(self, limit: int) -> "MixedDomain":
        return MixedDomain(self, limit)


class MixedDomain(Domain):
    """The operands of all operations, each with its own range."""

    operation: Mixed

    @cached_property
    def parts(self) -> list[Domain]:
        return [part.domain(self.limit) for part in self.operation.parts]

    @cached_property
    def largest(self) -> int:
        return max(part.largest for part in self.parts)

    def answers(self, operands: Sequence[int]) -> tuple[int, ...] | None:
        left, which, right = operands
        return self.parts[which].answers((left, right))

    def check(self, operands: Sequence[int]) -> tuple[int, ...]:
        if len(operands) != 3 or operands[1] not in range(len(self.parts)):
            signs = ", ".join(f"{number} is {sign}" for number, sign in enumerate(self.operation.signs))
            raise VisarithError(f"{tuple(operands)} has the wrong form; use (number, operation, number), where {signs}")
        return self.parts[operands[1]].check((operands[0], operands[2]))

    def trained(self, operands: Sequence[int]) -> bool:
        return self.parts[operands[1]].trained((operands[0], operands[2]))

    def orders(self, row: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
        left, which, right = row
        return (left, which, right), (right, which, left)

    @property
    def candidates(self) -> int:
        return sum(part.candidates for part in self.parts)

    def all(self) -> list[tuple[int, ...]]:
        return [(left, which, right) for which, part in enumerate(self.parts) for left, right in part.all()]

    def _uniform(self, count: int, rng: np.random.Generator) -> Iterable[tuple[int, ...]]:
        which = rng.integers(0, len(self.parts), count)
        drawn = [iter(part._uniform(int((which == number).sum()), rng)) for number, part in enumerate(self.parts)]
        for number in which.tolist():
            left, right = next(drawn[number])
            yield left, number, right
