"""`visarith evaluate`: judge a run on pairs that it was not trained on, or on pictures of one's own."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from visarith.cli.progress import progress, warn
from visarith.cli.terminal import add_run, add_seed, answer, picture_error_lines, score_lines

if TYPE_CHECKING:
    from visarith.runs.judge import Judged
    from visarith.runs.run import Run

HELP = "score a run on fresh pairs"
ENOUGH_DIGITS = 1_000_000  # drawn and read by default: one to two minutes; a product takes time by the square of them
FEWEST = 20


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is judged, and by whom."""
    add = parser.add_argument
    add_run(parser)
    add("--reader", choices=("templates", "tesseract"), default="", help="who reads answers (default: templates)")
    add("--pictures", type=Path, metavar="DIR", help="judge on these pictures instead: a folder or an .npz file")
    add("--pairs", type=int, help="fresh pairs (default 30000; 2000 for tesseract; fewer for long numbers)")
    add_seed(parser, "the fresh pairs")
    add("--noise", type=float, help="sigma of the noise on inputs (default: as in training)")
    add("--digits", type=int, help="digits of the longest number, for learners that take any (default: as in training)")


def run(options: argparse.Namespace) -> int:
    """Print the score of a run."""
    from visarith.runs.paper import paper_digit_error
    from visarith.runs.run import load

    run = load(options.run)
    if options.digits is not None:
        run = run.at(options.digits)
    drawn_here = run.source.generates and not options.pictures
    pairs = options.pairs
    if pairs is None and drawn_here:
        pairs = _usual_pairs(run, options.reader)
    how = {name: getattr(options, name) for name in ("reader", "seed", "noise", "pictures")}
    with progress("judging", pairs) as step:
        judged = run.judge(pairs=pairs, step=step, **how)
    said = {"run": str(run.path)}
    score = asdict(judged.score) if judged.score else {}
    if not drawn_here:
        which = "pictures" if options.pictures else "held-out pictures"
        read = score_lines(judged.score, None) if judged.score else []
        data = said | {"picture_error": asdict(judged.picture), **score, "unreadable_inputs": judged.unreadable_inputs}
        return answer(options, data, *picture_error_lines(judged.picture, which), *read, *_unreadable(judged))
    task = run.task if options.noise is None else run.task.with_noise(options.noise)
    assert judged.score is not None
    settings = {"seed": options.seed, "noise": task.corruption.noise, "digits": task.notation.digits}
    lines = [*score_lines(judged.score, paper_digit_error(task.to_json())), *_unreadable(judged)]
    return answer(options, said | settings | score | {"unreadable_inputs": judged.unreadable_inputs}, *lines)


def _unreadable(judged: "Judged") -> list[str]:
    """How many answers count as wrong because an input was unreadable."""
    count = judged.unreadable_inputs
    return [f"  inputs that cannot be read  {count:,}; their answers count as wrong"] if count else []


def _usual_pairs(run: "Run", reader: str) -> int:
    """How many pairs are judged unless the user says: fewer for numbers so long that they would take many minutes."""
    from visarith.runs.run import FRESH

    usual, digits = FRESH[reader or run.readable.best_reader], run.task.notation.digits
    product = run.task.operation.construction == "product"
    pairs = max(FEWEST, min(usual, ENOUGH_DIGITS // (digits * (max(1, digits // 10) if product else 1))))
    if pairs < usual:
        why = f"numbers of {digits:,} digits take long to draw; --pairs asks for another number"
        warn(f"{pairs:,} pairs are judged instead of {usual:,}: {why}")
    return pairs
