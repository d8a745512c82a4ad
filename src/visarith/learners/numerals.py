"""Sum the cells by learned attention, carry from symbol to symbol, write cell by cell; for additive numerals.

The distinct cells of the training pictures are the symbols, each with a column. A cell is added to the columns by
learned attention, a state is carried from column to column, and the answer is written from the left: what was written
is read and summed like the operands, so that the network can compare it with what is to be written.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.spec import PictureSpec
from visarith.data.view import View
from visarith.errors import VisarithError, option, whole
from visarith.learners.checked import Checked
from visarith.learners.columns.pairs import CODE, SUM, layers
from visarith.learners.columns.scan import MOST_GLYPHS, ColumnScan
from visarith.learners.distinct import distinct, in_order
from visarith.learners.learner import as_logits, draw_weights
from visarith.learners.vectors import found
from visarith.pictures.codebook import Codebook
from visarith.training.computation import Computation
from visarith.training.recipe import Recipe
from visarith.training.round import Round

ASKED = 8  # cells of each answer that a step of training asks for
SMALL = 0.1  # of the usual starting weights: sums of 35 cells would be large
CLIP = 1.0  # of the gradient: sums of 35 cells can make a step explode
SHARP = 5.0  # of attention: with 1, what other symbols add disturbs the sums


class Numerals(Checked):
    """Attention pools cells into a column for each distinct cell; a scan carries; a writer chooses the next cell."""

    places: Tensor  # (cells, pixels): where each pixel of each cell is in the picture
    symbols: Tensor  # (MOST_GLYPHS, pixels) the distinct cells in their order; unused rows are NaN
    margin: Tensor  # the logits around the cells

    def __init__(self, spec: PictureSpec, *, width: int) -> None:
        super().__init__(spec.inputs, spec.outputs, spec.shape, spec.shape)
        pixels, width = spec.cells.shape[1], whole("width", width, 1)
        self.register_buffer("places", torch.from_numpy(spec.cells), persistent=False)
        self.register_buffer("symbols", torch.full((MOST_GLYPHS, pixels), torch.nan, device="cpu"))
        self.register_buffer("margin", torch.zeros(spec.outputs, *spec.shape, device="cpu"))
        self.reader = layers(pixels, width, CODE)
        self.adds = nn.ModuleList(layers(CODE, width, SUM) for _ in range(spec.inputs))  # one for each operand
        self.wrote = layers(CODE, width, width)
        self.carry = layers(3 * SUM, width, SUM)
        self.first = nn.Parameter(torch.zeros(SUM, device="cpu"))  # the first state that is carried
        self.wanted = nn.Linear(3 * SUM + CODE, spec.outputs * width)
        self.score = nn.Linear(width, 1, bias=False)
        self.kinds = self.symbols[:0]  # a copy on the CPU of the symbols that were found
        self.register_load_state_dict_post_hook(_read_symbols)  # type: ignore[no-untyped-call]
        self.dice: torch.Generator | None = None  # during a step of training: draws the cells that are asked for

    # Before training

    def prepare(
        self, data: View, recipe: Recipe, *, seed: int, device: torch.device | str = "cpu", tell: Callable[[str], None]
    ) -> None:
        """Find the distinct cells and the order in which pictures show them."""
        del recipe, seed, device
        use = option("learner", "perceptron")
        if data.codebook is None:
            raise VisarithError(f"the cells of these pictures do not repeat exactly; use clean pictures, or {use}")
        cells = distinct(data.codebook)
        if len(cells) > MOST_GLYPHS:
            raise VisarithError(f"{len(cells)} distinct cells are more than {MOST_GLYPHS}; use fewer symbols, or {use}")
        self.kinds = cells
        self.kinds = cells[in_order(*self.coded(data.codebook), len(cells))]
        self.symbols.fill_(torch.nan)
        self.symbols[: len(cells)] = self.kinds
        tell(f"{len(cells)} distinct cells found")

    def found(self) -> dict[str, Tensor]:
        return {"symbols": self.symbols, **super().found()}

    def recall(self, found: dict[str, Tensor]) -> None:
        super().recall(found)
        self.symbols.copy_(found["symbols"])
        _read_symbols(self)

    def coded(self, book: Codebook) -> tuple[Tensor, Tensor]:
        """Which symbol each cell of inputs and answers shows: (examples, pictures, cells) each."""
        numbers = []
        for side in (book.inputs, book.answers):
            which = torch.cdist(torch.from_numpy(side.layout.patterns), self.kinds).argmin(1)
            numbers.append(which[torch.from_numpy(side.codes).long()])
        return numbers[0], numbers[1]

    # From pictures to pictures

    def answer_to(self, centred: Tensor) -> Tensor:
        codes = self.codes()
        cells = self.write(self.pooled(centred + self.mean, codes), codes)
        drawn = self.margin.expand(len(centred), -1, -1, -1).flatten(2).clone()
        drawn[:, :, self.places] = as_logits(self.drawable)[cells].to(drawn.dtype)
        return drawn

    def write(self, columns: Tensor, codes: Tensor) -> Tensor:
        """Write each answer from the left, every cell the symbol with the highest score: (batch, outputs, cells)."""
        wanted, wrote, cells = self.wanted_by(columns, codes), self.written(codes, codes), []
        written = torch.zeros_like(wanted)
        for _ in self.places:
            which = self.scores(wanted + written).argmax(-1)  # (batch, outputs)
            cells.append(which)
            written = written + wrote[which]
        return torch.stack(cells, 2)

    @property
    def drawable(self) -> Tensor:
        """The symbols that were found: (symbols, pixels)."""
        return self.symbols[: len(self.kinds)]

    def codes(self) -> Tensor:
        """The vector of each symbol: (symbols, CODE)."""
        if not len(self.kinds):
            raise VisarithError("numerals has not seen any symbols yet; train it first")
        return self.reader(self.drawable)  # type: ignore[no-any-return]

    def pooled(self, pictures: Tensor, codes: Tensor) -> Tensor:
        """The sum over all cells of what they add to each column: (batch, symbols, SUM)."""
        vectors = self.reader(pictures.flatten(2)[:, :, self.places])  # (batch, inputs, cells, CODE)
        sums = [
            attention(seen, codes).transpose(1, 2) @ self.ink(adds, seen)
            for seen, adds in zip(vectors.unbind(1), self.adds, strict=True)
        ]
        return torch.stack(sums).sum(0)

    def ink(self, network: nn.Module, vectors: Tensor) -> Tensor:
        """What cells add by a network: (..., CODE) -> (..., SUM or width); a cell without ink adds 0."""
        empty = self.reader(vectors.new_zeros(self.symbols.shape[1]))
        return network(vectors) - network(empty)  # type: ignore[no-any-return]

    def wanted_by(self, columns: Tensor, codes: Tensor) -> Tensor:
        """Carry from the last column to the first: (batch, symbols, SUM) -> (batch, outputs, symbols, width)."""
        state, seen = self.first.expand(len(columns), -1), []
        for column in reversed(columns.unbind(1)):
            seen.append(ColumnScan.features(column + state))
            state = self.carry(seen[-1])
        every = torch.stack(seen[::-1], 1)
        wanted = self.wanted(torch.cat([every, codes.expand(len(every), -1, -1)], -1))
        return wanted.unflatten(-1, (self.outputs, -1)).transpose(1, 2)  # type: ignore[no-any-return]

    def written(self, vectors: Tensor, codes: Tensor) -> Tensor:
        """What a written cell adds to each column: (..., CODE) -> (..., symbols, width)."""
        return attention(vectors, codes)[..., None] * self.ink(self.wrote, vectors)[..., None, :]

    def scores(self, columns: Tensor) -> Tensor:
        """How much each column is to be written next: (..., symbols, width) -> (..., symbols)."""
        return self.score(torch.relu(columns))[..., 0]  # type: ignore[no-any-return]

    # Training

    def loss(self, pictures: Tensor, targets: Tensor, recipe: Recipe) -> Tensor:
        """The loss of the next cell after the true cells before it (teacher forcing)."""
        codes, cells = self.codes(), targets.flatten(2)[:, :, self.places]
        wanted = self.wanted_by(self.pooled(pictures, codes), codes)
        after = self.written(self.reader(cells), codes).cumsum(2)
        before = torch.cat([torch.zeros_like(after[:, :, :1]), after[:, :, :-1]], 2)
        asked = self.asked(len(cells))
        return self.loss_of_next(wanted, pick(before, asked), pick(self.misfit(cells, recipe), asked))

    def loss_of_next(self, wanted: Tensor, before: Tensor, misfit: Tensor) -> Tensor:
        """The soft minimum over the symbols of the pixels' loss, if that symbol is drawn (mixture of experts).

        It is the pixels' loss itself where one symbol has all the weight. `before` is (batch, outputs, asked, symbols,
        width), `misfit` (batch, outputs, asked, symbols).
        """
        chosen = torch.log_softmax(self.scores(wanted[:, :, None] + before), -1)
        each = -torch.logsumexp(chosen - misfit, -1)
        return each.mean(2).sum() * len(self.places) / len(each)

    def misfit(self, cells: Tensor, recipe: Recipe) -> Tensor:
        """The loss of drawing each symbol in place of these cells: (..., pixels) -> (..., symbols)."""
        symbols = self.drawable
        if recipe.loss == "squares":
            far = torch.cdist(cells.flatten(0, -2), symbols).square()
        else:
            ink = symbols.clamp(0.01, 0.99)
            far = -(cells.flatten(0, -2) @ ink.log().T + (1 - cells.flatten(0, -2)) @ (1 - ink).log().T)
        return self.loss_factor(recipe) * far.view(*cells.shape[:-1], -1)

    def asked(self, count: int) -> Tensor:
        """The cells that are asked for, (count, outputs, asked): some at random in training, otherwise all."""
        shape, cells = (count, self.outputs, len(self.places)), len(self.places)
        if self.dice is None or cells <= ASKED:
            return torch.arange(cells, device=self.device).expand(shape)
        return torch.rand(shape, generator=self.dice, device="cpu").topk(ASKED).indices.to(self.device)

    @contextmanager
    def dropping_out(self, generator: torch.Generator) -> Iterator[None]:
        """A step of training asks for a few cells of each answer: neighbours say nearly the same."""
        self.dice = generator
        try:
            yield
        finally:
            self.dice = None

    def computation(self, data: View, recipe: Recipe, *, seed: int, bf16: bool) -> Computation:
        if recipe.shortcuts and data.codebook is not None:
            from visarith.learners.numerals_shortcut import Pooled

            return Pooled(self, data.codebook, recipe)
        return super().computation(data, recipe, seed=seed, bf16=bf16)

    def rounds(self, data: View, recipe: Recipe) -> list[Round]:
        return [replace(each, clip=CLIP) for each in super().rounds(data, recipe)]

    def wrong_examples(self, data: View) -> np.ndarray:
        from visarith.learners.numerals_shortcut import failing

        assert data.codebook is not None, "checked by prepare"
        return failing(self, data.codebook)

    @torch.no_grad()
    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:  # noqa: ARG002
        """Draw all weights by `hidden`; what is summed over cells, and the score, start small, the carry at 0."""
        for module in self.modules():
            if isinstance(module, nn.Linear):
                draw_weights(module, hidden, generator)
        for network in (*self.adds, self.wrote):
            list(network.children())[-1].weight.mul_(SMALL)
        self.score.weight.mul_(SMALL)
        draw_weights(list(self.carry.children())[-1], "zero", generator)  # type: ignore[arg-type]

    def frame(self, picture: Tensor) -> None:
        self.margin.copy_(as_logits(picture))

    def answer_first(self, picture: Tensor) -> None:
        """Nothing to set: an answer consists of symbols from the start."""

    # What it is

    def facts(self) -> dict[str, Any]:
        return {"symbols": len(self.kinds), **super().facts()}

    def described(self) -> str:
        return f"{len(self.kinds)} symbols found; sums by attention, writes cell by cell"


def _read_symbols(learner: Numerals, *_: object) -> None:
    """Copy the symbols to the CPU, after they were loaded."""
    learner.kinds = found(learner.symbols.cpu())


def attention(vectors: Tensor, codes: Tensor) -> Tensor:
    """The share of a cell (..., CODE) that goes to each symbol's column: the nearer its vector, the more."""
    far = (vectors[..., None, :] - codes).square().sum(-1)
    return torch.softmax(-SHARP * far, -1)


def pick(rows: Tensor, asked: Tensor) -> Tensor:
    """The rows of the cells that are asked for: (batch, outputs, cells, ...) -> (batch, outputs, asked, ...)."""
    index = asked.view(*asked.shape, *[1] * (rows.dim() - 3)).expand(*asked.shape, *rows.shape[3:])
    return rows.gather(2, index)
