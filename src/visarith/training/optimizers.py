"""The optimizers: Adam, and SGD with momentum."""

from typing import Any

import torch
from torch import Tensor, nn

from visarith.training.computation import Computation
from visarith.training.recipe import Recipe


def optimizer(computation: Computation, recipe: Recipe) -> "torch.optim.Optimizer | Momentum":
    """The recipe's optimizer of the weights that a computation trains."""
    if recipe.optimizer == "adam":
        return torch.optim.Adam(computation.trained(), lr=recipe.rate, fused=True)
    return Momentum(computation.trained(), computation.multiples(recipe.bias_rate), recipe)


class Momentum:
    """SGD with momentum as in torch.optim.SGD, whose overhead takes as long as the update itself.

    Each weight, or each number of it, has its own multiple of the learning rate. Weights decay, biases do not.
    """

    def __init__(self, weights: list[nn.Parameter], multiples: list[Tensor | float], recipe: Recipe) -> None:
        self.weights, self.multiples = weights, multiples
        self.momentum, self.decay = recipe.momentum, recipe.weight_decay
        self.param_groups: list[dict[str, Any]] = [{"lr": recipe.rate}]
        self.velocities = [torch.zeros_like(weight) for weight in weights]

    @torch.no_grad()
    def step(self) -> None:
        rate = self.param_groups[0]["lr"]
        for weight, velocity, multiple in zip(self.weights, self.velocities, self.multiples, strict=True):
            if weight.grad is None:  # the loss does not depend on it
                continue
            torch.add(weight.grad, velocity, alpha=self.momentum, out=velocity)
            if self.decay and weight.dim() > 1:
                velocity.add_(weight, alpha=self.decay)
            if isinstance(multiple, Tensor):
                weight.addcmul_(velocity, multiple, value=-rate)
            else:
                weight.add_(velocity, alpha=-rate * multiple)

    def state_dict(self) -> dict[str, Any]:
        return {"velocities": self.velocities}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        for velocity, stored in zip(self.velocities, state["velocities"], strict=True):
            velocity.copy_(stored)
