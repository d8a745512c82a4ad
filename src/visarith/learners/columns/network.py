"""The column learner: finds its cells, its path and its scan, is trained, and is quantised after training."""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from visarith.data.spec import PictureSpec
from visarith.data.view import View
from visarith.errors import VisarithError
from visarith.learners.checked import ATTEMPTS, TRIAL, WRONG
from visarith.learners.columns import SCANS, rounds
from visarith.learners.columns.quantising import failing, quantise, unquantise
from visarith.learners.columns.rows import read_back
from visarith.learners.columns.scan import READ_AGAIN
from visarith.learners.columns.signs import SignedScan
from visarith.learners.columns.signs_trials import decide_by_sign, goes_by_sign
from visarith.learners.columns.tabled import Tabled
from visarith.learners.columns.trials import LEARNED, decide, examples
from visarith.learners.learner import Network
from visarith.learners.vectors import found
from visarith.pictures.codebook import LOOKED_AT, Codebook, Grid, find_grid
from visarith.training.computation import Computation
from visarith.training.recipe import Recipe
from visarith.training.round import Round

if TYPE_CHECKING:
    from visarith.data.task import Task
    from visarith.learners.certificate import Certificate, Step

MOST_SQUARED = 20  # digits up to which all pairs of cells fit into memory
HOPELESS = 0.5  # wrong training examples
READ_BACK = 2_000  # examples in which pairs are counted
SINCE_0_2 = ("again", "states_back", "record", "signs")  # what the weights of older runs lack


class Columns(SignedScan):
    """A column scan whose cells, path and scan are found in the training pictures where they are not given.

    Without places of cells, `prepare` finds them and then builds the networks. `rounds.py` plans the training. After
    training the learner may be quantised (`quantising.py`): each cell is replaced by the nearest cell of the training
    pictures, each carried state by the nearest of a few states, and what rows draw by the nearest glyph.
    """

    found_cells: Tensor  # left edge, pitch and number of the cells, if they were found

    def __init__(
        self, spec: PictureSpec, *, path: str = "", scan: str = "", width: int, rounds_to_glyphs: bool = True
    ) -> None:
        super().__init__(spec, path=path, scan=scan, width=width)
        self.rounds_to_glyphs = rounds_to_glyphs  # False: its cells are not pictures, so no cell is like another
        self.plans_rows = False
        self.grid: Grid | None = None  # if the cells were found
        self._coded: tuple[View, View] | None = None  # pictures, and the same in the cells of the grid
        if spec.places is not None:
            self.build(spec.places)

    def build_on(self, grid: Grid) -> None:
        """Make the networks for the cells of a grid that was found."""
        self.grid = grid
        self.register_buffer("found_cells", torch.tensor([grid.left, grid.pitch, grid.cells], device="cpu"))
        self.build(grid.places)

    # Before, during and after training

    def prepare(
        self, data: View, recipe: Recipe, *, seed: int, device: torch.device | str = "cpu", tell: Callable[[str], None]
    ) -> None:
        """Find the cells, then the path and the scan, unless they are given."""
        if not self.cells:
            self.look_for_cells(data)
        if not self.decided:
            if self.sign is not None and goes_by_sign(self, self.inner(data)[1], recipe):
                decide_by_sign(self, self.inner(data)[1], recipe, seed=seed, device=device, tell=tell)
            else:
                decide(self, self.inner(data.head(examples(recipe)))[1], recipe, seed=seed, device=device, tell=tell)

    def look_for_cells(self, data: View) -> None:
        """Find the grid of cells that inputs and answers share."""
        both = [np.concatenate(pair, axis=1) for pair in data.batches(LOOKED_AT)]
        self.build_on(find_grid(np.concatenate(both).reshape(-1, *self.shape)))

    def choices(self) -> list[tuple[str, str]]:
        """Every path and scan to try, the simplest first; with a sign and noise, both paths for every sign."""
        path, scan = self.asked
        path = path or ("both" if self.meeting.sign is not None else "")
        in_rows = self.meeting.has_rows(self.outputs) and self.clean and self.rounds_to_glyphs
        pairs = "rows" if in_rows else "diagonal"
        more = [(pairs, "right")] if self.meeting.has_diagonals else []
        usual = [("aligned", "right"), ("aligned", "left"), *more, ("aligned", "right-left")]
        if path:
            return [(path, each) for each in ([scan] if scan else SCANS[:1] if path == "rows" else SCANS)]
        return [(each, scan) for each in dict.fromkeys(path for path, _ in usual)] if scan else usual

    def found(self) -> dict[str, Tensor]:
        grid = {"found_cells": self.found_cells} if self.grid else {}
        signs = self.signs.state_dict(prefix="signs.") if self.sign is not None else {}
        return {"choice": self.choice, **grid, **signs, **super().found()}

    def recall(self, found: dict[str, Tensor]) -> None:
        super().recall(found)
        if not self.cells and "found_cells" in found:
            left, pitch, cells = found["found_cells"].tolist()
            self.build_on(Grid(left, pitch, cells, self.shape))
        if self.cells and "choice" in found:
            self.choice.copy_(found["choice"])
            self._choice = self.choice.tolist()
        if self.cells and "signs.cells" in found:
            self.signs.load_state_dict({name: found[f"signs.{name}"] for name in ("cells", "paths")})

    def restore(self, weights: dict[str, Tensor], data: Callable[[], View]) -> None:
        self.recall(weights)
        if not self.cells:  # version 0.1 did not store the grid
            self.look_for_cells(data())
            weights = weights | {"found_cells": self.found_cells}
        self.load_state_dict(self.since_0_2() | weights)

    def since_0_2(self) -> dict[str, Tensor]:
        """The weights and buffers that older runs lack, as they are at first."""
        return {name: value for name, value in self.state_dict().items() if name.partition(".")[0] in SINCE_0_2}

    def inner(self, data: View) -> tuple[Network, View]:
        if self.grid is None:
            return self, data
        if self._coded is None or self._coded[0] is not data:
            self._coded = data, data.coded(self.grid)
        return self, self._coded[1]

    def start(self, data: View, recipe: Recipe, generator: torch.Generator) -> None:
        super().start(data, recipe, generator)
        self.jitter = recipe.jitter
        if data.codebook is not None:
            codes = data.codebook.inputs.codes
            if self.path == "signs":
                codes = codes[self.on_path(data.codebook, "diagonal", "rows")]
            constant = (codes == codes[:1]).all(0)
            self.meeting.constant = torch.from_numpy(constant[self.meeting.operands])

    def computation(self, data: View, recipe: Recipe, *, seed: int, bf16: bool) -> Computation:
        if recipe.shortcuts and not recipe.centring and data.codebook is not None:
            return Tabled(self, data.codebook, recipe)
        return super().computation(data, recipe, seed=seed, bf16=bf16)

    def rounds(self, data: View, recipe: Recipe) -> list[Round]:
        self.plans_rows = self.in_rows
        return rounds.rounds(self, data, recipe)

    def more_rounds(self, data: View, recipe: Recipe, before: list[Round], tell: Callable[[str], None]) -> list[Round]:
        return rounds.more_rounds(self, data, recipe, before, tell)

    def enter(self, stage: int, data: View) -> None:
        """Begin a stage: 0 for columns, READ_AGAIN or ALL_WEIGHTS for rows."""
        unquantise(self)
        self.stage = stage
        if stage == READ_AGAIN:
            self.failing(data, max(1, int(self.record[ATTEMPTS])))  # keeps the diagonals, in case that rows are worse
            assert data.codebook is not None
            self.read_back(data.codebook)
        if self.plans_rows or stage:
            self.plans_rows = True
            self.choose_rows(bool(stage))
        self.training_glyphs = self.operand_patterns(data.codebook) if stage and data.codebook else None

    @torch.no_grad()
    def read_back(self, book: Codebook) -> None:
        """Start reading what is drawn; an empty column is the most common pair."""
        if self.path == "signs":
            sign, _, own = next(each for each in self.books(book) if self.signs.each[each[0]] != "aligned")
            plain = self.for_sign(sign)
            plain.read_back(own)
            self.again.load_state_dict(plain.again.state_dict())
            return
        inputs = book.inputs
        count, few = len(inputs.layout.patterns), inputs.codes[:READ_BACK].astype(np.int64)
        often = np.bincount((few[:, 0, :, None] * count + few[:, 1, None]).ravel()).argmax()
        glyphs = torch.from_numpy(inputs.layout.patterns).to(self.device)
        read_back(self, glyphs, self.meeting.table("diagonal", glyphs)[often])

    @torch.no_grad()
    def wrong_examples(self, data: View) -> np.ndarray | None:
        """Quantise first; None if the pictures are not clean."""
        if data.codebook is None:
            return None
        quantise(self, data)
        return failing(self, data.codebook)

    def finish(self, data: View) -> None:
        super().finish(data)
        self._coded, self.training_glyphs = None, None

    # What it is, for the terminal, the JSON, the report and the page

    @property
    def quantised(self) -> bool:
        return bool(len(found(self.states)) or len(found(self.glyphs)))

    @property
    def thinks(self) -> str:  # type: ignore[override]
        if self.path == "signs":
            return ""
        return "long multiplication" if self.path == "rows" else "columns"

    def hopeless(self, examples: int) -> bool:
        """Whether no trial has learned the task, nor any attempt learned half of its examples."""
        wrong = float(self._best["record"][WRONG])
        return bool(self.record[TRIAL] >= LEARNED) and wrong > HOPELESS * examples

    def facts(self) -> dict[str, Any]:
        cells = "given" if self.grid is None else "found"
        return {
            "cells": cells,
            "path": self.path,
            "scan": self.scan,
            "settled": self.quantised,
            **({"paths": self.own_paths} if self.path == "signs" else {}),
            **super().facts(),
        }

    def described(self) -> str:
        """The path, the scan and what is carried, in words."""
        path = {
            "aligned": "cell by cell",
            "diagonal": "every pair of cells",
            "both": "cell by cell and every pair",
            "rows": "every pair of cells, row by row",
        }
        scan = {"right": "from the right", "left": "from the left", "right-left": "from the right and back"}
        shown = ", or ".join(path[each] for each in dict.fromkeys(self.own_paths))
        said = f"{shown}{', as the sign says' if self.path == 'signs' else ''}, {scan[self.scan]}"
        parts = [f"quantised: one of {count} states is carried"] if (count := len(found(self.states))) else []
        if self.in_rows:
            nearest = ", each taken for the nearest glyph" if self.quantised else ""
            parts.append(f"pictures are written, carried and read again{nearest}")
        return "; ".join([said, *(parts or ["vectors are carried"])])

    def export(self) -> dict[str, Any]:
        grid = self.grid and {
            **{name: getattr(self.grid, name) for name in ("left", "pitch", "cells")},
            **dict(zip(("height", "width"), self.grid.shape, strict=True)),
        }
        return super().export() | {"grid": grid}

    # What may be asked of it afterwards

    @property
    def lengthens(self) -> bool:
        """False where a mean picture, which has one length, is subtracted."""
        return not bool(self.mean.any())

    def lengthened(self, spec: PictureSpec) -> "Columns":
        """Cells of the same size, as many as fit between the same margins."""
        other = type(self)(replace(spec, places=None) if self.grid else spec, width=self.width)
        if self.grid:
            other.build_on(self.grid.lengthened(spec.shape))
        if {"diagonal", "both"}.intersection(self.own_paths) and spec.shape[1] > self.shape[1]:
            raise VisarithError(
                "this run adds up all pairs of digits at once, so it is exact at most at the length of its training; "
                "train it again for other lengths"
            )
        kept = {name: weight for name, weight in self.state_dict().items() if name not in ("mean", "found_cells")}
        try:
            other.load_state_dict(kept, strict=False)
        except RuntimeError:
            raise VisarithError(
                f"pictures {spec.shape[1]} pixels wide have cells of another size than those of training; "
                "use pictures of the same font and cell size"
            ) from None
        return other.to(self.device)

    def unquantised(self) -> "Columns":
        other = copy.deepcopy(self)
        unquantise(other)
        return other

    @property
    def longest(self) -> int | None:
        """The memory for all pairs of cells grows with the square of the length."""
        return None if self.quantised or self.path == "aligned" else MOST_SQUARED

    def certify(self, task: "Task", step: "Step") -> "Certificate":
        from visarith.learners.columns.certificate import certify

        return certify(self, task, step)
