"""`visarith learnable`: ask of an operation, not of a run, whether it is learnable."""

import argparse
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from visarith.cli.progress import say
from visarith.cli.terminal import add_seed, answer
from visarith.errors import whole

if TYPE_CHECKING:
    from visarith.studies.learnability import Learnability
    from visarith.studies.learnability.question import Question
    from visarith.studies.learnability.training import Trained

HELP = "ask of an operation, or an expression in a and b, whether it is learnable"
SHOWN = 78  # columns


def add_options(parser: argparse.ArgumentParser) -> None:
    """The operation, its notation, and whether to train."""
    from visarith.notation import NOTATIONS

    add = parser.add_argument
    add("operation", metavar="OPERATION", help="an operation's name, or an expression such as 'max(a, b)' or 'a * 3'")
    add("--notation", choices=tuple(NOTATIONS), default="arabic", help="how numbers are written (default arabic)")
    add("--digits", type=int, default=7, help="digits of the longest number (default 7)")
    add("--base", type=int, default=10, help="base of the numbers, 2 to 36 (default 10)")
    add("--train", action="store_true", help="also train a little, one-hot and on pictures: about a minute")
    add_seed(parser, "everything random")


def run(options: argparse.Namespace) -> int:
    """Analyse an operation, train a little if that is asked for, and print what follows; nothing is written."""
    from visarith.studies.learnability import as_json, learnable
    from visarith.studies.learnability.question import Question
    from visarith.studies.learnability.training import MEDIA, quick_training

    whole("seed", options.seed, 0)
    question = Question(options.operation, options.notation, options.base, options.digits)
    found = learnable(question, seed=options.seed, step=say)
    trained = [quick_training(question, each, seed=options.seed, step=say) for each in MEDIA if options.train]
    return answer(options, as_json(question, found, trained), *_lines(question, found, trained))


def _lines(question: "Question", found: "Learnability", trained: "list[Trained]") -> Iterator[str]:
    from visarith.evaluation import percent
    from visarith.studies.learnability import VERDICTS

    roman = question.notation == "roman"
    yield _fit(f"{question.text}, {question.digits} digits, {'Roman numerals' if roman else f'base {question.base}'}")
    yield f"verdict      {found.verdict}"
    yield textwrap.indent(textwrap.fill(VERDICTS[found.verdict], SHOWN - 13), " " * 13)
    yield _fit(f"way          {found.way}: {found.of}")
    yield f"layers       {found.layers} hidden, with those for the glyphs of the inputs and of the answer"
    counts, lengths = (", ".join(map(_big, each)) for each in (found.counted.values(), found.counted))
    yield _fit(f"gates        {counts} for numbers of {lengths} digits")
    if found.counted_digits < question.digits:
        yield f"             the verdict is of {found.counted_digits} digits: longer numbers have too many pairs"
    yield "             an upper bound from one family of constructions, no lower bound\n"
    place = "numeral" if roman else "place"
    yield f"{place:>8}  {'depends on':>10}  {'takes':>6}  {'reaches':>7}  {'gates':>9}"
    for digit in reversed(found.digits):
        reach = "-" if digit.reach is None else str(digit.reach)
        gates = "-" if digit.gates is None else _big(digit.gates)
        yield f"{digit.place + 1:>8}  {digit.depends_on:>10}  {digit.taken:>6.2f}  {reach:>7}  {gates:>9}"
    of = "all operands" if found.exhaustive else f"a sample, each within {percent(found.within)}"
    yield f"{place} 1 is the last; takes: the sum of all influences ({of})"
    for each in trained:
        errors = f"{percent(each.digit_error)} wrong, by chance {percent(each.chance)}"
        yield f"{each.medium:<12} {errors} ({each.examples:,} examples, {each.epochs} epochs)"


def _fit(line: str) -> str:
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 3]}..."


def _big(number: int) -> str:
    return f"{number:,}" if number < 10_000_000 else f"{number:.1e}"
