"""Closed loops: a run's drawings are its next inputs, with no symbols in between."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from visarith.errors import VisarithError, whole
from visarith.notation.arabic import MOST_CELLS
from visarith.operations import OPERATIONS
from visarith.operations.operation import Sequence
from visarith.randomness import rng
from visarith.runs.run import Run


@dataclass(frozen=True)
class Looped:
    """The result of a loop; `first_error` is the first step whose drawing is read wrong, or None."""

    sequence: str
    digits: int
    steps: int
    first_error: int | None
    confidence: float  # the lowest of all readings
    no_room: bool = False  # whether the loop ended because the next number did not fit


def loop(
    run: Run,
    *,
    steps: int | None = None,
    sequence: str = "",
    seed: int = 0,
    step: Callable[[int], object] = lambda _: None,
) -> Looped:
    """Draw an answer, use the drawing as an input, and repeat; drawings are read only to find errors.

    Fibonacci numbers add the last two drawings; a running total adds, and a countdown subtracts, random numbers; powers
    of three multiply; halves halve. If the learner takes any length, pictures are wide enough for the last number;
    otherwise the loop ends before a number that does not fit.
    """
    task, followed = run.task, _sequence(run, sequence)
    steps = planned_steps(run, steps, sequence)
    if run.lengthens:  # to the digits of the largest number, and two more
        base, growth = task.notation.base or 10, followed.growth
        needed = 2 + math.ceil(steps * math.log(growth, base)) if growth > 1 else 0
        run = run.at(min(MOST_CELLS, max(task.notation.digits, needed)))
    return _follow(run, followed, steps, seed, step)


def planned_steps(run: Run, steps: int | None = None, sequence: str = "") -> int:
    """Return the largest number of steps: the given one, or the default of the sequence."""
    return whole("steps", _sequence(run, sequence).steps if steps is None else steps, 1, 100_000)


def _sequence(run: Run, sequence: str) -> Sequence:
    """Return the sequence of this name, by default the first of the operation."""
    task = run.task
    known = {each.name: each for each in task.operation.sequences}
    if not known or task.corruption.changes_pixels or (task.medium, task.answer_medium) != ("pictures", "pictures"):
        looped = ", ".join(name for name, each in OPERATIONS.items() if each.sequences)
        raise VisarithError(
            f"{run.path} has learned {task.operation}; loops need clean pictures and one of {looped}, or an expression"
        )
    if sequence and sequence not in known:
        raise VisarithError(f"sequence {sequence!r} does not exist for {task.operation}; use {' or '.join(known)}")
    return known[sequence] if sequence else task.operation.sequences[0]


def _follow(run: Run, sequence: Sequence, steps: int, seed: int, step: Callable[[int], object]) -> Looped:
    task, dice = run.task, rng(seed, "loop")
    limit, small = task.domain.limit, max(2, task.domain.limit // (2 * steps))
    numbers = list(sequence.start) if isinstance(sequence.start, tuple) else [sequence.start(limit)]
    pictures = [_picture(run, number) for number in numbers]
    confidence = 1.0
    result = partial(Looped, sequence.name, task.notation.digits)
    for number in range(1, steps + 1):
        shown, operands = pictures[-1:], numbers[-1:]
        if sequence.beside == "previous":
            shown, operands = pictures[-2:], numbers[-2:]
        elif sequence.beside is not None:
            other = sequence.beside
            if other == "random":
                other = int(dice.integers(0, small)) if small < 2**62 else small
            shown, operands = [*shown, _picture(run, int(other))], [*operands, int(other)]
        found = task.domain.answers(operands)
        if found is None:
            return result(number - 1, None, confidence, no_room=True)
        drawn = run.predict(np.stack(shown)[None])[0, 0]
        reading = run.read(drawn[None])
        confidence = min(confidence, float(reading.confidence.min()))
        if task.notation.parse(reading.symbols) != [found[0]]:
            return result(number, number, confidence)
        pictures, numbers = [pictures[-1], drawn], [numbers[-1], found[0]]
        step(1)
    return result(steps, None, confidence)


def _picture(run: Run, number: int) -> np.ndarray:
    symbols = run.task.notation.write(np.array([number], object))
    picture: np.ndarray = run.task.plain_layout.typeset(symbols)[0].astype(np.float32) / 255
    return picture
