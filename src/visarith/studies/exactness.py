"""What is measured of column learners beside their score: what they chose, the certificate, other lengths, loops."""

from dataclasses import asdict, replace
from typing import Any

import numpy as np

from visarith.learners.certificate import certify
from visarith.operations.mixed import Mixed
from visarith.runs.judge import judge
from visarith.runs.loop import loop
from visarith.runs.run import Run

PAIRS = 1_000


def exactness(run: Run, *, quick: bool = False) -> dict[str, Any] | None:
    """All of it as JSON; None for learners that report no facts."""
    facts, task = run.facts, run.task
    if not facts:
        return None
    said: dict[str, Any] = {**facts, "certificate": asdict(certify(run.learner, task))}
    if task.operation.signs:
        said["each"] = _each(run)
    operation, notation = task.operation, task.notation
    plain = notation.place_base is not None and not task.corruption.changes_pixels
    if not plain or not run.lengthens or notation.digits != operation.digits:
        return said
    pairs = 20 if quick else PAIRS
    if operation.lengths:
        said["lengths"] = [lengths(run, count, pairs) for count in operation.lengths]
        if run.learner.quantised:
            before = replace(run, learner=run.learner.unquantised(), _readers={})
            most = before.learner.longest or max(operation.lengths)
            some = [count for count in operation.lengths if count <= most]
            said["unsettled"] = [lengths(before, count, pairs) for count in (notation.digits, *some)]
    if operation.sequences:
        steps = 20 if quick else None
        said["loops"] = {each.name: asdict(loop(run, steps=steps, sequence=each.name)) for each in operation.sequences}
    return said


def lengths(run: Run, digits: int, pairs: int) -> dict[str, Any]:
    """Count wrong numbers at another length, among random pairs and among hard cases."""
    longer = run.at(digits)
    score, cases = longer.evaluate(pairs=pairs, seed=run.experiment.seed), hard(longer)
    wrong = [row for row in cases if longer.calculate(*row) != longer.task.domain.check(row)[0]]
    counted = {"hard": len(cases), "hard_wrong": len(wrong)}
    return {"digits": digits, "pairs": pairs, "wrong": round(score.number_error * pairs), **counted}


def hard(run: Run) -> list[tuple[int, ...]]:
    """The hard cases of the operation, such as long carries; empty if it defines none."""
    domain, operation = run.task.domain, run.task.operation
    return operation.hard(domain.limit, domain.largest, run.task.notation.base or 10) if operation.hard else []


def _each(run: Run) -> dict[str, float]:
    """The number error of each operation that the sign can choose."""
    experiment, operation = run.experiment, run.task.operation
    assert isinstance(operation, Mixed)
    _, test = run.task.split(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    errors = {}
    for number, part in enumerate(operation.parts):
        some = test.take(np.flatnonzero(test.operands[:, 1] == number))
        score = judge(run.learner, some, run.task.legend, seed=experiment.seed).score
        assert score is not None
        errors[part.name] = score.number_error
    return errors
