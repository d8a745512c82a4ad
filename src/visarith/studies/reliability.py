"""Study `reliability`: ten seeds, on which nothing was developed, of what columns and the tally should do exactly.

Each run is trained at the defaults, asked for 200,000 fresh pairs, and asked for its certificate. Seeds 100 to 109 were
run before. What one of them showed changed how a path is chosen (docs/log.md), so these ten are new.
"""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from visarith.data.task import Task
from visarith.learners import learner_config
from visarith.learners.certificate import certify
from visarith.runs.learn import learn
from visarith.studies.catalogue import QUICK_SIZE, QUICK_TEST_PAIRS, SIZE, TEST_PAIRS, quickly
from visarith.studies.experiments import place_of
from visarith.studies.study import Context, Found, Job, Study
from visarith.training.recipe import COLUMNS, Recipe

SEEDS = range(200, 210)
FRESH, QUICK_FRESH, FRESH_SEED = 200_000, 500, 1  # pairs; the same for all runs of a task
TASKS = {
    "add": ("add", "arabic", "columns"),
    "subtract": ("subtract", "arabic", "columns"),
    "multiply": ("multiply", "arabic", "columns"),
    "halve": ("halve", "arabic", "columns"),
    "roman": ("add", "roman", "tally"),
}
COST = 150.0
KEYS = ("task", "run_seed", "fresh", "wrong", "exact", "attempts", "certificate", "core_seconds")


def _jobs(seeds: Sequence[int], quick: bool) -> list[Job]:  # noqa: ARG001
    jobs, sizes = [], [QUICK_SIZE, QUICK_TEST_PAIRS, QUICK_FRESH] if quick else [SIZE, TEST_PAIRS, FRESH]
    recipe = _recipe(quick).asked()
    for seed in SEEDS[:1] if quick else SEEDS:
        for name in TASKS:
            asked = {"task": name, "seed": seed, "sizes": sizes, "recipe": recipe}
            work = partial(_measure, f"{name}-{seed}", asked)
            jobs.append(Job(STUDY.name, f"{name}-{seed}", asked, work, COST, keys=KEYS))
    return jobs


STUDY = Study("reliability", "Ten fresh seeds of columns and of the tally", _jobs, long=True)


def _recipe(quick: bool) -> Recipe:
    return quickly(COLUMNS) if quick else COLUMNS


def _measure(name: str, asked: Found, context: Context) -> Found:
    """Train one run, judge it on fresh pairs, and ask for its certificate."""
    operation, notation, learner = TASKS[asked["task"]]
    examples, test_pairs, fresh = asked["sizes"]
    run = learn(
        Task(operation, notation=notation),
        learner_config(learner),
        _recipe(context.quick),
        asked["seed"],
        examples=examples,
        test_pairs=test_pairs,
        **place_of(STUDY.name, name, asked, context),
    )
    score = run.evaluate(pairs=fresh, seed=FRESH_SEED)
    return {
        "task": asked["task"],
        "run_seed": asked["seed"],
        "fresh": fresh,
        "wrong": round(score.number_error * fresh),
        "exact": run.learner.exact,
        "attempts": run.facts.get("attempts"),
        "certificate": asdict(certify(run.learner, run.task)),
        "core_seconds": run.core_seconds,
    }
