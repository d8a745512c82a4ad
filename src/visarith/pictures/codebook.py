"""A codebook: the distinct cell pictures of a data set, found by comparing pixels, and which stands where."""

import numpy as np

from visarith.errors import VisarithError
from visarith.pictures.grid import Grid, numbered
from visarith.pictures.page import Page

AT_A_TIME = 20_000  # pictures
MOST = 200  # distinct cells


class Codebook:
    """Grows with the pictures that it is shown."""

    def __init__(self, grid: Grid) -> None:
        self.grid, self.numbers = grid, dict[bytes, int]()

    def encode(self, page: Page, symbols: np.ndarray) -> np.ndarray:
        """Pictures of a page, given as symbols (..., cells), as numbers of distinct cells: (..., cells of the grid)."""
        rows = symbols.reshape(-1, page.cells)
        parts = [self._seen(page.typeset(rows[i : i + AT_A_TIME])) for i in range(0, len(rows), AT_A_TIME)]
        return np.concatenate(parts).reshape(*symbols.shape[:-1], self.grid.cells)

    def _seen(self, pictures: np.ndarray) -> np.ndarray:
        cells = pictures.reshape(len(pictures), -1)[:, self.grid.places]
        distinct, which = numbered(cells.reshape(-1, cells.shape[2]))
        for cell in distinct:
            self.numbers.setdefault(cell.tobytes(), len(self.numbers))
        if len(self.numbers) > MOST:
            raise VisarithError(
                f"more than {MOST} different cells were found in columns of {self.grid.pitch} pixels, so these are no "
                f"cells; leave --cells found out"
            )
        own = np.array([self.numbers[cell.tobytes()] for cell in distinct], np.uint8)
        codes: np.ndarray = own[which].reshape(len(pictures), self.grid.cells)
        return codes

    @property
    def page(self) -> Page:
        """The page on which these cells are the glyphs."""
        height, width = self.grid.shape
        cells = np.frombuffer(b"".join(self.numbers), np.uint8)
        alphabet = "".join(chr(0x100 + number) for number in range(len(self.numbers)))
        glyphs = cells.reshape(len(alphabet), height, self.grid.pitch)
        return Page(alphabet, glyphs, self.grid.corners, height, width)
