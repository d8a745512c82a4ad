"""The rounds of training of a column learner: how long, in which stages, and what follows if it is not exact.

Columns are trained first. A learner that multiplies in rows starts from diagonals, then learns to read what it drew at
the first two places, and then, if it is not exact yet, trains all weights on two to four places.
A learner that errs on its own training examples tries again: it goes on with the failing examples in half of each
batch, then starts from new weights for half as long again, then goes on once more.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from visarith.data.view import View
from visarith.learners.columns.scan import ALL_WEIGHTS, PLACES_IN_ROWS
from visarith.training.recipe import Recipe
from visarith.training.round import Round

if TYPE_CHECKING:
    from visarith.learners.columns.network import Columns

USUAL_PATTERNS = 12  # distinct cells of pictures: more of them need more steps
READING, TOGETHER = 3e-3, 5e-4  # rates: of reading what was drawn, and of all weights of rows
SHARES = {1: 0.2, 2: 0.1, 3: 0.1, 4: 0.1}  # steps of each stage, as a share of those of the diagonals
CLIP = 1.0  # of the gradient in rows: an error that is drawn and read again and again can explode
LAST_STAGE = max(PLACES_IN_ROWS)
OFTEN = 5_000  # failing examples that are shown more often
LONGER = 1.5  # a new start takes this many times the steps
GENTLE = 0.3  # the rate of a round that goes on, as a share of the first one's
HOPELESS = 0.5  # wrong training examples, of which no further attempt is made if no trial has learned the task either


def rounds(columns: "Columns", data: View, recipe: Recipe) -> list[Round]:
    """The rounds of the first attempt: as many passes as the recipe says, and enough steps if examples are few."""
    steps = math.ceil(len(data) / recipe.batch)
    if data.codebook is not None:
        many = max(1.0, len(data.codebook.inputs.layout.patterns) / USUAL_PATTERNS)
        steps = max(steps, math.ceil(recipe.least_steps * many / recipe.epochs))
    return _attempt(columns.plans_rows, Round(recipe.epochs, steps, recipe.rate))


def _attempt(in_rows: bool, first: Round) -> list[Round]:
    if not in_rows:
        return [first]
    return [first, _rows(first, 1, READING)]


def _rows(first: Round, stage: int, rate: float) -> Round:
    steps = math.ceil(SHARES[stage] * first.epochs * first.steps)
    return replace(first, epochs=1, steps=steps, rate=rate, clip=CLIP, stage=stage, fresh=False)


def more_rounds(
    columns: "Columns", data: View, recipe: Recipe, before: list[Round], tell: Callable[[str], None]
) -> list[Round]:
    """What follows when these rounds are done: nothing if the learner is exact on its training examples."""
    failing = columns.failing(data, before[-1].attempt)
    if failing is None or not len(failing):
        return []
    count, last = len(data), before[-1]
    tell(f"{len(failing):,} of {count:,} training examples are wrong or not clear (attempt {last.attempt})")
    first = next(each for each in reversed(before) if each.stage == 0 and (each.fresh or each is before[0]))
    often = tuple(failing[:OFTEN].tolist()) if len(failing) < count / 4 else ()
    if 0 < last.stage < LAST_STAGE:
        return [replace(_rows(first, last.stage + 1, TOGETHER), attempt=last.attempt, often=often)]
    if last.attempt == recipe.attempts or (columns.unlearned_in_trials and len(failing) > HOPELESS * count):
        return []
    attempt = last.attempt + 1
    if attempt % 2:
        longer = replace(before[0], epochs=math.ceil(LONGER * before[0].epochs), attempt=attempt, fresh=True)
        tell(f"attempt {attempt} of at most {recipe.attempts}: from new weights, for longer")
        return _attempt(columns.plans_rows, longer)
    tell(f"attempt {attempt} of at most {recipe.attempts}: goes on, with the failing examples more often")
    if columns.plans_rows:
        again = (_rows(first, stage, TOGETHER) for stage in range(ALL_WEIGHTS, LAST_STAGE + 1))
        return [replace(each, attempt=attempt, often=often) for each in again]
    half = math.ceil(first.epochs / 2)
    return [replace(first, epochs=half, rate=GENTLE * first.rate, attempt=attempt, fresh=False, often=often)]
