"""Studies that train more perceptrons and columns, for addition and multiplication.

`smallest` trains perceptrons of falling size; `few-examples` measures the error against the number of distinct
training pairs.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from visarith.data.task import Task
from visarith.learners import learner_config
from visarith.runs.judge import judge
from visarith.runs.learn import learn
from visarith.studies.catalogue import (
    QUICK_EPOCHS,
    QUICK_SIZE,
    QUICK_TEST_PAIRS,
    SIZE,
    TEST_PAIRS,
)
from visarith.studies.experiments import place_of
from visarith.studies.study import Context, Found, Job, Study
from visarith.training.loop import Training, guest
from visarith.training.recipe import ADAM, COLUMNS, Recipe

SHAPES = ((3, 48), (3, 64), (3, 96), (3, 128), (3, 160), (3, 192), (2, 192), (2, 256), (1, 256))  # layers x units
SHAPE_KEYS = ("layers", "width", "units", "parameters", "digit_error", "digit_interval", "number_error")
MOST, QUICK_MOST = SIZE, QUICK_SIZE
COUNTS, QUICK_COUNTS = (30, 100, 300, 1_000, 3_000, 10_000, 30_000, MOST), (30, 300)
RECIPES = {"perceptron": replace(ADAM, epochs=10), "columns": COLUMNS}  # epochs of 150,000 examples
COSTS = {"perceptron": 55.0, "columns": 65.0}
TOLD = {  # to columns, as the trial of paths finds it from many examples
    ("columns", "add"): {"path": "aligned", "scan": "right"},
    ("columns", "multiply"): {"path": "rows", "scan": "right"},
}


def _smallest_jobs(seeds: Sequence[int], quick: bool) -> list[Job]:  # noqa: ARG001
    sizes = (QUICK_SIZE, QUICK_TEST_PAIRS) if quick else (SIZE, TEST_PAIRS)
    recipe = replace(ADAM, epochs=QUICK_EPOCHS if quick else 50)
    jobs = []
    for layers, width in SHAPES:
        name = f"{layers}x{width}"
        asked = {"layers": layers, "width": width, "sizes": list(sizes), "recipe": recipe.asked()}
        jobs.append(Job(SMALLEST.name, name, asked, partial(_train_small, name, asked, recipe), 120, keys=SHAPE_KEYS))
    return jobs


SMALLEST = Study("smallest", "How small a trained perceptron can be", _smallest_jobs, long=True)


def _train_small(name: str, asked: Found, recipe: Recipe, context: Context) -> Found:
    layers, width, (examples, test_pairs) = asked["layers"], asked["width"], asked["sizes"]
    config, kept = learner_config(hidden_layers=layers, width=width), place_of(SMALLEST.name, name, asked, context)
    run = learn("add", config, recipe, examples=examples, test_pairs=test_pairs, **kept)
    score = run.evaluate(pairs=test_pairs)
    return {
        "layers": layers,
        "width": width,
        "units": layers * width,
        "parameters": run.learner.weight_count,
        "digit_error": score.digit_error,
        "digit_interval": score.digit_interval,
        "number_error": score.number_error,
        "core_seconds": run.core_seconds,
    }


def _few_jobs(seeds: Sequence[int], quick: bool) -> list[Job]:
    most, test_pairs = (QUICK_MOST, QUICK_TEST_PAIRS) if quick else (MOST, TEST_PAIRS)
    return [
        Job(
            FEW_EXAMPLES.name,
            f"{learner}-{operation}-{count}",
            {"learner": learner, "operation": operation, "seed": seed}
            | {"examples": count, "of": most, "test_pairs": test_pairs, "recipe": RECIPES[learner].asked()},
            partial(_learn_few, learner, operation, count, seed, most, test_pairs),
            COSTS[learner],
            seed,
            keys=("learner", "operation", "examples", "digit_error", "wrong"),
        )
        for seed in seeds
        for learner in RECIPES
        for operation in ("add", "multiply")
        for count in (QUICK_COUNTS if quick else COUNTS)
    ]


FEW_EXAMPLES = Study("few-examples", "How many examples are enough, from 30 to 150,000", _few_jobs, long=True)


def _learn_few(
    learner: str, operation: str, count: int, seed: int, most: int, test_pairs: int, context: Context
) -> Found:
    """Train on so many pairs; count what is wrong of the others.

    Perceptrons take about as many steps as with the most pairs. Columns plan their steps themselves.
    """
    task, usual = Task(operation), RECIPES[learner]
    train, test = task.split(count, test_pairs, seed=seed)
    batch = min(usual.batch, count)
    steps = (usual.epochs if most == MOST else 1) * -(-most // usual.batch)
    recipe = replace(usual, batch=batch, epochs=max(1, round(steps / -(-count // batch))))
    if usual.least_steps:
        recipe = replace(usual, batch=batch)
        recipe = recipe if most == MOST else replace(recipe, epochs=1, least_steps=0, attempts=1)
    with guest(context.threads):
        network = learner_config(learner, **TOLD.get((learner, operation), {})).build(task)
        shown = train.view()
        network.prepare(shown, recipe, seed=seed, tell=lambda line: context.progress(0.0, line))
        for epoch in Training(network, shown, recipe, seed=seed).epochs():
            if epoch.number % max(1, recipe.epochs // 20) == 0:
                context.progress(min(0.95, epoch.number / recipe.epochs), f"epoch {epoch.number}")
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
