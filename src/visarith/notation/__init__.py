"""How a number is written as symbols in cells: Arabic numerals in any base, additive Roman numerals."""

from typing import Protocol

import numpy as np


class Notation(Protocol):
    """`write` and `parse` are exact inverses for the numbers 0..limit."""

    @property
    def name(self) -> str: ...

    @property
    def digits(self) -> int:
        """How many decimal digits (in Arabic: digits of the base) the largest number has."""
        ...

    @property
    def cells(self) -> int: ...

    @property
    def alphabet(self) -> str:
        """The symbols in the order of their indices; a blank, where there is one, comes last."""
        ...

    @property
    def limit(self) -> int:
        """The largest number that the cells can hold."""
        ...

    @property
    def aligned(self) -> str:
        """Where a number stands that does not fill its cells: left or right."""
        ...

    def write(self, numbers: np.ndarray | list[int]) -> np.ndarray:
        """Numbers to symbol indices: (count,) -> (count, cells) uint8."""
        ...

    def parse(self, symbols: np.ndarray) -> list[int | None]:
        """Symbol indices to numbers; None where a row is no number."""
        ...

    def text(self, symbols: np.ndarray) -> str:
        """One row of symbols as a string, '?' for unreadable, without the blanks around it."""
        ...

    def number(self, text: str) -> int:
        """A number that a person wrote in this notation."""
        ...


def blank(notation: Notation) -> int | None:
    """The index of the blank symbol, or None where every cell is always written."""
    return notation.alphabet.index(" ") if " " in notation.alphabet else None


def writes_nothing(notation: Notation) -> bool:
    """Whether a blank line is a number: zero in Roman numerals."""
    empty = blank(notation)
    return empty is not None and notation.parse(np.full((1, notation.cells), empty)) != [None]


def as_text(notation: Notation, symbols: np.ndarray) -> str:
    """What `text` is in every notation."""
    return "".join(notation.alphabet[s] if s >= 0 else "?" for s in symbols.tolist()).strip(" ")
