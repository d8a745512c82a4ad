"""After training: a column learner becomes a finite-state machine, if that costs no accuracy."""

import torch
from torch import Tensor

from visarith.data.view import View, intensities
from visarith.errors import VisarithError
from visarith.learners.columns.network import Columns
from visarith.learners.columns.scan import MOST_GLYPHS, MOST_STATES
from visarith.learners.vectors import far_apart, nearest
from visarith.pictures.codebook import Codebook

LOOKED_AT = 2_000  # training examples
CLEAR = 0.3  # the smallest margin (`nearest`) of a cell that counts as right


@torch.no_grad()
def quantise(learner: Columns, data: View, *, glyphs: bool) -> None:
    """Quantise a column learner, unless it then draws more cells of its training examples wrong.

    A quantised learner can be certified (`visarith certify`), and no error adds up over a thousand columns. Aligned
    columns carry one of a few states. Diagonals are computed row by row, and carry glyphs. With `glyphs`, each input
    cell is replaced by the nearest cell of the training pictures.
    """
    book = data.codebook
    if book is None or bool(learner.mean.any()):
        return
    patterns = torch.from_numpy(book.inputs.layout.patterns).to(learner.device)
    most, quantised = _wrong_cells(learner, book), False
    if learner.path == "aligned" and len(learner.ways) == 1:
        quantised = _few_states(learner, book, most)
    if glyphs and len(patterns) <= MOST_GLYPHS:
        learner.glyphs[: len(patterns)] = patterns
        if (learner.path, learner.scan) == ("diagonal", "right") and learner.outputs == 1 and learner.sign is None:
            quantised = _multiplies(learner, book, most)
    if not quantised:
        learner.states.fill_(torch.nan)
        learner.glyphs.fill_(torch.nan)


def _multiplies(learner: Columns, book: Codebook, most: int) -> bool:
    """Whether long multiplication draws at most this many cells wrong."""
    try:
        return _wrong_cells(learner, book) <= most
    except VisarithError:  # no glyph behaves like one or like zero
        return False


def _few_states(learner: Columns, book: Codebook, most: int) -> bool:
    """Find the fewest states that cost nothing, among states that occur and are far apart; False if there are none."""
    codes = torch.from_numpy(book.inputs.codes).to(learner.device).long()
    columns = learner.looked_up(torch.from_numpy(book.inputs.layout.patterns).to(learner.device), codes)
    seen = torch.stack(list(learner.walk(columns, 0, learner.scan)), 1)
    carried = torch.cat([learner.starts[:1], learner.hands[0](seen.flatten(0, 1))])
    states = carried[far_apart(carried, MOST_STATES)]
    for count in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, MOST_STATES):
        learner.states[:count] = states[:count]
        if _wrong_cells(learner, book, columns) <= most:
            return True
    return False


def _wrong_cells(learner: Columns, book: Codebook, columns: Tensor | None = None) -> int:
    """How many cells are not clearly nearest to the right pattern."""
    layout, device = book.answers.layout, learner.device
    if columns is None:
        pictures = intensities(book.inputs.layout.typeset(book.inputs.codes)).to(device)
        cells = learner(pictures).flatten(2)[:, :, torch.from_numpy(layout.places).to(device)]
    else:
        count, pixels = len(columns), layout.places.shape[1]
        cells = (
            torch.sigmoid(learner.painted(columns)).view(count, learner.cells, learner.outputs, pixels).transpose(1, 2)
        )
    seen, margin = nearest(cells.flatten(0, 2), torch.from_numpy(layout.patterns).to(device))
    right = seen == torch.from_numpy(book.answers.codes).to(device).long().flatten()
    return int((~right | (margin < CLEAR)).sum())
