"""What people write on the command line, turned into values: recipes, sizes, expressions."""

import re
from dataclasses import asdict

from visarith.errors import VisarithError
from visarith.operations import OPERATIONS
from visarith.operations.mixed import Mixed
from visarith.pictures.typeface import Typeface
from visarith.runs.run import Run
from visarith.training.recipe import Recipe, named

SIGNS = {sign: name for name, operation in OPERATIONS.items() for sign in operation.sign + operation.aliases}


def recipe(name: str, changes: list[str]) -> Recipe:
    """A recipe by name, with fields changed as `--set field=value` says."""
    known = asdict(named(name))
    for change in changes:
        key, _, value = change.partition("=")
        if key not in known:
            raise VisarithError(f"{change!r} sets no field of a recipe; use one of {', '.join(known)}")
        kind = type(known[key])
        try:
            parsed = {"true": True, "false": False}[value.lower()] if kind is bool else kind(value)
        except (KeyError, ValueError):
            raise VisarithError(f"{change!r} needs a value like {key}={known[key]}") from None
        known[key] = parsed
    return Recipe(**known)


def picture_size(text: str) -> tuple[int, int]:
    """Height and width from text such as 15x60; the default typeface's for none."""
    if not text:
        return Typeface().height, Typeface().width
    match = re.fullmatch(r"(\d{1,5})[x×](\d{1,6})", text)
    if not match:
        raise VisarithError(f"picture {text!r} is no size; write height x width, such as 15x60")
    return int(match[1]), int(match[2])


def parts(expression: str) -> tuple[str, str, str]:
    """What stands left of the sign, the sign, and what stands right of it."""
    text = expression.strip()
    match = re.fullmatch(r"(\S+)\s+([-+*x×/])\s+(\S+)", text) or re.fullmatch(r"(\w+)([-+*×/]|x(?=\d+$))(\w+)", text)
    if not match:
        raise VisarithError(f"{expression!r} cannot be read; write it like '1234567 + 2345678', or '10 / 2' to halve")
    return match[1], match[2], match[3]


def meant(expression: str) -> tuple[str, str]:
    """The operation that an expression means, and its notation: Roman if there are letters on both sides.

    >>> meant("XII + VIII")
    ('add', 'roman')
    """
    left, sign, right = parts(expression)
    return SIGNS[sign], "roman" if left.isalpha() and right.isalpha() else "arabic"


def operands(expression: str, run: Run) -> tuple[int, ...]:
    """The operands of an expression that the run has learned to compute."""
    task, (left, sign, right) = run.task, parts(expression)
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
