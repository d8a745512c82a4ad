"""Pictures in columns with a name for each row, as in the paper's Fig. 1, 3 and 5."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from visarith.pictures.layout import Layout
from visarith.report.drawing import MARGIN, MUTED, ORANGE, TEXT, WIDTH, Box, new_sheet

ZOOM, GAP, LABELS = 4, 14, 122
TITLE, NOTE = 26, 20  # pixels above and below a column


@dataclass(frozen=True, eq=False)
class Column:
    """What stands under one title, from top to bottom."""

    title: str
    pictures: Sequence[np.ndarray]  # each (height, width) in [0, 1]
    layout: Layout  # that says where the cells stand
    frames: dict[int, list[int]] = field(default_factory=dict)  # the cells that are framed in each row, if any
    note: str = ""  # below the last picture
    colour: str = TEXT  # of the title
    frame_colour: str = ORANGE


def draw_columns(rows: Sequence[str], columns: Sequence[Column]) -> bytes:
    """A PNG of the columns side by side."""
    high, wide = (size * ZOOM for size in columns[0].pictures[0].shape)
    notes = NOTE if any(column.note for column in columns) else 0
    height = 2 * MARGIN + TITLE + len(rows) * (high + GAP) - GAP + notes
    apart = (WIDTH - 2 * MARGIN - LABELS - len(columns) * wide) // max(len(columns) - 1, 2)
    with new_sheet(height) as sheet:
        for row, name in enumerate(rows):
            sheet.text(MARGIN, MARGIN + TITLE + row * (high + GAP) + high / 2, name, size=8, colour=MUTED)
        for number, column in enumerate(columns):
            left = MARGIN + LABELS + number * (wide + apart)
            sheet.text(left, MARGIN + 8, column.title, size=9, colour=column.colour, bold=True)
            for row, picture in enumerate(column.pictures):
                top = MARGIN + TITLE + row * (high + GAP)
                sheet.picture(picture, left, top, ZOOM)
                for cell in column.frames.get(row, []):
                    sheet.frame(cell_box(column.layout, cell, left, top, ZOOM), column.frame_colour)
            sheet.text(left, height - MARGIN - 4, column.note, size=8, colour=MUTED)
        return sheet.png()


def cell_box(layout: Layout, cell: int, left: float, top: float, zoom: int) -> Box:
    """Where a cell stands on a sheet, when the corner of its picture is at `left` and `top`."""
    y, x = layout.corners[cell]
    _, high, wide = layout.glyphs.shape
    return left + x * zoom, top + y * zoom, wide * zoom, high * zoom
