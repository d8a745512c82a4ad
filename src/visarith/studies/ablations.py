"""Study `ablations`: what carries the result. The column learner at its defaults, and with one thing changed in each.

The path and the scan that trials find are given to all of them, so that no trial decides. Each is trained in one
attempt, and rows are measured even where the learner itself would go back to its diagonals: both would hide what a
change costs.
"""

import copy
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from visarith.data.picture_set import PictureSet
from visarith.data.task import Task
from visarith.errors import VisarithError
from visarith.learners.builtin import ColumnsConfig
from visarith.learners.certificate import certify
from visarith.learners.columns.ablated import (
    AllPairs,
    WithAllGradients,
    WithGru,
    WithoutRounding,
    WithoutStages,
    WithoutWaves,
)
from visarith.learners.columns.network import Columns
from visarith.learners.columns.rounds import STAGES
from visarith.learners.learner import Learner
from visarith.runs.judge import judge
from visarith.runs.train import stopwatch
from visarith.studies.catalogue import QUICK_SIZE, QUICK_TEST_PAIRS, SIZE, TEST_PAIRS, quickly
from visarith.studies.study import Context, Found, Job, Study
from visarith.training.attempts import LONGER
from visarith.training.loop import Training, guest
from visarith.training.recipe import COLUMNS, Recipe

FEW = 3_000  # examples


@dataclass(frozen=True)
class Variant:
    """A column learner, and what is different in it; `cost` is in seconds, as in a job."""

    operation: str
    path: str
    cost: float
    learner: type[Columns] = Columns
    in_one: bool = False  # one round of at least as many steps as all stages of rows together
    jitter: float = COLUMNS.jitter
    examples: int = SIZE


VARIANTS = {
    "multiply-full": Variant("multiply", "rows", 140),
    "multiply-few": Variant("multiply", "rows", 120, examples=FEW),
    "multiply-few-without-jitter": Variant("multiply", "rows", 120, jitter=0.0, examples=FEW),
    "multiply-without-jitter": Variant("multiply", "rows", 140, jitter=0.0),
    "multiply-without-waves": Variant("multiply", "rows", 160, WithoutWaves),
    "multiply-gru": Variant("multiply", "rows", 160, WithGru),
    "multiply-without-reading-again": Variant("multiply", "diagonal", 110, in_one=True),
    "multiply-without-rounding": Variant("multiply", "rows", 190, WithoutRounding),
    "multiply-all-gradients": Variant("multiply", "rows", 190, WithAllGradients),
    "multiply-without-stages": Variant("multiply", "rows", 300, WithoutStages, in_one=True),
    "multiply-all-pairs": Variant("multiply", "diagonal", 100, AllPairs, in_one=True),
    "add-full": Variant("add", "aligned", 50),
    "add-without-waves": Variant("add", "aligned", 50, WithoutWaves),
    "add-gru": Variant("add", "aligned", 55, WithGru),
    "add-all-pairs": Variant("add", "diagonal", 60, AllPairs),
}
LENGTHS = (20, 100)  # digits of the answers
LONG_PAIRS, QUICK_LONG_PAIRS = 1_000, 20
AT_A_TIME = 50  # long pairs, since all pairs of their cells must fit into memory
KEYS = ("seed", "examples", "pairs", "wrong", "kept_wrong", "longer", "exact", "certificate", "core_seconds")


def _jobs(seeds: Sequence[int], quick: bool) -> list[Job]:
    jobs = []
    for seed in seeds:
        for name, variant in VARIANTS.items():
            examples = min(variant.examples, QUICK_SIZE) if quick else variant.examples
            sizes = [examples, QUICK_TEST_PAIRS, QUICK_LONG_PAIRS] if quick else [examples, TEST_PAIRS, LONG_PAIRS]
            recipe = _recipe(variant, quick).asked()
            asked = {"variant": name, "seed": seed, "sizes": sizes, "lengths": list(LENGTHS), "recipe": recipe}
            jobs.append(Job(STUDY.name, name, asked, partial(_measure, name, asked), variant.cost, seed, keys=KEYS))
    return jobs


STUDY = Study("ablations", "What carries the result: columns with one thing changed", _jobs, long=True)


def _recipe(variant: Variant, quick: bool) -> Recipe:
    recipe = replace(COLUMNS, attempts=1, jitter=variant.jitter)
    if variant.in_one:
        stages = 1 + sum(share for share, _ in STAGES.values())
        recipe = replace(recipe, epochs=math.ceil(stages * math.ceil(LONGER * recipe.epochs)))
    return quickly(recipe) if quick else recipe


def _measure(name: str, asked: Found, context: Context) -> Found:
    examples, test_pairs, long_pairs = asked["sizes"]
    variant = VARIANTS[name]
    return measured(
        variant,
        Task(variant.operation),
        _recipe(variant, context.quick),
        asked["seed"],
        sizes=(examples, test_pairs, long_pairs),
        lengths=asked["lengths"],
        context=context,
    )


def measured(
    variant: Variant,
    task: Task,
    recipe: Recipe,
    seed: int,
    *,
    sizes: tuple[int, int, int],
    lengths: Sequence[int],
    context: Context,
) -> Found:
    """Train a variant, and count what it gets wrong: of held-out pairs, of longer ones, of its own examples."""
    examples, test_pairs, long_pairs = sizes
    with guest(context.threads):
        network = built(variant, task)
        train, test = task.split(examples, test_pairs, seed=seed)
        clock, view = stopwatch(), train.view()
        network.prepare(view, recipe, seed=seed, tell=lambda line: context.progress(0.0, line))
        training = Training(network, view, recipe, seed=seed)
        for epoch in training.epochs():
            context.progress(0.9 * epoch.steps / training.steps_planned, f"epoch {epoch.number}, loss {epoch.loss:.3g}")
        ended = copy.deepcopy(network)
        network.finish(view)
        spent, kept_wrong = clock(), None
        context.progress(0.9, "judging")
        if network.path != variant.path:  # rows ended worse than the diagonals that they started from
            kept_wrong, network = wrong(network, task, test, seed), ended
        facts = network.facts()
        return {
            "seed": seed,
            "pairs": len(test),
            "wrong": wrong(network, task, test, seed),
            "longer": [_longer(network, task, digits, long_pairs, seed) for digits in lengths],
            "exact": network.exact,
            "wrong_examples": facts["wrong_examples"],
            "examples": facts["checked_examples"],
            "kept_wrong": kept_wrong,  # of the diagonals that the learner would keep instead of its rows, or None
            "certificate": asdict(certify(network, task)),
            "steps": training.steps_done,
            "core_seconds": spent.core_seconds,
        }


def built(variant: Variant, task: Task) -> Columns:
    """The untrained learner, which sees what the column learner sees."""
    config = ColumnsConfig(path=variant.path, scan="right").resolved(task.spec)
    return variant.learner(config.sees(task.spec), path=config.path, scan=config.scan, width=config.width)


def _longer(network: Learner, task: Task, digits: int, pairs: int, seed: int) -> Found:
    """Wrong numbers of random pairs at another length; None, and why, if the learner does not go there."""
    other = task.at(digits)
    try:
        learner = network.lengthened(other.spec).eval()
    except VisarithError as error:
        return {"digits": digits, "pairs": 0, "wrong": None, "why": str(error)}
    fresh = other.picture_set(other.fresh(pairs, seed=seed))
    parts = [fresh.take(slice(start, start + AT_A_TIME)) for start in range(0, pairs, AT_A_TIME)]
    return {"digits": digits, "pairs": pairs, "wrong": sum(wrong(learner, other, part, seed) for part in parts)}


def wrong(learner: Learner, task: Task, data: PictureSet, seed: int) -> int:
    """Wrong numbers of these examples."""
    score = judge(learner, data, task.legend, seed=seed).score
    assert score is not None
    return round(score.number_error * len(data))
