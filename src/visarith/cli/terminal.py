"""What verbs share: options, answers as JSON or text, and how scores and pictures look in a terminal."""

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visarith.errors import VisarithError

if TYPE_CHECKING:
    import numpy as np

    from visarith.evaluation import Score
    from visarith.learners.perception import Perceived
    from visarith.runs.judge import PictureError

SHOWN_POSITIONS = 35
READERS = {"templates": "read by templates", "tesseract": "read by Tesseract"}
BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # the bit of each dot


def add_run(parser: argparse.ArgumentParser) -> None:
    """The run that a verb works with."""
    parser.add_argument("run", type=Path, metavar="RUN", help="folder of a finished run; visarith runs lists them")


def add_seed(parser: argparse.ArgumentParser, of: str) -> None:
    """The seed of what is random."""
    parser.add_argument("--seed", type=int, default=0, help=f"seed of {of} (default 0)")


def check_png(path: Path, option: str) -> None:
    """Refuse a file that no picture can be written to, before the picture is drawn."""
    if path.suffix.lower() != ".png":
        raise VisarithError(f"{option} {path} is no PNG file; use a name that ends in .png")
    if path.is_dir():
        raise VisarithError(f"{option} {path} is a folder; name a file in it, such as {path / 'answer.png'}")
    if not path.parent.is_dir():
        raise VisarithError(f"{path} cannot be written ({path.parent} is no folder); choose another {option}")


def answer(options: argparse.Namespace, data: dict[str, Any], *lines: str) -> int:
    """Print what a verb has found, as one line of JSON or as text, and return the exit code 0."""
    print(json.dumps(data) if options.json else visible("\n".join(lines)))
    return 0


def visible(text: str) -> str:
    """The text with control characters as escapes, since names and rules may come from a stranger's files.

    >>> visible("\x1b[2J a + b")
    '\\\\x1b[2J a + b'
    """
    return "".join(each if each.isprintable() or each == "\n" else f"\\x{ord(each):02x}" for each in text)


def picture_error_lines(error: "PictureError", which: str = "held-out pictures") -> list[str]:
    """How far drawings are from the true pictures, beside always drawing the mean answer."""
    mean = f"always drawing the mean answer: {error.mean_answer_error:.4f}"
    return [
        f"{error.pairs:,} {which}, compared pixel by pixel",
        f"  picture error  {error.error:.4f} (root mean square; {mean})",
    ]


def score_lines(score: "Score", paper: float | None) -> list[str]:
    """The errors with their intervals, beside the paper's digit error."""
    from visarith.evaluation import bounded, percent

    beside = f"   the paper: {100 * paper:g} %" if paper is not None else ""
    places = [f"  by position    {'  '.join(map(percent, score.per_position))}"]
    return [
        f"{score.pairs:,} held-out pairs, {READERS[score.reader]}",
        f"  digit error    {bounded(score.digit_error, score.digit_interval, 'pairs')}{beside}",
        f"  number error   {bounded(score.number_error, score.number_interval, 'pairs')}",
        *(places if len(score.per_position) <= SHOWN_POSITIONS else []),
        f"  edit distance  {percent(score.edit_error)}",
        f"  unreadable     {score.unreadable:,}",
    ]


def input_json(perceived: "Perceived | None") -> dict[str, Any]:
    """How well the inputs could be read, for the JSON of an answer; null if the learner does not tell."""
    if perceived is None:
        return {"input_confidence": None, "unreadable": None}
    return {"input_confidence": round(perceived.confidence(), 4), "unreadable": perceived.unreadable()}


def input_lines(perceived: "Perceived | None") -> list[str]:
    """How well the inputs could be read, or which of their cells could not."""
    if perceived is None:
        return []
    unreadable = [
        f"input {number}, cell{'s' if len(cells) > 1 else ''} {', '.join(str(cell + 1) for cell in cells)}"
        for number, cells in enumerate(perceived.unreadable(), 1)
        if cells
    ]
    told = f"unreadable: {'; '.join(unreadable)}" if unreadable else f"confidence {perceived.confidence():.2f}"
    return [f"inputs   {told}"]


def picture_lines(picture: "np.ndarray", keep_with: str) -> list[str]:
    """Two rows of pixels a line, in braille where the terminal is too narrow for that.

    `keep_with` names the option that writes the picture to a file, for terminals that are too narrow for braille too.
    """
    room = shutil.get_terminal_size((80, 24)).columns
    lines = half_blocks(picture) if picture.shape[1] <= room else braille(picture)
    wide = len(lines[0])
    if wide > room:
        return [f"(the picture needs {wide} columns, the terminal has {room}; {keep_with} keeps it as a PNG)"]
    try:
        "".join(lines).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return ["".join("#" if pixel > 0.5 else "." for pixel in row) for row in picture]
    return lines


def half_blocks(picture: "np.ndarray") -> list[str]:
    """Two pixels a character, one above the other."""
    rows = [[int(pixel > 0.5) for pixel in row] for row in picture]
    rows += [[0] * len(rows[0])] * (len(rows) % 2)
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return ["".join(" ▄▀█"[2 * up + down] for up, down in zip(*pair, strict=True)) for pair in pairs]


def braille(picture: "np.ndarray") -> list[str]:
    """Eight pixels a character, two wide and four high."""
    import numpy as np

    height, width = picture.shape
    dots = np.pad(picture, ((0, -height % 4), (0, -width % 2))) > 0.5
    blocks = dots.reshape(dots.shape[0] // 4, 4, dots.shape[1] // 2, 2)
    codes = np.einsum("abcd,bd->ac", blocks, BRAILLE)
    return ["".join(chr(0x2800 + code) for code in row) for row in codes.tolist()]
