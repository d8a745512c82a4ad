"""The exact shortcut of the column learner: clean pictures repeat their cells, so each distinct cell is read once.

Which distinct cell picture stands where is looked up, and every pair of distinct pictures meets once; what comes out is
what `Dense` computes on all pixels, to rounding.
"""

import numpy as np
import torch
from torch import Tensor, nn

from visarith.learners.columns import Columns
from visarith.training.lesson import Lesson
from visarith.training.loss import loss_of
from visarith.training.recipe import Recipe

MOST_ROWS = 200_000  # combinations of distinct cells


def fits(learner: Columns, taught: Lesson) -> bool:
    """Whether there are few enough combinations of distinct cells to compute them all at each step."""
    return bool(len(taught.page.patterns) ** len(learner.meeting.operands) <= MOST_ROWS)


class Tabled(nn.Module):
    """Trains a column learner through the distinct cells of pictures that are not centred."""

    def __init__(self, learner: Columns, taught: Lesson, recipe: Recipe) -> None:
        super().__init__()
        self.learner, self.recipe = learner, recipe
        self.patterns = torch.from_numpy(taught.page.patterns)
        self.painted = torch.from_numpy(taught.answer_page.patterns)
        self.codes = torch.from_numpy(taught.examples.inputs).long()
        self.answers = torch.from_numpy(taught.examples.answers).long()

    def gradients(self, rows: np.ndarray, _: torch.Generator) -> Tensor:
        """Set the gradients of these examples and give the loss of their cells; clean pictures have no noise."""
        index = torch.from_numpy(rows)
        logits = self.learner.work(self.learner.looked_up(self.patterns, self.codes[index]))
        loss = loss_of(logits, self.painted[self.answers[index].transpose(1, 2)].flatten(2), self.recipe)
        self.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def trained(self) -> list[nn.Parameter]:
        """The weights that the optimizer updates."""
        return self.learner.trained_weights()

    def sync(self) -> None:
        """The learner itself is what is trained: nothing to bring up to date."""
