"""The rounds of training of a column learner: how long, in which stages, and what follows if it is not exact.

Columns are trained first. A learner that multiplies in rows starts from diagonals, trained for half as long again, then
learns to read what it drew, and then, if it is not exact yet, trains all weights. A learner that errs on its own
training examples tries again. Rows start from new weights, since better diagonals make better rows. Other columns go on
with the failing examples in half of each batch, then start from new weights for half as long again, then go on.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from visarith.data.view import View
from visarith.learners.columns.scan import ALL_WEIGHTS, READ_AGAIN
from visarith.training.attempts import another, from_new_weights, longer
from visarith.training.recipe import Recipe
from visarith.training.round import Round

if TYPE_CHECKING:
    from visarith.learners.columns.network import Columns

USUAL_PATTERNS = 12  # distinct cells of pictures: more of them need more steps
STAGES = {READ_AGAIN: (0.12, 3e-3), ALL_WEIGHTS: (0.12, 5e-4)}  # steps, as a share of those of the diagonals, and rate
CLIP = 1.0  # of the gradient in rows: an error that is drawn and read again and again can explode


def rounds(columns: "Columns", data: View, recipe: Recipe) -> list[Round]:
    """The rounds of the first attempt: as many passes as the recipe says, and enough steps if examples are few."""
    steps = math.ceil(len(data) / recipe.batch)
    if data.codebook is not None:
        many = max(1.0, len(data.codebook.inputs.layout.patterns) / USUAL_PATTERNS)
        steps = max(steps, math.ceil(recipe.least_steps * many / recipe.epochs))
    first = Round(recipe.epochs, steps, recipe.rate)
    return _in_rows(longer(first)) if columns.plans_rows else [first]


def _in_rows(first: Round) -> list[Round]:
    return [first, _rows(first, READ_AGAIN)]


def _rows(first: Round, stage: int) -> Round:
    share, rate = STAGES[stage]
    steps = math.ceil(share * first.epochs * first.steps)
    return replace(first, epochs=1, steps=steps, rate=rate, clip=CLIP, stage=stage, fresh=False)


def more_rounds(
    columns: "Columns", data: View, recipe: Recipe, before: list[Round], tell: Callable[[str], None]
) -> list[Round]:
    """What follows when these rounds are done: nothing if the learner is exact on its training examples."""
    failing = columns.failing(data, before[-1].attempt, tell)
    if failing is None or not len(failing):
        return []
    last = before[-1]
    if last.stage == READ_AGAIN:
        return [_rows(next(each for each in reversed(before) if not each.stage), ALL_WEIGHTS)]
    if last.attempt == recipe.attempts or columns.hopeless(len(data)):
        return []
    if columns.plans_rows:
        return _in_rows(from_new_weights(before, recipe, tell))
    return another(before, recipe, failing, len(data), tell)
