"""What training makes small: the difference between what is drawn and what was to be drawn."""

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from visarith.training.recipe import Recipe


def loss_of(logits: Tensor, targets: Tensor, recipe: Recipe) -> Tensor:
    """`loss_scale` x the sum over an example's pixels, mean over the batch."""
    if recipe.loss == "squares":
        total = (torch.sigmoid(logits) - targets).square().sum()
    else:
        total = binary_cross_entropy_with_logits(logits, targets, reduction="sum")
    return recipe.loss_scale * total / len(logits)
