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

    def without(self, rows: np.ndarray) -> "Reading":
        """Return the same with all cells of these rows, (count,) bool, unreadable."""
        if not rows.any():
            return self
        symbols, confidence = (
            np.where(rows[:, None], no, each) for no, each in ((UNREADABLE, self.symbols), (0.0, self.confidence))
        )
        texts = ["?" * self.symbols.shape[1] if no else text for no, text in zip(rows, self.texts, strict=True)]
        return Reading(symbols, confidence, texts)


class Reader(Protocol):
    """Reads pictures (count, height, width) in [0, 1] whose pixels are not permuted."""

    name: str

    def read(self, pictures: np.ndarray) -> Reading: ...
