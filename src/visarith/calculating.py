"""The verb that draws the answer to an expression, with a run of the user's own or the best one that ships."""

import argparse
import json
import sys

import numpy as np

from visarith import terminal
from visarith.arguments import meant, operands, parts
from visarith.errors import VisarithError
from visarith.pictures.png import write_png
from visarith.runs.pretrained import Pretrained, find
from visarith.runs.run import Run, load

INK = 0.25  # what is darker is empty
MOST_DIGITS = 1_000  # to which a run is lengthened here: a product of these takes the better part of a minute


def calculate(options: argparse.Namespace) -> int:
    """Draw the answer to an expression, read it, and say whether it is right."""
    run, shipped = _chosen(options)
    name = shipped.name if shipped else str(run.path)
    numbers = _numbers(options.expression, run)
    run = _with_room(run, numbers, name, shipped)
    task = run.task
    expected = task.notation.text(task.notation.write(list(task.domain.check(numbers)))[0])
    if not task.domain.trained(numbers):
        _say(_beyond(run, max(numbers)))
    picture = run.draw(*numbers)
    reading = run.read(picture[None])
    if options.save:
        write_png(picture, options.save)
    result = {
        "operation": task.operation.name,
        "operands": list(numbers),
        "reading": reading.texts[0],
        "expected": expected,
        "correct": reading.texts[0] == expected,
        "confidence": round(float(reading.confidence.min()), 4),
        "learner": run.experiment.learner.name,
        "run": name,
    }
    if options.json:
        print(json.dumps(result))
        return 0
    terminal.show_picture(_without_margin(picture) if task.notation.aligned == "left" else picture)
    if shipped:
        print(f"learner  {name}, which ships ({shipped.command} makes it again)")
    terminal.show_reading(result)
    return 0


def _chosen(options: argparse.Namespace) -> tuple[Run, Pretrained | None]:
    """The user's run, or else what ships for the expression."""
    if options.run is not None:
        if options.learner:
            raise VisarithError(f"--run {options.run} and --learner {options.learner} are two learners; leave one out")
        return load(options.run), None
    shipped = find(*meant(options.expression), options.learner)
    return shipped.load(), shipped


def _numbers(expression: str, run: Run) -> tuple[int, ...]:
    longest = max(map(len, parts(expression)))
    if longest > max(MOST_DIGITS, run.task.notation.cells):
        raise VisarithError(f"a number of {longest:,} digits is too long to calculate with; use up to {MOST_DIGITS:,}")
    return operands(expression, run)


def _with_room(run: Run, numbers: tuple[int, ...], name: str, shipped: Pretrained | None) -> Run:
    """The run at the length that the numbers and the answer take, which is said if it is longer than in training."""
    had, digits = run.task.notation.digits, run.digits_for(*numbers)
    if digits == had:
        return run
    if not run.lengthens:
        if shipped and shipped.notation == "arabic":
            raise VisarithError(
                f"{digits} digits are too many for {name}, whose pictures have {had}; "
                f"leave --learner out for columns, which take any length"
            )
        return run  # whose domain says what is wrong
    if digits > MOST_DIGITS:
        raise VisarithError(f"an answer of {digits:,} digits is too long to calculate; use up to {MOST_DIGITS:,}")
    _say(f"{name} was trained on {had} digits and is shown pictures of {digits}")
    return run.at(digits)


def _beyond(run: Run, number: int) -> str:
    doubt = "" if run.learner.quantised else "; the answer may well be wrong"
    name, largest = run.task.operation.name, run.task.domain.largest
    return f"{number} is outside {name}'s range 0..{largest}, from which examples were drawn{doubt}"


def _without_margin(picture: np.ndarray) -> np.ndarray:
    """A picture without the empty cells on its right, for which terminals have no room."""
    inked = np.flatnonzero((picture > INK).any(0))
    return picture[:, : inked[-1] + 2] if len(inked) else picture


def _say(what: str) -> None:
    print(f"visarith: {what}", file=sys.stderr)
