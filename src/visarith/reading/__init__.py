"""Readers of answer pictures: templates, which are fast, and Tesseract, which the paper used."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

UNREADABLE = -1


@dataclass(frozen=True, eq=False)
class Reading:
    """What a reader found in pictures: a symbol and a confidence for each cell, and the text of each line."""

    symbols: np.ndarray  # (count, cells) int16, or UNREADABLE
    confidence: np.ndarray  # (count, cells) in [0, 1]
    texts: list[str]  # '?' for an unreadable cell; without surrounding blanks


class Reader(Protocol):
    """Reads pictures (count, height, width) in [0, 1] whose pixels are not permuted."""

    name: str

    def read(self, pictures: np.ndarray) -> Reading: ...
