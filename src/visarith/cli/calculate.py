"""`visarith calculate`: draw the answer to '12 + 30' with one's own or a pretrained run, or to 'a=12 b=30'."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from visarith.cli.progress import warn
from visarith.cli.terminal import answer, check_png, input_json, input_lines, picture_lines
from visarith.errors import VisarithError

if TYPE_CHECKING:
    import numpy as np

    from visarith.runs.pretrained import Pretrained
    from visarith.runs.run import Run

HELP = "let a learner draw the answer to '1234567 + 2345678'"
INK = 0.25  # pixels below this are empty
MOST_DIGITS = 1_000  # to which a run is lengthened here: a product of these takes the better part of a minute
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MINUS = "−"  # U+2212, which word processors write
APART = re.compile(r"(\S+)\s+([-+*x×/])\s+(\S+)")
CLOSE = re.compile(r"(\w+)([-+*×/]|x(?=\d+$))(\w+)")
OPERAND = re.compile(r"([a-z])\s*=\s*([^\s=,]+)[\s,]*")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The expression, who calculates, and where the picture goes."""
    add = parser.add_argument
    some = "such as '1234567 + 2345678', '9 - 3', '12 x 12' or 'XII + VIII'; 'a=12 b=30' for any --run"
    add("expression", metavar="EXPRESSION", help=some)
    add("--learner", default="", metavar="NAME", help="a pretrained one: perceptron, columns or tally (default: best)")
    add("--run", type=Path, metavar="RUN", help="a run of your own (default: the best pretrained one)")
    add("--save", type=Path, metavar="PNG", help="write the answer picture to this file")


def run(options: argparse.Namespace) -> int:
    """Draw the answer to an expression, read it, and say whether it is right."""
    from visarith.pictures.png import write_png

    longest = max(map(len, _texts(options.expression)))
    if options.save:
        check_png(options.save, "--save")
    chosen, shipped = _chosen(options)
    name = shipped.name if shipped else str(chosen.path)
    if longest > max(MOST_DIGITS, chosen.task.notation.cells):
        raise VisarithError(f"a number of {longest:,} digits is too long to calculate with; use up to {MOST_DIGITS:,}")
    numbers = operands(options.expression, chosen)
    chosen = _with_room(chosen, numbers, name, shipped)
    task = chosen.task
    expected = task.notation.text(task.notation.write(list(task.domain.check(numbers)))[0])
    if not task.domain.trained(numbers):
        doubt = "" if chosen.learner.quantised else "; the answer may well be wrong"
        known = f"{task.operation}'s range 0..{task.domain.largest}"
        warn(f"{max(numbers)} is outside {known}, from which examples were drawn{doubt}")
    picture, perceived = chosen.draw(*numbers), chosen.perceive(task.typeset(numbers)[None])
    reading = chosen.read(picture[None])
    if options.save:
        write_png(picture, options.save)
    text, confidence = reading.texts[0], float(reading.confidence.min())
    legible = perceived is None or bool(perceived.legible)
    verdict = ("right" if text == expected else "wrong") if legible else "unreadable"
    result = {
        "operation": str(task.operation),
        "operands": list(numbers),
        "reading": text,
        "expected": expected,
        "correct": text == expected if legible else None,
        "confidence": round(confidence, 4),
        **input_json(perceived),
        "learner": chosen.experiment.learner.name,
        "run": name,
    }
    return answer(
        options,
        result,
        *picture_lines(_without_margin(picture) if task.notation.aligned == "left" else picture, "--save"),
        *([f"learner  {name}, pretrained ({shipped.command} makes it again)"] if shipped else []),
        *input_lines(perceived),
        f"reading  {text} (confidence {result['confidence']:.2f})",
        f"truth    {expected}",
        verdict,
    )


def _chosen(options: argparse.Namespace) -> "tuple[Run, Pretrained | None]":
    """The user's run, or else the pretrained one for the expression."""
    from visarith.runs.pretrained import find
    from visarith.runs.run import load

    if options.run is not None:
        if options.learner:
            raise VisarithError(f"--run {options.run} and --learner {options.learner} are two learners; leave one out")
        return load(options.run), None
    if "=" in options.expression:
        raise VisarithError(f"{options.expression!r} does not say what to calculate; give the run as --run RUN")
    shipped = find(*meant(options.expression), options.learner)
    return shipped.load(), shipped


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
    warn(f"{name} was trained on {had} digits and is shown pictures of {digits}")
    return run.at(digits)


def _without_margin(picture: "np.ndarray") -> "np.ndarray":
    """A picture without the empty cells on its right, for which terminals have no room."""
    import numpy as np

    inked = np.flatnonzero((picture > INK).any(0))
    return picture[:, : inked[-1] + 2] if len(inked) else picture


def parts(expression: str) -> tuple[str, str, str]:
    """What stands left of the sign, the sign, and what stands right of it.

    >>> parts("9 − 3")
    ('9', '-', '3')
    """
    text = expression.strip().replace(MINUS, "-")
    match = APART.fullmatch(text) or CLOSE.fullmatch(text)
    if not match:
        raise VisarithError(f"{expression!r} cannot be read; write it like '1234567 + 2345678' or 'XII + VIII'")
    return match[1], match[2], match[3]


def _texts(expression: str) -> tuple[str, ...]:
    """What is written for the numbers, and for the sign if there is one."""
    return tuple(named_operands(expression).values()) if "=" in expression else parts(expression)


def named_operands(expression: str) -> dict[str, str]:
    """What is written for each operand.

    >>> named_operands("a=12 b=30")
    {'a': '12', 'b': '30'}
    """
    text = expression.strip()
    found = OPERAND.findall(text)
    if OPERAND.sub("", text) or len(dict(found)) < len(found):
        raise VisarithError(f"{expression!r} cannot be read; write each number once, like 'a=12 b=30'")
    return dict(found)


def _refuse_mixed(expression: str) -> None:
    """Refuse Roman numerals on one side and Arabic ones on the other."""
    from visarith.notation.roman import NUMERALS

    left, _, right = parts(expression)
    roman = [set(text.upper()) <= set(NUMERALS) for text in (left, right)]
    if any(roman) and any(text.isdecimal() for text in (left, right)):
        raise VisarithError(f"{expression!r} mixes Roman and Arabic numerals; write both numbers in the same ones")


def _operation(sign: str) -> str:
    """The name of the operation with this sign."""
    from visarith.operations import OPERATIONS

    return next(name for name, each in OPERATIONS.items() if sign in each.sign + each.aliases)


def meant(expression: str) -> tuple[str, str]:
    """The operation that an expression means, and its notation: Roman if there are letters on both sides.

    >>> meant("XII + VIII")
    ('add', 'roman')
    """
    _refuse_mixed(expression)
    left, sign, right = parts(expression)
    return _operation(sign), "roman" if left.isalpha() and right.isalpha() else "arabic"


def operands(expression: str, run: "Run") -> tuple[int, ...]:
    """The operands of an expression that the run has learned to compute."""
    from visarith.operations.mixed import Mixed

    if "=" in expression:
        return _by_name(expression, run)
    task, (left, sign, right) = run.task, parts(expression)
    number, asked, learned = task.notation.number, _operation(sign), task.operation
    if task.notation.base == 10:  # letters are digits of larger bases
        _refuse_mixed(expression)
    if isinstance(learned, Mixed):
        names = [part.name for part in learned.parts]
        if asked not in names:
            raise VisarithError(f"{sign!r} is to {asked}, but {run.path} has learned {', '.join(names)} only")
        return number(left), names.index(asked), number(right)
    if asked != learned.name:
        verb, remedy = f"to {learned}", "use another --run"
        if not learned.sign:
            verb, remedy = str(learned), f"write {_example(run)}, or use another --run"
        raise VisarithError(f"{sign!r} is to {asked}, but {run.path} has learned {verb}; {remedy}")
    if sign == "/":
        if right != "2":
            raise VisarithError(f"{expression!r} divides by {right}; only halves were learned: write '{left} / 2'")
        return (number(left),)
    return number(left), number(right)


def _by_name(expression: str, run: "Run") -> tuple[int, ...]:
    """The operands that are given by name, for operations that have no sign of their own."""
    operation, given = run.task.operation, named_operands(expression)
    if operation.signs or operation.answers > 1:
        what = "a sign between its operands" if operation.signs else f"{operation.answers} answers"
        raise VisarithError(f"{run.path} has learned {operation}, which has {what}; use run.draw in Python")
    names = LETTERS[: operation.operands]
    if sorted(given) != list(names):
        asked = f"{run.path} has learned {operation}, of {operation.operands} numbers"
        raise VisarithError(f"{expression!r} gives {', '.join(given)}, but {asked}; write {_example(run)}")
    return tuple(run.task.notation.number(given[name]) for name in names)


def _example(run: "Run") -> str:
    """How operands are given by name."""
    names = LETTERS[: run.task.operation.operands]
    return repr(" ".join(f"{name}={number}" for number, name in enumerate(names, 2)))
