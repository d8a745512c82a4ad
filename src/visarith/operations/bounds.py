"""Bounds of the parts of a formula, by interval arithmetic."""

import operator
from collections.abc import Callable, Mapping

from visarith.errors import VisarithError, option
from visarith.operations.formula import ARITHMETIC, COMPARISONS, Node, Places, short

MOST_BITS, BITS_A_BIT = 2_000, 8  # of any part: so many, and so many for each bit of the largest number
Interval = tuple[int, int]


class Bounds:
    """Interval arithmetic: bounds of each part, the largest absolute value, and whether a divisor may be zero."""

    def __init__(self, names: Mapping[str, Interval], places: Places) -> None:
        self.names, self.places = names, places
        self.most = MOST_BITS + BITS_A_BIT * (places.base**places.digits).bit_length()
        self.size = 0  # the largest absolute value of any part
        self.safe = True  # no divisor can be zero

    def of(self, node: Node) -> Interval:
        low, high = self._of(node)
        self.size = max(self.size, abs(low), abs(high))
        if self.size.bit_length() > self.most:
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
        if max(abs(one[0]), abs(one[1])).bit_length() * power > self.most:
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
    return VisarithError(
        f"{short(node.text)} is too large to compute; use smaller exponents or fewer {option('digits')}"
    )
