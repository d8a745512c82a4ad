"""The closed loop: what a run draws is shown to it again, with no symbol in between."""

import math
from dataclasses import dataclass

import numpy as np

from visarith.errors import VisarithError, whole
from visarith.experiments.run import Run
from visarith.notation.arabic import MOST_CELLS
from visarith.randomness import rng

SEQUENCES = {
    "add": ("fibonacci", "total"),
    "subtract": ("countdown",),
    "multiply": ("powers",),
    "halve": ("halves",),
}
FACTOR = 3  # of which powers are drawn
STEPS = {"multiply": 100}  # if not 1,000: products take the square of their length


@dataclass(frozen=True)
class Looped:
    """How far a run came: `first_error` is the first step whose drawing is read wrong, None if there is none."""

    sequence: str
    digits: int
    steps: int
    first_error: int | None
    confidence: float  # the least of any reading up to there
    no_room: bool = False  # whether it ended because the next number did not fit


def loop(run: Run, *, steps: int | None = None, sequence: str = "", seed: int = 0) -> Looped:
    """Draw an answer, feed the drawing back, and so on; the drawings are read only to see when they go wrong.

    Fibonacci numbers add the last two drawings; a running total adds, and a countdown subtracts, random numbers; powers
    of three multiply; halves halve. Pictures are as long as the last number needs, where the learner can take that;
    otherwise the loop ends before a number that has no room.
    """
    name, medium = run.task.operation.name, (run.task.medium, run.task.answer_medium)
    steps = whole("steps", STEPS.get(name, 1_000) if steps is None else steps, 1, 100_000)
    if name not in SEQUENCES or run.task.corruption.changes_pixels or medium != ("pictures", "pictures"):
        raise VisarithError(
            f"{run.path} has learned {name}; loops are for clean pictures and for {', '.join(SEQUENCES)}"
        )
    sequence = sequence or SEQUENCES[name][0]
    if sequence not in SEQUENCES[name]:
        raise VisarithError(f"sequence {sequence!r} is not for {name}; use {' or '.join(SEQUENCES[name])}")
    base = getattr(run.task.notation, "base", 10)
    if run.lengthens:
        run = run.at(min(MOST_CELLS, max(run.task.notation.digits, _needed(sequence, steps, base))))
    return _follow(run, sequence, steps, seed)


def _needed(sequence: str, steps: int, base: int) -> int:
    """Digits of the largest number, and a little room."""
    growth = {"fibonacci": (1 + math.sqrt(5)) / 2, "powers": FACTOR, "halves": 2}.get(sequence)
    return 2 + math.ceil(steps * math.log(growth, base)) if growth else 0


def _follow(run: Run, sequence: str, steps: int, seed: int) -> Looped:
    task, dice = run.task, rng(seed, "loop")
    limit, small = task.domain.limit, max(2, task.domain.limit // (2 * steps))
    numbers: tuple[int, ...] = {
        "fibonacci": (0, 1),
        "total": (0,),
        "countdown": (limit // 2,),
        "powers": (1,),
        "halves": (limit // 2 - limit // 7,),
    }[sequence]
    pictures = [_picture(run, number) for number in numbers]
    surely = 1.0
    for step in range(1, steps + 1):
        if sequence == "fibonacci":
            shown, numbers = pictures[-2:], (numbers[1], numbers[0] + numbers[1])
        elif sequence in ("total", "countdown"):
            more = int(dice.integers(0, small)) if small < 2**62 else small
            shown = [pictures[-1], _picture(run, more)]
            numbers = (numbers[0] + more if sequence == "total" else numbers[0] - more,)
        elif sequence == "powers":
            shown, numbers = [pictures[-1], _picture(run, FACTOR)], (numbers[0] * FACTOR,)
        else:
            shown, numbers = [pictures[-1]], (numbers[0] // 2,)
        if not 0 <= numbers[-1] <= limit:
            return Looped(sequence, task.notation.digits, step - 1, None, surely, no_room=True)
        drawn = run.predict(np.stack(shown)[None])[0, 0]
        reading = run.read(drawn[None])
        surely = min(surely, float(reading.confidence.min()))
        if task.notation.parse(reading.symbols) != [numbers[-1]]:
            return Looped(sequence, task.notation.digits, step, step, surely)
        pictures = [pictures[-1], drawn]
    return Looped(sequence, task.notation.digits, steps, None, surely)


def _picture(run: Run, number: int) -> np.ndarray:
    symbols = run.task.notation.write(np.array([number], object))
    picture: np.ndarray = run.task.plain_page.typeset(symbols)[0].astype(np.float32) / 255
    return picture
