"""Operations given as text: an expression in a and b.

An expression may have whole numbers, + - * // % **, the bitwise & | ^ (of the binary form, in any base), comparisons
(0 or 1), `x if y else z`, max, min, gcd, abs, reverse (the digits in reverse order), digit_sum, and the `base` and
`digits` of the task.
"""

import itertools
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from visarith.errors import VisarithError, option, whole
from visarith.operations.formula import ARITHMETIC, COMPARISONS, Node, Places, ZeroDivisorError, parse, value, values
from visarith.operations.operation import ENUMERABLE, INT64_SAFE, Operation

NAME = "expression"  # of the operation
SMALL, RANDOM = 40_000, 100_000  # operands that are checked where there are too many to check all
MOST_BITS = 2_000  # of any part
Interval = tuple[int, int]


class Bounds:
    """Interval arithmetic: bounds of each part, the largest absolute value, and whether a divisor may be zero."""

    def __init__(self, names: Mapping[str, Interval], places: Places) -> None:
        self.names, self.places = names, places
        self.size = 0  # the largest absolute value of any part
        self.safe = True  # no divisor can be zero

    def of(self, node: Node) -> Interval:
        low, high = self._of(node)
        self.size = max(self.size, abs(low), abs(high))
        if self.size.bit_length() > MOST_BITS:
            raise _too_large(node)
        return low, high

    def _of(self, node: Node) -> Interval:
        if node.sign == "number":
            return node.number, node.number
        if node.sign == "name":
            return self.names[node.text]
        parts = [self.of(part) for part in node.parts]
        if node.sign in COMPARISONS:
            return 0, 1
        if node.sign == "if":
            return min(parts[1][0], parts[2][0]), max(parts[1][1], parts[2][1])
        if node.sign in ("+", "-", "*"):
            return _corners(ARITHMETIC[node.sign], *parts)
        if node.sign in ("//", "%"):
            return self._divided(node.sign, *parts)
        if node.sign == "**":
            return self._power(node, *parts)
        if node.sign in ("max", "min"):
            choose = max if node.sign == "max" else min
            return choose(parts[0][0], parts[1][0]), choose(parts[0][1], parts[1][1])
        return self._other(node.sign, parts)

    def _other(self, sign: str, parts: list[Interval]) -> Interval:
        size = max(abs(bound) for part in parts for bound in part)
        if sign in ("&", "|", "^"):
            most = (1 << size.bit_length()) - 1
            return (0 if all(low >= 0 for low, _ in parts) else -most - 1), most
        if sign == "negative":
            return -parts[0][1], -parts[0][0]
        if sign == "abs":
            low, high = parts[0]
            return max(low, -high, 0), size
        if sign == "reverse":
            self.size = max(self.size, self.places.base**self.places.digits)
            return 0, self.places.base**self.places.digits - 1
        if sign == "digit_sum":
            return 0, (self.places.base - 1) * _length(size, self.places.base)
        return 0, size  # gcd

    def _divided(self, sign: str, one: Interval, other: Interval) -> Interval:
        by_zero = other[0] <= 0 <= other[1]
        self.safe = self.safe and not by_zero
        if sign == "//":
            size = max(abs(one[0]), abs(one[1]))
            return (-size, size) if by_zero else _corners(operator.floordiv, one, other)
        most = min(one[1], other[1] - 1) if one[0] >= 0 else other[1] - 1
        return min(0, other[0] + 1), max(0, most)

    def _power(self, node: Node, one: Interval, exponent: Interval) -> Interval:
        power = exponent[0]
        if max(abs(one[0]), abs(one[1])).bit_length() * power > MOST_BITS:
            raise _too_large(node)
        found = [one[0] ** power, one[1] ** power, *([0] if one[0] < 0 < one[1] and power else [])]
        return min(found), max(found)


def _corners(rule: Callable[[int, int], int], one: Interval, other: Interval) -> Interval:
    found = [rule(x, y) for x in one for y in other]
    return min(found), max(found)


def _length(number: int, base: int) -> int:
    """Return the number of digits."""
    length = 1
    while number >= base:
        number, length = number // base, length + 1
    return length


def _too_large(node: Node) -> VisarithError:
    return VisarithError(f"{node.text} is too large to compute; use smaller exponents or fewer {option('digits')}")


@dataclass(frozen=True)
class Expression:
    """The rule of an expression: call it with one row of operands, or `many` with a batch."""

    tree: Node
    places: Places

    @cached_property
    def names(self) -> tuple[str, ...]:
        return ("a", "b") if "b" in self.tree.names() else ("a",)

    def __call__(self, *operands: int) -> int:
        at = dict(zip(self.names, operands, strict=True)) | self.places.constants()
        return value(self.tree, at, self.places)

    def many(self, operands: np.ndarray) -> np.ndarray:
        """(count, operands) -> (count,), in 64 bits where no part can overflow, with Python's integers otherwise.

        A division by zero gives -1, which is never a legal answer.
        """
        if not len(operands):
            return np.zeros(0, np.int64)
        if self.bounds(int(operands.max())).size >= INT64_SAFE:
            return np.array([self._or_minus_one(row) for row in operands.tolist()], object)
        columns = {name: operands[:, i].astype(np.int64) for i, name in enumerate(self.names)}
        same = {name: np.full(len(operands), number) for name, number in self.places.constants().items()}
        zero = np.zeros(len(operands), bool)
        found = values(self.tree, columns | same, self.places, ~zero, zero)
        return np.where(zero, -1, found)

    def _or_minus_one(self, row: list[int]) -> int:
        try:
            return self(*row)
        except ZeroDivisorError:
            return -1

    def bounds(self, largest: int) -> Bounds:
        """Return the bounds of all parts for operands in 0..largest."""
        constants = {name: (number, number) for name, number in self.places.constants().items()}
        found = Bounds(dict.fromkeys(self.names, (0, largest)) | constants, self.places)
        found.of(self.tree)
        return found

    def highest(self, largest: int) -> int:
        """Return an upper bound of the answers for operands in 0..largest."""
        return self.bounds(largest).of(self.tree)[1]


@dataclass(frozen=True)
class Largest:
    """The largest operand for which every answer fits; the largest number, if there is no such operand."""

    rule: Expression

    def __call__(self, limit: int) -> int:
        low, high = 0, limit
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.rule.highest(middle) <= limit else (low, middle - 1)
        return low or limit


def from_text(text: str, *, base: int = 10, digits: int = 7) -> Operation:
    """Return the operation of an expression for numbers of `digits` digits, after trying it on many operands.

    >>> from_text("max(a, b)", digits=2).domain(99).answers((7, 12))
    (12,)
    """
    places = Places(whole("base", base, 2), whole("digits", digits, 1))
    rule = Expression(parse(text), places)
    operation = Operation(NAME, rule, operands=len(rule.names), digits=digits, largest=Largest(rule))
    limit = base**digits - 1
    tried, complete = _tried(rule, operation.domain(limit).largest)
    answers = rule.many(tried)
    if not rule.bounds(limit).safe:
        _refuse_zero_divisors(rule, tried, answers)
    if not ((answers >= 0) & (answers <= limit)).any():
        which = "no operands have" if complete else f"none of {len(tried):,} operands that were tried has"
        raise VisarithError(f"{which} an answer of {rule.tree.text} in 0..{limit}; use more {option('digits')}")
    return operation


def _tried(rule: Expression, largest: int) -> tuple[np.ndarray, bool]:
    """Return all operands, or a selection: small, largest, near a number in the expression, random."""
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


def _refuse_zero_divisors(rule: Expression, operands: np.ndarray, answers: np.ndarray) -> None:
    for row in operands[answers == -1].tolist():  # -1 may also be a quotient, so each row is computed again
        try:
            rule(*row)
        except ZeroDivisorError as error:
            where = ", ".join(f"{name} = {number}" for name, number in zip(rule.names, row, strict=True))
            remedy = _safe(error.node, rule, int(operands.max()))
            raise VisarithError(f"{error.node.text} divides by zero at {where}; write {remedy}") from None


def _safe(division: Node, rule: Expression, largest: int) -> str:
    """Return the division rewritten so that its divisor is never zero."""
    left, right = division.parts
    if rule.bounds(largest).of(right)[0] < 0:
        return f"({division.text} if {right.text} else 0)"
    dividend = f"({left.text})" if left.parts and left.text[-1] != ")" else left.text
    return f"{dividend} {division.sign} ({right.text} + 1)"
