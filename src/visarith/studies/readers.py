"""Study `readers`: what templates and Tesseract, set in three ways, make of the same answers.

Tesseract is told that there are only digits, or is not; or lines of which it is less sure than of 99 in 100 clean ones
are left out as unreadable.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from visarith.evaluation import score
from visarith.notation import Notation
from visarith.reading import Reading
from visarith.reading.readers import Tesseract
from visarith.runs.judge import drawn_answers
from visarith.studies import experiments
from visarith.studies.catalogue import ENTRIES, QUICK_TESSERACT, TESSERACT
from visarith.studies.study import Context, Found, Job, Study

READ = ("add", "multiply", "noise", "noise-better")  # entries of numbers without blanks
BLURRED, SEVERAL = 0.5, 2  # a digit is blurred below this confidence, a mixture of three quarters; digits of an answer
SURE = 0.01  # of the clean lines are less sure than the cut
COST = 60.0
KEYS = ("entry", "seed", "pairs", "blurred", "cut", "readers")


def _jobs(seeds: Sequence[int], quick: bool) -> list[Job]:
    count = QUICK_TESSERACT if quick else TESSERACT
    jobs = []
    for seed in seeds:
        for name in READ:
            need = experiments.job(ENTRIES[name], seed, quick=quick)
            asked = {"entry": name, "seed": seed, "pairs": count, "of": need.asked}
            work = partial(_measure, name, seed, count)
            jobs.append(Job(STUDY.name, name, asked, work, COST, seed, keys=KEYS, needs=(need,)))
    return jobs


STUDY = Study("readers", "Templates and Tesseract on the same answers", _jobs)


def _measure(name: str, seed: int, count: int, context: Context) -> Found:
    run = experiments.trained_run(ENTRIES[name], seed, context)
    task, experiment = run.task, run.experiment
    _, test = task.split(experiment.examples, experiment.test_pairs, seed=seed)
    few = test.take(slice(0, count))
    drawn, clean = drawn_answers(run.learner, few, seed=seed)[:, 0], few.clean_answers(slice(0, count))[:, 0]
    truth, notation = few.truth_in(task.legend), task.notation
    told, open_minded = (Tesseract(notation, context.threads, any_character=free) for free in (False, True))
    sure = told.read(clean).confidence[:, 0]
    cut = float(np.quantile(sure, SURE))
    read = {"templates": task.legend.reader("templates").read(drawn), "tesseract": told.read(drawn)}
    context.progress(0.6, "reading without a list of digits")
    read["open"] = open_minded.read(drawn)
    read["sure"] = read["tesseract"].without(read["tesseract"].confidence[:, 0] < cut)
    blurred = (read["templates"].confidence < BLURRED).sum(1) >= SEVERAL
    return {
        "entry": name,
        "seed": seed,
        "pairs": len(few),
        "blurred": int(blurred.sum()),
        "cut": cut,
        "readers": {reader: _judged(reader, each, truth, blurred, task.notation) for reader, each in read.items()},
    }


def _judged(reader: str, reading: Reading, truth: np.ndarray, blurred: np.ndarray, notation: Notation) -> Found:
    found = score(reader, [reading], truth, notation)
    unreadable = (reading.symbols < 0).any(1)
    return {
        "digit_error": found.digit_error,
        "digit_interval": found.digit_interval,
        "unreadable": int(unreadable.sum()),
        "blurred_unreadable": int((unreadable & blurred).sum()),
    }
