"""Expressions such as '12 + 30' and 'XII + VIII', as people write them for `visarith calculate`."""

import re
from typing import TYPE_CHECKING

from visarith.errors import VisarithError
from visarith.notation.roman import NUMERALS as ROMAN
from visarith.operations import OPERATIONS
from visarith.operations.mixed import Mixed

if TYPE_CHECKING:
    from visarith.runs.run import Run

SIGNS = {sign: name for name, operation in OPERATIONS.items() for sign in operation.sign + operation.aliases}
DECIMAL = 10
MINUS = "−"  # U+2212, which word processors write
APART = re.compile(r"(\S+)\s+([-+*x×/])\s+(\S+)")
CLOSE = re.compile(r"(\w+)([-+*×/]|x(?=\d+$))(\w+)")


def parts(expression: str) -> tuple[str, str, str]:
    """What stands left of the sign, the sign, and what stands right of it.

    >>> parts("9 − 3")
    ('9', '-', '3')
    """
    text = expression.strip().replace(MINUS, "-")
    match = APART.fullmatch(text) or CLOSE.fullmatch(text)
    if not match:
        raise VisarithError(f"{expression!r} cannot be read; write it like '1234567 + 2345678' or 'XII + VIII'")
    return match[1], match[2], match[3]


def _not_mixed(expression: str) -> None:
    """Refuse Roman numerals on one side and Arabic ones on the other."""
    left, _, right = parts(expression)
    roman = [set(text.upper()) <= set(ROMAN) for text in (left, right)]
    if any(roman) and any(text.isdecimal() for text in (left, right)):
        raise VisarithError(f"{expression!r} mixes Roman and Arabic numerals; write both numbers in the same ones")


def meant(expression: str) -> tuple[str, str]:
    """The operation that an expression means, and its notation: Roman if there are letters on both sides.

    >>> meant("XII + VIII")
    ('add', 'roman')
    """
    _not_mixed(expression)
    left, sign, right = parts(expression)
    return SIGNS[sign], "roman" if left.isalpha() and right.isalpha() else "arabic"


def operands(expression: str, run: "Run") -> tuple[int, ...]:
    """The operands of an expression that the run has learned to compute."""
    task, (left, sign, right) = run.task, parts(expression)
    if task.notation.base == DECIMAL:  # letters are digits of larger bases
        _not_mixed(expression)
    if isinstance(task.operation, Mixed):
        names = [part.name for part in task.operation.parts]
        if SIGNS[sign] not in names:
            raise VisarithError(f"{sign!r} is to {SIGNS[sign]}, but {run.path} has learned {', '.join(names)} only")
        return task.notation.number(left), names.index(SIGNS[sign]), task.notation.number(right)
    if SIGNS[sign] != task.operation.name:
        raise VisarithError(
            f"{sign!r} is to {SIGNS[sign]}, but {run.path} has learned to {task.operation.name}; use another --run"
        )
    if sign == "/":
        if right != "2":
            raise VisarithError(f"{expression!r} divides by {right}; only halves were learned: write '{left} / 2'")
        return (task.notation.number(left),)
    return task.notation.number(left), task.notation.number(right)
