"""`visarith evaluate`: judge a run on pairs that it was not trained on, or on pictures of one's own."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from visarith.cli.progress import progress
from visarith.cli.values import add_run, add_seed

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
    from visarith.cli.terminal import show_score
    from visarith.runs.paper import paper_digit_error
    from visarith.runs.run import load

    judged_run = load(options.run)
    if options.digits is not None:
        judged_run = judged_run.at(options.digits)
    drawn_here = judged_run.source.generates and not options.pictures
    pairs = options.pairs
    if pairs is None and drawn_here:
        pairs = _usual_pairs(judged_run, options.reader)
    with progress("judging", pairs) as step:
        judged = judged_run.judge(
            reader=options.reader,
            pairs=pairs,
            seed=options.seed,
            noise=options.noise,
            pictures=options.pictures,
            step=step,
        )
    if not drawn_here:
        return _show_pictures(judged_run, judged, options)
    task = judged_run.task if options.noise is None else judged_run.task.with_noise(options.noise)
    assert judged.score is not None
    if options.json:
        settings = {"run": str(judged_run.path), "seed": options.seed, "noise": task.corruption.noise}
        settings["digits"] = task.notation.digits
        print(json.dumps(settings | asdict(judged.score)))
    else:
        show_score(judged.score, paper_digit_error(task.to_json()))
    return 0


def _usual_pairs(run: "Run", reader: str) -> int:
    """How many pairs are judged unless the user says: fewer for numbers so long that they would take many minutes."""
    from visarith.runs.run import FRESH

    usual, digits = FRESH[reader or run.readable.best_reader], run.task.notation.digits
    product = run.task.operation.construction == "product"
    pairs = max(FEWEST, min(usual, ENOUGH_DIGITS // (digits * (max(1, digits // 10) if product else 1))))
    if pairs < usual:
        why = f"numbers of {digits:,} digits take long to draw; --pairs asks for another number"
        print(f"visarith: {pairs:,} pairs are judged instead of {usual:,}: {why}", file=sys.stderr)
    return pairs


def _show_pictures(run: "Run", judged: "Judged", options: argparse.Namespace) -> int:
    from visarith.cli.terminal import show_picture_error, show_score

    if options.json:
        score = asdict(judged.score) if judged.score else {}
        print(json.dumps({"run": str(run.path), "picture_error": asdict(judged.picture), **score}))
        return 0
    show_picture_error(judged.picture, "pictures" if options.pictures else "held-out pictures")
    if judged.score:
        show_score(judged.score, None)
    return 0
