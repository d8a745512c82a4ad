"""Codebooks: the distinct cell pictures of a picture set, and the index of each cell."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from visarith.errors import VisarithError, option
from visarith.pictures.grid import Grid, numbered
from visarith.pictures.layout import Layout

MOST = 200  # distinct cells
FEW = 20  # distinct cells that are accepted even if no cell repeats
FIRST_NAME = 0x100  # first of the characters that stand for cells of unknown meaning


@dataclass(frozen=True, eq=False)
class Coded:
    """Pictures as indices of distinct cells; the indices tell only which cells look alike."""

    layout: Layout
    codes: np.ndarray  # (count, pictures, cells)

    def take(self, rows: np.ndarray | slice) -> "Coded":
        return Coded(self.layout, self.codes[rows])

    def nameless(self) -> "Coded":
        """Number the cells by their pixels, so that neither names nor indices tell their meaning."""
        order = sorted(range(len(self.layout.glyphs)), key=lambda kind: self.layout.glyphs[kind].tobytes())
        names = "".join(chr(FIRST_NAME + number) for number in range(len(order)))
        numbers = np.argsort(order).astype(self.codes.dtype)
        return Coded(replace(self.layout, alphabet=names, glyphs=self.layout.glyphs[order]), numbers[self.codes])


@dataclass(frozen=True, eq=False)
class Codebook:
    """The inputs and the answers of a picture set; `layout.typeset(codes)` gives the pictures exactly."""

    inputs: Coded
    answers: Coded

    def nameless(self) -> "Codebook":
        return Codebook(self.inputs.nameless(), self.answers.nameless())

    def take(self, rows: np.ndarray | slice) -> "Codebook":
        return Codebook(self.inputs.take(rows), self.answers.take(rows))


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
        alphabet = "".join(chr(FIRST_NAME + number) for number in range(len(self.numbers)))
        glyphs = cells.reshape(len(alphabet), height, self.grid.pitch)
        ground = self.ground if self.ground is not None and self.ground.any() else None
        return Layout(alphabet, glyphs, self.grid.corners, height, width, ground=ground)
