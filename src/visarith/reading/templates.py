"""The fast reader: each cell is read as its nearest glyph, or unreadable if two are about equally near."""

import numpy as np

from visarith.notation import Notation
from visarith.pictures.layout import Layout
from visarith.reading import UNREADABLE, Reading

CLEAR = 0.06  # below this confidence a cell is unreadable: 53 % one glyph and 47 % another
FLAT = (0.0, 0.5, 1.0)  # a cell nearest to a uniform grey is unreadable


class Templates:
    """Reads by the nearest glyph.

    With distances d1 to the nearest glyph, d2 to another and d between the two, the confidence is the smallest
    (d2^2 - d1^2) / d^2. A mixture of p of one glyph and 1 - p of another has confidence 2p - 1. Without `doubt` the
    nearest glyph is taken at any confidence, as a one-hot vector is read by its largest entry.
    """

    name = "templates"

    def __init__(self, layout: Layout, notation: Notation, *, doubt: bool = True) -> None:
        self.layout, self.notation, self.doubt = layout, notation, doubt
        blank = [g for g in FLAT if (np.abs(layout.patterns - g).max(1) < 1e-6).any()]  # greys that are a symbol
        greys = [g for g in FLAT if doubt and g not in blank]
        flat = [np.full_like(layout.patterns[:1], grey) for grey in greys]
        self.rivals = np.concatenate([layout.patterns, *flat])
        apart = ((self.rivals[:, None] - self.rivals) ** 2).sum(-1)
        np.fill_diagonal(apart, 1)
        self.apart = apart

    def read(self, pictures: np.ndarray) -> Reading:
        parts = [self._nearest(pictures[i : i + 4096]) for i in range(0, max(len(pictures), 1), 4096)]
        symbols = np.concatenate([symbols for symbols, _ in parts])
        confidence = np.concatenate([confidence for _, confidence in parts])
        return Reading(symbols, confidence, [self.notation.text(row) for row in symbols])

    def _nearest(self, pictures: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cells = pictures.reshape(len(pictures), -1)[:, self.layout.places].astype(np.float32)  # (count, cells, pixels)
        squares = (cells**2).sum(-1, keepdims=True) - 2 * cells @ self.rivals.T + (self.rivals**2).sum(-1)
        nearest = squares.argmin(-1)
        margins = (squares - squares.min(-1, keepdims=True)) / self.apart[nearest]
        np.put_along_axis(margins, nearest[..., None], np.inf, -1)
        confidence = np.clip(margins.min(-1), 0, 1)
        clear = (confidence >= CLEAR) & (nearest < len(self.layout.patterns)) if self.doubt else True
        return np.where(clear, nearest, UNREADABLE).astype(np.int16), confidence
