"""Study `readings`: the paper's recipe, read in many ways, each tried on the same cells of Table 1 and on noise.

What the paper prints is the same in all of them (SGD, rate, momentum, batch, epochs, squared error, depths, widths).
What it leaves open is start, scale of the loss, centring, ink, the rate of biases, weight decay, and whether noise is
drawn anew and clipped. The rule that chooses one, which docs/log.md had before the first run: the most learnable cells
at or below the paper, by templates; of equally many, the smallest mean logarithm of ours over the paper's. The seed is
for this search only.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

from visarith.data.task import Task
from visarith.pictures.typeface import Typeface
from visarith.runs.judge import Judged
from visarith.runs.learn import learn
from visarith.runs.paper import paper_digit_error
from visarith.studies.catalogue import (
    ADD,
    ADD_1,
    QUICK_SIZE,
    QUICK_TEST_PAIRS,
    ROMAN_1,
    SIZE,
    SUBTRACT_1,
    TEST_PAIRS,
    quickly,
)
from visarith.studies.experiments import TrainingProgress
from visarith.studies.study import Context, Found, Job, Study, fingerprint
from visarith.training.loop import Epoch
from visarith.training.recipe import Recipe

SEED = 7_000
NOISE = 0.3
LEARNABLE = {  # the cells that the paper's network learns, and their cost
    "add": (ADD, 270.0),
    "subtract": (Task("subtract"), 260.0),
    "noise": (Task("add", noise=NOISE), 720.0),
    "add-one-hot": (ADD_1, 60.0),
    "subtract-one-hot": (SUBTRACT_1, 40.0),
    "roman-one-hot": (ROMAN_1, 390.0),
}
PATIENCE, HOPELESS = 10, 0.75  # epochs after which a run ends if so many digits of the watched pairs are still wrong


@dataclass(frozen=True)
class Reading:
    """A way to read the recipe: what is open in it, the ink of pictures, and whether their noise is clipped."""

    recipe: Recipe
    ink: str = "smooth"
    clipped: bool = False

    def task(self, cell: str) -> Task:
        task, _ = LEARNABLE[cell]
        if task.medium != "pictures":
            return task
        corruption = replace(task.corruption, clipped=self.clipped and task.corruption.noise > 0)
        return replace(task, typeface=Typeface(ink=self.ink), corruption=corruption)  # type: ignore[arg-type]


def _reading(
    hidden: str,
    output: str,
    bias: str,
    scale: float,
    ink: str = "smooth",
    *,
    clipped: bool = False,
    **other: object,
) -> Reading:
    """The scale is that of the mean over an answer's outputs."""
    start = {"initialisation": hidden, "output_initialisation": output, "output_bias": bias}
    recipe = Recipe(loss_per="output", loss_scale=scale, **start, **other)  # type: ignore[arg-type]
    return Reading(recipe, ink, clipped)


READINGS = {
    "ordinary": _reading("caffe", "caffe", "zero", 40),
    "ordinary-20": _reading("caffe", "caffe", "zero", 20),
    "ordinary-80": _reading("caffe", "caffe", "zero", 80),
    "ordinary-mean": _reading("caffe", "caffe", "mean", 40),
    "ordinary-bit": _reading("caffe", "caffe", "zero", 40, "bit"),
    "torch-he-90-bit": _reading("torch", "he", "zero", 90, "bit"),
    "torch-he-60-bit": _reading("torch", "he", "zero", 60, "bit"),
    "torch-he-40-bit": _reading("torch", "he", "zero", 40, "bit"),
    "torch-he-60-bit-biases": _reading("torch", "he", "zero", 60, "bit", bias_rate=2.0),
    "torch-he-60-bit-fixed": _reading("torch", "he", "zero", 60, "bit", noise="fixed"),
    "torch-he-60-bit-decay": _reading("torch", "he", "zero", 60, "bit", weight_decay=0.0005),
    "torch-he-mean-60-bit": _reading("torch", "he", "mean", 60, "bit"),
    "torch-60-bit": _reading("torch", "torch", "zero", 60, "bit"),
    "torch-caffe-60-bit": _reading("torch", "caffe", "zero", 60, "bit"),
    "torch-zero-mean-60-bit": _reading("torch", "zero", "mean", 60, "bit"),
    "gaussian-he-60-bit": _reading("gaussian", "he", "zero", 60, "bit"),
    "he-bit": _reading("he", "he", "zero", 40, "bit"),
    "he-zero-mean-bit": _reading("he", "zero", "mean", 40, "bit"),
    "ordinary-bit-fixed": _reading("caffe", "caffe", "zero", 40, "bit", noise="fixed"),
    "caffe-he-bit": _reading("caffe", "he", "zero", 40, "bit"),
    "ordinary-60-bit": _reading("caffe", "caffe", "zero", 60, "bit"),
    "ordinary-bit-biases": _reading("caffe", "caffe", "zero", 40, "bit", bias_rate=2.0),
    "ordinary-bit-decay": _reading("caffe", "caffe", "zero", 40, "bit", weight_decay=0.0005),
    "ordinary-60-bit-clipped": _reading("caffe", "caffe", "zero", 60, "bit", clipped=True),
    "ordinary-50-bit-clipped": _reading("caffe", "caffe", "zero", 50, "bit", clipped=True),
    "ordinary-bit-clipped": _reading("caffe", "caffe", "zero", 40, "bit", clipped=True),
    "ordinary-mean-120-bit-clipped": _reading("caffe", "caffe", "mean", 120, "bit", clipped=True),
    "he-zero-mean-180-bit-clipped": _reading("he", "zero", "mean", 180, "bit", clipped=True),
    "he-zero-mean-220-bit-clipped": _reading("he", "zero", "mean", 220, "bit", clipped=True),
    "he-zero-mean-260-bit-clipped": _reading("he", "zero", "mean", 260, "bit", clipped=True),
    "he-zero-mean-180-clipped": _reading("he", "zero", "mean", 180, clipped=True),
    "torch-he-220-bit-clipped": _reading("torch", "he", "zero", 220, "bit", clipped=True),
    "ordinary-bit-uncentred": _reading("caffe", "caffe", "zero", 40, "bit", centring=False),
}


def job(reading: Reading, cell: str, *, quick: bool = False) -> Job:
    """The job that measures a cell. Readings that differ in nothing that this cell shows share it."""
    task, cost = reading.task(cell), LEARNABLE[cell][1]
    recipe = reading.recipe if task.corruption.noise else replace(reading.recipe, noise="fresh")
    recipe = quickly(recipe) if quick else recipe
    asked = {
        "cell": cell,
        "recipe": recipe.asked(),
        "ink": task.typeface.ink,
        **({"clipped": True} if task.corruption.clipped else {}),
        "sizes": [QUICK_SIZE, QUICK_TEST_PAIRS] if quick else [SIZE, TEST_PAIRS],
        "seed": SEED,
    }
    work = partial(_measure, task, recipe, asked)
    return Job(STUDY.name, f"{cell}-{fingerprint(asked)}", asked, work, cost, keys=KEYS)


def _jobs(seeds: Sequence[int], quick: bool) -> list[Job]:  # noqa: ARG001
    """Quickly, only the first reading."""
    readings = list(READINGS.values())[: 1 if quick else None]
    every = [job(reading, cell, quick=quick) for cell in LEARNABLE for reading in readings]
    return list({each.key: each for each in every}.values())


KEYS = ("cell", "paper", "digit_error", "digit_interval", "per_position", "stopped", "epochs", "core_seconds")
STUDY = Study("readings", "What the paper leaves open, read in many ways", _jobs, long=True)


class HopelessError(Exception):
    """A run that has learned nothing after some epochs."""

    def __init__(self, found: Found) -> None:
        super().__init__("nothing is learned")
        self.found = found


class Impatient(TrainingProgress):
    """Ends a run that has learned nothing after some epochs."""

    def epoch(self, epoch: Epoch, watched: Judged) -> None:
        super().epoch(epoch, watched)
        score = watched.score
        if epoch.number == PATIENCE and score is not None and score.digit_error >= HOPELESS:
            found = {name: asdict(score)[name] for name in ("digit_error", "digit_interval", "per_position")}
            spent = {"epochs": epoch.number, "core_seconds": epoch.number * epoch.core_seconds}
            raise HopelessError(found | {"stopped": True} | spent)


def _measure(task: Task, recipe: Recipe, asked: Found, context: Context) -> Found:
    examples, test_pairs = asked["sizes"]
    found: Found = {"cell": asked["cell"], "paper": paper_digit_error(task.to_json())}
    try:
        run = learn(
            task,
            recipe=recipe,
            seed=SEED,
            examples=examples,
            test_pairs=test_pairs,
            threads=context.threads,
            out=context.folder(STUDY.name, asked["cell"], asked),
            resume=True,
            elsewhere="start-again",
            watcher=Impatient(context),
        )
    except HopelessError as ended:
        return found | ended.found
    assert run.score is not None
    score = asdict(run.score)
    scores = {name: score[name] for name in ("digit_error", "digit_interval", "per_position")}
    return found | scores | {"stopped": False, "epochs": recipe.epochs, "core_seconds": run.core_seconds}


def standing(errors: Mapping[str, tuple[float, float]]) -> tuple[int, float]:
    """How a reading ranks, by ours and the paper's error of each cell: cells at or below the paper, and the mean log.

    >>> standing({"add": (0.019, 0.019), "noise": (0.196, 0.098)})[0]
    1
    """
    logs = [math.log(max(ours, 1e-5) / paper) for ours, paper in errors.values()]
    return sum(ours <= paper for ours, paper in errors.values()), sum(logs) / len(logs)
