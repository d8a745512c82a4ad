"""Which path and scan a column learner uses, found by short trial trainings."""

import copy
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from visarith.data.view import View
from visarith.learners.columns.network import Columns
from visarith.randomness import generator
from visarith.training.loop import Training
from visarith.training.recipe import Recipe

STEPS = 400  # of each trial
LEARNED = 0.05  # the share of the answers' variance below which a task counts as learned


def examples(recipe: Recipe) -> int:
    """How many examples a trial is trained on."""
    return STEPS // 4 * recipe.batch


def decide(
    columns: Columns,
    data: View,
    recipe: Recipe,
    *,
    seed: int,
    device: torch.device | str = "cpu",
    tell: Callable[[str], None],
) -> dict[str, float]:
    """Choose the path and the scan; returns the loss of each trial as a share of the answers' variance.

    Trials run from the simplest choice on. The first one that learns the task is chosen. If none does, as with noise,
    whose variance stays in the loss, the one with the smallest loss is chosen.
    """
    trial = replace(recipe, epochs=math.ceil(STEPS / math.ceil(len(data) / recipe.batch)))
    _, targets = data.batch(np.arange(min(2_000, len(data))), generator(seed, "trial"))
    answers = targets.flatten(1)
    variance = recipe.loss_scale * max(float(answers.var(0, correction=min(1, len(answers) - 1)).sum()), 1e-9)
    shares: dict[str, float] = {}
    choices = {f"{path}, {scan}": (path, scan) for path, scan in columns.choices()}
    for number, (name, choice) in enumerate(choices.items(), 1):
        tell(f"trying path and scan {name} ({number} of at most {len(choices)})")
        copied = copy.deepcopy(columns)
        copied.choose(*choice)
        copied.grid = None  # `data` is already in the cells of the grid
        *_, last = Training(copied, data, trial, seed=seed, device=device).epochs()
        shares[name] = last.loss / variance
        learned = shares[name] < LEARNED
        left = "learned" if learned else f"{len(choices) - number} left"
        tell(f"loss {100 * shares[name]:.1f} % of the variance: {left}")
        if learned:
            break
    columns.choose(*choices[min(shares, key=shares.__getitem__)])
    return shares
