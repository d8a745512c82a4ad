"""Column rules known from school: the digit of a place follows from the digits there and what is carried."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

Columned = tuple[tuple[int, ...], Hashable]
Step = Callable[[tuple[int, ...], Any, int], Columned]


@dataclass(frozen=True)
class ColumnRule:
    """An operation computed column by column, at every length; the column machine is compared with it."""

    way: str  # the side at which the columns start: left or right
    start: Hashable  # the state before the first column, such as a carry of 0
    step: Step  # (digits, state, base) -> (answers, next state)
    why: str = "its column rule is given"  # it is right at every length


# Named classes, since a nested function cannot be pickled for other processes.


@dataclass(frozen=True)
class Linear:
    """A step of a linear rule; the state is the carry of each answer."""

    weights: tuple[tuple[int, ...], ...]  # of the operands, for each answer

    def __call__(self, digits: tuple[int, ...], carries: tuple[int, ...], base: int) -> Columned:
        sums = [
            carry + sum(weight * digit for weight, digit in zip(row, digits, strict=True))
            for row, carry in zip(self.weights, carries, strict=True)
        ]
        return tuple(total % base for total in sums), tuple(total // base for total in sums)


def linear(*answers: tuple[int, ...]) -> ColumnRule:
    """Return the rule of c1 a + c2 b + ... + c0, given (c1, c2, ..., c0) for each answer.

    In n places the digits of a number depend on it modulo base**n only, so c0 may have any multiple of base**n added.

    >>> rule = linear((1, 1, 0))
    >>> rule.step((7, 8), rule.start, 10)
    ((5,), (1,))
    """
    why = "the operation is linear, so that each digit follows from its column and the carry"
    return ColumnRule("right", tuple(row[-1] for row in answers), Linear(tuple(row[:-1] for row in answers)), why)


@dataclass(frozen=True)
class _Quotient:
    divisor: int

    def __call__(self, digits: tuple[int, ...], rest: int, base: int) -> Columned:
        digit, rest = divmod(rest * base + digits[0], self.divisor)
        return (digit,), rest


def quotient(divisor: int) -> ColumnRule:
    """Return the rule of a // divisor: long division, which carries the rest.

    >>> quotient(2).step((3,), 1, 10)
    ((6,), 1)
    """
    why = "in long division each digit follows from its column and the rest"
    return ColumnRule("left", 0, _Quotient(divisor), why)


@dataclass(frozen=True)
class _Choice:
    choose: Callable[..., int]

    def __call__(self, digits: tuple[int, ...], decided: int, _: int) -> Columned:
        if not decided and digits[0] != digits[1]:
            decided = 1 if self.choose(*digits) == digits[0] else 2
        return (digits[max(decided - 1, 0)],), decided


def choice(choose: Callable[..., int]) -> ColumnRule:
    """Return the rule of max(a, b) or min(a, b): the state is 0 while digits are equal, then 1 for a or 2 for b."""
    why = "the first column in which the operands differ decides"
    return ColumnRule("left", 0, _Choice(choose), why)


@dataclass(frozen=True)
class _DigitByDigit:
    rule: Callable[..., int]

    def __call__(self, digits: tuple[int, ...], _: int, __: int) -> Columned:
        return (self.rule(*digits),), 0


def digit_by_digit(way: str, rule: Callable[..., int]) -> ColumnRule:
    """Return a rule that carries nothing, from either side, such as the bitwise ones in base 16."""
    why = "each digit is a whole number of bits"
    return ColumnRule(way, 0, _DigitByDigit(rule), why)
