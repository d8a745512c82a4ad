"""What a network is taught from: pages, examples and their means; for some learners not the task's own."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from visarith.errors import VisarithError
from visarith.learners.learner import Learner
from visarith.learners.symbols import LOOKED_AT, Symbols
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
    if isinstance(learner, Learner):
        means = task.mean_inputs(examples), task.mean_targets(examples)
        return Lesson(learner, task.page, task.answer_page, examples, *means)
    if not isinstance(learner, Symbols):
        raise VisarithError("a joined learner is not trained; train its parts and join them (visarith reproduce)")
    both = np.concatenate([examples.inputs, examples.answers], axis=1)  # some symbols are seen in answers only
    few = both[: max(1, LOOKED_AT // both[0].size)]
    learner.find_symbols(intensities(task.page.typeset(few)).flatten(0, 1))
    # each distinct cell picture is recognised once, and the examples are looked up
    found = learner.recognise(torch.from_numpy(task.page.patterns)).numpy().astype(np.uint8)
    recoded = Examples(examples.operands, found[examples.inputs], found[examples.answers])
    page = one_hot_page("".join(chr(ord("a") + i) for i in range(learner.symbols)), task.page.cells)
    means = torch.from_numpy(page.mean(recoded.inputs)), torch.from_numpy(page.mean(recoded.answers))
    return Lesson(learner.calculator, page, page, recoded, *means)
