"""What is asked of a column learner beside its score: what it has chosen, how long numbers may be, is it exact."""

import copy
from dataclasses import asdict, replace
from typing import Any

import torch

from visarith.experiments.certificate import certify
from visarith.experiments.judge import judge
from visarith.experiments.loop import SEQUENCES, loop
from visarith.experiments.run import Run
from visarith.learners.columns import Columns
from visarith.notation.arabic import Arabic
from visarith.operations.mixed import Mixed
from visarith.task import Examples

LENGTHS = {"add": (8, 20, 100, 1000), "subtract": (8, 20, 100, 1000), "halve": (8, 20, 100, 1000)}
PRODUCTS = (8, 9, 10, 12, 16, 20, 40, 100)  # digits of the answer; operands have half as many
PAIRS = 1_000
UNSETTLED = 20  # digits, at most, of products without settling: their memory grows with the square


def proof(run: Run, *, quick: bool = False) -> dict[str, Any] | None:
    """Everything, as it goes into the results; None for learners without columns."""
    chosen = run.chosen()
    if not chosen:
        return None
    name, task = run.task.operation.name, run.task
    said: dict[str, Any] = {**chosen, "certificate": asdict(certify(run))}
    if isinstance(task.operation, Mixed):
        said["each"] = _each(run)
    plain = isinstance(task.notation, Arabic) and task.notation.padded and not task.corruption.changes_pixels
    if not plain or run.experiment.learner.name != "columns" or task.notation.digits != task.operation.digits:
        return said
    pairs = 20 if quick else PAIRS
    if name in LENGTHS or name == "multiply":
        digits = LENGTHS.get(name, PRODUCTS)
        said["lengths"] = [lengths(run, count, pairs) for count in digits]
        if chosen["settled"]:
            some = [count for count in digits if name != "multiply" or count <= UNSETTLED]
            said["unsettled"] = [lengths(unsettled(run), count, pairs) for count in (task.notation.digits, *some)]
    if name in SEQUENCES:
        steps = 20 if quick else None
        loops = {sequence: asdict(loop(run, steps=steps, sequence=sequence)) for sequence in SEQUENCES[name]}
        said["loops"] = loops
    return said


def lengths(run: Run, digits: int, pairs: int) -> dict[str, Any]:
    """How many numbers are wrong at another length, and which of the cases are that were made to be hard."""
    longer = run.at(digits)
    score = longer.evaluate(pairs=pairs, seed=run.experiment.seed)
    wrong = [row for row in hard(longer) if longer.calculate(*row) != _truth(longer, row)]
    cases = {"hard": len(hard(longer)), "hard_wrong": len(wrong)}
    return {"digits": digits, "pairs": pairs, "wrong": round(score.number_error * pairs), **cases}


def hard(run: Run) -> list[tuple[int, ...]]:
    """Long carries and borrows, and numbers that are almost nothing."""
    limit, largest = run.task.domain.limit, run.task.domain.largest
    assert isinstance(run.task.notation, Arabic)
    top = (limit + 1) // run.task.notation.base
    cases: dict[str, list[tuple[int, ...]]] = {
        "add": [(top - 1, 1), (1, top - 1), (largest, largest), (0, 0)],
        "subtract": [(top, 1), (limit, limit), (limit, 0), (top, top - 1)],
        "multiply": [(2, 2), (largest, largest), (largest, 1), (0, largest)],
        "halve": [(top,), (limit,), (1,), (0,)],
    }
    return cases[run.task.operation.name]


def unsettled(run: Run) -> Run:
    """The run as it was at the end of its training."""
    learner = copy.deepcopy(run.learner)
    assert isinstance(learner, Columns)
    learner.states.fill_(torch.nan)
    learner.glyphs.fill_(torch.nan)
    return replace(run, learner=learner, _readers={})


def _truth(run: Run, row: tuple[int, ...]) -> int:
    return run.task.domain.check(row)[0]


def _each(run: Run) -> dict[str, float]:
    """The number error of each operation of several."""
    experiment, operation = run.experiment, run.task.operation
    assert isinstance(operation, Mixed)
    _, test = run.task.examples(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    errors = {}
    for number, part in enumerate(operation.parts):
        rows = test.operands[:, 1] == number
        some = Examples(test.operands[rows], test.inputs[rows], test.answers[rows])
        errors[part.name] = judge(run.learner, run.task, some, "templates", seed=experiment.seed).number_error
    return errors
