"""Another attempt, for a learner that errs on its own training examples."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from visarith.training.recipe import Recipe
from visarith.training.round import Round

OFTEN = 5_000  # failing examples that are shown more often
LONGER = 1.5  # times the epochs of the first round
GENTLE = 0.3  # the rate of a round that goes on, as a share of the one's before


def another(
    before: list[Round], recipe: Recipe, failing: np.ndarray, count: int, tell: Callable[[str], None]
) -> list[Round]:
    """Go on with the failing examples in half of each batch, then start from new weights for longer, then go on."""
    last, attempt = before[-1], before[-1].attempt + 1
    if not len(failing) or last.attempt == recipe.attempts:
        return []
    if attempt % 2:
        return [longer(from_new_weights(before, recipe, tell))]
    tell(f"attempt {attempt} of at most {recipe.attempts}: goes on, with the failing examples more often")
    often = tuple(failing[:OFTEN].tolist()) if len(failing) < count / 4 else ()
    half = math.ceil(last.epochs / 2)
    return [replace(last, epochs=half, rate=GENTLE * last.rate, attempt=attempt, fresh=False, often=often)]


def from_new_weights(before: list[Round], recipe: Recipe, tell: Callable[[str], None]) -> Round:
    """The first round again, from new weights."""
    attempt = before[-1].attempt + 1
    tell(f"attempt {attempt} of at most {recipe.attempts}: from new weights")
    return replace(before[0], attempt=attempt, fresh=True)


def longer(this: Round) -> Round:
    """The same round with half as many epochs again."""
    return replace(this, epochs=math.ceil(LONGER * this.epochs))
