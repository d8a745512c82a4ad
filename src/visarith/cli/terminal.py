"""How results look in a terminal: scores, and pictures made of block characters."""

import shutil
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from visarith.evaluation import Score, percent

if TYPE_CHECKING:
    from visarith.runs.judge import PictureError

SHOWN_POSITIONS = 35
READERS = {"templates": "read by templates", "tesseract": "read by Tesseract"}


def show_picture_error(error: "PictureError", which: str = "held-out pictures") -> None:
    """Print how far drawings are from the true pictures, beside always drawing the mean answer."""
    mean = f"always drawing the mean answer: {error.mean_answer_error:.4f}"
    print(f"{error.pairs:,} {which}, compared pixel by pixel")
    print(f"  picture error  {error.error:.4f} (root mean square; {mean})")


def show_score(score: Score, paper: float | None) -> None:
    """Print the errors with their intervals, beside the paper's digit error."""
    print(f"{score.pairs:,} held-out pairs, {READERS[score.reader]}")
    beside = f"   the paper: {100 * paper:g} %" if paper is not None else ""
    print(f"  digit error    {percent(score.digit_error):8} {_interval(score.digit_interval)}{beside}")
    print(f"  number error   {percent(score.number_error):8} {_interval(score.number_interval)}")
    if len(score.per_position) <= SHOWN_POSITIONS:
        print(f"  by position    {'  '.join(percent(share) for share in score.per_position)}")
    print(f"  edit distance  {percent(score.edit_error)}")
    print(f"  unreadable     {score.unreadable:,}")


def _interval(bounds: tuple[float, float]) -> str:
    return f"(95 %: {percent(bounds[0])} to {percent(bounds[1])})"


def show_reading(result: dict[str, Any]) -> None:
    """Print what was read in an answer and, where it is known, whether that is right."""
    print(f"reading  {result['reading']} (confidence {result['confidence']:.2f})")
    if "expected" in result:
        print(f"truth    {result['expected']}\n{'right' if result['correct'] else 'wrong'}")


def show_picture(picture: np.ndarray, keep_with: str) -> None:
    """Print two rows of pixels a line, in braille where the terminal is too narrow for that.

    `keep_with` names the option that writes the picture to a file, for terminals that are too narrow for braille too.
    """
    room = shutil.get_terminal_size((80, 24)).columns
    lines = half_blocks(picture) if picture.shape[1] <= room else braille(picture)
    if len(lines[0]) > room:
        print(f"(the picture needs {len(lines[0])} columns, the terminal has {room}; {keep_with} keeps it as a PNG)")
        return
    text = "\n".join(lines)
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = "\n".join("".join("#" if pixel > 0.5 else "." for pixel in row) for row in picture)
    print(text)


def half_blocks(picture: np.ndarray) -> list[str]:
    """Two pixels a character, one above the other."""
    rows = (np.pad(picture, ((0, picture.shape[0] % 2), (0, 0))) > 0.5).astype(int).tolist()
    return [
        "".join(" ▄▀█"[2 * above + below] for above, below in zip(rows[i], rows[i + 1], strict=True))
        for i in range(0, len(rows), 2)
    ]


def braille(picture: np.ndarray) -> list[str]:
    """Eight pixels a character, two wide and four high."""
    height, width = picture.shape
    dots = np.pad(picture, ((0, -height % 4), (0, -width % 2))) > 0.5
    bits = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
    blocks = dots.reshape(dots.shape[0] // 4, 4, dots.shape[1] // 2, 2)
    codes = (blocks * bits[None, :, None, :]).sum(axis=(1, 3))
    return ["".join(chr(0x2800 + code) for code in row) for row in codes.tolist()]
