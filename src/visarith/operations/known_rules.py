"""Which operations have a column rule that is known at every length: by their definition, or by their expression."""

import operator
from collections.abc import Callable
from typing import Any

from visarith.operations.builtin import OPERATIONS
from visarith.operations.column_rule import ColumnRule, choice, digit_by_digit, linear, quotient
from visarith.operations.expression import Expression
from visarith.operations.formula import Node
from visarith.operations.operation import Operation

BITWISE: dict[Any, Callable[..., int]] = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
CHOICES: dict[Any, Callable[..., int]] = {"max": max, "min": min}
A, B = Node("name", "a"), Node("name", "b")
Form = tuple[int, int, int]  # the coefficients of a and b, and the constant


def column_rule_of(operation: Operation, base: int, way: str) -> ColumnRule | None:
    """Return a column rule that starts from this side, or None if none is known."""
    rule = operation.column_rule
    if rule is None and isinstance(operation.rule, Expression):
        rule = _of_tree(operation.rule.tree, len(operation.rule.names), base, way)
    elif rule is None:
        rule = _of_function(operation, base, way)
    return rule if rule is not None and rule.way == way else None


def _of_function(operation: Operation, base: int, way: str) -> ColumnRule | None:
    shape = operation.operands, operation.answers
    for each in OPERATIONS.values():
        if each.rule is operation.rule and (each.operands, each.answers) == shape:
            return each.column_rule
    return _of_two(operation.rule, base, way) if shape == (2, 1) else None


def _of_two(rule: Any, base: int, way: str) -> ColumnRule | None:
    """The rule of a function of two numbers that compares or joins them digit by digit."""
    if rule in CHOICES.values():
        return choice(rule)
    whole_bits = base & (base - 1) == 0  # a digit is a whole number of bits
    return digit_by_digit(way, rule) if rule in BITWISE.values() and whole_bits else None


def _of_tree(tree: Node, operands: int, base: int, way: str) -> ColumnRule | None:
    form = linear_form(tree, base)
    if form is not None:
        return linear((*form[:operands], form[2]))
    if tree.sign == "//" and tree.parts[0] == A:
        divisor = linear_form(tree.parts[1], base)
        return quotient(divisor[2]) if divisor and divisor[:2] == (0, 0) and divisor[2] > 0 else None
    if tree.parts in ((A, B), (B, A)):
        return _of_two((CHOICES | BITWISE).get(tree.sign), base, way)
    return None


def linear_form(tree: Node, base: int) -> Form | None:
    """Return the coefficients of a linear expression, or None if it is not one.

    base ** digits counts as 0, which is right only where numbers are taken modulo base ** digits, as in a picture.
    """
    match tree.sign, tree.text:
        case "number", _:
            return 0, 0, tree.number
        case "name", "digits":
            return None
        case "name", name:
            return int(name == "a"), int(name == "b"), base if name == "base" else 0
    if tree.sign == "**" and [part.text for part in tree.parts] == ["base", "digits"]:
        return 0, 0, 0
    parts = [linear_form(part, base) for part in tree.parts]
    if any(part is None for part in parts):
        return None
    return _joined(tree.sign, [part for part in parts if part is not None])


def _joined(sign: str, parts: list[Form]) -> Form | None:
    one, other = parts[0], parts[-1]
    if sign in ("+", "-"):
        factor = 1 if sign == "+" else -1
        return one[0] + factor * other[0], one[1] + factor * other[1], one[2] + factor * other[2]
    if sign == "negative":
        return -one[0], -one[1], -one[2]
    if sign == "*" and (0, 0) in (one[:2], other[:2]):
        form, factor = (other, one[2]) if one[:2] == (0, 0) else (one, other[2])
        return form[0] * factor, form[1] * factor, form[2] * factor
    return None
