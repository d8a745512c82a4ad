"""Cells of pictures: find their grid by minimum description length, and number the distinct ones in a codebook."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from visarith.errors import VisarithError, option
from visarith.pictures.layout import Layout

LOOKED_AT = 500  # examples that are searched
NARROWEST = 3  # pixels a cell
WIDEST = 2  # times its height
MOST_WORK = 5_000_000  # columns of pixels that are compared; large pictures take seconds
MOST = 200  # distinct cells
FEW = 20  # distinct cells that are accepted even if no cell repeats
FIRST_NAME = 0x100  # first of the characters that stand for cells of unknown meaning


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
        grid = np.arange(np.prod(self.shape)).reshape(self.shape)
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
    count, instead = len(pictures), f", or use {option('learner', 'perceptron')}"
    inked = np.flatnonzero((pictures != pictures[:1, :1, :1]).any((0, 1)))
    if not len(inked):
        raise VisarithError(f"all pictures are the same, so no cells can be found; give different pictures{instead}")
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
        raise VisarithError(f"no cells were found in the pictures; leave more margin around the numbers{instead}")
    return grid


def numbered(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct rows, and the index of each row among them."""
    rows = np.ascontiguousarray(rows)
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, first, which = np.unique(whole, return_index=True, return_inverse=True)
    return rows[first], which.ravel()


@dataclass(frozen=True, eq=False)
class Coded:
    """Pictures as indices of distinct cells; the indices tell only which cells look alike."""

    layout: Layout
    codes: np.ndarray  # (count, pictures, cells)

    def pictures(self, rows: np.ndarray) -> np.ndarray:
        return self.layout.typeset(self.codes[rows])

    def mean(self, expected: Callable[[np.ndarray], np.ndarray] = np.asarray) -> np.ndarray:
        return self.layout.mean(self.codes, expected)

    def nameless(self) -> "Coded":
        """Number the cells by their pixels, so that neither names nor indices tell their meaning."""
        order = sorted(range(len(self.layout.glyphs)), key=lambda kind: self.layout.glyphs[kind].tobytes())
        numbers = np.argsort(order).astype(self.codes.dtype)
        layout = replace(self.layout, alphabet=_names(len(order)), glyphs=self.layout.glyphs[order])
        return Coded(layout, numbers[self.codes])


@dataclass(frozen=True, eq=False)
class Codebook:
    """The inputs and the answers of a picture set; `layout.typeset(codes)` gives the pictures exactly."""

    inputs: Coded
    answers: Coded

    def nameless(self) -> "Codebook":
        return Codebook(self.inputs.nameless(), self.answers.nameless())

    def take(self, rows: np.ndarray) -> "Codebook":
        return Codebook(*(replace(each, codes=each.codes[rows]) for each in (self.inputs, self.answers)))


class Cells:
    """Numbers the distinct cells of pictures in order of appearance."""

    def __init__(self, grid: Grid) -> None:
        self.grid, self.numbers = grid, dict[bytes, int]()
        self.cells = 0  # encoded so far
        self.ground: np.ndarray | None = None  # the pixels around the cells, of the first picture

    def encode(self, batches: Iterable[np.ndarray]) -> np.ndarray:
        """Encode batches of 8-bit pictures: (count, pictures, height, width) -> (count, pictures, cells)."""
        codes = np.concatenate([self._seen(pictures) for pictures in batches])
        self.cells += codes.size
        if len(self.numbers) > max(FEW, self.cells // 2):
            raise self._no_repeats(f"{len(self.numbers)} of {self.cells} cells are different")
        return codes

    def _seen(self, pictures: np.ndarray) -> np.ndarray:
        if pictures.dtype != np.uint8:
            raise VisarithError("cells are found in pictures of 8 bits a pixel only; give uint8 instead of floats")
        if self.ground is None and len(pictures):
            self.ground = pictures[0, 0].copy()
            self.ground.ravel()[self.grid.places.ravel()] = 0
        cells = pictures.reshape(*pictures.shape[:2], -1)[:, :, self.grid.places]
        distinct, which = numbered(cells.reshape(-1, cells.shape[-1]))
        for cell in distinct:
            self.numbers.setdefault(cell.tobytes(), len(self.numbers))
        if len(self.numbers) > MOST:
            raise self._no_repeats(f"more than {MOST} different cells were found")
        own = np.array([self.numbers[cell.tobytes()] for cell in distinct], np.uint8)
        codes: np.ndarray = own[which].reshape(*pictures.shape[:2], self.grid.cells)
        return codes

    def _no_repeats(self, found: str) -> VisarithError:
        return VisarithError(
            f"{found} in columns of {self.grid.pitch} pixels, so cells do not repeat exactly in these pictures; use "
            f"pictures without noise or JPEG artefacts (PNG), or {option('learner', 'perceptron')}"
        )

    @property
    def layout(self) -> Layout:
        """The layout whose glyphs are these cells."""
        height, width = self.grid.shape
        cells = np.frombuffer(b"".join(self.numbers), np.uint8)
        glyphs = cells.reshape(len(self.numbers), height, self.grid.pitch)
        ground = self.ground if self.ground is not None and self.ground.any() else None
        return Layout(_names(len(self.numbers)), glyphs, self.grid.corners, height, width, ground=ground)


def _names(count: int) -> str:
    return "".join(chr(FIRST_NAME + number) for number in range(count))
