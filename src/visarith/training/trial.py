"""Which cells meet and which way a column learner walks, found by trying: short trainings side by side."""

import copy
import math
from dataclasses import replace

from torch import nn

from visarith.learners import columns_of
from visarith.task import Examples, Task, intensities
from visarith.training.lesson import lesson
from visarith.training.loop import Training
from visarith.training.recipe import Recipe

STEPS = 400  # of each trial
LEARNED = 0.05  # the share of the answers' variance below which a task counts as learned


def decide(learner: nn.Module, task: Task, examples: Examples, recipe: Recipe, *, seed: int) -> dict[str, float]:
    """Choose for a column learner that is undecided; gives the loss of each trial, as a share of the variance.

    The choices are tried from the simplest on, and the first with which the task is learned is taken; if there is
    none (in noise there is none, since it stays in the loss), the one that comes closest.
    """
    columns = columns_of(learner)
    if columns is None or columns.decided:
        return {}
    few = examples[: STEPS // 4 * recipe.batch]
    trial = replace(recipe, epochs=math.ceil(STEPS / math.ceil(len(few) / recipe.batch)))
    taught = lesson(learner, task, few)
    answers = intensities(taught.answer_page.typeset(taught.examples.answers[:2_000])).flatten(1)
    variance = recipe.loss_scale * max(float(answers.var(0).sum()), 1e-9)
    shares: dict[tuple[str, str], float] = {}
    for choice in columns.choices():
        pupil = copy.deepcopy(learner)
        columns_of(pupil).choose(*choice)  # type: ignore[union-attr]
        *_, last = Training(pupil, task, few, trial, seed=seed).epochs()
        shares[choice] = last.loss / variance
        if shares[choice] < LEARNED:
            break
    columns.choose(*min(shares, key=shares.__getitem__))
    return {f"{path}, {scan}": share for (path, scan), share in shares.items()}
