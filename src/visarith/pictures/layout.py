"""Layouts: the glyphs, the places of the cells, and typesetting by table lookup."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from visarith.errors import VisarithError

FIRST_NAME = 0xE000  # of glyphs that have no character of their own
MOST_GLYPHS = 255  # that 8-bit symbols number


@dataclass(frozen=True, eq=False)
class Layout:
    """Glyphs of equal size in cells at fixed places; the pixels around them are 0, or those of `ground`.

    The medium one-hot is a layout too: its glyphs are unit vectors, and each cell is a row.
    """

    alphabet: str
    glyphs: np.ndarray  # (symbols, glyph height, glyph width) uint8, 255 is full ink
    corners: tuple[tuple[int, int], ...]  # top and left of each cell
    height: int
    width: int
    order: np.ndarray | None = None  # permutation: pixel i of the picture is pixel order[i] of the plain layout
    ground: np.ndarray | None = None  # (height, width) uint8, the pixels around the cells, if not all are 0

    @property
    def cells(self) -> int:
        return len(self.corners)

    @property
    def pixels(self) -> int:
        return self.height * self.width

    @cached_property
    def patterns(self) -> np.ndarray:
        """The glyphs as intensities in [0, 1]: (symbols, glyph pixels) float32."""
        return (self.glyphs.reshape(len(self.glyphs), -1) / 255).astype(np.float32)

    @cached_property
    def places(self) -> np.ndarray:
        """The index of each pixel of each cell in the flattened picture: (cells, glyph pixels)."""
        grid = np.arange(self.pixels).reshape(self.height, self.width)
        if self.order is not None:
            grid = np.argsort(self.order).reshape(self.height, self.width)
        _, high, wide = self.glyphs.shape
        return np.stack([grid[y : y + high, x : x + wide].ravel() for y, x in self.corners])

    def mean(self, symbols: np.ndarray, expected: Callable[[np.ndarray], np.ndarray] = np.asarray) -> np.ndarray:
        """Return the mean pictures of symbols: (count, pictures, cells) -> (pictures, height, width).

        `expected` says what a pixel is in the mean if it is corrupted.
        """
        ground = np.zeros(self.pixels) if self.ground is None else self.ground.ravel() / 255
        mean = np.tile(expected(ground.astype(np.float32)), (symbols.shape[1], 1))
        patterns = expected(self.patterns)
        for picture in range(symbols.shape[1]):
            for cell in range(self.cells):
                counts = np.bincount(symbols[:, picture, cell], minlength=len(self.alphabet))
                mean[picture, self.places[cell]] = counts / len(symbols) @ patterns
        return mean.reshape(-1, self.height, self.width)

    def permuted(self, order: np.ndarray) -> "Layout":
        """Return the same layout with its pixels in another order."""
        return Layout(self.alphabet, self.glyphs, self.corners, self.height, self.width, order)

    def plain(self, pictures: np.ndarray) -> np.ndarray:
        """Undo the permutation of pictures."""
        if self.order is None:
            return pictures
        flat = np.empty_like(pictures).reshape(-1, self.pixels)
        flat[:, self.order] = pictures.reshape(-1, self.pixels)
        return flat.reshape(pictures.shape)

    def shuffled(self, pictures: np.ndarray) -> np.ndarray:
        """Permute plain pictures; the inverse of `plain`."""
        if self.order is None:
            return pictures
        return pictures.reshape(-1, self.pixels)[:, self.order].reshape(pictures.shape)

    def typeset(self, symbols: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Draw symbols as 8-bit pictures, (..., cells) -> (..., height, width), into `out` if given.

        `out` must come from an earlier call on this layout, since only the cells are written. A permuted layout ignores
        it.
        """
        shape = (*symbols.shape[:-1], self.height, self.width)
        if out is None or self.order is not None:
            out = np.zeros(shape, np.uint8)
            if self.ground is not None:
                out[...] = self.ground
        rows = symbols.reshape(-1, self.cells)
        pictures = out.reshape(-1, self.height, self.width)
        _, high, wide = self.glyphs.shape
        for cell, (y, x) in enumerate(self.corners):
            pictures[:, y : y + high, x : x + wide] = self.glyphs[rows[:, cell]]
        return self.shuffled(out)


def joined(layouts: Sequence[Layout]) -> Layout:
    """Return one layout with the glyphs of all of these: symbol s of layout number n is n times their number plus s."""
    first, glyphs = layouts[0], np.concatenate([each.glyphs for each in layouts])
    if len(glyphs) > MOST_GLYPHS:
        raise VisarithError(
            f"{len(layouts)} fonts of {len(first.alphabet)} symbols are more than {MOST_GLYPHS} glyphs; use fewer"
        )
    more = "".join(chr(FIRST_NAME + number) for number in range(len(glyphs) - len(first.alphabet)))
    return replace(first, alphabet=first.alphabet + more, glyphs=glyphs)


def one_hot_layout(alphabet: str, cells: int) -> Layout:
    """Return the layout of one-hot tables: row m has its 1 at the symbol of cell m."""
    count = len(alphabet)
    glyphs = (np.eye(count) * 255).astype(np.uint8).reshape(count, 1, count)
    return Layout(alphabet, glyphs, tuple((cell, 0) for cell in range(cells)), cells, count)
