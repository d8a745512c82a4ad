"""Trials: short trainings, before training, that choose the path and the scan of a column learner."""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from visarith.data.view import View
from visarith.learners.checked import TRIAL
from visarith.randomness import generator
from visarith.training.loop import Training
from visarith.training.recipe import Recipe
from visarith.training.round import Round

if TYPE_CHECKING:
    from visarith.learners.columns.network import Columns

Device = torch.device | str
STEPS = 400  # of each trial
MOST_HELD = 2_000  # examples that no trial is trained on
LONGER, CLOSE = 3, 0.1  # times, and the difference to the smallest loss below which a choice is tried again
LEARNED = 0.05  # the share of the answers' variance below which a task counts as learned


def examples(recipe: Recipe) -> int:
    """How many examples a trial is trained on."""
    return STEPS // 4 * recipe.batch


def decide(
    columns: "Columns", data: View, recipe: Recipe, *, seed: int, device: Device = "cpu", tell: Callable[[str], None]
) -> dict[str, float]:
    """Choose the path and the scan; returns the loss of each trial as a share of the answers' variance.

    The loss is that of training examples that the trial was not trained on, since few examples can be memorised. Trials
    run from the simplest choice on. The first one that learns the task is chosen. If none does, those that are close to
    the best are tried for longer. If still none does, as with noise, whose variance stays in the loss, the one with the
    smallest loss is chosen.
    """
    shares: dict[str, float] = {}
    choices = {f"{path}, {scan}": (path, scan) for path, scan in columns.choices()}

    def learned(name: str, steps: int, what: str) -> bool:
        tell(f"trying path and scan {name} ({what})")
        shares[name] = trial(columns, *choices[name], data, recipe, seed=seed, device=device, steps=steps)
        tell(f"loss {100 * shares[name]:.1f} % of the variance{': learned' if shares[name] < LEARNED else ''}")
        return shares[name] < LEARNED

    if not any(learned(name, STEPS, f"{number} of at most {len(choices)}") for number, name in enumerate(choices, 1)):
        best = min(shares.values())
        close = [name for name in sorted(shares, key=shares.__getitem__) if shares[name] - best < CLOSE]
        if len(close) > 1:
            any(learned(name, LONGER * STEPS, f"again, {LONGER} times as long") for name in close)
    chosen = min(shares, key=shares.__getitem__)
    columns.choose(*choices[chosen])
    columns.record[TRIAL] = shares[chosen]
    if shares[chosen] >= LEARNED:
        tried = ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares.items())
        tell(f"no trial learned the task ({tried} of the variance left); the best is chosen")
    return shares


def trial(
    columns: "Columns",
    path: str,
    scan: str,
    data: View,
    recipe: Recipe,
    *,
    seed: int,
    device: Device,
    steps: int,
) -> float:
    """Train a copy for a few steps; returns the loss of the last tenth, not trained on, as a share of its variance.

    Trials have no jitter, with which they would take longer to tell one path from another.
    """
    recipe = replace(recipe, jitter=0.0)
    count = min(MOST_HELD, len(data) // 10)
    held = np.arange(len(data))[len(data) - count if count else 0 :]
    answers = data.batch(held, generator(seed, "trial"))[1].flatten(1)
    variance = columns.loss_factor(recipe) * max(float(answers.var(0, correction=min(1, len(answers) - 1)).sum()), 1e-9)
    copied = copy.deepcopy(columns)
    copied.choose(path.replace("rows", "diagonal"), scan)  # rows start from diagonals
    copied.grid = None  # `data` is already in the cells of the grid
    rounds = [Round(4 * steps // STEPS, STEPS // 4, recipe.rate)]
    list(Training(copied, data.head(len(data) - count), recipe, seed=seed, device=device, rounds=rounds).epochs())
    return _loss(copied, data, held, recipe, generator(seed, "trial")) / variance


@torch.no_grad()
def _loss(columns: "Columns", data: View, rows: np.ndarray, recipe: Recipe, noise: torch.Generator) -> float:
    """The mean loss of these examples."""
    total = 0.0
    for some in np.split(rows, range(recipe.batch, len(rows), recipe.batch)):
        inputs, targets = (pictures.to(columns.device) for pictures in data.batch(some, noise))
        total += float(columns.loss(inputs, targets, recipe)) * len(some)
    return total / len(rows)
