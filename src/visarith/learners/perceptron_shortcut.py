"""The exact shortcut: a perceptron on clean pictures, each distinct cell and each distinct pixel computed once.

Clean pictures are glyphs in cells, so W x = sum over cells of W_cell glyph. The first layer multiplies each glyph at
each place once (140 products a step for two seven-digit numbers) and then adds 14 rows for each example. Pixels that
always have equal values always have equal gradients, so one of them represents all. Input pixels may start with
different weights, since only the change of a weight is computed; output pixels must start with equal weights. The
trained weights are those of `Dense`, up to rounding, for every optimizer that updates each weight from its own
gradients only (SGD, momentum, Adam). With weight decay it steps aside. The learner gets no information that is not in
its pixels.

The gradients are written by hand into preallocated memory: at this size, autograd and allocation cost as much as the
arithmetic.
"""

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from visarith.pictures.codebook import Codebook, Coded
from visarith.training.computation import Computation
from visarith.training.recipe import Recipe

if TYPE_CHECKING:
    from visarith.learners.perceptron import Perceptron

_sigmoid_backward = torch.ops.aten.sigmoid_backward.grad_input
_threshold_backward = torch.ops.aten.threshold_backward.grad_input


def fits(book: Codebook, recipe: Recipe) -> bool:
    """Whether pixels outside the cells can be ignored: they are 0, or constant and removed by centring; no decay."""
    if recipe.weight_decay:
        return False
    return book.answers.layout.ground is None and (book.inputs.layout.ground is None or recipe.centring)


class Shortcut(Computation):
    """Trains a perceptron through its distinct cells and pixels; `sync` writes the weights back."""

    def __init__(self, learner: "Perceptron", book: Codebook, recipe: Recipe, *, bf16: bool) -> None:
        super().__init__()
        layout, codes, self.recipe = book.inputs.layout, book.inputs.codes, recipe
        self.precision = "bf16" if bf16 else "f32"
        self.device = device = learner.device
        self.relu = learner.activated == "relu"
        self._learner = [learner]  # in a list, so that its weights are not this module's parameters too
        first, *hidden, last = learner.linear()
        self.layers = hidden
        self.hidden = nn.ModuleList(hidden)

        places = _repeat(book.inputs)  # (cells of all inputs, glyph pixels)
        columns, column_of, counts = np.unique(layout.patterns, axis=1, return_inverse=True, return_counts=True)
        self.input_places = torch.from_numpy(places).to(device)
        self.input_column = torch.from_numpy(column_of.ravel()).to(device)  # (glyph pixels,) which distinct pixel it is
        self.start = first.weight.detach().clone()
        # each glyph at each place with the weights of the start: (cells, symbols, units)
        patterns = torch.from_numpy(layout.patterns).to(device)
        self.start_table = torch.einsum("sp,ucp->csu", patterns, self.start[:, self.input_places]).contiguous()
        of_cells = (len(places), -1, -1)
        # (cells, distinct pixels, symbols)
        self.columns = torch.from_numpy(columns.T.copy()).to(device).expand(of_cells)
        self.counted = torch.from_numpy(columns * counts.astype(np.float32)).to(device).expand(of_cells)
        self.change = nn.Parameter(torch.zeros(len(places), len(counts), len(self.start), device=device))
        self.bias = first.bias
        self.codes = torch.from_numpy(codes).to(device).flatten(1)  # a byte each: there may be millions
        self.offsets = torch.arange(len(places), device=device) * len(patterns)
        self.code_mean = torch.zeros(len(places) * len(patterns), device=device)
        if recipe.centring:
            cells = codes.reshape(len(codes), -1).T
            shown = np.stack([np.bincount(cell, minlength=len(patterns)) for cell in cells])
            self.code_mean = (torch.from_numpy(shown.ravel()) / len(codes)).to(device)

        self.answers = torch.from_numpy(book.answers.codes).to(device).flatten(1)
        self.tied = _Tied(book.answers, last)
        self.last_weight = nn.Parameter(last.weight.detach()[self.tied.first])
        self.last_bias = nn.Parameter(last.bias.detach()[self.tied.first])
        self._together = [_side_by_side(list(self.parameters()))]  # in a list: its parts are saved, not it
        self._spaces: dict[tuple[str, int], Tensor] = {}

    def _rows(self, codes: Tensor) -> Tensor:
        """Each cell's row of the table."""
        return codes.long() + self.offsets

    def trained(self) -> list[nn.Parameter]:
        """One vector that holds all weights, so that the optimizer updates them in one operation."""
        return self._together

    def multiples(self, of_biases: float) -> list[Tensor | float]:
        """The same for the parts of the one vector."""
        if of_biases == 1:
            return [1.0]
        biases = {id(self.bias), id(self.last_bias), *(id(layer.bias) for layer in self.layers)}
        parts = [
            torch.full((weight.numel(),), of_biases if id(weight) in biases else 1.0, device=self.device)
            for weight in self.parameters()
        ]
        return [torch.cat(parts)]

    @torch.no_grad()
    def gradients(self, rows: np.ndarray, _: torch.Generator) -> Tensor:
        """Set the gradients of these examples and return their loss; clean pictures have no noise."""
        index = torch.from_numpy(rows).to(self.device)
        codes = self._space("codes", len(rows), len(self.code_mean)).zero_()
        codes.scatter_(1, self._rows(torch.index_select(self.codes, 0, index)), 1.0).sub_(self.code_mean)
        table = self._space("table", *self.start_table.shape)
        torch.baddbmm(self.start_table, self.counted, self.change, out=table)
        values = [self._activate(codes, table.flatten(0, 1), self.bias, "values 0")]
        for i, layer in enumerate(self.layers):
            values.append(self._activate(values[-1], layer.weight.t(), layer.bias, f"values {i + 1}"))

        drawn = self._space("drawn", len(rows), len(self.last_bias))
        self._product(values[-1], self.last_weight.t(), drawn).add_(self.last_bias).sigmoid_()
        answers = torch.index_select(self.answers, 0, index).flatten().long()
        inked = torch.index_select(self.tied.columns, 0, answers).view(len(rows), -1)
        difference = self._space("difference", *drawn.shape)
        torch.sub(drawn[:, : inked.shape[1]], inked, out=difference[:, : inked.shape[1]])
        difference[:, inked.shape[1] :] = drawn[:, inked.shape[1] :]  # the targets of all others are 0
        scale = self._learner[0].loss_factor(self.recipe) / len(rows)
        own = self._space("own", *drawn.shape)  # the gradient of each pixel by itself
        loss = self._loss(drawn, difference, inked, own) * scale
        own.mul_(scale)
        self._product(own.t(), values[-1], _gradient(self.last_weight))
        torch.sum(own, 0, out=_gradient(self.last_bias))

        down = own.mul_(self.tied.counts)  # the gradient of all pixels that it represents
        below = self._product(down, self.last_weight, self._space("down", len(rows), values[-1].shape[1]))
        for i in reversed(range(len(self.layers))):
            layer = self.layers[i]
            self._deactivate(below, values[i + 1])
            self._product(below.t(), values[i], _gradient(layer.weight))
            torch.sum(below, 0, out=_gradient(layer.bias))
            below = self._product(below, layer.weight, self._space(f"down {i}", *values[i].shape))
        self._deactivate(below, values[0])
        torch.sum(below, 0, out=_gradient(self.bias))
        of_table = torch.mm(codes.t(), below, out=self._space("of table", codes.shape[1], below.shape[1]))
        torch.bmm(self.columns, of_table.view_as(table), out=_gradient(self.change))
        return loss

    def _loss(self, drawn: Tensor, difference: Tensor, inked: Tensor, own: Tensor) -> Tensor:
        """The sum of the losses of all pixels; their gradients before the sigmoid go into `own`."""
        if self.recipe.loss == "squares":
            torch.mul(difference, difference, out=own)
            loss = (own @ self.tied.counts).sum()
            _sigmoid_backward(difference, drawn, grad_input=own).mul_(2)
            return loss
        own.copy_(difference)  # of cross-entropy after a sigmoid
        unlikely = torch.clamp(1 - drawn, min=1e-30)  # for the reported loss only; the gradients do not use it
        loss = -(unlikely.log() @ self.tied.counts).sum()
        odds = (drawn[:, : inked.shape[1]].clamp(min=1e-30) / unlikely[:, : inked.shape[1]]).log()
        return loss - ((odds * inked) @ self.tied.counts[: inked.shape[1]]).sum()

    def _activate(self, values: Tensor, weight: Tensor, bias: Tensor, name: str) -> Tensor:
        space = self._space(name, len(values), len(bias))
        result = self._product(values, weight, space).add_(bias)
        return result.relu_() if self.relu else result.sigmoid_()

    def _deactivate(self, gradient: Tensor, values: Tensor) -> None:
        """From the gradient after the activation function to that before it, in place."""
        if self.relu:
            _threshold_backward(gradient, values, 0, grad_input=gradient)
        else:
            _sigmoid_backward(gradient, values, grad_input=gradient)

    def _product(self, left: Tensor, right: Tensor, out: Tensor) -> Tensor:
        if self.precision == "bf16":
            return out.copy_(left.bfloat16() @ right.bfloat16())
        return torch.mm(left, right, out=out)

    def _space(self, name: str, *shape: int) -> Tensor:
        """Memory for an intermediate result, reused in every step; a last batch of another size has its own."""
        key = (name, shape[0])
        if key not in self._spaces:
            self._spaces[key] = torch.empty(shape, device=self.device)
        return self._spaces[key]

    @torch.no_grad()
    def sync(self) -> None:
        """Bring the learner's own first and last layer up to date."""
        first, *_, last = self._learner[0].linear()
        change = self.change[:, self.input_column]  # (cells, glyph pixels, units)
        first.weight[:, self.input_places] = self.start[:, self.input_places] + change.permute(2, 0, 1)
        last.weight.copy_(self.last_weight[self.tied.owner])
        last.bias.copy_(self.last_bias[self.tied.owner])


class _Tied:
    """Output pixels that are computed as one: those with equal targets that start with equal weights."""

    def __init__(self, drawn: Coded, last: nn.Linear) -> None:
        self.device = last.weight.device
        owner, columns = _groups(drawn)
        self._set(owner, columns)
        start = torch.cat([last.weight, last.bias[:, None]], dim=1).detach()
        if not torch.equal(start, start[self.first][self.owner]):  # every pixel is computed: cells, then ground
            inside = _repeat(drawn).ravel()
            outside = np.setdiff1d(np.arange(len(owner)), inside)
            owner[np.concatenate([inside, outside])] = np.arange(len(owner))
            self._set(owner, drawn.layout.patterns)

    def _set(self, owner: np.ndarray, columns: np.ndarray) -> None:
        _, first, counts = np.unique(owner, return_index=True, return_counts=True)
        self.owner = torch.from_numpy(owner.copy()).to(self.device)  # (pixels,) the representative of each
        unused = (0, -len(first) % 16)  # matrix products are faster when sizes are multiples of 16
        self.first = torch.from_numpy(np.pad(first, unused)).to(self.device)  # (representatives,) a pixel of each
        self.counts = torch.from_numpy(np.pad(counts, unused)).float().to(self.device)  # pixels that each represents
        self.columns = torch.from_numpy(np.ascontiguousarray(columns)).to(self.device)  # (symbols, pixels a cell)


def _groups(drawn: Coded) -> tuple[np.ndarray, np.ndarray]:
    """For each output pixel its group of equal targets, and the targets of a cell's groups by symbol."""
    places, pixels = _repeat(drawn), drawn.codes.shape[1] * drawn.layout.pixels
    # pixels of a glyph that always agree
    columns, column_of = np.unique(drawn.layout.patterns, axis=1, return_inverse=True)
    inked = np.flatnonzero(columns.any(axis=0))
    rank = np.full(columns.shape[1], -1)
    rank[inked] = np.arange(len(inked))
    owner = np.full(pixels, places.shape[0] * len(inked))  # the one group of all pixels that never have ink
    local = rank[column_of.ravel()]
    for cell, here in enumerate(places):
        owner[here[local >= 0]] = cell * len(inked) + local[local >= 0]
    return owner, columns[:, inked]


def alike(drawn: Coded) -> np.ndarray:
    """For each output pixel the first one whose targets are always equal to its own."""
    _, first, group = np.unique(_groups(drawn)[0], return_index=True, return_inverse=True)
    same: np.ndarray = first[group]
    return same


def _side_by_side(weights: list[nn.Parameter]) -> nn.Parameter:
    """Move weights and their gradients into one vector each; each weight becomes a view of its part."""
    together = nn.Parameter(torch.cat([weight.detach().flatten() for weight in weights]))
    together.grad = torch.zeros_like(together)
    sizes = [weight.numel() for weight in weights]
    parts, gradients = torch.split(together.data, sizes), torch.split(together.grad, sizes)
    for weight, part, gradient in zip(weights, parts, gradients, strict=True):
        weight.data, weight.grad = part.view_as(weight), gradient.view_as(weight)
    return together


def _gradient(weight: Tensor) -> Tensor:
    assert weight.grad is not None
    return weight.grad


def _repeat(coded: Coded) -> np.ndarray:
    """The places of the cells in several pictures laid end to end: (pictures x cells, glyph pixels)."""
    layout = coded.layout
    return np.concatenate([layout.places + picture * layout.pixels for picture in range(coded.codes.shape[1])])
