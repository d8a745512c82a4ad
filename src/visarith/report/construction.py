"""The constructed network at work (Fig. 6): which gates are on while it adds two numbers of four digits."""

import numpy as np
from matplotlib.colors import ListedColormap

from visarith.data.task import Task
from visarith.data.view import intensities
from visarith.learners.constructed.network import Constructed
from visarith.report.drawing import BLUE, MARGIN, MUTED, WIDTH, Sheet, new_sheet

PAIR = (1987, 2345)  # 4332: one place carries nothing, two carry
DIGITS = 4
ZOOM = 4  # pixels of a picture's pixel
HIGH, WIDE = 13, 8 * ZOOM  # of a gate, as wide as a cell
HEIGHT, TOP, GRID = 352, 40, 112
COLOURS = ListedColormap(["#f4f4f4", BLUE])


def draw_construction() -> bytes:
    """Inputs, the gates of HL1, HL2 and HL3, and the answer, from left to right."""
    task = Task("add", digits=DIGITS)
    network = Constructed(task, "sigmoid", "thresholds")
    inputs = intensities(task.layout.typeset(task.symbols(np.array([PAIR]))))
    hl1, hl2, hl3 = (layer[0].numpy() for layer in network.signals(inputs))
    answer = network(inputs)[0, 0].numpy()
    wide = answer.shape[1] * ZOOM
    seen = hl1.reshape(2, DIGITS, 10)
    margin = (wide - DIGITS * WIDE) // 2
    with new_sheet(HEIGHT) as sheet:
        for number, picture in enumerate(inputs[0].numpy()):
            left = MARGIN + number * (wide + 18)
            sheet.text(left, TOP - 12, f"input {number + 1}", colour=MUTED)
            sheet.picture(picture, left, TOP, ZOOM)
            _grid(sheet, seen[number].T, left + margin, GRID, "HL1: digit n is here")
        left += wide + 44
        _grid(sheet, hl2.reshape(DIGITS, 20)[::-1].T, left, TOP, "HL2: at least i × 10ᵐ")
        left += DIGITS * WIDE + 44
        _grid(sheet, hl3.reshape(DIGITS, 10).T, left, GRID, "HL3: the digit is n")
        left = WIDTH - MARGIN - wide
        sheet.text(left, GRID + 23, "answer", colour=MUTED)
        sheet.picture(answer, left, GRID + 35, ZOOM)
        return sheet.png()


def _grid(sheet: Sheet, gates: np.ndarray, left: int, top: int, title: str) -> None:
    """A row for each digit or threshold, a column for each place; filled where a gate is on."""
    image = sheet.picture(np.kron(gates, np.ones((HIGH, WIDE))), left, top, 1)
    image.set(cmap=COLOURS, clim=(0, 1))
    rows, columns = gates.shape
    for row in range(1, rows):
        sheet.frame((left, top + row * HIGH, columns * WIDE, 0), "white", 1)
    for column in range(1, columns):
        sheet.frame((left + column * WIDE, top, 0, rows * HIGH), "white", 1)
    for row in range(rows):
        sheet.text(left - 5, top + (row + 0.5) * HIGH, str(row), across="right", size=6.5, colour=MUTED)
    sheet.text(left, top + rows * HIGH + 16, title, size=8.5)
