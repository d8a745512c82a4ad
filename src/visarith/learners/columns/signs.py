"""Signs: one network for several operations, in which each sign has a path of its own.

All signs share the reader, the carry network and the painter, and are scanned from the same side. The vector of the
sign's picture is an input of every combination of cells. For one sign it is a constant, so the network is a plain one
for two operands (`for_sign`), and that is how a quantised one calculates and is certified.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.spec import PictureSpec
from visarith.errors import VisarithError
from visarith.learners.columns import PATHS
from visarith.learners.columns.pairs import CODE
from visarith.learners.columns.scan import ColumnScan
from visarith.learners.export import tensor
from visarith.learners.perception import Perceived, perceive
from visarith.learners.vectors import found, nearest
from visarith.pictures.codebook import Codebook, Coded, Grid

if TYPE_CHECKING:
    from visarith.learners.columns.network import Columns

MOST_SIGNS = 16


class Signs(nn.Module):
    """The picture of each sign, one cell, and its path, as they were found in training pictures."""

    cells: Tensor  # (MOST_SIGNS, pixels); unused rows are NaN
    paths: Tensor  # (MOST_SIGNS,) by index; -1: unused

    def __init__(self, pixels: int) -> None:
        super().__init__()
        self.register_buffer("cells", torch.full((MOST_SIGNS, pixels), torch.nan, device="cpu"))
        self.register_buffer("paths", torch.full((MOST_SIGNS,), -1, device="cpu"))

    def set(self, cells: Tensor, paths: list[str]) -> None:
        self.cells[: len(cells)] = cells
        self.set_paths(paths)

    def set_paths(self, paths: list[str]) -> None:
        self.paths[: len(paths)] = torch.tensor([PATHS.index(path) for path in paths], device=self.paths.device)

    @property
    def each(self) -> list[str]:
        """The path of each sign."""
        return [PATHS[index] for index in self.paths.tolist() if index >= 0]

    @property
    def glyphs(self) -> Tensor:
        """The cells that a picture of a sign can show: those of the signs, and last an empty one."""
        cells = found(self.cells)
        return torch.cat([cells, torch.zeros_like(cells[:1])])

    def shown(self, cells: Tensor) -> Tensor:
        """The number of the sign in each picture (batch, cells, pixels), whose other cells are empty."""
        return nearest(cells.sum(1), found(self.cells))[0]


def sign_patterns(book: Codebook, sign: int) -> np.ndarray | None:
    """The cells that show signs (signs, pixels); None unless each picture has one of a few, and is empty elsewhere."""
    patterns = book.inputs.layout.patterns
    codes = np.unique(book.inputs.codes[:, sign], axis=0)
    shows_ink: np.ndarray = patterns.max(axis=1) > 0
    inked = shows_ink[codes]
    which = np.unique(codes[inked])
    return patterns[which] if (inked.sum(1) == 1).all() and len(which) <= MOST_SIGNS else None


class SignedScan(ColumnScan):
    """A column scan that may have the path "signs": as the sign says."""

    grid: Grid | None

    def build(self, places: np.ndarray) -> None:
        super().build(places)
        if self.sign is not None:
            self.signs = Signs(self.meeting.pixels)

    # Paths

    @property
    def decided(self) -> bool:
        return super().decided and bool(self.path != "signs" or self.signs.each)

    @property
    def own_paths(self) -> list[str]:
        """The path of each sign, or the one path."""
        return self.signs.each if self.path == "signs" else [self.path]

    @property
    def paths(self) -> list[str]:
        if self.path != "signs":
            return super().paths
        aligned = [each == "aligned" for each in self.signs.each]
        return ["aligned"] * any(aligned) + ["diagonal"] * (not all(aligned))

    @property
    def in_rows(self) -> bool:
        return "rows" in self.own_paths

    def choose_rows(self, rows: bool) -> None:
        """Compute pairs in rows, or add them up by diagonals; signs with aligned columns stay as they are."""
        path = "rows" if rows else "diagonal"
        if self.path == "signs":
            self.signs.set_paths([each if each == "aligned" else path for each in self.signs.each])
        else:
            self.choose(path, "right")

    # Examples, from their codebook

    def operand_patterns(self, book: Codebook) -> Tensor:
        """The distinct cells of operands (count, pixels)."""
        return torch.from_numpy(book.inputs.layout.patterns[self._of_operands(book)]).to(self.device)

    def _of_operands(self, book: Codebook) -> np.ndarray:
        """The indices of the patterns of operands."""
        if self.path != "signs":
            return np.arange(len(book.inputs.layout.patterns))
        return np.unique(book.inputs.codes[:, self.meeting.operands])

    def on_path(self, book: Codebook, *paths: str) -> np.ndarray:
        """The examples, by number, on one of these paths."""
        if self.path != "signs":
            return np.arange(len(book.inputs.codes) if self.path in paths else 0)
        return np.flatnonzero(np.isin(np.array(self.signs.each)[self.sign_numbers(book)], paths))

    def sign_numbers(self, book: Codebook) -> np.ndarray:
        """The sign of each example."""
        patterns, codes = (torch.from_numpy(each) for each in (book.inputs.layout.patterns, book.inputs.codes))
        return self._looked_up_signs(patterns.to(self.device), codes.to(self.device).long()).cpu().numpy()

    def _looked_up_signs(self, patterns: Tensor, codes: Tensor) -> Tensor:
        distinct, which = torch.unique(codes[:, self.sign], dim=0, return_inverse=True)
        return self.signs.shown(patterns[distinct])[which]

    def books(self, book: Codebook) -> Iterator[tuple[int, np.ndarray, Codebook]]:
        """Each sign that is shown, its examples by number, and their codebook without the sign."""
        numbers, used = self.sign_numbers(book), self._of_operands(book)
        shown = book.inputs.layout
        layout = replace(shown, alphabet="".join(shown.alphabet[kind] for kind in used), glyphs=shown.glyphs[used])
        for number in np.unique(numbers).tolist():
            rows = np.flatnonzero(numbers == number)
            some = book.take(rows)
            codes = np.searchsorted(used, some.inputs.codes[:, self.meeting.operands])
            yield number, rows, Codebook(Coded(layout, codes), some.answers)

    # From pictures to pictures

    def from_cells(self, cells: Tensor, path: str) -> Tensor:
        if path != "signs":
            return super().from_cells(cells, path)
        numbers = self.signs.shown(cells[:, self.sign])
        return self._by_path(numbers, lambda rows, own: super(SignedScan, self).from_cells(cells[rows], own))

    def from_codes(self, patterns: Tensor, codes: Tensor, path: str) -> Tensor:
        if path != "signs":
            return super().from_codes(patterns, codes, path)
        numbers = self._looked_up_signs(patterns, codes)
        return self._by_path(numbers, lambda rows, own: super(SignedScan, self).from_codes(patterns, codes[rows], own))

    def from_glyphs(self, seen: Tensor) -> Tensor:
        if self.path != "signs":
            return super().from_glyphs(seen)
        numbers, shown = self.seen_signs(seen), seen[:, self.meeting.operands]
        return _joined(
            (rows, self.for_sign(number).from_glyphs(shown[rows]))
            for number in range(len(self.signs.each))
            if len(rows := (numbers == number).nonzero().flatten())
        )

    def seen_signs(self, seen: Tensor) -> Tensor:
        """The sign of each example, from the numbers of glyphs; the last one if none is seen, which is unreadable."""
        return (seen[:, self.sign] - len(found(self.glyphs))).amin(1).clamp(max=len(self.signs.each) - 1)

    def _by_path(self, numbers: Tensor, logits: Callable[[Tensor, str], Tensor]) -> Tensor:
        """Compute the examples of each path together, by the numbers of their signs."""
        each = self.signs.each
        index = torch.tensor([each.index(path) for path in each], device=numbers.device)[numbers]
        return _joined(
            (rows, logits(rows, path))
            for path in dict.fromkeys(each)
            if len(rows := (index == each.index(path)).nonzero().flatten())
        )

    def perceived(self, pictures: Tensor) -> Perceived | None:
        """As without signs; the glyphs of signs, and an empty one, are numbered after those of operands."""
        glyphs = found(self.glyphs)
        if self.path != "signs" or not len(glyphs):
            return super().perceived(pictures)
        sign, signs = self.meeting.sign or 0, self.signs.glyphs
        numbers = perceive(pictures[:, self.meeting.operands], self.places, glyphs)
        shown = perceive(pictures[:, [sign]], self.places, signs)
        inked = shown.which < len(signs) - 1
        clear = shown.readable & (~inked | (inked.sum(2, keepdim=True) == 1))  # one sign, not two
        which, sure, readable = (
            torch.cat([each[:, :sign], own, each[:, sign:]], 1)
            for each, own in (
                (numbers.which, shown.which + len(glyphs)),
                (numbers.sure, shown.sure * clear),
                (numbers.readable, clear),
            )
        )
        return Perceived(which, sure, readable)

    @torch.no_grad()
    def for_sign(self, number: int) -> "Columns":
        """The same network for one sign, whose vector becomes a part of the biases of the pair networks."""
        from visarith.learners.columns.network import Columns

        meeting, path = self.meeting, self.signs.each[number]
        places = None if self.grid else self.places.cpu().numpy()
        spec = PictureSpec(
            len(meeting.operands), self.outputs, self.shape, self.shape, places=places, symbols=self.most_glyphs
        )
        with torch.random.fork_rng(devices=[]):
            plain = Columns(spec, path=path, scan=self.scan, width=self.width)
            if self.grid:
                plain.build_on(self.grid)
        same = plain.state_dict().keys() - {"mean", "choice"}
        weights = {name: value for name, value in self.state_dict().items() if name in same}
        said = meeting.sign_vector(meeting.reader(self.signs.cells[number])[None, None])[0]
        inputs = len(meeting.operands) * CODE
        for each in meeting.meet:
            first = f"meeting.meet.{each}.0"
            weight = weights[f"{first}.weight"]
            weights[f"{first}.bias"] = weights[f"{first}.bias"] + weight[:, inputs:] @ said
            weights[f"{first}.weight"] = weight[:, :inputs]
        plain.to(self.starts).load_state_dict(weights, strict=False)  # of the same type, on the same device
        return plain.eval()

    def export(self) -> dict[str, Any]:
        if self.path != "signs":
            return super().export()
        if not self.quantised:
            raise VisarithError(
                "a network with signs runs in a browser only if it is quantised; leave it out of the page"
            )
        each = [self.for_sign(number).export() for number in range(len(self.signs.each))]
        return {"kind": "signs", "sign": self.sign, "glyphs": tensor(self.signs.glyphs), "each": each}


def _joined(parts: Iterator[tuple[Tensor, Tensor]]) -> Tensor:
    """Put the answers of parts of a batch, each with its rows, in the order of the batch."""
    rows, answers = zip(*parts, strict=True)
    return torch.cat(answers)[torch.cat(rows).argsort()]
