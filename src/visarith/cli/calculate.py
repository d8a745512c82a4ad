"""`visarith calculate`: draw the answer to an expression, with a run of one's own or a pretrained one."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from visarith.cli.values import png
from visarith.errors import VisarithError

if TYPE_CHECKING:
    import numpy as np

    from visarith.runs.pretrained import Pretrained
    from visarith.runs.run import Run

HELP = "let a learner draw the answer to '1234567 + 2345678'"
INK = 0.25  # pixels below this are empty
MOST_DIGITS = 1_000  # to which a run is lengthened here: a product of these takes the better part of a minute


def add_options(parser: argparse.ArgumentParser) -> None:
    """The expression, who calculates, and where the picture goes."""
    add = parser.add_argument
    add("expression", metavar="EXPRESSION", help="such as '1234567 + 2345678', '9 - 3', '12 x 12' or 'XII + VIII'")
    add("--learner", default="", metavar="NAME", help="a pretrained one: perceptron, columns or tally (default: best)")
    add("--run", type=Path, metavar="RUN", help="a run of your own (default: the best pretrained one)")
    add("--save", type=Path, metavar="PNG", help="write the answer picture to this file")


def run(options: argparse.Namespace) -> int:
    """Draw the answer to an expression, read it, and say whether it is right."""
    from visarith.cli.expression import parts
    from visarith.pictures.png import write_png

    parts(options.expression)
    save = png(options.save, "--save")
    chosen, shipped = _chosen(options)
    name = shipped.name if shipped else str(chosen.path)
    numbers = _numbers(options.expression, chosen)
    chosen = _with_room(chosen, numbers, name, shipped)
    task = chosen.task
    expected = task.notation.text(task.notation.write(list(task.domain.check(numbers)))[0])
    if not task.domain.trained(numbers):
        _say(_beyond(chosen, max(numbers)))
    picture = chosen.draw(*numbers)
    reading = chosen.read(picture[None])
    if save:
        write_png(picture, save)
    result = {
        "operation": task.operation.name,
        "operands": list(numbers),
        "reading": reading.texts[0],
        "expected": expected,
        "correct": reading.texts[0] == expected,
        "confidence": round(float(reading.confidence.min()), 4),
        "learner": chosen.experiment.learner.name,
        "run": name,
    }
    if options.json:
        print(json.dumps(result))
        return 0
    from visarith.cli.terminal import show_picture, show_reading

    show_picture(_without_margin(picture) if task.notation.aligned == "left" else picture, "--save")
    if shipped:
        print(f"learner  {name}, pretrained ({shipped.command} makes it again)")
    show_reading(result)
    return 0


def _chosen(options: argparse.Namespace) -> "tuple[Run, Pretrained | None]":
    """The user's run, or else the pretrained one for the expression."""
    from visarith.cli.expression import meant
    from visarith.runs.pretrained import find
    from visarith.runs.run import load

    if options.run is not None:
        if options.learner:
            raise VisarithError(f"--run {options.run} and --learner {options.learner} are two learners; leave one out")
        return load(options.run), None
    shipped = find(*meant(options.expression), options.learner)
    return shipped.load(), shipped


def _numbers(expression: str, run: "Run") -> tuple[int, ...]:
    from visarith.cli.expression import operands, parts

    longest = max(map(len, parts(expression)))
    if longest > max(MOST_DIGITS, run.task.notation.cells):
        raise VisarithError(f"a number of {longest:,} digits is too long to calculate with; use up to {MOST_DIGITS:,}")
    return operands(expression, run)


def _with_room(run: "Run", numbers: tuple[int, ...], name: str, shipped: "Pretrained | None") -> "Run":
    """The run at the length that the numbers and the answer need; a line says so if it is longer than in training."""
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


def _beyond(run: "Run", number: int) -> str:
    doubt = "" if run.learner.quantised else "; the answer may well be wrong"
    name, largest = run.task.operation.name, run.task.domain.largest
    return f"{number} is outside {name}'s range 0..{largest}, from which examples were drawn{doubt}"


def _without_margin(picture: "np.ndarray") -> "np.ndarray":
    """A picture without the empty cells on its right, for which terminals have no room."""
    import numpy as np

    inked = np.flatnonzero((picture > INK).any(0))
    return picture[:, : inked[-1] + 2] if len(inked) else picture


def _say(what: str) -> None:
    print(f"visarith: {what}", file=sys.stderr)
