"""Operations that people write themselves: an expression in a and b, as text.

Whole numbers, + - * // % **, the bits' & | ^ (of the numbers, whatever their base), comparisons (0 or 1),
`x if y else z`, max, min, gcd, abs, reverse (the number's digits the other way round) and digit_sum; `base` and
`digits` are those of the task.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from visarith.errors import VisarithError, option, whole
from visarith.operations.bounds import Bounds, Places, ZeroDivisorError, value, values
from visarith.operations.formula import Node, parse
from visarith.operations.operation import ENUMERABLE, INT64_SAFE, Operation

NAME = "expression"  # of the operation
SMALL, RANDOM = 40_000, 100_000  # tried where there are too many operands to try all: small ones, random ones


@dataclass(frozen=True)
class Expression:
    """The rule of such an operation: called with one row of operands, or `many` at once."""

    tree: Node
    places: Places

    @cached_property
    def names(self) -> tuple[str, ...]:
        return ("a", "b") if "b" in self.tree.names() else ("a",)

    def __call__(self, *operands: int) -> int:
        at = dict(zip(self.names, operands, strict=True)) | self.places.constants()
        return value(self.tree, at, self.places)

    def many(self, operands: np.ndarray) -> np.ndarray:
        """(count, operands) -> (count,): in 64 bits where no part can overflow, by Python's numbers otherwise.

        Where it divides by zero the answer is -1, which no picture shows.
        """
        if not len(operands):
            return np.zeros(0, np.int64)
        if self.bounds(int(operands.max())).size >= INT64_SAFE:
            return np.array([self._or_none(row) for row in operands.tolist()], object)
        columns = {name: operands[:, i].astype(np.int64) for i, name in enumerate(self.names)}
        same = {name: np.full(len(operands), number) for name, number in self.places.constants().items()}
        zero = np.zeros(len(operands), bool)
        found = values(self.tree, columns | same, self.places, ~zero, zero)
        return np.where(zero, -1, found)

    def _or_none(self, row: list[int]) -> int:
        try:
            return self(*row)
        except ZeroDivisorError:
            return -1

    def bounds(self, largest: int) -> Bounds:
        """Where the parts lie when no operand exceeds `largest`."""
        found = Bounds(
            dict.fromkeys(self.names, (0, largest)) | {k: (n, n) for k, n in self.places.constants().items()},
            self.places,
        )
        found.of(self.tree)
        return found

    def highest(self, largest: int) -> int:
        """No answer exceeds this."""
        return self.bounds(largest).of(self.tree)[1]


@dataclass(frozen=True)
class Largest:
    """The largest operands for which no answer can be too large; all that can be written, if there are none."""

    rule: Expression

    def __call__(self, limit: int) -> int:
        low, high = 0, limit
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.rule.highest(middle) <= limit else (low, middle - 1)
        return low or limit


def from_text(text: str, *, base: int = 10, digits: int = 7) -> Operation:
    """The operation that an expression is, for numbers of so many digits; checked, and nothing of it run as Python.

    >>> from_text("max(a, b)", digits=2).domain(99).answers((7, 12))
    (12,)
    """
    places = Places(whole("base", base, 2), whole("digits", digits, 1))
    rule = Expression(parse(text), places)
    operation = Operation(NAME, rule, operands=len(rule.names), digits=digits, largest=Largest(rule))
    limit = base**digits - 1
    tried, all_of_them = _tried(rule, operation.domain(limit).largest)
    answers = rule.many(tried)
    if not rule.bounds(limit).safe:
        _no_zero_divisor(rule, tried, answers)
    if not ((answers >= 0) & (answers <= limit)).any():
        which = "no operands have" if all_of_them else f"none of {len(tried):,} operands that were tried has"
        raise VisarithError(f"{which} an answer of {rule.tree.text} in 0..{limit}; use more {option('digits')}")
    return operation


def _tried(rule: Expression, largest: int) -> tuple[np.ndarray, bool]:
    """All operands, or the small ones, the ends, those near numbers in the expression and many at random."""
    count = len(rule.names)
    if (largest + 1) ** count <= ENUMERABLE:
        return np.indices((largest + 1,) * count).reshape(count, -1).T.astype(np.int64), True
    small = list(itertools.product(range(min(largest, math.isqrt(SMALL) if count == 2 else SMALL) + 1), repeat=count))
    near = {0, 1, largest - 1, largest, *(n + step for n in rule.tree.literals() for step in (-1, 0, 1))}
    ends = itertools.product(sorted(number for number in near if 0 <= number <= largest), repeat=count)
    rows = [*small, *ends]
    if largest < INT64_SAFE:
        random = np.random.default_rng(0).integers(0, largest, (RANDOM, count), endpoint=True)
        return np.concatenate([np.array(rows, np.int64), random]), False
    return np.array(rows, object), False


def _no_zero_divisor(rule: Expression, operands: np.ndarray, answers: np.ndarray) -> None:
    for row in operands[answers == -1].tolist():  # a quotient may be -1 too, so each is tried by itself
        try:
            rule(*row)
        except ZeroDivisorError as error:
            where = ", ".join(f"{name} = {number}" for name, number in zip(rule.names, row, strict=True))
            remedy = _safe(error.node, rule, int(operands.max()))
            raise VisarithError(f"{error.node.text} divides by zero at {where}; write {remedy}") from None


def _safe(division: Node, rule: Expression, largest: int) -> str:
    """How such a division could be written."""
    left, right = division.parts
    if rule.bounds(largest).of(right)[0] < 0:
        return f"({division.text} if {right.text} else 0)"
    dividend = f"({left.text})" if left.parts and left.text[-1] != ")" else left.text
    return f"{dividend} {division.sign} ({right.text} + 1)"
