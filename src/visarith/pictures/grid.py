"""Find where the cells stand, from pictures alone: with the right grid, few different cells explain everything."""

from dataclasses import dataclass

import numpy as np

from visarith.errors import VisarithError, option

LOOKED_AT = 500  # examples in which cells are looked for
NARROWEST = 3  # pixels a cell
WIDEST = 2  # times its height
MOST_WORK = 5_000_000  # columns of pixels that are compared, so that large pictures take seconds


@dataclass(frozen=True)
class Grid:
    """Cells of one width side by side, as high as the picture."""

    left: int
    pitch: int
    cells: int
    shape: tuple[int, int]

    @property
    def corners(self) -> tuple[tuple[int, int], ...]:
        """Top and left of each cell."""
        return tuple((0, self.left + self.pitch * cell) for cell in range(self.cells))

    @property
    def places(self) -> np.ndarray:
        """Where each pixel of each cell stands in the flattened picture: (cells, pixels)."""
        height, width = self.shape
        grid = np.arange(height * width).reshape(height, width)
        return np.stack([grid[:, x : x + self.pitch].ravel() for _, x in self.corners])

    def lengthened(self, shape: tuple[int, int]) -> "Grid":
        """The same cells in wider or narrower pictures, whose margins are the same or a little smaller."""
        change = shape[1] - self.shape[1]
        added = -(-change // self.pitch)
        margin, less = self.shape[1] - self.cells * self.pitch, added * self.pitch - change
        return Grid(self.left - (margin // 2 - (margin - less) // 2), self.pitch, self.cells + added, shape)


def find_grid(pictures: np.ndarray) -> Grid:
    """The grid with which these pictures, (count, height, width) of any type, are described in the fewest bits.

    A description lists the different cells, pixel by pixel, and then says for each picture which of them stands where:
    too narrow cells are many, too wide or shifted ones show parts of several symbols and are of many kinds. No symbol
    is known. All pictures must be aligned alike, and free of noise: cells that repeat must do so exactly.
    """
    _, height, width = pictures.shape
    pictures = np.ascontiguousarray(pictures[: max(50, MOST_WORK // (width * min(width, WIDEST * height)))])
    count = len(pictures)
    inked = np.flatnonzero((pictures != pictures[:1, :1, :1]).any((0, 1)))
    if not len(inked):
        raise VisarithError(f"the pictures all look the same; cells are found in pictures that differ{_instead()}")
    columns = numbered(pictures.transpose(0, 2, 1).reshape(count * width, height))[1].reshape(count, width)
    first, last = int(inked[0]), int(inked[-1])
    best, grid = np.inf, None
    for pitch in range(NARROWEST, min(last - first + 1, WIDEST * height) + 1):
        for shift in range(pitch):
            left = first - shift
            cells = -(-(last + 1 - left) // pitch)
            if left < 0 or left + cells * pitch > width:
                continue
            shown = columns[:, left : left + cells * pitch].reshape(count * cells, pitch)
            frequencies = np.bincount(numbered(shown)[1])
            shares = frequencies / len(shown)
            bits = -len(shown) * float((shares * np.log2(shares)).sum()) + len(frequencies) * height * pitch
            if bits < best:
                best, grid = bits, Grid(left, pitch, cells, (height, width))
    if grid is None:
        raise VisarithError(f"no cells were found in the pictures; leave more margin around the numbers{_instead()}")
    return grid


def _instead() -> str:
    return f", or use {option('learner', 'perceptron')}"


def numbered(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows, and which of them each row is."""
    rows = np.ascontiguousarray(rows)
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, which = np.unique(whole, return_index=True, return_inverse=True)
    return rows[first], which.ravel()
