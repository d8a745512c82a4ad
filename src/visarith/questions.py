"""The verb that asks of an operation, not of a run: whether it is learnable."""

import argparse
import json
import sys
from dataclasses import asdict
from typing import Any

from visarith.errors import whole
from visarith.evaluation import percent
from visarith.insight.learnability import VERDICTS, Learnability
from visarith.insight.learnability import learnable as analyse
from visarith.insight.question import Question
from visarith.insight.quick import MEDIA, Trained, quick_training

SHOWN = 78  # columns


def learnable(options: argparse.Namespace) -> int:
    """Analyse an operation, train a little if that is asked for, and say what follows; nothing is written."""
    whole("seed", options.seed, 0)
    question = Question(options.operation, options.notation, options.base, options.digits)
    found = analyse(question, seed=options.seed, step=_say)
    trained = [quick_training(question, each, seed=options.seed, step=_say) for each in MEDIA if options.train]
    if options.json:
        print(json.dumps(as_json(question, found, trained)))
    else:
        _show(question, found, trained)
    return 0


def as_json(question: Question, found: Learnability, trained: list[Trained]) -> dict[str, Any]:
    """One object for machines, and for results/learnable.json."""
    return {
        "operation": question.name or "expression",
        "expression": None if question.name else question.text,
        "notation": question.notation,
        "base": question.base,
        "digits": question.digits,
        "verdict": found.verdict,
        "layers": found.layers,
        "nodes": found.nodes,
        "templates": found.templates,
        "gates": found.gates,
        "widest": found.widest,
        "answers": found.answers,
        "way": found.way,
        "of": found.of,
        "growth": found.growth.kind,
        "counted": found.counted,
        "extrapolated": not found.growth.measured,
        "exhaustive": found.exhaustive,
        "within": found.within,
        "per_digit": [asdict(digit) for digit in found.digits],
        "trained": [asdict(each) for each in trained] or None,
    }


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _show(question: Question, found: Learnability, trained: list[Trained]) -> None:
    look = "Roman numerals" if question.notation == "roman" else f"base {question.base}"
    print(_fit(f"{question.text}, {question.digits} digits, {look}"))
    print(f"verdict      {found.verdict}")
    for line in _folded(VERDICTS[found.verdict], SHOWN - 13):
        print(f"             {line}")
    print(_fit(f"way          {found.way}: {found.of}"))
    print(f"layers       {found.layers} hidden, the inputs' and the answer's glyphs among them")
    whole = "counted" if found.growth.measured else "extrapolated"
    print(
        f"nodes        {_big(found.nodes)}: {found.templates} + {_big(found.gates)} gates ({whole}) + {found.answers}"
    )
    lengths = ", ".join(f"{_big(gates)} at {length}" for length, gates in found.counted.items())
    print(_fit(f"growth       {found.growth.kind} with the digits: {lengths}"))
    print("             an upper bound from one family of constructions, no lower bound")
    print()
    place = "numeral" if question.notation == "roman" else "place"
    print(f"{place:>8}  {'depends on':>10}  {'takes':>6}  {'reaches':>7}  {'gates':>9}")
    for digit in reversed(found.digits):
        reach = "-" if digit.reach is None else str(digit.reach)
        nodes = "-" if digit.nodes is None else _big(digit.nodes)
        print(f"{digit.place + 1:>8}  {digit.depends_on:>10}  {digit.taken:>6.2f}  {reach:>7}  {nodes:>9}")
    of = "all operands" if found.exhaustive else f"a sample, each within {percent(found.within)}"
    print(f"{place} 1 is the last; takes: the sum of all influences ({of})")
    for each in trained:
        print(
            f"{each.medium:<12} {percent(each.digit_error)} wrong, by chance {percent(each.chance)} "
            f"({each.examples:,} examples, {each.epochs} epochs)"
        )


def _fit(line: str) -> str:
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 3]}..."


def _folded(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _big(number: int) -> str:
    return f"{number:,}" if number < 10_000_000 else f"{number:.1e}"
