"""The exact shortcut of column learners: clean cells repeat, so each combination of distinct ones is computed once."""

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from visarith.pictures.codebook import Codebook
from visarith.training.computation import Computation, loss_of
from visarith.training.recipe import Recipe

if TYPE_CHECKING:
    from visarith.learners.columns.network import Columns


class Tabled(Computation):
    """Trains a column learner on the distinct cells of its pictures; these are not centred.

    Clean pictures repeat their cells, so each cell is read once, and each combination is computed once where a batch
    shows more of them than there are. The gradients are those of `Dense` on all pixels, up to rounding.
    """

    def __init__(self, learner: "Columns", book: Codebook, recipe: Recipe) -> None:
        super().__init__()
        self.learner, self.recipe = learner, recipe
        self.device = device = learner.device
        self.patterns = torch.from_numpy(book.inputs.layout.patterns).to(device)
        self.painted = torch.from_numpy(book.answers.layout.patterns).to(device)
        self.codes = torch.from_numpy(book.inputs.codes).to(device).long()
        self.answers = torch.from_numpy(book.answers.codes).to(device).long()

    def gradients(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:  # noqa: ARG002
        """Set the gradients of these examples and return the loss of their cells; clean pictures have no noise."""
        index = torch.from_numpy(rows).to(self.device)
        logits = self.learner.looked_up(self.patterns, self.codes[index])
        targets = self.painted[self.answers[index].transpose(1, 2)].flatten(2)
        loss = self.learner.loss_factor(self.recipe) * loss_of(logits, targets, self.recipe)
        self.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def trained(self) -> list[nn.Parameter]:
        return self.learner.trained_weights()
