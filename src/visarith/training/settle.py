"""After training: what a column learner hands on becomes exactly one of a few things, where that costs nothing."""

import torch
from torch import Tensor, nn

from visarith.errors import VisarithError
from visarith.learners.columns import MOST_GLYPHS, MOST_STATES, Columns
from visarith.learners.nearest import nearest
from visarith.task import Examples, Task
from visarith.training.lesson import Lesson, lesson

LOOKED_AT = 2_000  # training examples
CLEAR = 0.3  # a margin, as `nearest` says


@torch.no_grad()
def settle(learner: nn.Module, task: Task, examples: Examples) -> bool:
    """Make a column learner a finite machine, and say whether it is one now.

    It can then be tried completely (`visarith certify`), and nothing adds up over a thousand columns or steps of a
    loop. Aligned columns hand on one of a few states; diagonals are worked out row by row, and glyphs are handed on.
    A learner that then draws more cells of its own training examples wrong is left as it was.
    """
    taught = lesson(learner, task, examples[:LOOKED_AT])
    pupil, glyphs = taught.pupil, torch.from_numpy(taught.page.patterns)
    if not isinstance(pupil, Columns) or task.corruption.changes_pixels or bool(pupil.mean.any()):
        return False
    most, settled = _wrong_cells(taught), False
    if pupil.path == "aligned" and len(pupil.ways) == 1:
        settled = _settle_states(pupil, taught, most)
    if pupil is learner and len(glyphs) <= MOST_GLYPHS:
        pupil.glyphs[: len(glyphs)] = glyphs
        if (pupil.path, pupil.scan) == ("diagonal", "right") and pupil.outputs == 1 and pupil.meeting.sign is None:
            settled = _multiplies(taught, most)
    if not settled:
        pupil.states.fill_(torch.nan)
        pupil.glyphs.fill_(torch.nan)
    return settled


def _multiplies(taught: Lesson, most: int) -> bool:
    try:
        return _wrong_cells(taught) <= most
    except VisarithError:  # no glyph behaves as one, or as zero
        return False


def _settle_states(pupil: Columns, taught: Lesson, most: int) -> bool:
    """As few states as will do, each where something was handed on, far from the others."""
    codes = torch.from_numpy(taught.examples.inputs).long()
    columns = pupil.looked_up(torch.from_numpy(taught.page.patterns), codes)
    seen = torch.stack(list(pupil.walk(columns, 0, pupil.scan)), 1)
    states = _far_apart(torch.cat([pupil.starts[:1], pupil.hands[0](seen.flatten(0, 1))]))
    for count in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, MOST_STATES):
        pupil.states[:count] = states[:count]
        if _wrong_cells(taught, columns) <= most:
            return True
    return False


def _far_apart(vectors: Tensor) -> Tensor:
    """Some of the vectors, from the first on, each of them the one that is farthest from all before it."""
    chosen, nearest = [0], torch.full((len(vectors),), torch.inf)
    while len(chosen) < MOST_STATES:
        nearest = torch.minimum(nearest, (vectors - vectors[chosen[-1]]).square().sum(1))
        chosen.append(int(nearest.argmax()))
    return vectors[chosen]


def _wrong_cells(taught: Lesson, columns: Tensor | None = None) -> int:
    """How many cells do not clearly look like the picture that was to be drawn."""
    pupil, page = taught.pupil, taught.answer_page
    assert isinstance(pupil, Columns)
    if columns is None:
        pictures = torch.from_numpy(taught.page.typeset(taught.examples.inputs)).float() / 255
        cells = pupil(pictures).flatten(2)[:, :, torch.from_numpy(page.places)]
    else:
        count, pixels = len(columns), page.places.shape[1]
        cells = torch.sigmoid(pupil.work(columns)).view(count, pupil.cells, pupil.outputs, pixels).transpose(1, 2)
    seen, sure = nearest(cells.flatten(0, 2), torch.from_numpy(page.patterns))
    right = seen == torch.from_numpy(taught.examples.answers).long().flatten()
    return int((~right | (sure < CLEAR)).sum())
