"""The exact shortcut of `numerals`: clean cells repeat, so each distinct one is computed once and counted."""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from visarith.learners.numerals import Numerals, attention, pick
from visarith.pictures.codebook import Codebook
from visarith.training.computation import Computation
from visarith.training.recipe import Recipe

AT_A_TIME = 2_000  # examples


class Pooled(Computation):
    """Trains on how often each symbol occurs: equal cells add equal vectors. The gradients are those of `Dense`."""

    def __init__(self, learner: Numerals, book: Codebook, recipe: Recipe) -> None:
        super().__init__()
        self.learner, self.recipe, self.count = learner, recipe, len(learner.kinds)
        inputs, answers = learner.coded(book)
        self.counts = counted(inputs, self.count).to(learner.device)
        self.answers = answers.to(learner.device)

    def gradients(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:  # noqa: ARG002
        """Set the gradients of these examples and return their loss; clean pictures have no noise."""
        learner, index = self.learner, torch.from_numpy(rows).to(self.answers.device)
        answers, codes = self.answers[index], learner.codes()
        columns = pooled(learner, self.counts[index], codes)
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


def counted(codes: Tensor, symbols: int) -> Tensor:
    """How often each symbol stands in each picture: (examples, inputs, cells) -> (examples, inputs, symbols)."""
    return torch.stack([(codes == symbol).sum(2) for symbol in range(symbols)], 2).float()


def pooled(learner: Numerals, counts: Tensor, codes: Tensor) -> Tensor:
    """`Numerals.pooled` from counts."""
    share = attention(codes, codes)
    table = torch.stack([share[..., None] * learner.ink(adds, codes)[:, None] for adds in learner.adds])
    return torch.einsum("bik,ikcs->bcs", counts, table)


@torch.no_grad()
def failing(learner: Numerals, book: Codebook) -> np.ndarray:
    """The examples, by number, whose answers are written wrong."""
    codes, wrong = learner.codes(), []
    for start in range(0, len(book.inputs.codes), AT_A_TIME):
        inputs, answers = learner.coded(book.take(np.arange(start, min(start + AT_A_TIME, len(book.inputs.codes)))))
        counts = counted(inputs, len(learner.kinds)).to(learner.device)
        differs = (learner.write(pooled(learner, counts, codes), codes).cpu() != answers).flatten(1).any(1)
        wrong.append(start + differs.nonzero().flatten().numpy())
    return np.concatenate(wrong)
