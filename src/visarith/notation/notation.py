"""The base class of notations, and the wrapper for objects of users."""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from visarith.errors import VisarithError, option

NEEDED = ("write", "parse", "alphabet", "cells")


class Notation(ABC):
    """Writes numbers as symbols in cells, and reads them back; exact for 0..limit.

    A notation of your own needs `write`, `parse`, `alphabet` and `cells`; the rest has defaults.
    """

    name: ClassVar[str] = "own"
    aligned: ClassVar[str] = "right"  # side of a number that does not fill its cells: left or right
    additive: ClassVar[bool] = False  # whether the value of a number is the sum of its symbols
    hidden_layers: ClassVar[int] = 3  # of the paper's network for it, on pictures (Table 1)
    base: int | None = None  # of positional numerals

    @property
    @abstractmethod
    def cells(self) -> int: ...

    @property
    @abstractmethod
    def alphabet(self) -> str:
        """The symbols in the order of their indices; a blank, if there is one, comes last."""

    @abstractmethod
    def write(self, numbers: np.ndarray | list[int]) -> np.ndarray:
        """Write numbers as symbol indices: (count,) -> (count, cells) uint8."""

    @abstractmethod
    def parse(self, symbols: np.ndarray) -> list[int | None]:
        """Read symbol indices as numbers; None for a row that is not a number."""

    @property
    def digits(self) -> int:
        """The number of digits of the largest number, decimal digits for Roman numerals."""
        return self.cells

    @property
    def place_base(self) -> int | None:
        """The base if every cell holds a digit, leading zeros included; otherwise None."""
        return None

    @cached_property
    def limit(self) -> int:
        """The largest number that fits the cells: all up to it can be written and read back."""
        low, high = 0, 1
        most = len(self.alphabet) ** self.cells
        while high < most and self._holds(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._holds(middle) else (low, middle)
        return low

    def _holds(self, number: int) -> bool:
        try:
            return self.parse(self.write([number])) == [number]
        except (ArithmeticError, ValueError, IndexError, KeyError):
            return False

    def text(self, symbols: np.ndarray) -> str:
        """Return one row of symbols as a string without surrounding blanks; '?' is an unreadable symbol."""
        alphabet = self.alphabet
        return "".join(alphabet[s] if 0 <= s < len(alphabet) else "?" for s in symbols.tolist()).strip(" ")

    def number(self, text: str) -> int:
        """Return a number that a user typed in this notation, or in decimal digits."""
        line = text.rjust(self.cells) if self.aligned == "right" else text.ljust(self.cells)
        if len(line) == self.cells and set(line) <= set(self.alphabet):
            (number,) = self.parse(np.array([[self.alphabet.index(symbol) for symbol in line]], np.uint8))
            if number is not None:
                return number
        if text.isascii() and text.isdecimal():
            return int(text)
        raise VisarithError(f"{text!r} is not a number in this notation; write it with {self.alphabet.strip()!r}")

    def changed(self, digits: int | None = None, base: int | None = None, padded: bool | None = None) -> "Notation":
        """Return the notation with other digits, another base or other padding; None leaves it as it is."""
        if (digits, base, padded) == (None, None, None):
            return self
        raise VisarithError(
            f"{self!r} has a fixed number of cells; leave {option('digits')}, {option('base')} and "
            f"{option('padded', flag='unpadded')} out"
        )

    def labels(self) -> list[str]:
        """Return the options that are not the defaults, except digits, for the name of a run."""
        return []

    def lengthened(self, digits: int) -> "Notation | None":  # noqa: ARG002
        """Return the notation for numbers of another length, or None if cells would change their meaning."""
        return None


class Own(Notation):
    """A user's object with `write`, `parse`, `alphabet` and `cells`, as a notation."""

    def __init__(self, inner: Any) -> None:
        if missing := ", ".join(name for name in NEEDED if getattr(inner, name, None) is None):
            raise VisarithError(f"{inner!r} is not a notation: it has no {missing}; give {', '.join(NEEDED)}")
        self.inner = inner
        self.aligned = getattr(inner, "aligned", "right")  # type: ignore[misc]

    @property
    def cells(self) -> int:
        return int(self.inner.cells)

    @property
    def alphabet(self) -> str:
        return "".join(self.inner.alphabet)

    def write(self, numbers: np.ndarray | list[int]) -> np.ndarray:
        symbols = np.asarray(self.inner.write(numbers))
        if symbols.shape != (len(numbers), self.cells) or symbols.dtype.kind not in "iu":
            raise VisarithError(
                f"{type(self.inner).__name__}.write gave {symbols.dtype} of shape {symbols.shape} for {len(numbers)} "
                f"numbers; give indices of symbols, ({len(numbers)}, {self.cells})"
            )
        if symbols.size and not (symbols.min() >= 0 and symbols.max() < len(self.alphabet)):
            most = len(self.alphabet) - 1
            raise VisarithError(f"{type(self.inner).__name__}.write gave indices outside 0..{most}; use its alphabet")
        return symbols.astype(np.uint8)

    def parse(self, symbols: np.ndarray) -> list[int | None]:
        return list(self.inner.parse(symbols))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and self.inner == other.inner

    def __hash__(self) -> int:
        return hash(id(self.inner))

    def __repr__(self) -> str:
        return repr(self.inner)


def as_notation(notation: Any) -> Notation:
    """Return a notation, wrapped if it is an object of the user; check its alphabet."""
    checked = notation if isinstance(notation, Notation) else Own(notation)
    twice = [symbol for symbol in checked.alphabet if checked.alphabet.count(symbol) > 1]
    if twice:
        raise VisarithError(f"the alphabet {checked.alphabet!r} has {twice[0]!r} twice; give each symbol once")
    return checked


def blank(notation: Notation) -> int | None:
    """Return the index of the blank symbol, or None if there is none."""
    return notation.alphabet.index(" ") if " " in notation.alphabet else None


def writes_nothing(notation: Notation) -> bool:
    """Return whether an empty line is a number, as zero is in Roman numerals."""
    empty = blank(notation)
    return empty is not None and notation.parse(np.full((1, notation.cells), empty)) != [None]
