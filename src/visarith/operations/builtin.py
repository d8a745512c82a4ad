"""The built-in operations with their properties."""

import math
import operator

from visarith.operations.column_rule import linear, quotient
from visarith.operations.mixed import Mixed
from visarith.operations.operation import Operation, Rows, Sequence

PARTNERS = str.maketrans("123456789", "756981432")
FACTOR = 3  # base of the sequence of powers
LENGTHS = (8, 20, 100, 1000)
PRODUCTS = (8, 9, 10, 12, 16, 20, 40, 100)  # digits of the answer; operands have half as many


# Named functions, since a lambda cannot be pickled for other processes.


def _half(limit: int) -> int:
    return limit // 2


def _third(limit: int) -> int:
    return limit // 3


def _root(limit: int) -> int:
    """The paper stops at 3160 for seven digits, a little below the square root 3162 (Sec. 3.1)."""
    return 3160 if limit == 9_999_999 else math.isqrt(limit)


def _top(limit: int, base: int) -> int:
    """Return the smallest number that has all digits."""
    return (limit + 1) // base


def _below_the_middle(limit: int) -> int:
    return limit // 2 - limit // 7


# Addition


def _hard_sums(limit: int, largest: int, base: int) -> Rows:
    nines = _top(limit, base) - 1
    return [(nines, 1), (1, nines), (largest, largest), (0, 0)]


ADD = Operation(
    "add",
    operator.add,
    sign="+",
    largest=_half,
    column_rule=linear((1, 1, 0)),
    sequences=(
        Sequence("fibonacci", (0, 1), "previous", growth=(1 + math.sqrt(5)) / 2),
        Sequence("total", (0,), "random"),
    ),
    lengths=LENGTHS,
    hard=_hard_sums,
    construction="sum",
)


def _add_three(a: int, b: int, c: int) -> int:
    return a + b + c


ADD_THREE = Operation(
    "add-three",
    _add_three,
    operands=3,
    largest=_third,
    column_rule=linear((1, 1, 1, 0)),
    construction="sum",
)


# Subtraction


def _hard_differences(limit: int, _: int, base: int) -> Rows:
    top = _top(limit, base)
    return [(top, 1), (limit, limit), (limit, 0), (top, top - 1)]


SUBTRACT = Operation(
    "subtract",
    operator.sub,
    sign="-",
    descending=True,
    column_rule=linear((1, -1, 0)),
    sequences=(Sequence("countdown", _half, "random"),),
    lengths=LENGTHS,
    hard=_hard_differences,
    construction="difference",
)


def _add_subtract(a: int, b: int) -> tuple[int, int]:
    return a + b, a - b


ADD_SUBTRACT = Operation(
    "add-subtract",
    _add_subtract,
    answers=2,
    largest=_half,
    descending=True,
    column_rule=linear((1, 1, 0), (1, -1, 0)),
)


# Multiplication and halving


def _hard_products(_: int, largest: int, __: int) -> Rows:
    return [(2, 2), (largest, largest), (largest, 1), (0, largest)]


MULTIPLY = Operation(
    "multiply",
    operator.mul,
    sign="x",
    aliases="*×",
    largest=_root,
    hidden_layers=5,
    sequences=(Sequence("powers", (1,), FACTOR, growth=FACTOR, steps=100),),  # slow at great length
    lengths=PRODUCTS,
    hard=_hard_products,
    construction="product",
)


def _halve(number: int) -> int:
    return number // 2


def _hard_halves(limit: int, _: int, base: int) -> Rows:
    return [(_top(limit, base),), (limit,), (1,), (0,)]


HALVE = Operation(
    "halve",
    _halve,
    operands=1,
    sign="/",
    column_rule=quotient(2),
    sequences=(Sequence("halves", _below_the_middle, growth=2),),
    lengths=LENGTHS,
    hard=_hard_halves,
)


# Others


def _associate(number: int) -> int:
    """Replace each digit by an arbitrary other one; 0 stays, so that leading zeros do."""
    return int(str(number).translate(PARTNERS))


ASSOCIATE = Operation("associate", _associate, operands=1)


COPY = Operation("copy", operator.index, operands=1, column_rule=linear((1, 0)))
ANY = Mixed("any", (ADD, SUBTRACT, MULTIPLY))


_ALL = (ADD, SUBTRACT, MULTIPLY, HALVE, ADD_THREE, ADD_SUBTRACT, ASSOCIATE, COPY, ANY)
OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in _ALL}
