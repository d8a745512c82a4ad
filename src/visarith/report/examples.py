"""Test pairs of trained networks as a person sees them: Fig. 1 and 3."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from visarith.data.task import Examples, Task
from visarith.randomness import generator
from visarith.report import drawing
from visarith.report.drawing import BLUE, ORANGE, TEXT, Sheet
from visarith.report.evidence import Evidence, NoResultError
from visarith.runs.run import Run

BATCH = 2_000  # as many as the judge draws at once, so that noise falls on a pair as it did there
COLUMNS = 3
ROWS = ("input 1", "input 2", "network's answer", "truth")
OPERATIONS = {"subtraction": ["subtract"], "multiplication": ["multiply"], "noisy addition": ["noise-better", "noise"]}


@dataclass(frozen=True, eq=False)
class Example:
    """One test pair as a person sees it."""

    inputs: np.ndarray  # (operands, height, width), corrupted as the task says
    answer: np.ndarray  # (height, width), what the network draws
    target: np.ndarray  # (height, width), what it should draw, with noise where training had it
    wrong: np.ndarray  # (cells,) whether the templates read something else than the truth


@lru_cache(maxsize=8)  # to sample 180,000 pairs takes seconds, and several figures show the same ones
def _test_pairs(task: Task, examples: int, test_pairs: int, seed: int) -> Examples:
    return task.examples(examples, test_pairs, seed=seed)[1]


def examples_of(run: Run) -> Iterator[Example]:
    """The run's test pairs, in the order in which they were judged."""
    experiment, task = run.experiment, run.task
    test = _test_pairs(task, experiment.examples, experiment.test_pairs, experiment.seed)
    reader = task.legend.reader("templates")
    noise, target_noise = (generator(experiment.seed, purpose) for purpose in ("test noise", "report"))
    for start in range(0, len(test), BATCH):
        batch = test[start : start + BATCH]
        inputs = task.inputs(batch.inputs, noise)
        answers = task.plain_answers(run.learner.drawn(inputs))[:, 0]
        wrong = reader.read(answers).symbols != batch.answers[:, 0]
        targets = task.answer_layout.plain(task.targets(batch.answers[:, 0], target_noise).numpy())
        yield from map(Example, task.layout.plain(inputs.numpy()), answers, targets, wrong)


@lru_cache(maxsize=8)  # Fig. 1 and 2 show the same ones
def right_and_wrong(run: Run) -> list[Example]:
    """The first two that are right and the first that is wrong, or as near to that as the run allows."""
    right: list[Example] = []
    wrong: list[Example] = []
    for example in examples_of(run):
        same = wrong if example.wrong.any() else right
        if len(same) < COLUMNS:
            same.append(example)
        if len(right) >= COLUMNS - 1 and wrong:
            break
    failures = wrong[: max(1, COLUMNS - len(right))]
    return [*right[: COLUMNS - len(failures)], *failures]


def examples_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """Fig. 1: inputs, answer and truth, wrong digits framed; and the caption."""
    stored = evidence.run("add")
    run, examples = stored.run, right_and_wrong(stored.run)
    wrong = sum(bool(example.wrong.any()) for example in examples)
    right = len(examples) - wrong
    what = f"{right} that are right and {wrong} that are wrong, wrong digits framed"
    if not wrong:
        what = f"the first {right}; not one of them all is wrong"
    elif (right, wrong) == (2, 1):
        what = "the first two that are right and the first that is wrong, its wrong digits framed"
    columns = [
        _column(run, example, *(("wrong", ORANGE) if example.wrong.any() else ("right", BLUE))) for example in examples
    ]
    caption = f"Of the {run.experiment.test_pairs:,} test pairs, {what} ({stored.source})."
    return drawing.draw_columns(ROWS, columns), caption


def operations_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """Fig. 3: the first test pair of each operation of which there is a run; and the caption."""
    runs, missing = {}, []
    for title, entries in OPERATIONS.items():
        try:
            runs[title] = evidence.run(*entries)
        except NoResultError as error:
            missing.append(error)
    if not runs:
        raise missing[0]
    sources = "; ".join(stored.source for stored in runs.values())
    caption = f"The first test pair of {', '.join(runs)} ({sources}), wrong digits framed."
    if "noisy addition" in runs:
        caption += " The last picture of noisy addition is not the truth but a target as it was trained with."
    caption += "".join(f" Not shown: {error}." for error in missing)
    columns = [_column(stored.run, next(examples_of(stored.run)), title) for title, stored in runs.items()]
    return drawing.draw_columns(ROWS, columns), caption


def _column(run: Run, example: Example, title: str, colour: str = TEXT) -> drawing.Column:
    frames = {len(example.inputs): np.flatnonzero(example.wrong).tolist()}
    note = "a noisy target of training, not the truth" if run.task.corruption.noise else ""
    pictures = [*example.inputs, example.answer, example.target]
    return drawing.Column(title, pictures, run.task.plain_answer_layout, frames, note, colour)
