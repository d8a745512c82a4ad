"""What every notation is: numbers to symbols in cells, and back."""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from visarith.errors import VisarithError, option

NEEDED = ("write", "parse", "alphabet", "cells")


class Notation(ABC):
    """`write` and `parse` are exact inverses for the numbers 0..limit.

    A notation of one's own needs `write`, `parse`, `alphabet` and `cells`; the rest follows from these.
    """

    name: ClassVar[str] = "own"
    aligned: ClassVar[str] = "right"  # where a number stands that does not fill its cells: left or right
    additive: ClassVar[bool] = False  # whether a number is said by how often each symbol stands in it
    hidden_layers: ClassVar[int] = 3  # of the paper's network for it, on pictures (Table 1)
    base: int | None = None  # of positional numerals

    @property
    @abstractmethod
    def cells(self) -> int: ...

    @property
    @abstractmethod
    def alphabet(self) -> str:
        """The symbols in the order of their indices; a blank, where there is one, comes last."""

    @abstractmethod
    def write(self, numbers: np.ndarray | list[int]) -> np.ndarray:
        """Numbers to symbol indices: (count,) -> (count, cells) uint8."""

    @abstractmethod
    def parse(self, symbols: np.ndarray) -> list[int | None]:
        """Symbol indices to numbers; None where a row is no number."""

    @property
    def digits(self) -> int:
        """How many digits the largest number has: of the base, in Roman numerals decimal ones."""
        return self.cells

    @property
    def place_base(self) -> int | None:
        """The base, where every cell is a digit of it and zeros are written; None for all others."""
        return None

    @cached_property
    def limit(self) -> int:
        """The largest number that the cells can hold: up to there, what is written is read back."""
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
        """One row of symbols as a string, '?' for unreadable, without the blanks around it."""
        return "".join(self.alphabet[s] if s >= 0 else "?" for s in symbols.tolist()).strip(" ")

    def number(self, text: str) -> int:
        """A number that a person wrote in this notation, or in decimal digits."""
        line = text.rjust(self.cells) if self.aligned == "right" else text.ljust(self.cells)
        if len(line) == self.cells and set(line) <= set(self.alphabet):
            (number,) = self.parse(np.array([[self.alphabet.index(symbol) for symbol in line]], np.uint8))
            if number is not None:
                return number
        if text.isascii() and text.isdecimal():
            return int(text)
        raise VisarithError(f"{text!r} is no number in this notation; write it with {self.alphabet.strip()!r}")

    def changed(self, digits: int | None = None, base: int | None = None, padded: bool | None = None) -> "Notation":
        """The same notation with other digits, another base, with or without leading zeros; None changes nothing."""
        if (digits, base, padded) == (None, None, None):
            return self
        raise VisarithError(
            f"{self!r} says itself how long its numbers are; leave {option('digits')}, {option('base')} and "
            f"{option('padded', flag='unpadded')} out"
        )

    def labels(self) -> list[str]:
        """What differs from the usual beside the digits, for the name of a run."""
        return []

    def lengthened(self, digits: int) -> "Notation | None":  # noqa: ARG002
        """The same notation for longer or shorter numbers, where their cells mean the same."""
        return None


class Own(Notation):
    """An object of a user's that has what a notation needs, with all the rest added."""

    def __init__(self, inner: Any) -> None:
        missing = [name for name in NEEDED if getattr(inner, name, None) is None]
        if missing:
            lacks = f"it has no {', '.join(missing)}; give {', '.join(NEEDED)}"
            raise VisarithError(f"{inner!r} is no notation, since {lacks}")
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
            raise VisarithError(f"{type(self.inner).__name__}.write gave indices that no symbol of its alphabet has")
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
    """A notation of ours as it is, one of a user's with what it lacks."""
    return notation if isinstance(notation, Notation) else Own(notation)


def blank(notation: Notation) -> int | None:
    """The index of the blank symbol, or None where every cell is always written."""
    return notation.alphabet.index(" ") if " " in notation.alphabet else None


def writes_nothing(notation: Notation) -> bool:
    """Whether a blank line is a number: zero in Roman numerals."""
    empty = blank(notation)
    return empty is not None and notation.parse(np.full((1, notation.cells), empty)) != [None]
