"""The study of perception: what pretrained column learners read that is not quite, or not at all, as in training.

`clean` reads clean pictures of the training font, `foreign` pictures of anything else, and `moved` lets the learners
calculate with pictures that were moved, faded and made noisy.
"""

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
import torch

from visarith.randomness import rng
from visarith.runs.pretrained import find
from visarith.runs.run import Run
from visarith.studies.foreign import SEED, Disturbance, disturbances, foreign
from visarith.studies.study import Context, Found, Job, Study

OPERATIONS = ("add", "subtract", "multiply")
CLEAN, QUICK_CLEAN = 100_000, 500  # pictures
PAIRS, QUICK_PAIRS = 2_000, 10  # of each disturbance
QUICK_SHARE = 50  # of which one is taken
AT_A_TIME = 1_000


def read(run: Run, pictures: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a run reads in pictures (count, height, width): digits (count, cells), -1 where a cell is unreadable; and
    how sure it is of each."""
    if len(pictures) % 2:  # two a pair
        pictures = np.concatenate([pictures, pictures[-1:]])
        return tuple(each[:-1] for each in read(run, pictures))  # type: ignore[return-value]
    perceived = run.perceive(pictures.reshape(-1, 2, *pictures.shape[1:]))
    assert perceived is not None, "column learners perceive"
    digits = np.where(perceived.readable.numpy(), digits_of_glyphs(run)[perceived.which.numpy()], -1)
    return digits.reshape(len(pictures), -1), perceived.sure.numpy().reshape(len(pictures), -1)


def digits_of_glyphs(run: Run) -> np.ndarray:
    """Which digit each glyph is, by showing every digit once."""
    symbols = np.repeat(np.arange(10)[:, None], run.task.notation.cells, 1)
    perceived = run.perceive((run.task.plain_layout.typeset(symbols) / 255).reshape(5, 2, *run.task.shape))
    assert perceived is not None, "column learners perceive"
    return np.argsort(perceived.which.reshape(10, -1)[:, 0].numpy())


def _read_foreign(asked: Found, context: Context) -> Found:  # noqa: ARG001
    run, rows = find("add", learner="columns").load(), []
    for each in foreign(share=asked["share"]):
        digits, _ = read(run, each.pictures)
        readable, right = (digits >= 0).all(1), (digits == each.digits).all(1)
        cells = digits >= 0
        rows.append(
            {
                "kind": each.kind,
                "pictures": len(digits),
                "unreadable": int((~readable).sum()),
                "right": int((readable & right).sum()),
                "wrong": int((readable & ~right).sum()),
                "cells_wrong": int((cells & (digits != each.digits)).sum()),
            }
        )
    return {"rows": rows}


def _read_clean(asked: Found, context: Context) -> Found:
    run, dice = find("add", learner="columns").load(), rng(SEED, "clean")
    unreadable, wrong, least = 0, 0, 1.0
    for start in range(0, asked["pictures"], AT_A_TIME):
        symbols = dice.integers(0, 10, (min(AT_A_TIME, asked["pictures"] - start), 7))
        digits, sure = read(run, (run.task.plain_layout.typeset(symbols) / 255).astype(np.float32))
        unreadable += int((digits < 0).any(1).sum())
        wrong += int((digits != symbols).any(1).sum())
        least = min(least, float(sure.min()))
        context.progress(start / asked["pictures"], "clean pictures")
    return {"pictures": asked["pictures"], "unreadable": unreadable, "wrong": wrong, "confidence": least}


def _calculate_moved(asked: Found, context: Context) -> Found:
    """For each disturbance the pairs, the answers that are wrong, and the pairs that are called unreadable."""
    run, rows = find(asked["operation"], learner="columns").load(), []
    for number, (name, each) in enumerate(disturbances().items()):
        context.progress(number / len(disturbances()), name)
        pairs, wrong, unreadable = 0, 0, 0
        count = asked["pairs"] if len(each) == 1 or name.startswith("moved, each") else max(1, asked["pairs"] // 10)
        for index, disturbance in enumerate(each):
            missed, refused = _wrong(run, disturbance, count, SEED + 100 * number + index)
            pairs, wrong, unreadable = pairs + count, wrong + missed, unreadable + refused
        rows.append({"what": name, "pairs": pairs, "wrong": wrong, "unreadable": unreadable})
    return {"operation": asked["operation"], "rows": rows}


def _wrong(run: Run, disturbance: Disturbance, count: int, seed: int) -> tuple[int, int]:
    """How many answers are wrong though the inputs count as readable, and how many pairs are unreadable."""
    task = run.task
    shown = task.fresh(count, seed=seed)
    clean = torch.from_numpy(task.plain_layout.typeset(shown.inputs) / 255).float()
    pictures = disturbance.of(clean, torch.Generator().manual_seed(seed)).numpy()
    perceived = run.perceive(pictures)
    assert perceived is not None, "column learners perceive"
    legible = perceived.legible.numpy()
    symbols = run.read(run.predict(pictures)[:, 0]).symbols
    return int((legible & (symbols != shown.answers[:, 0]).any(1)).sum()), int((~legible).sum())


def _weights(operation: str) -> str:
    """The fingerprint of a pretrained run, so that another one has another result."""
    folder: Path = find(operation, learner="columns").folder
    files = sorted(path for path in folder.iterdir() if path.suffix == ".safetensors")
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:8]


def _jobs(seeds: Sequence[int], quick: bool) -> list[Job]:  # noqa: ARG001
    asked: Found = {"pictures": QUICK_CLEAN if quick else CLEAN, "weights": _weights("add")}
    keys = ("pictures", "unreadable", "wrong")
    jobs = [Job(STUDY.name, "clean", asked, partial(_read_clean, asked), 15, keys=keys)]
    asked = {"share": QUICK_SHARE if quick else 1, "weights": _weights("add")}
    jobs.append(Job(STUDY.name, "foreign", asked, partial(_read_foreign, asked), 10, keys=("rows",)))
    for operation in OPERATIONS:
        pairs = QUICK_PAIRS if quick else PAIRS
        asked = {"operation": operation, "pairs": pairs, "weights": _weights(operation)}
        work = partial(_calculate_moved, asked)
        jobs.append(Job(STUDY.name, f"moved-{operation}", asked, work, 120, keys=("operation", "rows")))
    return jobs


STUDY = Study("foreign", "What column learners read that is not as in training", _jobs)
