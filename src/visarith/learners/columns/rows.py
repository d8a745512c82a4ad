"""Rows: one cell network walks the grid of digit pairs row by row, and reads again what it drew, as on paper.

The cell of digit i of one number and digit j of the other, both counted from the right, is given two pictures: what
stands written at place i + j, and what the cell to its right carried. It draws two: what is written there from now on,
and what it carries to the next cell. In the first row nothing is written yet, and in the first cell of a row nothing
is carried. The last picture at each place is the answer. How the cells are wired is given; what they draw is learned.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from visarith.learners.columns.pairs import SUM
from visarith.learners.vectors import nearest

if TYPE_CHECKING:
    from visarith.learners.columns.scan import ColumnScan

CASES = 20_000  # at a time
MANY, RIDGE = 2_000, 1e-4  # of `read_back`: vectors that are compared, and the penalty on squared weights


class Again(nn.Module):
    """Reads again what was drawn: linear layers from the pixels of a cell to the vectors that they add to a column.

    What is written is read as one more pair of digits, what is carried as a carried state. A column in which nothing
    but the carry is to be drawn has the vector `empty`.
    """

    def __init__(self, pixels: int) -> None:
        super().__init__()
        self.written = nn.Linear(pixels, SUM)
        self.carried = nn.Linear(pixels, SUM)
        self.empty = nn.Parameter(torch.zeros(SUM, device="cpu"))

    def forward(self, written: Tensor, carried: Tensor) -> Tensor:
        """Read both pictures: (..., pixels) twice -> (2, ..., SUM)."""
        return torch.stack([self.written(written), self.carried(carried)])


@torch.no_grad()
def read_back(learner: "ColumnScan", glyphs: Tensor, empty: Tensor) -> None:
    """Start reading: a glyph that is written as a pair that draws it, and one that is carried as a state that does.

    A pair or a state counts if it fits one cell: the column carries no more than an empty column does. Those that draw
    a glyph can lie far apart, so that their mean need not draw it; the one that is nearest to the others is taken.
    No label is used, only what the learner itself draws.
    """
    again, start = learner.again, learner.starts[0]
    again.empty.copy_(empty)
    pairs = learner.meeting.table("diagonal", glyphs)
    both = torch.cartesian_prod(*[torch.arange(len(pairs), device=pairs.device)] * 2)
    both = both[:: math.ceil(len(both) / CASES)]
    states = torch.cat([start[None], learner.hands[0](learner.seen(pairs[both].sum(1) + start))])
    _, nothing = _drawn(learner, start[None] + empty, glyphs)
    for layer, vectors, rest in ((again.written, pairs, start), (again.carried, states, empty)):
        shown, onward = _drawn(learner, vectors + rest, glyphs)
        fits = [vectors[(shown == glyph) & (onward == nothing)] for glyph in range(len(glyphs))]
        known = [glyph for glyph, some in enumerate(fits) if len(some)]
        _solve(layer, glyphs[known], torch.stack([_middle(fits[glyph]) for glyph in known]))


def _drawn(learner: "ColumnScan", columns: Tensor, glyphs: Tensor) -> tuple[Tensor, Tensor]:
    """The glyphs that columns write and carry."""
    written, carried = (nearest(torch.sigmoid(part), glyphs)[0] for part in drawings(learner, columns))
    return written, carried


def _middle(vectors: Tensor) -> Tensor:
    """The one that is nearest to the others."""
    some = vectors[:: math.ceil(len(vectors) / MANY)]
    return some[torch.cdist(some, some).sum(1).argmin()]


def _solve(layer: nn.Linear, pictures: Tensor, vectors: Tensor) -> None:
    """Fit a layer from pictures to vectors, by least squares."""
    inputs = torch.cat([pictures, torch.ones(len(pictures), 1, device=pictures.device)], 1).double()
    ridge = RIDGE * torch.eye(len(inputs), dtype=torch.float64, device=pictures.device)
    solved = (inputs.T @ torch.linalg.solve(inputs @ inputs.T + ridge, vectors.double())).float()
    layer.weight.copy_(solved[:-1].T)
    layer.bias.copy_(solved[-1])


def waves(places: int) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """The cells that can be computed together: digits i and j and place i + j of each, wave by wave.

    Cell (i, j) needs what (i - 1, j) carries and (i + 1, j - 1) writes, so all cells of equal i + 2j are one wave.
    """
    for wave in range(2 * places - 1):
        row = torch.arange(max(0, wave - places + 1), wave // 2 + 1, device="cpu")
        yield wave - 2 * row, row, wave - row


def drawings(learner: "ColumnScan", columns: Tensor) -> tuple[Tensor, Tensor]:
    """What a cell with this column vector writes and carries: the logits of two pictures."""
    seen = learner.seen(columns)
    carried = learner.seen(learner.hands[0](seen) + learner.again.empty)
    return learner.painter(seen), learner.painter(carried)


def worked_out(learner: "ColumnScan", pairs: Tensor, places: int) -> tuple[Tensor, Tensor]:
    """The first places, from the right, in rows, from the vectors of all pairs (batch, cells, cells, SUM), last first.

    Returns the logits of their cells, and the vector that all rows together carry to the next place, where each carry
    is read as one more pair. In training, what one cell draws for another is taken for its nearest glyph, without a
    gradient, since gradients through many drawings explode. What the last cell of a place reads, and what is carried to
    the next place, is as it was drawn.
    """
    start = learner.starts[0]
    nothing = torch.zeros_like(pairs[:, 0, 0])
    written, shown, passed, answers = ([nothing] * places for _ in range(4))
    carried = [start.expand_as(nothing)] * places
    for left, right, at in waves(places):
        cells = list(zip(range(len(at)), left.tolist(), right.tolist(), at.tolist(), strict=True))
        sums = [(shown if column == 0 else written)[place] + carried[row] for _, column, row, place in cells]
        drawn = drawings(learner, pairs[:, left, right] + torch.stack(sums, 1))
        pictures = torch.sigmoid(torch.stack(drawn))
        as_pairs = learner.again.written(pictures)
        taken = learner.again(*learner.passed_on(pictures))
        for cell, column, row, place in cells:
            written[place], carried[row] = taken[:, :, cell]
            shown[place], passed[row] = as_pairs[:, :, cell]
            if column == 0:
                answers[place] = drawn[0][:, cell]
    return torch.stack(answers, 1), torch.stack(passed).sum(0) + start


def hybrid(learner: "ColumnScan", pairs: Tensor, places: int) -> Tensor:
    """The logits of all cells, last first: so many places in rows, and the others by diagonals that are scanned."""
    cells = pairs.shape[1]
    rows, state = worked_out(learner, pairs, places)
    if places == cells:
        return rows
    seen = []
    for place in range(places, cells):
        digits = torch.arange(place + 1, device=pairs.device)
        seen.append(learner.seen(pairs[:, digits, place - digits].sum(1) + state))
        state = learner.hands[0](seen[-1])
    return torch.cat([rows, learner.painter(torch.stack(seen, 1))], 1)


@dataclass(frozen=True, eq=False)
class Cases:
    """Every case of the cell: two glyphs, what is written and what is carried (0: nothing yet, n + 1: glyph n).

    All four are (glyphs, glyphs, glyphs + 1, glyphs + 1); what is drawn is the glyph that the drawing looks most like.
    """

    written: Tensor
    carried: Tensor
    margin: Tensor  # of both drawings, as `nearest` says
    columns: Tensor  # the column vectors, with one more dimension


@torch.no_grad()
def cases(learner: "ColumnScan", glyphs: Tensor) -> Cases:
    """Compute every case of the cell through the networks, from the pixels of the glyphs."""
    count = len(glyphs)
    pairs = learner.meeting.table("diagonal", glyphs).view(count, count, 1, 1, SUM)
    start = learner.starts[:1]
    written, carried = learner.again(glyphs, glyphs)
    columns = pairs + torch.cat([torch.zeros_like(start), written])[:, None] + torch.cat([start, carried])
    shape, parts = columns.shape[:-1], []
    for some in torch.split(columns.flatten(0, -2), CASES):
        (written, sure), (carried, surely) = (nearest(torch.sigmoid(part), glyphs) for part in drawings(learner, some))
        parts.append((written, carried, torch.minimum(sure, surely)))
    written, carried, margin = (torch.cat(part).view(shape) for part in zip(*parts, strict=True))
    return Cases(written, carried, margin, columns)


def calculated(known: Cases, seen: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """From the glyphs that two numbers show (batch, 2, cells) to those of the answer (batch, cells).

    Each drawing is taken for its nearest glyph, so this looks up integers in the cases. Also returns the case whose
    drawing stands last at each place (4, batch, cells), and the smallest margin of any cell of the grid (batch).
    """
    count, _, cells = seen.shape
    left, right = seen.flip(2).unbind(1)
    written, carried = (torch.zeros(count, cells, dtype=torch.long, device=seen.device) for _ in range(2))
    last = torch.zeros(4, count, cells, dtype=torch.long, device=seen.device)
    margin = torch.full((count,), torch.inf, device=seen.device)
    for columns, rows, places in waves(cells):
        case = left[:, columns], right[:, rows], written[:, places], carried[:, rows]
        if columns[-1] == 0:  # the last cell of this place
            last[:, :, places[-1]] = torch.stack([part[:, -1] for part in case])
        written[:, places], carried[:, rows] = known.written[case] + 1, known.carried[case] + 1
        margin = torch.minimum(margin, known.margin[case].amin(1))
    return written.flip(1) - 1, last.flip(2), margin


@torch.no_grad()
def multiplied(learner: "ColumnScan", glyphs: Tensor, seen: Tensor) -> Tensor:
    """From the glyphs that two numbers show (batch, 2, cells) to the logits of the answer's cells."""
    known = cases(learner, glyphs)
    last = calculated(known, seen)[1]
    painted: Tensor = learner.painter(learner.seen(known.columns[last.unbind()]))
    return painted
