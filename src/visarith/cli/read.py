"""`visarith read`: show a person the answers of a run, and score what they read beside templates and Tesseract."""

import argparse
import json
import sys
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from visarith.cli.progress import warn
from visarith.cli.terminal import add_run, answer
from visarith.errors import VisarithError, whole

if TYPE_CHECKING:
    import numpy as np

    from visarith.runs.run import Run

HELP = "read the answers of a run yourself, and be scored beside templates and Tesseract"
ANSWERS = 100
SHADES = " ░▒▓█"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which run, how many answers, and where the result goes."""
    add = parser.add_argument
    add_run(parser)
    add("--answers", type=int, default=ANSWERS, help=f"how many answers are shown (default {ANSWERS})")
    add("--out", type=Path, metavar="FILE", help="keep the result, such as results/people/NAME.json for the report")


def run(options: argparse.Namespace) -> int:
    """Show the first answers to held-out pairs one by one, and score what is typed."""
    import numpy as np

    from visarith.evaluation import bounded, score
    from visarith.files import write_atomically
    from visarith.reading import Reading
    from visarith.reading.readers import in_cells
    from visarith.runs.run import load

    run = load(options.run)
    if not run.source.generates:
        raise VisarithError(
            f"{options.run} was trained on brought pictures; read a run of a task, such as noisy addition"
        )
    if options.out and (options.out.exists() or options.out.suffix != ".json" or not options.out.parent.is_dir()):
        raise VisarithError(f"{options.out} exists, is no .json file or has no folder; choose another --out")
    count = whole("answers", options.answers, 1, run.experiment.test_pairs)
    drawn, truth = _answers(run, count)
    typed = _typed(run, drawn)
    if not typed:
        raise VisarithError("nothing was typed; type what you see, and end with an empty line")
    drawn, truth, notation = drawn[: len(typed)], truth[: len(typed)], run.task.notation
    symbols = np.stack([in_cells(text, notation) for text in typed])
    readings = {"person": Reading(symbols, np.ones(symbols.shape), typed)}
    readings |= {name: run.read(drawn, name) for name in ("templates", "tesseract")}
    scores = {name: score(name, [each], truth, notation) for name, each in readings.items()}
    data = {"experiment": run.experiment.to_json(), "typed": typed}
    data |= {"scores": {name: asdict(each) for name, each in scores.items()}}
    if options.out:
        text = json.dumps(data, indent=1) + "\n"
        write_atomically(options.out, lambda draft: draft.write_text(text))
    lines = [f"{len(typed)} answers, digits wrong"]
    lines += [f"  {name:10} {bounded(s.digit_error, s.digit_interval, 'answers')}" for name, s in scores.items()]
    return answer(options, data, *lines)


def _answers(run: "Run", count: int) -> "tuple[np.ndarray, np.ndarray]":
    """The first drawings for held-out pairs, with the noise with which they were judged, and the true symbols."""
    from visarith.runs.judge import drawn_answers

    experiment = run.experiment
    _, test = run.task.split(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    few = test.take(slice(0, count))
    return drawn_answers(run.learner, few, seed=experiment.seed)[:, 0], few.truth_in(run.readable)


def _typed(run: "Run", pictures: "np.ndarray") -> list[str]:
    """What the person types for each picture; an empty line, or the end of the input, ends it."""
    show = partial(print, file=sys.stderr)  # so that the output is the result alone
    cells, lines = run.task.notation.cells, list[str]()
    show(f"Type the {cells} digits of each answer, ? for one that you cannot read; an empty line ends.")
    for number, picture in enumerate(pictures, 1):
        show(f"\n{number} of {len(pictures)}", *_shaded(picture), sep="\n")
        line = "".join(sys.stdin.readline().split())
        while line and len(line) != cells:
            warn(f"{line!r} has {len(line)} characters, not {cells}; type all of them, ? for unreadable ones")
            line = "".join(sys.stdin.readline().split())
        if not line:
            break
        lines.append(line)
    return lines


def _shaded(picture: "np.ndarray") -> list[str]:
    """A character a pixel, in five shades."""
    steps = (picture.clip(0, 1) * (len(SHADES) - 1)).round().astype(int)
    return ["".join(SHADES[step] for step in row).rstrip() for row in steps.tolist()]
