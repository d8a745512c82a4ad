"""The fast reader: each cell is the glyph that is nearest to it, or unreadable when two are about as near."""

import numpy as np

from visarith.notation import Arabic
from visarith.pictures.page import Page
from visarith.reading import UNREADABLE, Reading

CLEAR = 0.1  # a cell that is 53 % one glyph and 47 % another has this confidence; below it, it is unreadable


class Templates:
    """Confidence is 1 - d1 / d2, with d1 and d2 the distances to the nearest and the next glyph."""

    name = "templates"

    def __init__(self, page: Page, notation: Arabic) -> None:
        self.page, self.notation = page, notation

    def read(self, pictures: np.ndarray) -> Reading:
        parts = [self._nearest(part) for part in _parts(pictures, 4096)]
        symbols = np.concatenate([symbols for symbols, _ in parts])
        confidence = np.concatenate([confidence for _, confidence in parts])
        return Reading(symbols, confidence, [self.notation.text(row) for row in symbols])

    def _nearest(self, pictures: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cells = pictures.reshape(len(pictures), -1)[:, self.page.places].astype(np.float32)  # (count, cells, pixels)
        glyphs = self.page.patterns
        squares = (cells**2).sum(-1, keepdims=True) - 2 * cells @ glyphs.T + (glyphs**2).sum(-1)
        distances = np.sqrt(np.maximum(squares, 0))
        symbols = distances.argmin(-1)
        nearest, second = np.partition(distances, 1, axis=-1)[..., :2].transpose(2, 0, 1)
        confidence = 1 - nearest / np.maximum(second, 1e-12)
        return np.where(confidence >= CLEAR, symbols, UNREADABLE).astype(np.int16), confidence


def _parts(pictures: np.ndarray, size: int) -> list[np.ndarray]:
    return [pictures[i : i + size] for i in range(0, max(len(pictures), 1), size)]
