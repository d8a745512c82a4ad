"""A short training of the paper's network, half a minute long; nothing is written to disk."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from visarith.data.task import Examples, Medium, Task
from visarith.learners import learner_config
from visarith.runs.judge import judge
from visarith.studies.learnability.question import Question, all_operands, few
from visarith.training.loop import Training, guest
from visarith.training.recipe import ADAM, ENTROPY

EXAMPLES, TEST_PAIRS, STEPS = 30_000, 2_000, 2_000
MEDIA: tuple[Medium, Medium] = ("one-hot", "pictures")
RECIPES = {"one-hot": ENTROPY, "pictures": ADAM}  # the best in few steps


@dataclass(frozen=True)
class Trained:
    """Digit error on held-out pairs, and that of always drawing the most frequent symbol of each place (chance)."""

    medium: str
    examples: int
    test_pairs: int
    epochs: int
    hidden_layers: int
    digit_error: float
    chance: float


def quick_training(
    question: Question,
    medium: Medium,
    *,
    seed: int = 0,
    steps: int = STEPS,
    step: Callable[[str], None] = lambda _: None,
) -> Trained:
    """Train the paper's perceptron with Adam for `steps` steps and score it on other pairs."""
    task = question.task(medium=medium)
    count, test_pairs = sizes(task)
    train, test = task.examples(count, test_pairs, seed=seed)
    batch = min(RECIPES[medium].batch, count)
    epochs = max(1, round(steps * batch / count))
    recipe = replace(RECIPES[medium], batch=batch, epochs=epochs)
    with guest(threads=1):
        network = learner_config().build(task)
        training = Training(network, task.picture_set(train).view(), recipe, seed=seed)
        for epoch in training.epochs():
            if epoch.number % max(1, epochs // 4) == 0:
                step(f"{medium}: epoch {epoch.number} of {epochs}")
        score = judge(network, task.picture_set(test), task.legend, seed=seed).score
    assert score is not None
    errors = round(score.digit_error, 5), round(_chance(train, test), 5)
    return Trained(medium, count, test_pairs, epochs, task.hidden_layers, *errors)


def sizes(task: Task) -> tuple[int, int]:
    """Training and test pairs: four fifths and one fifth where there are few."""
    legal = len(all_operands(task)) if few(task) else 2 * (EXAMPLES + TEST_PAIRS)
    if legal >= EXAMPLES + TEST_PAIRS:
        return EXAMPLES, TEST_PAIRS
    test = max(1, min(TEST_PAIRS, legal // 5))
    return max(1, legal - test), test


def _chance(train: Examples, test: Examples) -> float:
    """The error of always drawing the symbol that is commonest in each cell of the training answers."""
    cells = train.answers.reshape(len(train), -1)
    commonest = [np.bincount(cells[:, cell]).argmax() for cell in range(cells.shape[1])]
    return float((test.answers.reshape(len(test), -1) != commonest).mean())
