"""The one error that a user may see: a value that cannot be used, and what to do about it."""


class VisarithError(ValueError):
    """Names the value and the remedy in one line; the command line prints it and exits with 2."""
