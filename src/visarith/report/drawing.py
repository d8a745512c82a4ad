"""The look of every figure: a white sheet measured in pixels, its colours, shared axes, and pictures in columns."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from visarith.pictures.layout import Layout

DPI = 110
WIDTH = 900  # pixels of every sheet
MARGIN = 16
TEXT, MUTED, LINE = "#222222", "#6b6b6b", "#c9c9c9"
BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"  # of Okabe and Ito: safe for the colour-blind
DASHED, DOTTED = (0, (4, 3)), (0, (1, 1.6))
TICKS = {1e-5: "0.001 %", 1e-4: "0.01 %", 1e-3: "0.1 %", 1e-2: "1 %", 1e-1: "10 %", 1: "100 %"}
ZOOM, GAP, LABELS = 4, 14, 122  # of pictures in columns: pixels of a pixel, between rows, and for the names of rows
TITLE, NOTE = 26, 20  # pixels above and below a column
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "text.color": TEXT,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": LINE,
    "axes.linewidth": 0.8,
    "axes.titlesize": 9,
    "axes.titlecolor": TEXT,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#ececec",
    "grid.linewidth": 0.8,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.solid_capstyle": "round",
}

Box = tuple[float, float, float, float]  # left, top, width and height, in pixels


class Sheet:
    """Places are in pixels from the top left corner, so that a picture's pixels fall on whole ones."""

    def __init__(self, height: int) -> None:
        self.height = height
        self.figure = Figure(figsize=(WIDTH / DPI, height / DPI), dpi=DPI, facecolor="white")
        FigureCanvasAgg(self.figure)
        self.canvas = self.axes(0, 0, WIDTH, height)  # in pixels too
        self.canvas.set(xlim=(0, WIDTH), ylim=(height, 0), autoscale_on=False)
        self.canvas.axis("off")

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """A place to plot."""
        below = self.height - top - height
        return self.figure.add_axes((left / WIDTH, below / self.height, width / WIDTH, height / self.height))

    def text(
        self,
        left: float,
        top: float,
        words: str,
        *,
        across: Literal["left", "center", "right"] = "left",
        size: float = 8.5,
        colour: str = TEXT,
        bold: bool = False,
    ) -> None:
        """Words whose vertical middle is at `top`."""
        weight = "bold" if bold else "normal"
        self.canvas.text(left, top, words, ha=across, va="center_baseline", size=size, color=colour, weight=weight)

    def picture(self, picture: np.ndarray, left: int, top: int, zoom: int) -> AxesImage:
        """Show a picture (height, width) in [0, 1], full ink black, a pixel as a square of `zoom` pixels.

        Other values can be shown by setting other colours.
        """
        high, wide = (size * zoom for size in picture.shape)
        extent = (left, left + wide, top + high, top)
        image = self.canvas.imshow(
            picture, "gray_r", aspect="auto", interpolation="none", vmin=0, vmax=1, extent=extent
        )
        self.frame((left, top, wide, high), LINE, 0.8)
        return image

    def frame(self, box: Box, colour: str, width: float = 1.6) -> None:
        """A frame around a part of the sheet."""
        left, top, wide, high = box
        self.canvas.add_patch(Rectangle((left, top), wide, high, fill=False, edgecolor=colour, linewidth=width))

    def svg(self) -> bytes:
        """The drawing as SVG, letters as outlines; the same drawing gives the same bytes."""
        return self._saved("svg", {"Date": None})

    def pdf(self) -> bytes:
        """The drawing as PDF."""
        return self._saved("pdf", {"CreationDate": None})

    def _saved(self, kind: str, undated: dict[str, None]) -> bytes:
        file = BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "visarith", "pdf.fonttype": 42}):
            self.figure.savefig(file, format=kind, metadata=undated)
        return file.getvalue()


@contextmanager
def new_sheet(height: int) -> Iterator[Sheet]:
    """A sheet, in the style of all figures for as long as it is drawn on."""
    with matplotlib.rc_context(STYLE):
        yield Sheet(height)


@contextmanager
def two_panels(*titles: str, below: int = 64) -> Iterator[tuple[Sheet, list[Axes]]]:
    """A sheet with two charts side by side, and `below` pixels for what stands under them."""
    high, wide = 230, WIDTH // 2 - 90
    with new_sheet(MARGIN + 20 + high + below) as sheet:
        panels = [sheet.axes(66 + number * (wide + 84), MARGIN + 20, wide, high) for number in range(2)]
        for axes, title in zip(panels, titles, strict=True):
            axes.set_title(title)
        yield sheet, panels


def legend_above(sheet: Sheet, handles: Sequence[Line2D | Patch], left: float) -> None:
    """A legend of one line above the panels."""
    place, spaces = (left / WIDTH, 1 - 8 / sheet.height), {"borderaxespad": 0, "columnspacing": 1.6}
    sheet.figure.legend(handles=list(handles), loc="upper left", bbox_to_anchor=place, ncols=len(handles), **spaces)


def share_axis(axes: Axes, lowest: float, zero: float) -> None:
    """A logarithmic axis of shares down to the lowest; a share of 0 is drawn at `zero`, below the rest."""
    if lowest > 0.05:
        ticks = {0.05: "5 %", 0.1: "10 %", 0.2: "20 %", 0.5: "50 %", 1: "100 %"}
    else:
        above = {at: label for at, label in TICKS.items() if at > zero and at * 10 > lowest}
        ticks = above | ({zero: "0"} if lowest == zero else {})
    axes.set(yscale="log", ylim=(min([lowest, *ticks]) * 0.8, 1.05))
    axes.set_yticks(list(ticks), list(ticks.values()))
    axes.set_yticks([], minor=True)
    axes.grid(axis="y")


def count_axis(axes: Axes, label: str, ticks: Sequence[int]) -> None:
    """A logarithmic axis of counts with these ticks."""
    axes.set(xscale="log", xlabel=label)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xticks([], minor=True)


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


def draw_columns(rows: Sequence[str], columns: Sequence[Column]) -> Sheet:
    """The columns side by side."""
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
        return sheet


def cell_box(layout: Layout, cell: int, left: float, top: float, zoom: int) -> Box:
    """Where a cell stands on a sheet, when the corner of its picture is at `left` and `top`."""
    y, x = layout.corners[cell]
    _, high, wide = layout.glyphs.shape
    return left + x * zoom, top + y * zoom, wide * zoom, high * zoom
