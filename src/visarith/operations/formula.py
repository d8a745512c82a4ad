"""A formula in a and b as a tree: read by Python's grammar, never run as Python."""

import ast
import warnings
from dataclasses import dataclass

from visarith.errors import VisarithError

MOST_LETTERS, MOST_DEPTH = 300, 30
LARGEST_LITERAL, LARGEST_EXPONENT = 10**18, 8
EXAMPLE = "such as a * 3 + b"
NAMES = ("a", "b", "base", "digits")
FUNCTIONS = {"max": 2, "min": 2, "gcd": 2, "abs": 1, "reverse": 1, "digit_sum": 1}
SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}


@dataclass(frozen=True)
class Node:
    """A sign and what it joins; the leaves are 'number' and 'name'. `text` is how it is written."""

    sign: str
    text: str
    parts: tuple["Node", ...] = ()
    number: int = 0

    def names(self) -> set[str]:
        """Which of a, b, base and digits occur."""
        return {self.text} if self.sign == "name" else set().union(*(part.names() for part in self.parts))

    def literals(self) -> set[int]:
        """The numbers that are written in it."""
        return {self.number} if self.sign == "number" else set().union(*(part.literals() for part in self.parts))


def parse(text: str) -> Node:
    """The tree of a formula, or the error that says which part of it is no arithmetic.

    >>> parse("a // (b + 1)").parts[1].text
    'b + 1'
    """
    if len(text) > MOST_LETTERS:
        raise VisarithError(f"an expression of {len(text):,} characters is too long; use {MOST_LETTERS} or fewer")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's doubts about a text that is refused below anyway
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise VisarithError(f"{text!r} cannot be read; write an expression in a and b, {EXAMPLE}") from None
    read = _read(tree, 1)
    used = read.names()
    if "a" not in used:
        remedy = "call the one operand a" if "b" in used else "write one in a, or in a and b"
        raise VisarithError(f"{_short(tree)} has no operand a; {remedy}, {EXAMPLE}")
    return read


def _read(tree: ast.expr, depth: int) -> Node:
    if depth > MOST_DEPTH:
        raise VisarithError(f"the expression is nested more than {MOST_DEPTH} deep; write a simpler one")
    match tree:
        case ast.Constant(value=value):
            return _literal(tree, value)
        case ast.Name():
            return _name(tree)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return Node("negative", _short(tree), (_read(part, depth + 1),))
        case ast.BinOp(left=left, right=right):
            return _joined(tree, _read(left, depth + 1), _read(right, depth + 1))
        case ast.Compare(left=left, ops=signs, comparators=rights) if all(type(sign) in SIGNS for sign in signs):
            if len(signs) > 1:
                raise VisarithError(f"{_short(tree)} compares more than twice; write one comparison, such as a > b")
            return Node(SIGNS[type(signs[0])], _short(tree), (_read(left, depth + 1), _read(rights[0], depth + 1)))
        case ast.IfExp(test=test, body=body, orelse=other):
            return Node("if", _short(tree), tuple(_read(part, depth + 1) for part in (test, body, other)))
        case ast.Call():
            return _called(tree, depth)
    raise VisarithError(f"{_short(tree)} is no arithmetic on whole numbers; write an expression in a and b, {EXAMPLE}")


def _called(tree: ast.Call, depth: int) -> Node:
    name = tree.func.id if isinstance(tree.func, ast.Name) else ""
    if name not in FUNCTIONS or tree.keywords:
        raise VisarithError(f"{_short(tree)} is no function that is known; use {', '.join(FUNCTIONS)}")
    if len(tree.args) != FUNCTIONS[name]:
        raise VisarithError(f"{_short(tree)} gives {name} {len(tree.args)} numbers; it takes {FUNCTIONS[name]}")
    return Node(name, _short(tree), tuple(_read(part, depth + 1) for part in tree.args))


def _name(tree: ast.Name) -> Node:
    if tree.id not in NAMES:
        raise VisarithError(f"{_short(tree)} is unknown here; use an operation's name, or a and b, {EXAMPLE}")
    return Node("name", tree.id)


def _literal(tree: ast.expr, value: object) -> Node:
    if isinstance(value, bool) or not isinstance(value, int):
        raise VisarithError(f"{_short(tree)} is no whole number; use whole numbers, {EXAMPLE}")
    if value > LARGEST_LITERAL:
        raise VisarithError(f"{_short(tree)} is too large; use numbers up to {LARGEST_LITERAL}")
    return Node("number", _short(tree), number=value)


def _joined(tree: ast.BinOp, left: Node, right: Node) -> Node:
    if isinstance(tree.op, ast.Div):
        remedy = _short(ast.BinOp(tree.left, ast.FloorDiv(), tree.right))
        raise VisarithError(f"{_short(tree)} need not be whole; write {remedy}")
    if type(tree.op) not in SIGNS:
        raise VisarithError(f"{_short(tree)} is no arithmetic on digits; use + - * // % ** & | ^")
    sign = SIGNS[type(tree.op)]
    if sign == "**" and right.text != "digits" and (right.sign != "number" or right.number > LARGEST_EXPONENT):
        raise VisarithError(f"{_short(tree)} has the exponent {right.text}; use 0 to {LARGEST_EXPONENT}, or digits")
    return Node(sign, _short(tree), (left, right))


def _short(tree: ast.expr) -> str:
    """How a part is written, on one line and never long."""
    try:
        text = ast.unparse(tree)
    except (RecursionError, ValueError):
        return "the expression"
    return text if len(text) <= 60 else f"{text[:57]}..."
