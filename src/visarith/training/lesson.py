"""What a network is taught from: pages, examples and their means; for some learners not the task's own."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from visarith.errors import VisarithError
from visarith.learners.clusters import LOOKED_AT, Clusters
from visarith.learners.columns import Columns
from visarith.learners.learner import Learner
from visarith.learners.symbols import Symbols
from visarith.learners.tally import Tally
from visarith.pictures.codebook import Codebook
from visarith.pictures.page import Page, one_hot_page
from visarith.task import Examples, Task, intensities


@dataclass(frozen=True, eq=False)
class Lesson:
    """The network that is trained, and what it is shown."""

    pupil: Learner
    page: Page
    answer_page: Page
    examples: Examples
    mean_inputs: Tensor
    mean_targets: Tensor

    @property
    def count(self) -> int:
        return len(self.examples)


def lesson(learner: nn.Module, task: Task, examples: Examples) -> Lesson:
    """A learner is taught the task itself; one that looks for symbols first finds them, then is taught in those."""
    if isinstance(learner, Columns) and learner.grid is not None:
        book = Codebook(learner.grid)
        parts = book.encode(task.page, examples.inputs), book.encode(task.answer_page, examples.answers)
        taught = _lesson(learner, book.page, Examples(examples.operands, *parts))
    elif isinstance(learner, Learner):
        means = task.mean_inputs(examples), task.mean_targets(examples)
        taught = Lesson(learner, task.page, task.answer_page, examples, *means)
    elif isinstance(learner, Symbols):
        taught = _in_symbols(learner, _recognised(learner, task, examples))
    elif isinstance(learner, Tally):
        taught = _in_tallies(learner, _recognised(learner, task, examples))
    else:
        raise VisarithError("a joined learner is not trained; train its parts and join them (visarith reproduce)")
    if isinstance(taught.pupil, Columns) and not task.corruption.changes_pixels:
        same = (taught.examples.inputs == taught.examples.inputs[:1]).all(0)
        taught.pupil.meeting.silent = torch.from_numpy(same[taught.pupil.meeting.operands])
    return taught


def _recognised(learner: Clusters, task: Task, examples: Examples) -> Examples:
    """The examples in the learner's own symbols, which it finds first."""
    both = np.concatenate([examples.inputs, examples.answers], axis=1)  # some symbols are seen in answers only
    few = both[: max(1, LOOKED_AT // both[0].size)]
    if not learner.centres.any():
        learner.find_symbols(intensities(task.page.typeset(few)).flatten(0, 1))
    # each distinct cell picture is recognised once, and the examples are looked up
    found = learner.recognise(torch.from_numpy(task.page.patterns)).numpy().astype(np.uint8)
    return Examples(examples.operands, found[examples.inputs], found[examples.answers])


def _in_symbols(learner: Symbols, recoded: Examples) -> Lesson:
    page = one_hot_page("".join(chr(ord("a") + i) for i in range(learner.symbols)), len(learner.places))
    return _lesson(learner.calculator, page, recoded)


def _in_tallies(learner: Tally, recoded: Examples) -> Lesson:
    """Each distinct tally is a glyph, and each symbol but the last has a cell."""
    columns = learner.symbols - 1
    counts = [learner.counted(torch.from_numpy(part)) for part in (recoded.inputs, recoded.answers)]
    most = 1 + int(max(part.max() for part in counts))
    numbered = [(torch.arange(columns) * most + part).numpy() for part in counts]
    distinct = np.unique(np.concatenate([part.ravel() for part in numbered]))
    strokes = learner.strokes(torch.from_numpy(distinct // most), torch.from_numpy(distinct % most))
    glyphs = (strokes.numpy() * 255).astype(np.uint8)[:, None]
    alphabet = "".join(chr(0x100 + i) for i in range(len(distinct)))
    page = Page(alphabet, glyphs, tuple((cell, 0) for cell in range(columns)), columns, glyphs.shape[2])
    codes = [np.searchsorted(distinct, part).astype(np.uint8) for part in numbered]
    return _lesson(learner.calculator, page, Examples(recoded.operands, *codes))


def _lesson(pupil: Learner, page: Page, examples: Examples) -> Lesson:
    means = torch.from_numpy(page.mean(examples.inputs)), torch.from_numpy(page.mean(examples.answers))
    return Lesson(pupil, page, page, examples, *means)
