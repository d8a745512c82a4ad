"""Operations given as text: an expression in a and b.

An expression may have whole numbers, + - * // % **, the bitwise & | ^ (of the binary form, in any base), comparisons
(0 or 1), `x if y else z`, max, min, gcd, abs, reverse (the digits in reverse order), digit_sum, and the `base` and
`digits` of the task.
"""

import hashlib
import itertools
import math
import re
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from visarith.errors import VisarithError, option, whole
from visarith.operations.bounds import Bounds
from visarith.operations.builtin import OPERATIONS
from visarith.operations.formula import EXAMPLE, Node, Places, ZeroDivisorError, parse, short, value, values
from visarith.operations.operation import ENUMERABLE, INT64_SAFE, Operation, Sequence

SMALL, RANDOM = 40_000, 100_000  # operands that are checked where there are too many to check all
SLOW = 20  # times fewer are checked where Python's integers are needed
LONGEST_NAME = 40
REPEAT = "repeat"  # the sequence in which an answer is the next a; b is a small random number
WORD = re.compile(r"[^\W\d]\w*(-\w+)*")
PART = re.compile(r"\w+|\*\*|//|[<>=!]=|[-+*%&|^<>()]")
SPOKEN = {"+": "plus", "-": "minus", "*": "times", "//": "div", "%": "mod", "**": "pow", "&": "and", "|": "or"}
SPOKEN |= {"^": "xor", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne", "(": "_", ")": "_"}


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
        if self.is_slow(int(operands.max())):
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

    def is_slow(self, largest: int) -> bool:
        """Whether a part may need more than 64 bits for operands in 0..largest: a million take minutes."""
        return self.bounds(largest).size >= INT64_SAFE

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


class Written(Operation):
    """The operation of an expression; its name, for folders, says the expression in words."""

    rule: Expression

    @property
    def expression(self) -> str:
        """The text that is stored, from which the operation can be made again."""
        return self.rule.tree.text

    def __str__(self) -> str:
        return short(self.expression)

    def placed(self, base: int, digits: int) -> "Written":
        rule = Expression(self.rule.tree, Places(base, digits))
        return replace(self, rule=rule, largest=Largest(rule))


def _third(limit: int) -> int:
    return limit // 3


def named(text: str) -> Operation:
    """Return a built-in operation by its name, or the operation of an expression.

    >>> named("add").name, named("a + 2*b").name, str(named("a + 2*b"))
    ('add', 'a-plus-2-times-b', 'a + 2 * b')
    """
    if text in OPERATIONS:
        return OPERATIONS[text]
    if WORD.fullmatch(text) and "a" not in text.split("-"):
        known = f"use one of {', '.join(OPERATIONS)}, or an expression with the operand a, {EXAMPLE}"
        raise VisarithError(f"operation {text!r} is unknown; {known}")
    rule = Expression(parse(text), Places(10, 7))
    operands = len(rule.names)
    repeated = Sequence(REPEAT, _third, "random" if operands > 1 else None)
    return Written(name_of(rule.tree), rule, operands=operands, largest=Largest(rule), sequences=(repeated,))


def name_of(tree: Node) -> str:
    """Return a name for folders; a long one ends with six digits of a hash.

    >>> name_of(parse("(a + b) % 997")), name_of(parse("max(a, b)"))
    ('a-plus-b_mod-997', 'max_a-b')
    """
    words = "-".join(SPOKEN.get(part, part) for part in PART.findall(tree.text))
    name = re.sub("-?_-?", "_", words).strip("_")
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(tree.text.encode()).hexdigest()[:6]
    return f"{name[: LONGEST_NAME - 7]}-{digest}"


def from_text(text: str, *, base: int = 10, digits: int = 7) -> Operation:
    """Return the operation of an expression for numbers of `digits` digits, after trying it on many operands.

    >>> from_text("max(a, b)", digits=2).domain(99).answers((7, 12))
    (12,)
    """
    operation = named(text).placed(whole("base", base, 2), whole("digits", digits, 1))
    try_out(operation, base**digits - 1)
    return operation


def try_out(operation: Operation, limit: int) -> None:
    """Refuse an expression that divides by zero, or that has no answer in 0..limit, as far as trying it tells."""
    if not isinstance(operation, Written):
        return
    rule = operation.rule
    tried, complete = _tried(rule, operation.domain(limit).largest)
    answers = rule.many(tried)
    if not rule.bounds(limit).safe:
        _refuse_zero_divisors(rule, tried, answers)
    if not ((answers >= 0) & (answers <= limit)).any():
        which = "no operands have" if complete else f"none of {len(tried):,} operands that were tried has"
        positive = bool((answers > 0).any())
        remedy = f"use more {option('digits')}" if positive else "write an expression that is not always negative"
        raise VisarithError(f"{which} an answer of {operation} in 0..{limit}; {remedy}")


def _tried(rule: Expression, largest: int) -> tuple[np.ndarray, bool]:
    """Return all operands, or a selection: small, largest, near a number in the expression, random."""
    count, share = len(rule.names), SLOW if rule.is_slow(largest) else 1
    if (largest + 1) ** count <= ENUMERABLE // share:
        return np.indices((largest + 1,) * count).reshape(count, -1).T.astype(np.int64), True
    few = SMALL // share
    small = list(itertools.product(range(min(largest, math.isqrt(few) if count == 2 else few) + 1), repeat=count))
    near = {0, 1, largest - 1, largest, *(n + step for n in rule.tree.literals() for step in (-1, 0, 1))}
    ends = itertools.product(sorted(number for number in near if 0 <= number <= largest), repeat=count)
    rows = [*small, *ends]
    if largest < INT64_SAFE:
        random = np.random.default_rng(0).integers(0, largest, (RANDOM // share, count), endpoint=True)
        return np.concatenate([np.array(rows, np.int64), random]), False
    return np.array(rows, object), False


def _refuse_zero_divisors(rule: Expression, operands: np.ndarray, answers: np.ndarray) -> None:
    for row in operands[answers == -1].tolist():  # -1 may also be a quotient, so each row is computed again
        try:
            rule(*row)
        except ZeroDivisorError as error:
            where = ", ".join(f"{name} = {number}" for name, number in zip(rule.names, row, strict=True))
            remedy = _safe(error.node, rule, int(operands.max()))
            raise VisarithError(f"{short(error.node.text)} divides by zero at {where}; write {remedy}") from None


def _safe(division: Node, rule: Expression, largest: int) -> str:
    """Return the division rewritten so that its divisor is never zero."""
    left, right = division.parts
    if rule.bounds(largest).of(right)[0] < 0:
        return f"({division.text} if {right.text} else 0)"
    dividend = f"({left.text})" if left.parts and left.text[-1] != ")" else left.text
    return f"{dividend} {division.sign} ({right.text} + 1)"
