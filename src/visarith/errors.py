"""The one error that a user may see: a value that cannot be used, and what to do about it."""


class VisarithError(ValueError):
    """Names the value and the remedy in one line; the command line prints it and exits with 2."""


def whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """A whole number within bounds, or the error that says what it should be.

    >>> whole("seed", 7, 0)
    7
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise VisarithError(f"{name} {value!r} is no whole number; use {least} or more")
    number = int(value.__index__())
    if number < least:
        raise VisarithError(f"{name} {number} is too small; use {least} or more")
    if most is not None and number > most:
        raise VisarithError(f"{name} {number} is too large; use {most} or less")
    return number
