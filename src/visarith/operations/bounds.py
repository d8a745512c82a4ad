"""Between which numbers each part of a formula lies, and how its parts are computed: once, or for many operands."""

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visarith.errors import VisarithError, option
from visarith.operations.formula import Node

MOST_BITS = 2_000  # of any part
Interval = tuple[int, int]
ARITHMETIC: dict[str, Callable[..., int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
COMPARISONS: dict[str, Callable[..., bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


class ZeroDivisorError(ZeroDivisionError):
    """Which division it was."""

    def __init__(self, node: Node) -> None:
        super().__init__(f"{node.text} divides by zero")
        self.node = node


@dataclass(frozen=True)
class Places:
    """What a formula is told of the numbers' notation: their base and how many digits they have."""

    base: int
    digits: int

    def constants(self) -> dict[str, int]:
        return {"base": self.base, "digits": self.digits}


def value(node: Node, at: Mapping[str, int], places: Places) -> int:
    """One number, by Python's whole numbers."""
    if node.sign == "number":
        return node.number
    if node.sign == "name":
        return at[node.text]
    if node.sign == "if":
        test, body, other = node.parts
        return value(body if value(test, at, places) else other, at, places)
    parts = [value(part, at, places) for part in node.parts]
    if node.sign in COMPARISONS:
        return int(COMPARISONS[node.sign](*parts))
    if node.sign in ("//", "%") and parts[1] == 0:
        raise ZeroDivisorError(node)
    if node.sign in ARITHMETIC:
        return ARITHMETIC[node.sign](*parts)
    if node.sign == "reverse":
        return int(_reversed(parts[0], places))
    if node.sign == "digit_sum":
        return int(_digit_sum(abs(parts[0]), places.base))
    known: dict[str, Callable[..., int]] = {"negative": operator.neg, "max": max, "min": min, "abs": abs}
    return known[node.sign](*parts) if node.sign in known else math.gcd(*parts)


def values(node: Node, at: Mapping[str, np.ndarray], places: Places, asked: np.ndarray, zero: np.ndarray) -> np.ndarray:
    """The same for many rows at once, in 64 bits; `asked` rows that divide by zero are marked in `zero`."""
    if node.sign == "number":
        return np.full(len(asked), node.number, np.int64)
    if node.sign == "name":
        return at[node.text]
    if node.sign == "if":
        test = values(node.parts[0], at, places, asked, zero) != 0
        body = values(node.parts[1], at, places, asked & test, zero)
        return np.where(test, body, values(node.parts[2], at, places, asked & ~test, zero))
    parts = [values(part, at, places, asked, zero) for part in node.parts]
    if node.sign in COMPARISONS:
        return np.asarray(COMPARISONS[node.sign](*parts)).astype(np.int64)
    if node.sign in ("//", "%"):
        none = parts[1] == 0
        zero |= none & asked
        parts[1] = np.where(none, 1, parts[1])
    if node.sign in ARITHMETIC:
        return np.asarray(ARITHMETIC[node.sign](*parts))
    if node.sign == "reverse":
        return np.asarray(_reversed(parts[0], places))
    if node.sign == "digit_sum":
        return np.asarray(_digit_sum(np.abs(parts[0]), places.base))
    known = {"negative": np.negative, "max": np.maximum, "min": np.minimum, "abs": np.abs, "gcd": np.gcd}
    return np.asarray(known[node.sign](*parts))


def _reversed(number: Any, places: Places) -> Any:
    """The last digits of a number, as many as numbers have here, the other way round."""
    rest = number % places.base**places.digits
    found = rest * 0
    for _ in range(places.digits):
        found = found * places.base + rest % places.base
        rest = rest // places.base
    return found


def _digit_sum(rest: Any, base: int) -> Any:
    found = rest * 0
    while np.any(rest):
        found = found + rest % base
        rest = rest // base
    return found


class Bounds:
    """Interval arithmetic: where a part must lie, the largest size that occurs, and whether a divisor may be zero."""

    def __init__(self, names: Mapping[str, Interval], places: Places) -> None:
        self.names, self.places = names, places
        self.size = 0  # no part is larger than this, whatever its sign
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
            return self._corners(ARITHMETIC[node.sign], *parts)
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

    def _corners(self, rule: Callable[[int, int], int], one: Interval, other: Interval) -> Interval:
        found = [rule(x, y) for x in one for y in other]
        return min(found), max(found)

    def _divided(self, sign: str, one: Interval, other: Interval) -> Interval:
        if other[0] <= 0 <= other[1]:
            self.safe = False
        if sign == "//":
            if other[0] <= 0 <= other[1]:
                size = max(abs(one[0]), abs(one[1]))
                return -size, size
            return self._corners(operator.floordiv, one, other)
        most = min(one[1], other[1] - 1) if one[0] >= 0 else other[1] - 1
        return min(0, other[0] + 1), max(0, most)

    def _power(self, node: Node, one: Interval, exponent: Interval) -> Interval:
        power = exponent[0]
        if max(abs(one[0]), abs(one[1])).bit_length() * power > MOST_BITS:
            raise _too_large(node)
        found = [one[0] ** power, one[1] ** power, *([0] if one[0] < 0 < one[1] and power else [])]
        return min(found), max(found)


def _length(number: int, base: int) -> int:
    """How many digits it has."""
    length = 1
    while number >= base:
        number, length = number // base, length + 1
    return length


def _too_large(node: Node) -> VisarithError:
    return VisarithError(f"{node.text} is too large to compute; use smaller exponents or fewer {option('digits')}")
