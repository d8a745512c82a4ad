"""Study `open-choices`: every choice that the paper leaves open, one at a time, on addition.

Seed 1000 is used for these and for finding recipes, and for nothing that is reported elsewhere.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial

from visarith.data.task import Task
from visarith.pictures.typeface import Typeface
from visarith.runs.learn import learn
from visarith.studies.catalogue import (
    QUICK_EPOCHS,
    QUICK_SIZE,
    QUICK_TESSERACT,
    QUICK_TEST_PAIRS,
    SIZE,
    TESSERACT,
    TEST_PAIRS,
)
from visarith.studies.experiments import TrainingProgress
from visarith.studies.study import Context, Found, Job, Study
from visarith.training.recipe import PAPER, Recipe

SEED = 1000
ADD, BIT = Task("add"), Typeface(ink="bit")
BASE = replace(PAPER, loss_scale=0.05)  # the scale was chosen last
SHORT = replace(BASE, epochs=10)  # noise needs the dense computation, which takes four times as long

CHOICES: dict[str, tuple[Task, Recipe]] = {
    "base": (ADD, BASE),
    "ink-bit": (Task("add", typeface=BIT), BASE),
    "output-bias-zero": (ADD, replace(BASE, output_bias="zero")),
    "output-initialisation-he": (ADD, replace(BASE, output_initialisation="he")),
    "initialisation-torch": (ADD, replace(BASE, initialisation="torch")),
    "loss-scale-half": (ADD, replace(BASE, loss_scale=0.5)),
    "loss-scale-0.2": (ADD, PAPER),
    "loss-scale-0.1": (ADD, replace(BASE, loss_scale=0.1)),
    "loss-scale-mean": (ADD, replace(BASE, loss_scale=1 / 900)),
    "centring-none": (ADD, replace(BASE, centring=False)),
    "noise-fresh": (Task("add", noise=0.3), SHORT),
    "noise-fixed": (Task("add", noise=0.3), replace(SHORT, noise="fixed")),
    "noise-bit": (Task("add", noise=0.3, typeface=BIT), SHORT),
}
COST = 270.0
KEYS = ("epochs", "digit_error", "digit_interval", "tesseract_digit_error")


def _jobs(seeds: Sequence[int], quick: bool) -> list[Job]:  # noqa: ARG001
    jobs = []
    for name, (task, recipe) in CHOICES.items():
        chosen = replace(recipe, epochs=QUICK_EPOCHS) if quick else recipe
        sizes = (QUICK_SIZE, QUICK_TEST_PAIRS, QUICK_TESSERACT) if quick else (SIZE, TEST_PAIRS, TESSERACT)
        fields = {key: value for key, value in asdict(chosen).items() if key != "precision"}
        asked = {"recipe": fields, "ink": task.typeface.ink, "noise": task.corruption.noise, "sizes": list(sizes)}
        jobs.append(Job(STUDY.name, name, asked, partial(_measure, name, task, chosen, sizes), COST, keys=KEYS))
    return jobs


STUDY = Study("open-choices", "What the paper leaves open, one choice at a time", _jobs, long=True)


def _measure(name: str, task: Task, recipe: Recipe, sizes: tuple[int, int, int], context: Context) -> Found:
    examples, test_pairs, tesseract = sizes
    run = learn(
        task,
        recipe=recipe,
        seed=SEED,
        examples=examples,
        test_pairs=test_pairs,
        tesseract=tesseract,
        threads=context.threads,
        out=context.runs / "open-choices" / name,
        resume=True,
        watcher=TrainingProgress(context),
    )
    assert run.score is not None
    assert run.tesseract is not None
    return {
        "epochs": recipe.epochs,
        "digit_error": run.score.digit_error,
        "digit_interval": run.score.digit_interval,
        "unreadable": run.score.unreadable,
        "tesseract_digit_error": run.tesseract.digit_error,
        "precision": run.experiment.recipe.precision,
    }
