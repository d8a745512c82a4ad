"""Formulas in a and b: parsed with Python's grammar into a tree, and computed from the tree; no Python code is run."""

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from visarith.errors import VisarithError

MOST_LETTERS, MOST_DEPTH, MOST_SHOWN = 300, 30, 60
LARGEST_LITERAL, LARGEST_EXPONENT = 10**18, 8
EXAMPLE = "such as a * 3 + b"
NAMES = ("a", "b", "base", "digits")
FUNCTIONS = {"max": 2, "min": 2, "gcd": 2, "abs": 1, "reverse": 1, "digit_sum": 1}
_ARITHMETIC: tuple[tuple[type[ast.AST], str, Callable[..., int]], ...] = (
    (ast.Add, "+", operator.add),
    (ast.Sub, "-", operator.sub),
    (ast.Mult, "*", operator.mul),
    (ast.FloorDiv, "//", operator.floordiv),
    (ast.Mod, "%", operator.mod),
    (ast.Pow, "**", operator.pow),
    (ast.BitAnd, "&", operator.and_),
    (ast.BitOr, "|", operator.or_),
    (ast.BitXor, "^", operator.xor),
)
_COMPARISONS: tuple[tuple[type[ast.AST], str, Callable[..., bool]], ...] = (
    (ast.Lt, "<", operator.lt),
    (ast.LtE, "<=", operator.le),
    (ast.Gt, ">", operator.gt),
    (ast.GtE, ">=", operator.ge),
    (ast.Eq, "==", operator.eq),
    (ast.NotEq, "!=", operator.ne),
)
SIGNS = {kind: sign for kind, sign, _ in (*_ARITHMETIC, *_COMPARISONS)}
ARITHMETIC = {sign: rule for _, sign, rule in _ARITHMETIC}
COMPARISONS = {sign: rule for _, sign, rule in _COMPARISONS}
OF_BOTH: dict[str, Callable[..., Any]] = {**ARITHMETIC, **COMPARISONS, "negative": operator.neg, "abs": abs}
OF_NUMBERS: dict[str, Callable[..., int]] = {"max": max, "min": min, "gcd": math.gcd}
OF_ARRAYS = {"max": np.maximum, "min": np.minimum, "gcd": np.gcd}


@dataclass(frozen=True)
class Node:
    """An operator and its operands; the leaves are 'number' and 'name'. `text` is the source of the node."""

    sign: str
    text: str
    parts: tuple["Node", ...] = ()
    number: int = 0

    def names(self) -> set[str]:
        """Return the names in the formula: some of a, b, base and digits."""
        return {self.text} if self.sign == "name" else set().union(*(part.names() for part in self.parts))

    def literals(self) -> set[int]:
        """Return the numbers in the formula."""
        return {self.number} if self.sign == "number" else set().union(*(part.literals() for part in self.parts))


def parse(text: str) -> Node:
    """Return the tree of a formula; raise an error that names the part that is not arithmetic.

    >>> parse("a // (b + 1)").parts[1].text
    'b + 1'
    """
    _refuse_long(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # SyntaxWarnings about text that is refused below
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise VisarithError(f"{text!r} cannot be read; write an expression in a and b, {EXAMPLE}") from None
    read = _read(tree, 1)
    _refuse_long(read.text)  # it is stored and parsed again
    used = read.names()
    if "a" not in used:
        remedy = "name the one operand a" if "b" in used else "write one in a, or in a and b"
        raise VisarithError(f"{_short(tree)} has no operand a; {remedy}, {EXAMPLE}")
    return read


def _refuse_long(text: str) -> None:
    if (count := len(text.replace(" ", ""))) > MOST_LETTERS:
        raise VisarithError(f"an expression of {count:,} characters is too long; use {MOST_LETTERS} or fewer")


def _read(tree: ast.expr, depth: int) -> Node:
    if depth > MOST_DEPTH:
        raise VisarithError(f"the expression is nested more than {MOST_DEPTH} deep; write a simpler one")
    match tree:
        case ast.Constant(value=value):
            return _literal(tree, value)
        case ast.Name():
            return _name(tree)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return Node("negative", _text(tree), (_read(part, depth + 1),))
        case ast.BinOp(left=left, right=right):
            return _joined(tree, _read(left, depth + 1), _read(right, depth + 1))
        case ast.Compare(left=left, ops=signs, comparators=rights) if all(type(sign) in SIGNS for sign in signs):
            if len(signs) > 1:
                raise VisarithError(
                    f"{_short(tree)} compares more than two numbers; write one comparison, such as a > b"
                )
            return Node(SIGNS[type(signs[0])], _text(tree), (_read(left, depth + 1), _read(rights[0], depth + 1)))
        case ast.IfExp(test=test, body=body, orelse=other):
            return Node("if", _text(tree), tuple(_read(part, depth + 1) for part in (test, body, other)))
        case ast.Call():
            return _called(tree, depth)
    raise VisarithError(f"{_short(tree)} is not arithmetic on whole numbers; write an expression in a and b, {EXAMPLE}")


def _called(tree: ast.Call, depth: int) -> Node:
    name = tree.func.id if isinstance(tree.func, ast.Name) else ""
    if name not in FUNCTIONS or tree.keywords:
        raise VisarithError(f"{_short(tree)} is not a known function; use {', '.join(FUNCTIONS)}")
    if len(tree.args) != FUNCTIONS[name]:
        raise VisarithError(f"{_short(tree)} gives {name} {len(tree.args)} numbers; use {FUNCTIONS[name]}")
    return Node(name, _text(tree), tuple(_read(part, depth + 1) for part in tree.args))


def _name(tree: ast.Name) -> Node:
    if tree.id not in NAMES:
        raise VisarithError(f"{_short(tree)} is unknown here; use at most two operands, a and b, {EXAMPLE}")
    return Node("name", tree.id)


def _literal(tree: ast.expr, value: object) -> Node:
    if isinstance(value, bool) or not isinstance(value, int):
        raise VisarithError(f"{_short(tree)} is not a whole number; use whole numbers, {EXAMPLE}")
    if value > LARGEST_LITERAL:
        raise VisarithError(f"{_short(tree)} is too large; use numbers up to {LARGEST_LITERAL}")
    return Node("number", _text(tree), number=value)


def _joined(tree: ast.BinOp, left: Node, right: Node) -> Node:
    if isinstance(tree.op, ast.Div):
        remedy = _short(ast.BinOp(tree.left, ast.FloorDiv(), tree.right))
        raise VisarithError(f"{_short(tree)} need not be whole; write {remedy}")
    if type(tree.op) not in SIGNS:
        raise VisarithError(f"{_short(tree)} is not arithmetic on whole numbers; use + - * // % ** & | ^")
    sign = SIGNS[type(tree.op)]
    if sign == "**" and right.text != "digits" and (right.sign != "number" or right.number > LARGEST_EXPONENT):
        asked = f"{_short(tree)} has the exponent {short(right.text)}"
        raise VisarithError(f"{asked}; use 0 to {LARGEST_EXPONENT}, or digits")
    return Node(sign, _text(tree), (left, right))


def _text(tree: ast.expr) -> str:
    """Return the source of a part on one line."""
    try:
        return ast.unparse(tree)
    except (RecursionError, ValueError):
        return "the expression"


def short(text: str) -> str:
    """Return a text of at most 60 characters."""
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."


def _short(tree: ast.expr) -> str:
    return short(_text(tree))


class ZeroDivisorError(ZeroDivisionError):
    """A division by zero; `node` is the division."""

    def __init__(self, node: Node) -> None:
        super().__init__(f"{node.text} divides by zero")
        self.node = node


@dataclass(frozen=True)
class Places:
    """The base of the numbers and how many digits they have."""

    base: int
    digits: int

    def constants(self) -> dict[str, int]:
        return {"base": self.base, "digits": self.digits}


def value(node: Node, at: Mapping[str, int], places: Places) -> int:
    """Compute a formula for one row of operands, with Python's integers."""
    if node.sign == "number":
        return node.number
    if node.sign == "name":
        return at[node.text]
    if node.sign == "if":
        test, body, other = node.parts
        return value(body if value(test, at, places) else other, at, places)
    parts = [value(part, at, places) for part in node.parts]
    if node.sign in ("//", "%") and parts[1] == 0:
        raise ZeroDivisorError(node)
    return int(_applied(node.sign, parts, places, OF_NUMBERS))


def values(node: Node, at: Mapping[str, np.ndarray], places: Places, asked: np.ndarray, zero: np.ndarray) -> np.ndarray:
    """Compute a formula for many rows, in 64 bits; rows of `asked` that divide by zero are marked in `zero`."""
    if node.sign == "number":
        return np.full(len(asked), node.number, np.int64)
    if node.sign == "name":
        return at[node.text]
    if node.sign == "if":
        test = values(node.parts[0], at, places, asked, zero) != 0
        body = values(node.parts[1], at, places, asked & test, zero)
        return np.where(test, body, values(node.parts[2], at, places, asked & ~test, zero))
    parts = [values(part, at, places, asked, zero) for part in node.parts]
    if node.sign in ("//", "%"):
        none = parts[1] == 0
        zero |= none & asked
        parts[1] = np.where(none, 1, parts[1])
    return np.asarray(_applied(node.sign, parts, places, OF_ARRAYS), np.int64)


def _applied(sign: str, parts: list[Any], places: Places, functions: Mapping[str, Callable[..., Any]]) -> Any:
    """Apply an operator or a function to numbers or to arrays."""
    if sign == "reverse":
        return _reversed(parts[0], places)
    if sign == "digit_sum":
        return _digit_sum(abs(parts[0]), places.base)
    return (OF_BOTH.get(sign) or functions[sign])(*parts)


def _reversed(number: Any, places: Places) -> Any:
    """Reverse the last `places.digits` digits of a number."""
    rest = number % places.base**places.digits
    found = rest * 0
    for _ in range(places.digits):
        found = found * places.base + rest % places.base
        rest = rest // places.base
    return found


def _digit_sum(rest: Any, base: int) -> Any:
    found, left = rest * 0, (np.any if isinstance(rest, np.ndarray) else bool)
    while left(rest):
        found = found + rest % base
        rest = rest // base
    return found
