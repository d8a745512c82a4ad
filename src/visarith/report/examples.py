"""Test pairs of a stored run, drawn and read again as when it was judged, and the figures that show them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from visarith.randomness import generator
from visarith.report.columns import Column, draw_columns
from visarith.report.drawing import BLUE, ORANGE, TEXT
from visarith.runs.run import Run

BATCH = 2_000  # as many as the judge draws at once, so that noise falls on a pair as it did there
COLUMNS = 3
ROWS = ("input 1", "input 2", "network's answer", "truth")


@dataclass(frozen=True, eq=False)
class Example:
    """One test pair as a person sees it."""

    inputs: np.ndarray  # (operands, height, width), corrupted as the task says
    answer: np.ndarray  # (height, width), what the network draws
    target: np.ndarray  # (height, width), what it should draw, with noise where training had it
    wrong: np.ndarray  # (cells,) whether the templates read something else than the truth


def examples_of(run: Run) -> Iterator[Example]:
    """The run's test pairs, in the order in which they were judged."""
    experiment, task = run.experiment, run.task
    _, test = task.examples(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    reader = task.legend.reader("templates")
    noise, target_noise = (generator(experiment.seed, purpose) for purpose in ("test noise", "report"))
    for start in range(0, len(test), BATCH):
        batch = test[start : start + BATCH]
        inputs = task.inputs(batch.inputs, noise)
        answers = task.plain_answers(run.learner.drawn(inputs))[:, 0]
        wrong = reader.read(answers).symbols != batch.answers[:, 0]
        targets = task.answer_layout.plain(task.targets(batch.answers[:, 0], target_noise).numpy())
        yield from map(Example, task.layout.plain(inputs.numpy()), answers, targets, wrong)


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


def draw_examples(run: Run, examples: list[Example]) -> bytes:
    """The paper's Fig. 1: inputs, answer and truth, wrong digits framed."""
    columns = []
    for example in examples:
        title, colour = ("wrong", ORANGE) if example.wrong.any() else ("right", BLUE)
        columns.append(_column(run, example, title, colour))
    return draw_columns(ROWS, columns)


def draw_operations(runs: dict[str, Run]) -> bytes:
    """The paper's Fig. 3: the first test pair of each run, by title; under noise the last row is a target."""
    return draw_columns(ROWS, [_column(run, next(examples_of(run)), title) for title, run in runs.items()])


def _column(run: Run, example: Example, title: str, colour: str = TEXT) -> Column:
    frames = {len(example.inputs): np.flatnonzero(example.wrong).tolist()}
    note = "a noisy target of training, not the truth" if run.task.corruption.noise else ""
    pictures = [*example.inputs, example.answer, example.target]
    return Column(title, pictures, run.task.plain_answer_layout, frames, note, colour)
