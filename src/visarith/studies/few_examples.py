"""Study `few-examples`: error against the number of distinct training pairs, for the perceptron and for columns.

Every run takes about as many steps as the longest, however few its examples are.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from visarith.data.task import Task
from visarith.learners import learner_config
from visarith.runs.judge import judge
from visarith.studies.study import Context, Found, Job, Study
from visarith.training.loop import Training, guest
from visarith.training.recipe import ADAM, COLUMNS

MOST, TEST_PAIRS = 150_000, 30_000
COUNTS = (30, 100, 300, 1_000, 3_000, 10_000, 30_000, MOST)
QUICK_COUNTS, QUICK_MOST, QUICK_TEST_PAIRS = (30, 300), 2_000, 400
OPERATIONS = ("add", "multiply")
RECIPES = {"perceptron": replace(ADAM, epochs=10), "columns": COLUMNS}  # epochs of 150,000 examples
COSTS = {"perceptron": 55.0, "columns": 65.0}
TOLD = {  # to columns, as the trial of paths finds it from many examples
    ("columns", "add"): {"path": "aligned", "scan": "right"},
    ("columns", "multiply"): {"path": "diagonal", "scan": "right"},
}


def _jobs(seeds: Sequence[int], quick: bool) -> list[Job]:
    most, test = (QUICK_MOST, QUICK_TEST_PAIRS) if quick else (MOST, TEST_PAIRS)
    return [
        Job(
            STUDY.name,
            f"{learner}-{operation}-{count}",
            asked=_asked(learner, operation, count, seed, most, test),
            work=partial(_measure, learner, operation, count, seed, most, test),
            cost=COSTS[learner],
            seed=seed,
            keys=("learner", "operation", "examples", "digit_error", "wrong"),
        )
        for seed in seeds
        for learner in RECIPES
        for operation in OPERATIONS
        for count in (QUICK_COUNTS if quick else COUNTS)
    ]


def _asked(learner: str, operation: str, count: int, seed: int, most: int, test: int) -> Found:
    pairs = {"examples": count, "of": most, "test_pairs": test}
    return {"learner": learner, "operation": operation, "seed": seed, **pairs}


STUDY = Study("few-examples", "How many examples are enough, from 30 to 150,000", _jobs, long=True)


def _measure(
    learner: str, operation: str, count: int, seed: int, most: int, test_pairs: int, context: Context
) -> Found:
    """Train on so many pairs and count what is wrong of the others."""
    task, usual = Task(operation), RECIPES[learner]
    train, test = task.split(count, test_pairs, seed=seed)
    batch = min(usual.batch, count)
    steps = (usual.epochs if most == MOST else 1) * -(-most // usual.batch)
    recipe = replace(usual, batch=batch, epochs=max(1, round(steps / -(-count // batch))))
    with guest(context.threads):
        network = learner_config(learner, **TOLD.get((learner, operation), {})).build(task)
        shown = train.view()
        network.prepare(shown, recipe, seed=seed, tell=lambda line: context.progress(0.0, line))
        for epoch in Training(network, shown, recipe, seed=seed).epochs():
            if epoch.number % max(1, recipe.epochs // 20) == 0:
                context.progress(0.95 * epoch.number / recipe.epochs, f"epoch {epoch.number} of {recipe.epochs}")
        network.finish(shown)
        score = judge(network, test, task.legend, seed=seed).score
    assert score is not None
    return {
        "learner": learner,
        "operation": operation,
        "examples": count,
        "seed": seed,
        "digit_error": score.digit_error,
        "wrong": round(score.number_error * score.pairs),
        "pairs": score.pairs,
        "settled": network.quantised,
    }
