"""The plain computation: every pixel of every picture, typeset and corrupted a batch at a time."""

import numpy as np
import torch
from torch import Tensor, nn

from visarith.learners.learner import Learner
from visarith.learners.recurrent import Recurrent
from visarith.randomness import generator
from visarith.task import Examples, Task
from visarith.training.loss import loss_of
from visarith.training.recipe import Recipe


class Dense(nn.Module):
    """Trains a learner on pixels. What `Shortcut` computes is tested against this."""

    def __init__(
        self, learner: Learner, task: Task, examples: Examples, recipe: Recipe, *, seed: int, bf16: bool
    ) -> None:
        super().__init__()
        self.learner = learner
        self.task, self.examples, self.recipe, self.seed = task, examples, recipe, seed
        self.bf16 = bf16 and not isinstance(learner, Recurrent)  # PyTorch's LSTM has no bf16 on some CPUs

    def gradients(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        """Set the gradients of these examples and give their loss."""
        inputs, targets = self._pictures(rows, noise)
        with torch.autocast("cpu", torch.bfloat16, enabled=self.bf16):
            logits = self.learner.logits(inputs).float()
        loss = loss_of(logits, targets, self.recipe)
        self.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def _pictures(self, rows: np.ndarray, noise: torch.Generator) -> tuple[Tensor, Tensor]:
        inputs, answers = self.examples.inputs[rows], self.examples.answers[rows]
        if self.recipe.noise == "fresh" or not self.task.corruption.changes_pixels:
            return self.task.inputs(inputs, noise), self.task.targets(answers, noise)
        own = [generator(self.seed, "fixed noise", int(row)) for row in rows]  # too large to keep: drawn again
        shown = [self.task.inputs(inputs[i : i + 1], own[i]) for i in range(len(rows))]
        drawn = [self.task.targets(answers[i : i + 1], own[i]) for i in range(len(rows))]
        return torch.cat(shown), torch.cat(drawn)

    def trained(self) -> list[nn.Parameter]:
        """The weights that the optimizer updates."""
        return self.learner.trained_weights()

    def sync(self) -> None:
        """The learner itself is what is trained: nothing to bring up to date."""
