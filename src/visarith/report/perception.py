"""What column learners read that is not as in training: tables of foreign and of disturbed pictures, and a figure."""

from functools import cache

import numpy as np
import torch

from visarith.evaluation import percent
from visarith.pictures.typeface import Typeface
from visarith.report.drawing import BLUE, MARGIN, MUTED, ORANGE, WIDTH, Sheet, new_sheet
from visarith.report.evidence import Evidence, NoResultError
from visarith.report.parts import NOTHING, Table
from visarith.runs.pretrained import find
from visarith.studies.foreign import Disturbance, Foreign, foreign
from visarith.studies.perception import read

SHARE = 30  # of the foreign pictures, of which one is made for the figure
NUMBER = (3, 1, 4, 1, 5, 9, 2)
EXAMPLES, ZOOM, LABELS = 3, 3, 190
HIGH, GAP = 15 * ZOOM, 26


def foreign_pictures(evidence: Evidence) -> Table:
    """Pictures that are not of the training font: unreadable, read right, or read wrong."""
    found = {row["name"]: row for row in evidence.rows("foreign")}
    if not {"clean", "foreign"} <= set(found):
        raise NoResultError("foreign", "visarith reproduce --only foreign")
    clean = found["clean"]
    rows = [["clean, in the training font", clean["pictures"], clean["unreadable"], clean["wrong"]]]
    rows += [[row["kind"], row["pictures"], row["unreadable"], row["wrong"]] for row in found["foreign"]["rows"]]
    lines = [[kind, f"{count:,}", f"{no:,}", f"{count - no - bad:,}", f"{bad:,}"] for kind, count, no, bad in rows]
    some = found["foreign"]["rows"]
    count, wrong = (sum(row[what] for row in some) for what in ("pictures", "wrong"))
    note = (
        f"Pictures of seven digits, read by the pretrained adder. A picture is unreadable if one of its cells is. Of "
        f"{count:,} foreign pictures {100 * (count - wrong) / count:.4g} % are unreadable or read right. The limits "
        "follow from the distances between glyphs and were chosen on other fonts, other handwriting and other seeds."
    )
    head = ["pictures", "number", "unreadable", "read right", "read wrong"]
    return Table("Pictures that were not trained on", note, head, lines)


def disturbed_pictures(evidence: Evidence) -> Table:
    """Clean pictures that were moved, faded and made noisy: what the answers are."""
    found = [row for row in evidence.rows("foreign") if row["name"].startswith("moved-")]
    if not found:
        raise NoResultError("foreign", "visarith reproduce --only foreign")
    lines = [
        [row["operation"], each["what"], *(f"{each[what]:,}" for what in ("pairs", "wrong", "unreadable"))]
        for row in found
        for each in row["rows"]
    ]
    note = (
        "The pretrained column learners calculate with pictures that they were not trained on: moved by up to two "
        "pixels each way, with less contrast, with normal noise, or inverted. Wrong: a wrong answer to inputs that "
        "count as readable."
    )
    head = ["operation", "pictures", "pairs", "wrong", "unreadable"]
    return Table("Moved, faded and noisy pictures", note, head, lines)


def examples_figure(evidence: Evidence) -> tuple[Sheet, str]:  # noqa: ARG001
    """Examples of each kind of picture, with what is read in them; and the caption."""
    return _drawn_once()


@cache  # it depends on no result
def _drawn_once() -> tuple[Sheet, str]:
    run, rows = find("add", learner="columns").load(), [_disturbed(), *foreign(share=SHARE)]
    wide = 60 * ZOOM
    apart = (WIDTH - 2 * MARGIN - LABELS - EXAMPLES * wide) // EXAMPLES
    with new_sheet(2 * MARGIN + len(rows) * (HIGH + GAP)) as sheet:
        for row, each in enumerate(rows):
            top = MARGIN + row * (HIGH + GAP)
            sheet.text(MARGIN, top + HIGH / 2, each.kind)
            digits, _ = read(run, each.pictures[:EXAMPLES])
            for number, shown in enumerate(digits.tolist()):
                left = MARGIN + LABELS + number * (wide + apart)
                sheet.picture(each.pictures[number], left, top, ZOOM)
                verdict = "".join("?" if digit < 0 else str(digit) for digit in shown)
                colour = MUTED if -1 in shown else BLUE if shown == each.digits[number].tolist() else ORANGE
                sheet.text(left, top + HIGH + 9, f"unreadable: {verdict}" if -1 in shown else verdict, colour=colour)
        caption = (
            "Pictures, and what the pretrained adder reads in them; a question mark is an unreadable cell. Its "
            "training pictures are clean, in DejaVu Sans. First row: such a picture moved by two pixels each way, at "
            "half contrast with noise 0.1, and inverted."
        )
        return sheet, caption


def _disturbed() -> Foreign:
    """A clean picture of the training font, disturbed in three ways."""
    digits = np.array([NUMBER] * EXAMPLES)
    clean = torch.from_numpy(Typeface().layout("0123456789", 7).typeset(digits) / 255).float()
    ways = Disturbance(down=2, right=2), Disturbance(contrast=0.5, noise=0.1), Disturbance(ground=1.0)
    dice = torch.Generator().manual_seed(0)
    pictures = [way.of(picture, dice).numpy() for way, picture in zip(ways, clean, strict=True)]
    return Foreign("training font", np.stack(pictures), digits)


def unseen_typefaces(evidence: Evidence) -> Table:
    """What a learner of twenty fonts reads in ten others."""
    lines = []
    for row in evidence.rows("typefaces"):
        for each in row["rows"]:
            share = "digits_right_if_readable"
            shares = [each["digits_right"], each["cells_readable"], each[share]]
            lines.append([each["font"], f"{each['pairs']:,}", *(NOTHING if x is None else percent(x) for x in shares)])
    note = (
        "A column learner is trained on numbers in twenty fonts and then adds numbers in fonts that it has not seen, "
        "which were named beforehand: the first five before anything was tried, the others after the first five had "
        "shown how much a cell may differ. A line for each font and seed. Right are digits of sums: of all, and of "
        "those above which both cells are readable."
    )
    head = ["font", "pairs", "digits right", "input cells readable", "digits right where readable"]
    return Table("Fonts that were not trained on", note, head, lines)
