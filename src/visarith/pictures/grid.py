"""Find the grid of cells in pictures, by minimum description length: the right grid has few distinct cells."""

from dataclasses import dataclass

import numpy as np

from visarith.errors import VisarithError, option

LOOKED_AT = 500  # examples that are searched
NARROWEST = 3  # pixels a cell
WIDEST = 2  # times its height
MOST_WORK = 5_000_000  # columns of pixels that are compared; large pictures take seconds


@dataclass(frozen=True)
class Grid:
    """Cells of equal width side by side, as high as the picture."""

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
        """The index of each pixel of each cell in the flattened picture: (cells, pixels)."""
        height, width = self.shape
        grid = np.arange(height * width).reshape(height, width)
        return np.stack([grid[:, x : x + self.pitch].ravel() for _, x in self.corners])

    def lengthened(self, shape: tuple[int, int]) -> "Grid":
        """Return the grid of wider or narrower pictures with the same cells and at most the same margins."""
        change = shape[1] - self.shape[1]
        added = -(-change // self.pitch)
        margin, less = self.shape[1] - self.cells * self.pitch, added * self.pitch - change
        return Grid(self.left - (margin // 2 - (margin - less) // 2), self.pitch, self.cells + added, shape)


def find_grid(pictures: np.ndarray) -> Grid:
    """Return the grid that describes pictures (count, height, width) in the fewest bits.

    A description lists the distinct cells, pixel by pixel, and the entropy-coded index of each cell. Narrow cells need
    many indices; wide or shifted cells show parts of several symbols, so there are many distinct ones. Cells must be at
    the same places in all pictures and repeat exactly, so pictures must have no noise.
    """
    _, height, width = pictures.shape
    pictures = np.ascontiguousarray(pictures[: max(50, MOST_WORK // (width * min(width, WIDEST * height)))])
    count = len(pictures)
    inked = np.flatnonzero((pictures != pictures[:1, :1, :1]).any((0, 1)))
    if not len(inked):
        raise VisarithError(f"all pictures are the same, so no cells can be found; give different pictures{_instead()}")
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
    """Return the distinct rows, and the index of each row among them."""
    rows = np.ascontiguousarray(rows)
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, which = np.unique(whole, return_index=True, return_inverse=True)
    return rows[first], which.ravel()
