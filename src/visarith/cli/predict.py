"""`visarith predict`: draw the answer to pictures that the user brings."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from visarith.cli.progress import warn
from visarith.cli.terminal import add_run, answer, check_png, input_json, input_lines, picture_lines
from visarith.errors import VisarithError

if TYPE_CHECKING:
    import numpy as np

    from visarith.runs.run import Run

HELP = "let a run draw the answer to pictures of your own"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The run, its input pictures and where the answer goes."""
    add_run(parser)
    parser.add_argument("pictures", type=Path, nargs="+", metavar="PNG", help="one an operand, of the run's size")
    parser.add_argument("--out", type=Path, required=True, metavar="PNG", help="write the answer picture to this file")


def run(options: argparse.Namespace) -> int:
    """Draw the answer, read it if that is possible, and write it to a file."""
    import numpy as np

    from visarith.pictures.png import write_png
    from visarith.runs.run import load

    out = options.out
    check_png(out, "--out")
    drawing = load(options.run)
    spec = drawing.source.spec
    if len(options.pictures) != spec.inputs:
        raise VisarithError(
            f"{len(options.pictures)} pictures were given; {drawing.source.label} takes {spec.inputs}, one an operand: "
            f"give as many"
        )
    if out.exists() and any(out.samefile(path) for path in options.pictures if path.exists()):
        raise VisarithError(f"{out} is one of the inputs and would be overwritten; choose another --out")
    loaded = [_picture(path, drawing) for path in options.pictures]
    for path, (_, inverted) in zip(options.pictures, loaded, strict=True):
        if inverted:
            warn(f"{path} is dark on light; it was inverted, since ink is light here")
    shown = np.stack([picture for picture, _ in loaded])[None]
    answers, perceived = drawing.predict(shown)[0], drawing.perceive(shown)
    drawn = np.concatenate(answers)  # several answers stand below each other
    reading = drawing.read(answers) if drawing.legend is not None else None
    write_png(drawn, out)
    text = reading and " ".join(reading.texts)
    confidence = reading and round(float(reading.confidence.min()), 4)
    read = [f"reading  {text} (confidence {confidence:.2f})"] if reading else []
    data = {"reading": text, "confidence": confidence, **input_json(perceived)}
    data |= {"out": str(out), "run": str(drawing.path)}
    return answer(options, data, *picture_lines(drawn, "--out"), *input_lines(perceived), *read, f"saved    {out}")


def _picture(path: Path, run: "Run") -> "tuple[np.ndarray, bool]":
    """A picture for a run, and whether it was inverted: ink is light in pictures drawn here, others stay."""
    import numpy as np

    from visarith.pictures.png import check_size, load_png, read_picture

    shape = run.source.spec.shape
    if run.source.generates:
        return load_png(path, shape)
    picture = read_picture(path)
    check_size(path, picture.shape, shape)
    return picture.astype(np.float32) / 255, False
