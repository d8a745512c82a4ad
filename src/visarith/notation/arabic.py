"""Arabic numerals in any base from 2 to 36."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from itertools import dropwhile
from typing import Any

import numpy as np

from visarith.errors import VisarithError, whole
from visarith.notation.notation import Notation

NUMERALS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_CELLS = 10_000


@dataclass(frozen=True)
class Arabic(Notation):
    """Positional numerals, padded with zeros or right-aligned after blank cells.

    >>> Arabic(cells=4).text(Arabic(cells=4).write([25])[0])
    '0025'
    """

    cells: int = 7
    base: int = 10
    padded: bool = True

    name = "arabic"
    aligned = "right"

    def __post_init__(self) -> None:
        whole("digits", self.cells, 1, MOST_CELLS)
        if self.base not in range(2, len(NUMERALS) + 1):
            raise VisarithError(f"base {self.base} has no numerals; use a base from 2 to {len(NUMERALS)}")

    def changed(self, digits: int | None = None, base: int | None = None, padded: bool | None = None) -> "Arabic":
        given: dict[str, Any] = {"cells": digits, "base": base, "padded": padded}
        return replace(self, **{name: value for name, value in given.items() if value is not None})

    @property
    def digits(self) -> int:
        return self.cells

    @property
    def place_base(self) -> int | None:
        return self.base if self.padded else None

    @property
    def alphabet(self) -> str:
        return NUMERALS[: self.base] + ("" if self.padded else " ")

    @property
    def limit(self) -> int:
        return int(self.base**self.cells) - 1

    def write(self, numbers: np.ndarray | list[int]) -> np.ndarray:
        rest = np.asarray(numbers, dtype=np.int64 if self.limit < 2**62 else object)
        symbols = np.empty((len(rest), self.cells), np.uint8)
        for cell in reversed(range(self.cells)):
            symbols[:, cell] = rest % self.base
            rest = rest // self.base
        if not self.padded:
            leading = np.cumsum(symbols, axis=1, dtype=np.int64) == 0
            leading[:, -1] = False  # 0 has one digit
            symbols[leading] = self.base
        return symbols

    def parse(self, symbols: np.ndarray) -> list[int | None]:
        """Read symbol indices as numbers; None for a row with an unreadable cell, or a blank after a digit."""
        numbers: list[int | None] = []
        for row in symbols.tolist():
            digits = row if self.padded else [*dropwhile(lambda symbol: symbol == self.base, row)]
            readable = digits and all(0 <= digit < self.base for digit in digits)
            numbers.append(self._value(digits) if readable else None)
        return numbers

    def _value(self, digits: Iterable[int]) -> int:
        return reduce(lambda number, digit: number * self.base + digit, digits, 0)

    def labels(self) -> list[str]:
        return [f"base{self.base}" if self.base != 10 else "", "" if self.padded else "unpadded"]

    def lengthened(self, digits: int) -> "Arabic":
        return replace(self, cells=digits)

    def number(self, text: str) -> int:
        if text.startswith("-") and text[1:].isalnum():
            raise VisarithError(f"{text} is negative; numbers here are 0 or more")
        digits = NUMERALS[: self.base]
        if not text.isascii() or not text or not set(text.upper()) <= set(digits):
            raise VisarithError(f"{text!r} is no number in base {self.base}; write it with {digits}")
        return self._value(map(digits.index, text.upper()))
