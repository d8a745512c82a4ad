"""What is computed: operations on whole numbers."""

import math
import operator

from visarith.operations.mixed import Mixed
from visarith.operations.operation import Domain as Domain
from visarith.operations.operation import Operation as Operation

PARTNERS = str.maketrans("123456789", "756981432")


def _half(limit: int) -> int:
    return limit // 2


def _third(limit: int) -> int:
    return limit // 3


def _root(limit: int) -> int:
    """The paper stops at 3160 for seven digits, a little below the square root 3162 (Sec. 3.1)."""
    return 3160 if limit == 9_999_999 else math.isqrt(limit)


def _halve(number: int) -> int:
    return number // 2


def _add_three(a: int, b: int, c: int) -> int:
    return a + b + c


def _add_subtract(a: int, b: int) -> tuple[int, int]:
    return a + b, a - b


def _associate(number: int) -> int:
    """Each digit's fixed partner, chosen without arithmetic; 0 has none, so that leading zeros stay."""
    return int(str(number).translate(PARTNERS))


ADD = Operation("add", operator.add, sign="+", largest=_half)
SUBTRACT = Operation("subtract", operator.sub, sign="-", descending=True)
MULTIPLY = Operation("multiply", operator.mul, sign="x", largest=_root)
HALVE = Operation("halve", _halve, operands=1, sign="/")
ADD_THREE = Operation("add-three", _add_three, operands=3, largest=_third)
ADD_SUBTRACT = Operation("add-subtract", _add_subtract, answers=2, largest=_half, descending=True)
ASSOCIATE = Operation("associate", _associate, operands=1)
COPY = Operation("copy", operator.index, operands=1)
ANY = Mixed("any", (ADD, SUBTRACT, MULTIPLY))

_ALL = (ADD, SUBTRACT, MULTIPLY, HALVE, ADD_THREE, ADD_SUBTRACT, ASSOCIATE, COPY, ANY)
OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in _ALL}
