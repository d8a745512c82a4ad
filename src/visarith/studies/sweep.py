"""A sweep: a grid over operations, learners, recipes and numbers of examples as jobs, some seeds of each cell."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import partial

from visarith.runs.experiment import Experiment
from visarith.runs.learn import learn
from visarith.studies.catalogue import SIZE
from visarith.studies.experiments import identity, place_of
from visarith.studies.study import Context, Found, Job, fingerprint
from visarith.training.recipe import PAPER

STUDY = "sweep"
COST = 270.0  # seconds of the paper's recipe on its 150,000 examples
KEYS = ("score", "parameters", "train_digit_error", "seconds")


def jobs(cells: Iterable[Experiment], seeds: Sequence[int]) -> list[Job]:
    """The jobs of a grid; a cell is an experiment whatever its seed."""
    return [_job(replace(cell, seed=seed)) for cell in cells for seed in seeds]


def cell_name(cell: Experiment) -> str:
    """A name of a cell that no other cell has."""
    return f"{replace(cell, seed=0).name}-{fingerprint(identity(replace(cell, seed=0)))}"


def _job(experiment: Experiment) -> Job:
    asked, name, recipe = identity(experiment), cell_name(experiment), experiment.recipe
    cost = COST * recipe.epochs * experiment.examples / (PAPER.epochs * SIZE)
    return Job(STUDY, name, asked, partial(_learn, experiment, name, asked), cost, experiment.seed, keys=KEYS)


def _learn(experiment: Experiment, name: str, asked: Found, context: Context) -> Found:
    run = learn(
        experiment.task,
        experiment.learner,
        experiment.recipe,
        experiment.seed,
        examples=experiment.examples,
        test_pairs=experiment.test_pairs,
        **place_of(STUDY, f"{name}-seed{experiment.seed}", asked, context),
    )
    assert run.score is not None
    return {
        "score": asdict(run.score),
        "parameters": run.learner.weight_count,
        "train_digit_error": run.train_digit_error,
        "facts": run.facts,
        "seconds": run.seconds,
        "core_seconds": run.core_seconds,
    }
