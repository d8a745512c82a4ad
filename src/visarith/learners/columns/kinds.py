"""Kinds of glyphs: which of them mean the same, such as a digit in several fonts, told by what a trained learner draws.

Two glyphs are of one kind if it makes no difference to what is drawn which of them stands in a column.
"""

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from visarith.learners.vectors import found, nearest

if TYPE_CHECKING:
    from visarith.learners.columns.scan import ColumnScan

ALIKE = 0.95  # the share of columns in which the same is drawn: two digits of a sum never draw the same
MOST_COLUMNS = 200_000  # combinations of glyphs, up to which all are tried


@torch.no_grad()
def kinds(learner: "ColumnScan") -> Tensor | None:
    """The kind of each row of its glyphs, by the number of the first glyph of that kind; None if it has no glyphs."""
    glyphs, operands = found(learner.glyphs), len(learner.meeting.operands)
    count, rows = len(glyphs), torch.arange(len(learner.glyphs), device=learner.glyphs.device)
    if not count:
        return None
    if learner.path != "aligned" or learner.sign is not None or count**operands > MOST_COLUMNS:
        return rows
    columns = learner.meeting.table("aligned", glyphs)
    cells = torch.sigmoid(learner.painter(learner.seen(columns + learner.starts[0])))
    drawn = nearest(cells.view(-1, glyphs.shape[1]), glyphs)[0].view(*[count] * operands, learner.outputs)
    same = torch.ones(count, count, dtype=torch.bool, device=glyphs.device)
    for operand in range(operands):
        answers = drawn.movedim(operand, 0).flatten(1)
        same &= torch.stack([(answers == each).float().mean(1) > ALIKE for each in answers])
    rows[:count] = same.int().argmax(1)
    return rows
