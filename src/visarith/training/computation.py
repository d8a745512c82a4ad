"""A computation sets the gradients of a batch: the dense one on every pixel, or a learner's exact shortcut."""

from abc import ABC, abstractmethod
from contextlib import nullcontext
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from visarith.data.view import View
from visarith.training.recipe import Recipe

Precision = Literal["f32", "bf16"]

if TYPE_CHECKING:
    from visarith.learners.learner import Network


class Computation(nn.Module, ABC):
    """Computes gradients; `precision` is that of its matrix products."""

    precision: Precision = "f32"

    @abstractmethod
    def gradients(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        """Set the gradients of these examples and return their loss."""

    @abstractmethod
    def trained(self) -> list[nn.Parameter]:
        """The weights that the optimizer updates."""

    def multiples(self, of_biases: float) -> list[Tensor | float]:
        """The rate of each of these weights, as a multiple of the learning rate: 1, or `of_biases` for biases."""
        biases = {id(weight) for name, weight in self.named_parameters() if name.endswith("bias")}
        return [of_biases if id(weight) in biases else 1.0 for weight in self.trained()]

    def sync(self) -> None:
        """Copy the trained weights to the learner, if the optimizer updates others."""


class Dense(Computation):
    """Trains a learner on every pixel; every shortcut is tested against this."""

    def __init__(self, learner: "Network", data: View, recipe: Recipe, *, seed: int, bf16: bool) -> None:
        super().__init__()
        self.learner = learner
        self.data, self.recipe, self.seed = data, recipe, seed
        self.precision = "bf16" if bf16 else "f32"

    def gradients(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        device = self.learner.device
        inputs, targets = (pictures.to(device) for pictures in self._pictures(rows, noise))
        with torch.autocast(device.type, torch.bfloat16) if self.precision == "bf16" else nullcontext():
            loss = self.learner.loss(inputs, targets, self.recipe)
        self.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    def _pictures(self, rows: np.ndarray, noise: torch.Generator) -> tuple[Tensor, Tensor]:
        return self.data.batch(rows, noise) if self.recipe.noise == "fresh" else self.data.fixed(rows, self.seed)

    def trained(self) -> list[nn.Parameter]:
        return self.learner.trained_weights()


def loss_of(logits: Tensor, targets: Tensor, recipe: Recipe) -> Tensor:
    """The sum over an example's pixels, averaged over the batch, before the recipe scales it."""
    if recipe.loss == "squares":
        total = (torch.sigmoid(logits) - targets).square().sum()
    else:
        total = binary_cross_entropy_with_logits(logits, targets, reduction="sum")
    return total / len(logits)
