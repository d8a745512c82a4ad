"""Weights at the bottom and at the top of a trained perceptron, as pictures: Fig. 4."""

from dataclasses import dataclass

import matplotlib
import numpy as np

from visarith.pictures.layout import Layout
from visarith.report import drawing
from visarith.report.drawing import LINE, MARGIN, MUTED, TEXT, ZOOM, Sheet
from visarith.report.evidence import Evidence
from visarith.runs.run import Run
from visarith.studies.insight.layers import stack

ACROSS, DOWN = 3, 3  # units of a block
TITLE, CAPTION, GAP = 30, 30, 20
CLIPPED = 99.5  # percent of the weights that are shown lie within the colours
COLOURS = "RdBu_r"


@dataclass(frozen=True, eq=False)
class Block:
    """Weights of some units as pictures (units, height, width); NaN where a weight never matters."""

    title: str
    layout: Layout
    pictures: np.ndarray
    units: np.ndarray
    cells: np.ndarray  # the cell that each unit cares for
    shares: np.ndarray  # of its squared weights that lie there


def bottom(run: Run) -> Block:
    """From the first input picture to the first hidden layer; pixels that never bear ink multiply nothing."""
    learner, task = stack(run), run.task
    weights = learner.linear()[0].weight.detach().numpy().reshape(-1, task.operation.operands, task.layout.pixels)[:, 0]
    mean = learner.mean[0].flatten().numpy()
    idle = (mean == 0) & bool(mean.any()) & (not task.corruption.changes_pixels)
    return _block("Bottom weights: what a unit of the first hidden layer sees in input 1", task.layout, weights, idle)


def top(run: Run) -> Block:
    """From the last hidden layer to the answer picture."""
    layout = run.task.answer_layout
    weights = stack(run).linear()[-1].weight.detach().numpy().T[:, : layout.pixels]
    title = "Top weights: what a unit of the last hidden layer draws"
    return _block(title, layout, weights, np.zeros(layout.pixels, bool))


def weights_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """Fig. 4: weights at the bottom and at the top, each with one scale of colours; and the caption."""
    stored = evidence.run("add")
    caption = (
        "For each cell from the left, the unit whose squared weights lie most in it, then the next most concentrated "
        f"({stored.source}). Red is positive and blue negative; grey pixels never bear ink."
    )
    blocks = bottom(stored.run), top(stored.run)
    high = TITLE + DOWN * (blocks[0].layout.height * ZOOM + CAPTION) + MARGIN
    with drawing.new_sheet(MARGIN + len(blocks) * high) as sheet:
        for number, block in enumerate(blocks):
            _draw_block(sheet, block, MARGIN + number * high)
        return sheet, caption


def concentration(weights: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The share of each unit's squared weights (units, pixels) that lies in each cell: (units, cells)."""
    squares = weights**2
    return np.asarray(squares[:, places].sum(-1) / np.maximum(squares.sum(1, keepdims=True), 1e-30))


def _block(title: str, layout: Layout, weights: np.ndarray, idle: np.ndarray) -> Block:
    """The most concentrated unit of each cell and, as far as there is room, the next most concentrated ones."""
    shares = concentration(np.where(idle, 0, weights), layout.places)
    best = list(dict.fromkeys(shares.argmax(0).tolist()))
    others = [unit for unit in np.argsort(-shares.max(1)).tolist() if unit not in best]
    units = np.array([*best, *others][: ACROSS * DOWN])
    units = units[np.argsort(shares[units].argmax(1), kind="stable")]
    shown = layout.plain(np.where(idle, np.nan, weights)[units].reshape(-1, layout.height, layout.width))
    return Block(title, layout, shown, units, shares[units].argmax(1), shares[units].max(1))


def _draw_block(sheet: Sheet, block: Block, top: int) -> None:
    high, wide = block.layout.height * ZOOM, block.layout.width * ZOOM
    limit = float(np.nanpercentile(np.abs(block.pictures), CLIPPED)) or 1.0
    colours = matplotlib.colormaps[COLOURS].with_extremes(bad="#ededed")
    sheet.text(MARGIN, top + 8, block.title, size=9, bold=True)
    for place, picture in enumerate(block.pictures):
        left, down = MARGIN + place % ACROSS * (wide + GAP), top + TITLE + place // ACROSS * (high + CAPTION)
        image = sheet.picture(picture, left, down, ZOOM)
        image.set(cmap=colours, clim=(-limit, limit))
        sheet.frame(drawing.cell_box(block.layout, block.cells[place], left, down, ZOOM), TEXT, 0.8)
        words = f"unit {block.units[place]}: {block.shares[place] * 100:.1f} % in cell {block.cells[place] + 1}"
        sheet.text(left, down + high + 12, words, size=8, colour=MUTED)
    scale = sheet.axes(MARGIN + ACROSS * (wide + GAP), top + TITLE, 10, DOWN * (high + CAPTION) - CAPTION)
    bar = sheet.figure.colorbar(image, cax=scale, ticks=[-limit, 0, limit])
    bar.set_ticklabels([f"−{limit:.2g}", "0", f"+{limit:.2g}"])
    bar.outline.set(edgecolor=LINE)
