"""How an answer picture is read back: by templates (fast) and by Tesseract (the paper's judge)."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

UNREADABLE = -1


@dataclass(frozen=True, eq=False)
class Reading:
    """What a reader saw in pictures: a symbol and a confidence a cell, and the line as text."""

    symbols: np.ndarray  # (count, cells) int16, UNREADABLE where there is no honest answer
    confidence: np.ndarray  # (count, cells) in [0, 1]
    texts: list[str]  # '?' for an unreadable cell; without the blanks before the number


class Reader(Protocol):
    """Reads pictures as a person sees them: (count, height, width) in [0, 1]."""

    name: str

    def read(self, pictures: np.ndarray) -> Reading: ...
