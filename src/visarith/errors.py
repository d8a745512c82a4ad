"""The error for values that cannot be used, and helpers for its text."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_flags: ContextVar[bool] = ContextVar("flags", default=False)


class VisarithError(ValueError):
    """An error of one line that names the value and the remedy; the command line prints it and exits with 2."""


@contextmanager
def naming_flags() -> Iterator[None]:
    """Within this context, errors name options as on the command line (`--out`), not as in Python (`out`)."""
    before = _flags.set(True)
    try:
        yield
    finally:
        _flags.reset(before)


def option(name: str, value: object = None, *, flag: str = "", python: str = "") -> str:
    """Return an option as the user writes it: a flag on the command line, an argument in Python.

    >>> option("out"), option("learner", "perceptron"), option("resume", True)
    ('`out`', "`learner='perceptron'`", '`resume=True`')
    >>> with naming_flags():
    ...     option("hidden_layers"), option("learner", "perceptron"), option("padded", False, flag="unpadded")
    ('--hidden-layers', '--learner perceptron', '--unpadded')
    """
    if not _flags.get():
        return f"`{python or name}`" if value is None else f"`{name}={value!r}`"
    written = "--" + (flag or name).replace("_", "-")
    return written if value is None or isinstance(value, bool) else f"{written} {value}"


def recipe_field(name: str, value: object) -> str:
    """Return a field of the recipe as the user sets it.

    >>> recipe_field("precision", "f32")
    "`Recipe(precision='f32')`"
    """
    if not _flags.get():
        return f"`Recipe({name}={value!r})`"
    return f"--set {name}={str(value).lower() if isinstance(value, bool) else value}"


def whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return a whole number; raise an error if it is out of bounds.

    >>> whole("seed", 7, 0)
    7
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise VisarithError(f"{name} {value!r} is not a whole number; use {least} or more")
    number = int(value.__index__())
    if number < least:
        raise VisarithError(f"{name} {number} is too small; use {least} or more")
    if most is not None and number > most:
        raise VisarithError(f"{name} {number} is too large; use {most} or less")
    return number
