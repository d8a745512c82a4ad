"""The look of every figure: a white sheet measured in pixels, dark ink, few colours that everybody can tell apart."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from PIL import Image

DPI = 110
WIDTH = 900  # pixels of every sheet
MARGIN = 16
TEXT, MUTED, LINE = "#222222", "#6b6b6b", "#c9c9c9"
BLUE, ORANGE, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"  # of Okabe and Ito, for any eye
STYLE: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "text.color": TEXT,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": LINE,
    "axes.linewidth": 0.8,
    "axes.titlesize": 9,
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
            picture, "gray_r", aspect="auto", interpolation="nearest", vmin=0, vmax=1, extent=extent
        )
        self.frame((left, top, wide, high), LINE, 0.8)
        return image

    def frame(self, box: Box, colour: str, width: float = 1.6) -> None:
        """A frame around a part of the sheet."""
        left, top, wide, high = box
        self.canvas.add_patch(Rectangle((left, top), wide, high, fill=False, edgecolor=colour, linewidth=width))

    def png(self) -> bytes:
        """What has been drawn, in at most 256 colours: no eye sees the difference, and the file is less than half."""
        full, small = BytesIO(), BytesIO()
        self.figure.savefig(full, format="png", dpi=DPI, pil_kwargs={"compress_level": 0})
        with Image.open(full) as pixels:
            pixels.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
        return small.getvalue()


@contextmanager
def new_sheet(height: int) -> Iterator[Sheet]:
    """A sheet, in the style of all figures for as long as it is drawn on."""
    with matplotlib.rc_context(STYLE):
        yield Sheet(height)
