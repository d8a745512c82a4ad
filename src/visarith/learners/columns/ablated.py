"""Column learners that each differ from the full one in one thing; the study `ablations` trains them beside it."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.spec import PictureSpec
from visarith.data.view import View
from visarith.errors import VisarithError
from visarith.learners.columns import rounds
from visarith.learners.columns.network import Columns
from visarith.learners.columns.pairs import SUM, PairNetwork
from visarith.learners.columns.scan import ALL_WEIGHTS
from visarith.training.recipe import Recipe
from visarith.training.round import Round


class WithoutWaves(Columns):
    """A column is seen as it is, three times, so that all networks keep their size: no sine, no cosine."""

    @staticmethod
    def features(column: Tensor) -> Tensor:
        return torch.cat([column, column, column], -1)


class Gated(nn.Module):
    """A GRU cell in the place of a carry network: (..., 3 x SUM) -> (..., SUM).

    Its input is what the carry network sees. Its memory, which the gates keep or replace, is the column itself, to
    which the state that was carried here is already added.
    """

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.GRUCell(3 * SUM, SUM)

    def forward(self, seen: Tensor) -> Tensor:
        flat = seen.flatten(0, -2)
        carried: Tensor = self.cell(flat, flat[:, :SUM])
        return carried.view(*seen.shape[:-1], SUM)


class WithGru(Columns):
    """A GRU computes what is carried."""

    def build(self, places: np.ndarray) -> None:
        super().build(places)
        self.hands = nn.ModuleList(Gated() for _ in self.hands)

    @torch.no_grad()
    def start_carrying(self, generator: torch.Generator) -> None:
        """Draw the weights as PyTorch does for a GRU."""
        for weight in self.hands.parameters():
            weight.uniform_(-(SUM**-0.5), SUM**-0.5, generator=generator)


class WithoutRounding(Columns):
    """Rows read again what was drawn as it was drawn, in training and afterwards; no gradient passes, as before."""

    def __init__(self, spec: PictureSpec, **options: Any) -> None:
        super().__init__(spec, rounds_to_glyphs=False, **options)

    def passed_on(self, pictures: Tensor) -> Tensor:
        return pictures.detach() if self.training else pictures


class WithAllGradients(WithoutRounding):
    """The same, and gradients pass through all drawings."""

    def passed_on(self, pictures: Tensor) -> Tensor:
        return pictures


class WithoutStages(Columns):
    """Rows with all weights from the first step: no diagonals before, and reading starts from random weights."""

    def rounds(self, data: View, recipe: Recipe) -> list[Round]:
        """One round, as other columns have it."""
        return [replace(each, clip=rounds.CLIP, stage=ALL_WEIGHTS) for each in rounds.rounds(self, data, recipe)]


class LearnedWiring(PairNetwork):
    """A column is the sum of all pairs of cells, each with a weight that is learned for this column and this pair.

    The diagonals, and the pairs at the same place, are settings of these weights: 1 for some pairs, 0 for the others.
    """

    def __init__(self, inputs: int, cells: int, pixels: int, *, width: int, sign: int | None) -> None:
        super().__init__(inputs, cells, pixels, width=width, sign=sign)
        self.wiring = nn.Parameter(torch.zeros(cells, cells, cells, device="cpu"))  # of column, and of both cells

    def trained_weights(self, paths: list[str]) -> list[nn.Parameter]:
        return [*super().trained_weights(paths), self.wiring]

    def diagonals(self, pairs: Tensor) -> Tensor:
        if self.kept is not None:
            pairs = pairs * self.kept[..., None]
        return torch.einsum("cij,bijs->bcs", self.wiring, pairs)


class AllPairs(Columns):
    """Every column is given every pair of cells: which of them belong to it is not given."""

    meeting: LearnedWiring

    def build(self, places: np.ndarray) -> None:
        super().build(places)
        cells, pixels = places.shape
        self.meeting = LearnedWiring(self.inputs, cells, pixels, width=self.width, sign=self.sign)

    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:
        """Random wiring, with which columns are as large as diagonals are on average."""
        super().initialise(hidden, output, generator)
        with torch.no_grad():
            self.meeting.wiring.normal_(0, ((self.cells + 1) / 2) ** 0.5 / self.cells, generator=generator)

    def lengthened(self, spec: PictureSpec) -> Columns:
        raise VisarithError(
            f"it has learned which of {self.cells} x {self.cells} pairs of cells belong to which column, and nothing "
            f"of pictures of {spec.shape[1]} pixels; train it again for other lengths"
        )
