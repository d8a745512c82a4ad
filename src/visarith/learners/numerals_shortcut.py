"""The exact shortcut of `numerals`: clean cells repeat, so each distinct one is computed once and counted."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from visarith.learners.numerals import Numerals, attention, pick
from visarith.pictures.codebook import Codebook
from visarith.training.computation import Computation
from visarith.training.recipe import Recipe


class Pooled(Computation):
    """Trains on how often each symbol occurs: equal cells add equal vectors. The gradients are those of `Dense`."""

    def __init__(self, learner: Numerals, book: Codebook, recipe: Recipe) -> None:
        super().__init__()
        self.learner, self.recipe, self.count = learner, recipe, len(learner.kinds)
        inputs, answers = learner.coded(book)
        counts = [(inputs == symbol).sum(2) for symbol in range(self.count)]
        self.counts = torch.stack(counts, 2).to(learner.device, torch.float32)  # (examples, inputs, symbols)
        self.answers = answers.to(learner.device)

    def gradients(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:  # noqa: ARG002
        """Set the gradients of these examples and return their loss; clean pictures have no noise."""
        learner, index = self.learner, torch.from_numpy(rows).to(self.answers.device)
        answers, codes = self.answers[index], learner.codes()
        share = attention(codes, codes)
        table = torch.stack([share[..., None] * learner.ink(adds, codes)[:, None] for adds in learner.adds])
        columns = torch.einsum("bik,ikcs->bcs", self.counts[index], table)
        shown = one_hot(answers, self.count).float()
        asked = learner.asked(len(rows))
        before = pick(shown.cumsum(2) - shown, asked)  # how often each symbol was written
        wrote = learner.written(codes, codes)
        misfit = learner.misfit(learner.drawable, self.recipe)[answers.gather(2, asked)]
        added = (before @ wrote.flatten(1)).view(*before.shape[:3], *wrote.shape[1:])
        loss = learner.loss_of_next(learner.wanted_by(columns, codes), added, misfit)
        self.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def trained(self) -> list[nn.Parameter]:
        return self.learner.trained_weights()
