"""The closed loop: what a run draws is shown to it again, with no symbol in between."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from visarith.errors import VisarithError, whole
from visarith.notation.arabic import MOST_CELLS
from visarith.operations import OPERATIONS
from visarith.operations.operation import Sequence
from visarith.randomness import rng
from visarith.runs.run import Run


@dataclass(frozen=True)
class Looped:
    """How far a run came: `first_error` is the first step whose drawing is read wrong, None if there is none."""

    sequence: str
    digits: int
    steps: int
    first_error: int | None
    confidence: float  # the least of any reading up to there
    no_room: bool = False  # whether it ended because the next number did not fit


def loop(
    run: Run,
    *,
    steps: int | None = None,
    sequence: str = "",
    seed: int = 0,
    step: Callable[[int], object] = lambda _: None,
) -> Looped:
    """Draw an answer, feed the drawing back, and so on; the drawings are read only to see when they go wrong.

    Fibonacci numbers add the last two drawings; a running total adds, and a countdown subtracts, random numbers; powers
    of three multiply; halves halve. Pictures are as long as the last number needs, where the learner can take that;
    otherwise the loop ends before a number that has no room.
    """
    task = run.task
    known = {each.name: each for each in task.operation.sequences}
    if not known or task.corruption.changes_pixels or (task.medium, task.answer_medium) != ("pictures", "pictures"):
        looped = ", ".join(name for name, each in OPERATIONS.items() if each.sequences)
        raise VisarithError(
            f"{run.path} has learned {task.operation.name}; loops are for clean pictures and for {looped}"
        )
    if sequence and sequence not in known:
        raise VisarithError(f"sequence {sequence!r} is not for {task.operation.name}; use {' or '.join(known)}")
    followed = known[sequence] if sequence else task.operation.sequences[0]
    steps = whole("steps", followed.steps if steps is None else steps, 1, 100_000)
    if run.lengthens:
        run = run.at(min(MOST_CELLS, max(task.notation.digits, _needed(followed, steps, task.notation.base or 10))))
    return _follow(run, followed, steps, seed, step)


def _needed(sequence: Sequence, steps: int, base: int) -> int:
    """Digits of the largest number, and a little room."""
    return 2 + math.ceil(steps * math.log(sequence.growth, base)) if sequence.growth > 1 else 0


def _follow(run: Run, sequence: Sequence, steps: int, seed: int, step: Callable[[int], object]) -> Looped:
    task, dice = run.task, rng(seed, "loop")
    limit, small = task.domain.limit, max(2, task.domain.limit // (2 * steps))
    numbers = list(sequence.start(limit))
    pictures = [_picture(run, number) for number in numbers]
    surely = 1.0
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
            return Looped(sequence.name, task.notation.digits, number - 1, None, surely, no_room=True)
        drawn = run.predict(np.stack(shown)[None])[0, 0]
        reading = run.read(drawn[None])
        surely = min(surely, float(reading.confidence.min()))
        if task.notation.parse(reading.symbols) != [found[0]]:
            return Looped(sequence.name, task.notation.digits, number, number, surely)
        pictures, numbers = [pictures[-1], drawn], [numbers[-1], found[0]]
        step(1)
    return Looped(sequence.name, task.notation.digits, steps, None, surely)


def _picture(run: Run, number: int) -> np.ndarray:
    symbols = run.task.notation.write(np.array([number], object))
    picture: np.ndarray = run.task.plain_layout.typeset(symbols)[0].astype(np.float32) / 255
    return picture
