"""The built-in operations with their properties."""

import math
import operator
from collections.abc import Callable

from visarith.operations.mixed import Mixed
from visarith.operations.operation import ColumnRule, Operation, Rows, Sequence, Step

PARTNERS = str.maketrans("123456789", "756981432")
FACTOR = 3  # base of the sequence of powers
LENGTHS = (8, 20, 100, 1000)
PRODUCTS = (8, 9, 10, 12, 16, 20, 40, 100)  # digits of the answer; operands have half as many
Columned = tuple[tuple[int, ...], int]


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


def _add_column(digits: tuple[int, ...], carry: int, base: int) -> Columned:
    carry, digit = divmod(sum(digits) + carry, base)
    return (digit,), carry


def _hard_sums(limit: int, largest: int, base: int) -> Rows:
    nines = _top(limit, base) - 1
    return [(nines, 1), (1, nines), (largest, largest), (0, 0)]


ADD = Operation(
    "add",
    operator.add,
    sign="+",
    largest=_half,
    column_rule=ColumnRule("right", 0, _add_column),
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
    column_rule=ColumnRule("right", 0, _add_column),
    construction="sum",
)


# Subtraction


def _subtract_column(digits: tuple[int, ...], borrow: int, base: int) -> Columned:
    difference = digits[0] - digits[1] - borrow
    return (difference % base,), int(difference < 0)


def _hard_differences(limit: int, _: int, base: int) -> Rows:
    top = _top(limit, base)
    return [(top, 1), (limit, limit), (limit, 0), (top, top - 1)]


SUBTRACT = Operation(
    "subtract",
    operator.sub,
    sign="-",
    descending=True,
    column_rule=ColumnRule("right", 0, _subtract_column),
    sequences=(Sequence("countdown", _half, "random"),),
    lengths=LENGTHS,
    hard=_hard_differences,
    construction="difference",
)


def _add_subtract(a: int, b: int) -> tuple[int, int]:
    return a + b, a - b


def _add_subtract_column(digits: tuple[int, ...], state: int, base: int) -> Columned:
    borrow, carry = divmod(state, 2)
    (total,), carry = _add_column(digits, carry, base)
    (difference,), borrow = _subtract_column(digits, borrow, base)
    return (total, difference), 2 * borrow + carry


ADD_SUBTRACT = Operation(
    "add-subtract",
    _add_subtract,
    answers=2,
    largest=_half,
    descending=True,
    column_rule=ColumnRule("right", 0, _add_subtract_column),
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


def _halve_column(digits: tuple[int, ...], rest: int, base: int) -> Columned:
    digit, rest = divmod(rest * base + digits[0], 2)
    return (digit,), rest


def _hard_halves(limit: int, _: int, base: int) -> Rows:
    return [(_top(limit, base),), (limit,), (1,), (0,)]


HALVE = Operation(
    "halve",
    _halve,
    operands=1,
    sign="/",
    column_rule=ColumnRule("left", 0, _halve_column),
    sequences=(Sequence("halves", _below_the_middle, growth=2),),
    lengths=LENGTHS,
    hard=_hard_halves,
)


# Others


def _associate(number: int) -> int:
    """Replace each digit by an arbitrary other one; 0 stays, so that leading zeros do."""
    return int(str(number).translate(PARTNERS))


ASSOCIATE = Operation("associate", _associate, operands=1)


def _copy_column(digits: tuple[int, ...], _: int, __: int) -> Columned:
    return digits, 0


COPY = Operation("copy", operator.index, operands=1, column_rule=ColumnRule("right", 0, _copy_column))
ANY = Mixed("any", (ADD, SUBTRACT, MULTIPLY))


def _choosing(choose: Callable[..., int]) -> Step:
    """Choose the larger or smaller number: the state is 0 while digits are equal, then 1 or 2 for the chosen one."""

    def step(digits: tuple[int, ...], decided: int, _: int) -> Columned:
        if not decided and digits[0] != digits[1]:
            decided = 1 if choose(digits) == digits[0] else 2
        return (digits[max(decided - 1, 0)],), decided

    return step


_ALL = (ADD, SUBTRACT, MULTIPLY, HALVE, ADD_THREE, ADD_SUBTRACT, ASSOCIATE, COPY, ANY)
OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in _ALL}
_NOT_LISTED = tuple(  # known by their rule, in operations that users make of Python's functions
    Operation(each.__name__, each, column_rule=ColumnRule("left", 0, _choosing(each))) for each in (max, min)
)


def column_rule_of(operation: Operation) -> ColumnRule | None:
    """Return the column rule of an operation, or of a built-in operation with the same rule."""
    if operation.column_rule is not None:
        return operation.column_rule
    shape = operation.operands, operation.answers
    same = (each for each in (*_ALL, *_NOT_LISTED) if each.rule is operation.rule)
    return next((each.column_rule for each in same if (each.operands, each.answers) == shape), None)
