"""Long multiplication as on paper, by a column learner that has only seen whole products of short numbers.

The procedure is given: multiply digit by digit, add what is written already and what is carried, row by row. Its two
tables are not: what the product of two digits is, and their sum, is what the trained columns draw. A column in which
one pair meets draws the product of two glyphs, and what it hands on, drawn in an empty column, is the tens; a column in
which two glyphs each meet the glyph that changes nothing draws their sum. Every drawing is taken for the glyph that it
looks most like. Nothing is trained here.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from visarith.errors import VisarithError
from visarith.learners.vectors import nearest

if TYPE_CHECKING:
    from visarith.learners.columns.scan import ColumnScan as Columns


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is drawn for each pair of glyphs: the cell, the glyph that it looks like, and the one that is carried."""

    cells: Tensor  # (glyphs, glyphs, pixels) logits
    written: Tensor  # (glyphs, glyphs)
    carried: Tensor  # (glyphs, glyphs)
    margin: float  # of both, at least, as `nearest` says


@dataclass(frozen=True, eq=False)
class Tables:
    """All that long multiplication needs to know."""

    products: Drawn
    sums: Drawn
    nothing: int  # the glyph whose product with any other is itself


@torch.no_grad()
def multiply(learner: "Columns", glyphs: Tensor, seen: Tensor) -> Tensor:
    """Which glyphs two numbers show (batch, 2, cells) -> the logits of their product's cells (batch, cells, pixels)."""
    known = tables(learner, glyphs)
    return known.sums.cells[work_out(known, seen)[1].unbind()]


def work_out(known: Tables, seen: Tensor) -> tuple[Tensor, Tensor]:
    """Glyphs of two numbers (batch, 2, cells) -> those of the product (batch, cells), and the two glyphs whose sum was
    written last in each cell (2, batch, cells)."""
    products, sums = known.products, known.sums
    count, _, length = seen.shape
    left, right = seen.flip(2).unbind(1)
    where = seen.device
    written = torch.full((count, length), known.nothing, device=where)
    last = torch.full((2, count, length), known.nothing, device=where)
    for row in range(length):
        carry = torch.full((count,), known.nothing, device=where)
        for column in range(row, length):
            pair = left[:, column - row], right[:, row]
            first = products.written[pair], written[:, column].clone()
            second = sums.written[first], carry
            written[:, column], last[:, :, column] = sums.written[second], torch.stack(second)
            tens = sums.written[products.carried[pair], sums.carried[first]]
            carry = sums.written[tens, sums.carried[second]]
    return written.flip(1), last.flip(2)


@torch.no_grad()
def tables(learner: "Columns", glyphs: Tensor) -> Tables:
    """Draw both; which glyphs are nothing and one is found by what they do to all others."""
    count = len(glyphs)
    met = learner.meeting.table("diagonal", glyphs).view(count, count, -1)
    drawn, _ = nearest(_painted(learner, met + learner.starts[0]), glyphs)
    own = torch.arange(count, device=glyphs.device)
    nothing = _only([g for g in own.tolist() if (drawn[g] == g).all() and (drawn[:, g] == g).all()], "zero")
    same = _only([g for g in own.tolist() if (drawn[:, g] == own).all()], "one")
    empty, added = met[nothing, nothing], met[:, same]
    return Tables(
        _drawn(learner, glyphs, met + empty, empty), _drawn(learner, glyphs, added[:, None] + added, empty), nothing
    )


def _drawn(learner: "Columns", glyphs: Tensor, columns: Tensor, empty: Tensor) -> Drawn:
    seen = learner.seen(columns + learner.starts[0])
    cells = learner.painter(seen)
    written, sure = nearest(torch.sigmoid(cells), glyphs)
    carried, surely = nearest(_painted(learner, learner.hands[0](seen) + empty), glyphs)
    return Drawn(cells, written, carried, min(float(sure.min()), float(surely.min())))


def _painted(learner: "Columns", columns: Tensor) -> Tensor:
    return torch.sigmoid(learner.painter(learner.seen(columns)))


def _only(found: list[int], which: str) -> int:
    if len(found) != 1:
        raise VisarithError(f"{len(found)} glyphs behave as {which}, not 1; this run does not multiply digits")
    return found[0]
