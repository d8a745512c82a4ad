"""Which cells meet and which way a column learner walks, found by trying: short trainings side by side."""

import copy
import math
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


def few(recipe: Recipe) -> int:
    """How many examples a trial is trained on."""
    return STEPS // 4 * recipe.batch


def decide(
    columns: Columns, data: View, recipe: Recipe, *, seed: int, device: torch.device | str = "cpu"
) -> dict[str, float]:
    """Choose for a column learner that is undecided; gives the loss of each trial, as a share of the variance.

    The choices are tried from the simplest on, and the first with which the task is learned is taken; if there is
    none (in noise there is none, since it stays in the loss), the one that comes closest.
    """
    trial = replace(recipe, epochs=math.ceil(STEPS / math.ceil(len(data) / recipe.batch)))
    _, targets = data.batch(np.arange(min(2_000, len(data))), generator(seed, "trial"))
    answers = targets.flatten(1)
    variance = recipe.loss_scale * max(float(answers.var(0, correction=min(1, len(answers) - 1)).sum()), 1e-9)
    shares: dict[tuple[str, str], float] = {}
    for choice in columns.choices():
        copied = copy.deepcopy(columns)
        copied.choose(*choice)
        copied.grid = None  # these pictures are in its cells already
        *_, last = Training(copied, data, trial, seed=seed, device=device).epochs()
        shares[choice] = last.loss / variance
        if shares[choice] < LEARNED:
            break
    columns.choose(*min(shares, key=shares.__getitem__))
    return {f"{path}, {scan}": share for (path, scan), share in shares.items()}
