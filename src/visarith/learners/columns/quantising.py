"""After training: few states and glyphs in the place of vectors, and the training examples that are drawn wrong."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from visarith.data.view import View
from visarith.learners.columns import rows
from visarith.learners.columns.kinds import kinds
from visarith.learners.columns.scan import MOST_STATES
from visarith.learners.vectors import far_apart, found, means, nearest
from visarith.pictures.codebook import Codebook

if TYPE_CHECKING:
    from visarith.learners.columns.network import Columns

EXAMPLES = 5_000  # of training, that decide whether quantising costs accuracy
CLEAR = 0.3  # the smallest margin (`nearest`) of a cell that counts as right
KEPT = 0.95  # of that margin, at least, that quantising leaves
CLEAR_CASE = 0.2  # the same for what rows draw and read again, which no answer shows
AT_A_TIME = 5_000  # examples


@torch.no_grad()
def quantise(learner: "Columns", data: View) -> None:
    """Quantise a column learner, unless it then draws more cells of its training examples wrong.

    A quantised learner can be certified (`visarith certify`), and no error adds up over a thousand columns. Aligned
    columns carry one of a few states. Rows write and carry glyphs. If cells repeat, each input cell is replaced by the
    nearest cell of the training pictures.
    """
    unquantise(learner)
    book = data.codebook
    if book is None or bool(learner.mean.any()) or not {"aligned", "rows"}.issuperset(learner.own_paths):
        return
    patterns = learner.operand_patterns(book)
    few = book.take(np.arange(min(EXAMPLES, len(data))))
    done = "aligned" not in learner.own_paths or _few_states(learner, few.take(learner.on_path(few, "aligned")))
    if learner.rounds_to_glyphs and len(patterns) <= learner.most_glyphs:
        learner.glyphs[: len(patterns)] = patterns
    elif learner.in_rows:
        done = False
    if not done:
        unquantise(learner)
    learner.kinds = kinds(learner)


def unquantise(learner: "Columns") -> None:
    """Carry vectors again, and take cells as they are."""
    for each in (learner.states, learner.states_back, learner.glyphs):
        each.fill_(torch.nan)


def _few_states(learner: "Columns", book: Codebook) -> bool:
    """Find the fewest states of each pass that cost nothing, among states that occur and are far apart.

    What is drawn must stay nearly as clear: states that only just do for these examples may fail in others. With two
    passes, each state is the mean of those that it stands for. Where an answer does not depend on what the second pass
    carries, that may be anything, and states at the edge would divide it in the wrong place.
    """
    clear = max(CLEAR, KEPT * clearness(learner, book))
    most = len(failing(learner, book, clear))
    codes = torch.from_numpy(book.inputs.codes).to(learner.device).long()
    patterns = torch.from_numpy(book.inputs.layout.patterns).to(learner.device)
    columns = learner.meeting.looked_up(patterns, codes, ["aligned"])
    for number, (way, states) in enumerate(zip(learner.ways, (learner.states, learner.states_back), strict=False)):
        seen = torch.stack(list(learner.walk(columns, number, way)), 1)
        carried = torch.cat([learner.starts[number : number + 1], learner.hands[number](seen.flatten(0, 1))])
        choices = carried[far_apart(carried, MOST_STATES)]
        for count in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, MOST_STATES):
            states[:count] = choices[:count] if len(learner.ways) == 1 else means(carried, choices[:count])
            if len(failing(learner, book, clear)) <= most:
                break
        else:
            return False
        columns = columns + learner.turn(seen.flip(1) if way == "right" else seen)
    return True


@torch.no_grad()
def clearness(learner: "Columns", book: Codebook) -> float:
    """The smallest margin of a cell that is drawn right; 0 if there is none."""
    least = 1.0
    for _, right, sure in _drawn(learner, book):
        least = min(least, float(sure[right].min()) if bool(right.any()) else 0.0)
    return least


def _drawn(learner: "Columns", book: Codebook) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Draw all examples, some at a time: the number of the first one, which cells are right, and their margins."""
    patterns, answers = (
        torch.from_numpy(each.layout.patterns).to(learner.device) for each in (book.inputs, book.answers)
    )
    for start in range(0, len(book.inputs.codes), AT_A_TIME):
        codes, truth = (
            torch.from_numpy(each.codes[start : start + AT_A_TIME]).to(learner.device).long()
            for each in (book.inputs, book.answers)
        )
        painted = torch.sigmoid(learner.looked_up(patterns, codes))
        seen, sure = nearest(painted.view(*painted.shape[:2], learner.outputs, -1).transpose(1, 2), answers)
        yield start, seen == truth, sure


@torch.no_grad()
def failing(learner: "Columns", book: Codebook, clear: float = CLEAR) -> np.ndarray:
    """The examples, by number, of which the learner draws a cell that is not clearly nearest to the right pattern."""
    if learner.path == "signs":
        parts = [at[failing(learner.for_sign(sign), own)] for sign, at, own in learner.books(book)]
        return np.sort(np.concatenate(parts))
    if learner.path == "rows" and len(found(learner.glyphs)):
        return _failing_rows(learner, book)
    parts = [start + np.flatnonzero(_bad(right, sure, clear)) for start, right, sure in _drawn(learner, book)]
    return np.concatenate(parts)


def _bad(right: Tensor, sure: Tensor, clear: float) -> np.ndarray:
    """Which examples have a cell that is wrong or not clear."""
    bad: np.ndarray = (~right | (sure < clear)).flatten(1).any(1).cpu().numpy()
    return bad


def _failing_rows(learner: "Columns", book: Codebook) -> np.ndarray:
    """The same for rows that read glyphs: each example is looked up in the cases of the cell."""
    patterns, answers = (
        torch.from_numpy(each.layout.patterns).to(learner.device) for each in (book.inputs, book.answers)
    )
    known = rows.cases(learner, patterns)
    same = nearest(patterns, answers)[0]  # the answer's pattern that each input's looks like
    wrong = []
    for start in range(0, len(book.inputs.codes), AT_A_TIME):
        codes, truth = (
            torch.from_numpy(each.codes[start : start + AT_A_TIME]).to(learner.device).long()
            for each in (book.inputs, book.answers)
        )
        read, _, margin = rows.calculated(known, codes)
        bad = (same[read] != truth[:, 0]).any(1) | (margin < CLEAR_CASE)
        wrong.append(start + bad.nonzero().flatten().cpu().numpy())
    return np.concatenate(wrong)
