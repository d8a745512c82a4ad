"""The exact shortcut: a perceptron on clean pictures, each distinct cell and each distinct pixel computed once.

Clean pictures are glyphs in cells, so W x = sum over cells of W_cell glyph: the first layer multiplies each glyph at
each place once (140 products a step for two seven-digit numbers) and then adds 14 rows an example. Pixels that always
agree get equal gradients for ever, so one of them stands for all: for inputs whatever they start from, since only the
change of a weight is followed; for outputs if they also start equal (all that never have ink, to begin with). The
trained weights are those of `Dense`, to rounding, under any optimizer whose update depends on each weight's own
gradients only (SGD, momentum, Adam; not weight decay). Nothing is told to the learner that its pixels do not say.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from visarith.learners.perceptron import Perceptron
from visarith.task import Examples, Task
from visarith.training.recipe import Recipe


class Shortcut(nn.Module):
    """Trains a perceptron through its distinct cells and pixels; `sync` writes the weights back."""

    def __init__(self, learner: Perceptron, task: Task, examples: Examples, recipe: Recipe) -> None:
        super().__init__()
        self.recipe = recipe
        page = task.page
        self._learner = [learner]  # in a list, so that its weights are not this module's parameters too
        first, *hidden, last = learner.linear()
        self.hidden = nn.ModuleList(hidden)
        self.activation = learner.activation

        self.inputs = torch.from_numpy(examples.inputs).flatten(1)
        self.answers = torch.from_numpy(examples.answers).flatten(1)
        places = _repeat(page.places, task.operation.operands, page.pixels)  # (cells of all inputs, glyph pixels)
        columns, column_of, counts = np.unique(page.patterns, axis=1, return_inverse=True, return_counts=True)
        self.cells = torch.arange(len(places))
        self.input_places = torch.from_numpy(places)
        self.input_column = torch.from_numpy(column_of.ravel())  # (glyph pixels,) which distinct pixel each one is
        self.start = first.weight.detach().clone()
        self.units = len(self.start)
        # each glyph at each place with the weights of the start, (symbols, cells x units)
        table = torch.einsum("sp,ucp->scu", torch.from_numpy(page.patterns), self.start[:, self.input_places])
        self.start_table = table.flatten(1)
        self.columns = torch.from_numpy(columns)  # (symbols, distinct pixels)
        self.counted = torch.from_numpy(columns * counts.astype(np.float32))
        self.change = nn.Parameter(torch.zeros(len(counts), len(places) * self.units))
        self.bias = first.bias
        self.code_mean = self._code_mean() if recipe.centring else torch.zeros(())

        tied = _Tied(page.patterns, _repeat(page.places, task.operation.answers, page.pixels), last)
        self.tied = tied
        self.last_weight = nn.Parameter(last.weight.detach()[tied.first])
        self.last_bias = nn.Parameter(last.bias.detach()[tied.first])

    def loss(self, rows: np.ndarray, _: torch.Generator) -> Tensor:
        """As in `Dense`; clean pictures need no source of noise."""
        index = torch.from_numpy(rows)
        codes = self._codes(self.inputs[index]) - self.code_mean
        change = _Distinct.apply(self.change, self.columns, self.counted)  # type: ignore[no-untyped-call]
        table = self.start_table + change
        values = self.activation(torch.addmm(self.bias, codes, table.view(-1, self.units)))
        for layer in self.hidden:
            values = self.activation(layer(values))
        targets = self.tied.targets(self.answers[index])
        scale = self.recipe.loss_scale / len(rows)
        loss: Tensor = _DrawnError.apply(  # type: ignore[no-untyped-call]
            values, self.last_weight, self.last_bias, targets, self.tied.counts, scale
        )
        return loss

    def _codes(self, symbols: Tensor) -> Tensor:
        """(batch, cells) symbols to (batch, symbols x cells) indicators."""
        indicators = torch.zeros(len(symbols), len(self.columns) * len(self.cells))
        return indicators.scatter_(1, symbols.long() * len(self.cells) + self.cells, 1.0)

    def _code_mean(self) -> Tensor:
        total = torch.zeros((), dtype=torch.float64)
        for start in range(0, len(self.inputs), 4096):
            total = total + self._codes(self.inputs[start : start + 4096]).sum(0, dtype=torch.float64)
        return (total / len(self.inputs)).float()

    @torch.no_grad()
    def sync(self) -> None:
        """Bring the learner's own first and last layer up to date."""
        first, *_, last = self._learner[0].linear()
        change = self.change.view(-1, len(self.cells), self.units)[self.input_column]  # (glyph pixels, cells, units)
        first.weight[:, self.input_places] = self.start[:, self.input_places] + change.permute(2, 1, 0)
        last.weight.copy_(self.last_weight[self.tied.owner])
        last.bias.copy_(self.last_bias[self.tied.owner])


class _Tied:
    """Which output pixels may be computed as one: those with equal targets that start with equal weights."""

    def __init__(self, patterns: np.ndarray, places: np.ndarray, last: nn.Linear) -> None:
        columns, column_of = np.unique(patterns, axis=1, return_inverse=True)  # pixels of a glyph that always agree
        blank = np.flatnonzero(~columns.any(axis=0))
        inked = np.setdiff1d(np.arange(columns.shape[1]), blank)
        rank = np.full(columns.shape[1], -1)
        rank[inked] = np.arange(len(inked))
        grounds = places.shape[0] * len(inked)  # the one group of all pixels that never have ink
        owner = np.full(last.weight.shape[0], grounds)
        local = rank[column_of.ravel()]
        for cell, pixels in enumerate(places):
            owner[pixels[local >= 0]] = cell * len(inked) + local[local >= 0]
        self._set(owner, columns[:, inked])
        start = torch.cat([last.weight, last.bias[:, None]], dim=1).detach()
        self.shared = bool(torch.equal(start, start[self.first][self.owner]))
        if not self.shared:  # they start apart: every pixel is computed, in the order cells, then ground
            inside = places.ravel()
            outside = np.setdiff1d(np.arange(len(owner)), inside)
            owner[np.concatenate([inside, outside])] = np.arange(len(owner))
            self._set(owner, patterns)

    def _set(self, owner: np.ndarray, columns: np.ndarray) -> None:
        _, first, counts = np.unique(owner, return_index=True, return_counts=True)
        self.owner = torch.from_numpy(owner)  # (pixels,) the representative of each
        self.first = torch.from_numpy(first)  # (representatives,) a pixel of each
        self.counts = torch.from_numpy(counts).float()
        self.columns = torch.from_numpy(np.ascontiguousarray(columns))  # (symbols, pixels a cell)

    def targets(self, symbols: Tensor) -> Tensor:
        """(batch, cells) symbols to the intensities of the representatives."""
        inked = self.columns[symbols.long()].flatten(1)
        return nn.functional.pad(inked, (0, len(self.counts) - inked.shape[1]))


class _Distinct(torch.autograd.Function):
    """Glyphs times weights, each distinct pixel counted as often as it stands; its gradient is that of one pixel."""

    @staticmethod
    def forward(ctx: Any, weights: Tensor, columns: Tensor, counted: Tensor) -> Tensor:
        ctx.columns = columns
        with torch.autocast("cpu", enabled=False):  # too small for bf16 to gain anything
            return counted @ weights

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return ctx.columns.t() @ gradient, None, None


class _DrawnError(torch.autograd.Function):
    """The last layer and its squared error, scale x the sum of counts x (sigmoid(W v + b) - target)^2.

    The gradient goes down from all pixels, but into the weights of a pixel only its own.
    """

    @staticmethod
    def forward(
        ctx: Any, values: Tensor, weight: Tensor, bias: Tensor, target: Tensor, counts: Tensor, scale: float
    ) -> Tensor:
        drawn = nn.functional.linear(values, weight, bias).float().sigmoid_()
        difference = drawn - target
        own = torch.ops.aten.sigmoid_backward(difference, drawn).mul_(2 * scale)
        loss = (difference.square_() @ counts).sum() * scale
        ctx.save_for_backward(values, weight, own, counts)
        return loss

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        values, weight, own, counts = ctx.saved_tensors
        own = (own * upstream).to(values.dtype)
        down = (own * counts).to(values.dtype) @ weight.to(values.dtype)
        return down, (own.t() @ values).to(weight.dtype), own.sum(0).to(weight.dtype), None, None, None


def _repeat(places: np.ndarray, pictures: int, pixels: int) -> np.ndarray:
    """The places of the cells in several pictures laid end to end: (pictures x cells, glyph pixels)."""
    return np.concatenate([places + picture * pixels for picture in range(pictures)])
