"""After training: what a column learner hands on becomes exactly one of a few things, where that costs nothing."""

import torch
from torch import Tensor

from visarith.data.view import View, intensities
from visarith.errors import VisarithError
from visarith.learners.columns.network import MOST_GLYPHS, MOST_STATES, Columns
from visarith.learners.nearest import nearest
from visarith.pictures.codebook import Codebook

LOOKED_AT = 2_000  # training examples
CLEAR = 0.3  # a margin, as `nearest` says


@torch.no_grad()
def quantise(learner: Columns, data: View, *, glyphs: bool) -> None:
    """Make a column learner a finite machine, where that costs nothing.

    It can then be tried completely (`visarith certify`), and nothing adds up over a thousand columns or steps of a
    loop. Aligned columns hand on one of a few states; diagonals are worked out row by row, and glyphs are handed on.
    With `glyphs`, a cell is taken for the one that it looks most like. A learner that then draws more cells of its own
    training examples wrong is left as it was.
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
    try:
        return _wrong_cells(learner, book) <= most
    except VisarithError:  # no glyph behaves as one, or as zero
        return False


def _few_states(learner: Columns, book: Codebook, most: int) -> bool:
    """As few states as will do, each where something was handed on, far from the others."""
    codes = torch.from_numpy(book.inputs.codes).to(learner.device).long()
    columns = learner.looked_up(torch.from_numpy(book.inputs.layout.patterns).to(learner.device), codes)
    seen = torch.stack(list(learner.walk(columns, 0, learner.scan)), 1)
    states = _far_apart(torch.cat([learner.starts[:1], learner.hands[0](seen.flatten(0, 1))]))
    for count in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, MOST_STATES):
        learner.states[:count] = states[:count]
        if _wrong_cells(learner, book, columns) <= most:
            return True
    return False


def _far_apart(vectors: Tensor) -> Tensor:
    """Some of the vectors, from the first on, each of them the one that is farthest from all before it."""
    chosen, nearest = [0], torch.full((len(vectors),), torch.inf, device=vectors.device)
    while len(chosen) < MOST_STATES:
        nearest = torch.minimum(nearest, (vectors - vectors[chosen[-1]]).square().sum(1))
        chosen.append(int(nearest.argmax()))
    return vectors[chosen]


def _wrong_cells(learner: Columns, book: Codebook, columns: Tensor | None = None) -> int:
    """How many cells do not clearly look like the picture that was to be drawn."""
    layout, device = book.answers.layout, learner.device
    if columns is None:
        pictures = intensities(book.inputs.layout.typeset(book.inputs.codes)).to(device)
        cells = learner(pictures).flatten(2)[:, :, torch.from_numpy(layout.places).to(device)]
    else:
        count, pixels = len(columns), layout.places.shape[1]
        cells = torch.sigmoid(learner.work(columns)).view(count, learner.cells, learner.outputs, pixels).transpose(1, 2)
    seen, sure = nearest(cells.flatten(0, 2), torch.from_numpy(layout.patterns).to(device))
    right = seen == torch.from_numpy(book.answers.codes).to(device).long().flatten()
    return int((~right | (sure < CLEAR)).sum())
