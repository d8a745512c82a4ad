"""The study of typefaces: a column learner is trained on twenty of them and then reads ten that it has not seen.

The fonts are those of `pictures/fonts.py`; Debian's are fetched. At quick size they are matplotlib's, read again.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from visarith.data.task import Task
from visarith.pictures.fonts import SETS, Font, font_file
from visarith.pictures.typeface import Typeface
from visarith.runs.learn import learn
from visarith.runs.run import Run
from visarith.studies.catalogue import QUICK_EPOCHS, QUICK_SIZE, QUICK_TEST_PAIRS
from visarith.studies.experiments import place_of
from visarith.studies.study import Context, Found, Job, Study

SIZES = {"fonts": "twenty", "unseen": ["unseen", "fresh"], "examples": 150_000, "test_pairs": 30_000, "pairs": 2_000}
QUICK = {"fonts": "nine", "unseen": ["nine"], "examples": QUICK_SIZE, "test_pairs": QUICK_TEST_PAIRS, "pairs": 20}
FRESH = 5_400  # the seed of the pairs in unseen fonts


def _jobs(seeds: Sequence[int], quick: bool) -> list[Job]:
    asks: dict[int, Found] = {seed: {**(QUICK if quick else SIZES), "seed": seed} for seed in seeds}
    keys = ("rows", "trained")
    return [Job(STUDY.name, "add", asked, partial(_read, asked), 400, seed, keys=keys) for seed, asked in asks.items()]


STUDY = Study("typefaces", "Twenty typefaces to learn from, ten to read unseen", _jobs, long=True)


def _read(asked: Found, context: Context) -> Found:
    """Train an adder on pictures in many fonts, and let it add numbers in each of the others."""
    kept = place_of(STUDY.name, "add", asked, context)
    kept |= {name: asked[name] for name in ("examples", "test_pairs", "seed")}
    if context.quick:
        kept["epochs"] = QUICK_EPOCHS
    run = learn(Task("add", typeface=Typeface(fonts=asked["fonts"])), "columns", **kept)
    assert run.score is not None
    return {
        "trained": {"digit_error": run.score.digit_error, "settled": run.learner.quantised},
        "rows": [in_typeface(run, font, asked["pairs"]) for name in asked["unseen"] for font in SETS[name]],
    }


def in_typeface(run: Run, font: Font, pairs: int) -> Found:
    """The share of digits of sums that are right if both numbers are in this font, and of cells that are unreadable."""
    task = replace(run.task, typeface=replace(run.task.typeface, font=str(font_file(font)), fonts=""))
    shown = task.fresh(pairs, seed=FRESH)
    pictures = (task.plain_layout.typeset(shown.inputs) / 255).astype(np.float32)
    read = run.read(run.predict(pictures)[:, 0]).symbols
    perceived = run.perceive(pictures)
    readable = None if perceived is None else perceived.readable.numpy()
    right = read == shown.answers[:, 0]
    return {
        "font": font.name,
        "pairs": pairs,
        "digits_right": float(right.mean()),
        "cells_readable": None if readable is None else float(readable.mean()),
        "digits_right_if_readable": None if readable is None else _share(right, np.asarray(readable.all(1))),
    }


def _share(right: np.ndarray, among: np.ndarray) -> float | None:
    """The share of digits that are right among columns in which both cells are readable; None if there are none."""
    return float(right[among].mean()) if among.any() else None
