"""Additive Roman numerals (IIII, never IV), with the paper's seven invented ones from 5,000 to 5,000,000."""

from dataclasses import dataclass

import numpy as np

from visarith.errors import VisarithError, option, whole
from visarith.notation.notation import Notation

NUMERALS = "IVXLCDMABEKSTZ"  # 1, 5, 10, 50, ... 5,000,000; the paper does not name its seven after M
MOST_DIGITS = len(NUMERALS) // 2
CELLS_A_DIGIT = 5  # a digit takes up to four ones and a five: 9 is VIIII


@dataclass(frozen=True)
class Roman(Notation):
    """Numerals from the largest to the smallest, left-aligned; zero is blank.

    >>> Roman(2).text(Roman(2).write([94])[0])
    'LXXXXIIII'
    """

    digits: int = MOST_DIGITS  # numbers up to 10**digits - 1

    name = "roman"
    aligned = "left"
    additive = True
    hidden_layers = 5

    def __post_init__(self) -> None:
        whole("digits", self.digits, 1, MOST_DIGITS)

    def changed(self, digits: int | None = None, base: int | None = None, padded: bool | None = None) -> "Roman":
        if base not in (None, 10) or padded is False:
            raise VisarithError(
                f"Roman numerals have no base and no leading zeros; leave {option('base')} and "
                f"{option('padded', False, flag='unpadded')} out"
            )
        return self if digits is None else Roman(digits)

    @property
    def cells(self) -> int:
        """The longest number has a nine in every digit: 35 cells for 9,999,999 (Sec. 3.1)."""
        return CELLS_A_DIGIT * self.digits

    @property
    def alphabet(self) -> str:
        return NUMERALS[: 2 * self.digits] + " "

    @property
    def limit(self) -> int:
        return int(10**self.digits) - 1

    def write(self, numbers: np.ndarray | list[int]) -> np.ndarray:
        numbers = np.asarray(numbers, np.int64)
        digits = numbers[:, None] // 10 ** np.arange(self.digits) % 10  # units first
        counts = np.stack([digits % 5, digits // 5], axis=2).reshape(len(numbers), 2 * self.digits)
        largest_first = counts[:, ::-1]
        symbols = np.full((len(numbers), self.cells), 2 * self.digits, np.uint8)
        end = largest_first.cumsum(1)
        place = np.arange(self.cells)
        for i in range(2 * self.digits):
            here = (place >= (end[:, i] - largest_first[:, i])[:, None]) & (place < end[:, i][:, None])
            symbols[here] = 2 * self.digits - 1 - i
        return symbols

    def parse(self, symbols: np.ndarray) -> list[int | None]:
        """Read symbol indices as numbers; None for a row that `write` does not give for any number."""
        values = np.array([_value(i) for i in range(2 * self.digits)] + [0], np.int64)
        readable = (symbols >= 0) & (symbols < len(values))
        numbers = values[np.where(readable, symbols, -1)].sum(1)
        legal = readable.all(1) & (numbers <= self.limit)
        legal &= (self.write(np.where(legal, numbers, 0)) == symbols).all(1)
        return [int(number) if right else None for number, right in zip(numbers, legal, strict=True)]

    def number(self, text: str) -> int:
        if text.isascii() and text.isdecimal():
            return int(text)
        numerals = NUMERALS[: 2 * self.digits]
        indices = [numerals.find(symbol) for symbol in text.upper()]
        if not text or not text.isascii() or min(indices) < 0:
            raise VisarithError(f"{text!r} is no number in Roman numerals; write it with {numerals} or in digits")
        if indices != sorted(indices, reverse=True):
            raise VisarithError(f"{text!r} is not additive; write the larger numerals first, IIII and not IV")
        number = sum(map(_value, indices))
        if number > self.limit:
            raise VisarithError(f"{text!r} is {number}, above {self.limit}; write a smaller number")
        proper = self.text(self.write([number])[0])
        if proper != text.upper():
            raise VisarithError(f"{text!r} has too many of a numeral; {number} is written {proper}")
        return number


def _value(numeral: int) -> int:
    """Return the value of a numeral by its index.

    >>> [_value(i) for i in range(5)]
    [1, 5, 10, 50, 100]
    """
    return int(10 ** (numeral // 2) * (5 if numeral % 2 else 1))
