"""Fig. 2 (a drawing of the paper's network) and Fig. 4 (the weights of single units)."""

import itertools
from dataclasses import dataclass

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from visarith.pictures.layout import Layout
from visarith.report.drawing import BLUE, LINE, MARGIN, MUTED, TEXT, WIDTH, ZOOM, Sheet, cell_box, new_sheet
from visarith.report.evidence import Evidence
from visarith.report.examples import right_and_wrong
from visarith.runs.experiment import Experiment
from visarith.runs.run import Run
from visarith.studies.insight.layers import stack

HEIGHT, PICTURE = 330, 3  # of Fig. 2: its height, and pixels of a picture's pixel
TOP, BOTTOM = 56, 270  # of the columns of units
SHOWN = 10  # units of a layer, with a gap in the middle
ACROSS, DOWN = 3, 3  # units of a block of Fig. 4
TITLE, CAPTION, GAP = 30, 30, 20
CLIPPED = 99.5  # percent of the weights that are shown lie within the colours
COLOURS = "RdBu_r"


@dataclass(frozen=True)
class Layer:
    """A column of units: where it stands, which heights, and what is said of it."""

    x: float
    heights: tuple[float, ...]
    units: int
    name: str
    hidden: bool


def network_figure(evidence: Evidence) -> tuple[bytes, str]:
    """Fig. 2: units and connections, with pictures of one example at both ends; and the caption."""
    stored = evidence.run("add")
    example, experiment = right_and_wrong(stored.run)[0], stored.run.experiment
    inputs, answer = example.inputs, example.answer
    caption = (
        "Every pixel of both inputs is connected with every unit of the first hidden layer, and so on to the answer; "
        f"a few units stand for all. The pictures are the first pair of Fig. 1 ({stored.source})."
    )
    high, wide = (size * PICTURE for size in answer.shape)
    middle = (TOP + BOTTOM) / 2
    tops = np.linspace(TOP, BOTTOM, len(inputs) + 1)
    centres = [float(a + b) / 2 for a, b in itertools.pairwise(tops)]
    layers = _layers(experiment, centres, middle, high, wide)
    with new_sheet(HEIGHT) as sheet:
        _draw_layers(sheet, layers)
        for number, (picture, centre) in enumerate(zip(inputs, centres, strict=True), 1):
            sheet.picture(picture, MARGIN, round(centre - high / 2), PICTURE)
            sheet.text(MARGIN, centre - high / 2 - 12, f"input {number}", colour=MUTED)
        sheet.picture(answer, WIDTH - MARGIN - wide, round(middle - high / 2), PICTURE)
        sheet.text(WIDTH - MARGIN - wide, middle - high / 2 - 12, "answer", colour=MUTED)
        return sheet.png(), caption


def _layers(experiment: Experiment, centres: list[float], middle: float, high: int, wide: int) -> list[Layer]:
    """Pixels, hidden layers, pixels, from left to right."""
    task, learner = experiment.task, experiment.learner
    *hidden, _ = learner.build(task).linear()
    (tall, broad), (drawn_tall, drawn_broad) = task.shape, task.answer_shape
    first, last = MARGIN + wide + 14, WIDTH - MARGIN - wide - 14
    pixels = tuple(float(y) for centre in centres for y in np.linspace(centre - high / 2 + 3, centre + high / 2 - 3, 6))
    drawn = tuple(float(y) for y in np.linspace(middle - high / 2 + 3, middle + high / 2 - 3, 6))
    units = tuple(float(y) for y in np.linspace(TOP, BOTTOM, SHOWN + 1) if abs(y - middle) > 1)
    places = np.linspace(first, last, len(hidden) + 2)[1:-1].tolist()
    unit = {"relu": "ReLU", "sigmoid": "sigmoid"}[learner.to_json()["activation"]]
    count = task.operation.operands
    return [
        Layer(first, pixels, count * tall * broad, f"{count} × {tall} × {broad}\npixels", False),
        *(
            Layer(x, units, layer.out_features, f"{layer.out_features}\n{unit} units", True)
            for x, layer in zip(places, hidden, strict=True)
        ),
        Layer(last, drawn, drawn_tall * drawn_broad, f"{drawn_tall} × {drawn_broad}\nsigmoid units", False),
    ]


def _draw_layers(sheet: Sheet, layers: list[Layer]) -> None:
    for below, above in itertools.pairwise(layers):
        _connect(sheet.canvas, below, above)
        weights = f"{below.units * above.units:,}"
        sheet.text((below.x + above.x) / 2, TOP - 26, weights, across="center", size=8, colour=MUTED)
    sheet.text(MARGIN, TOP - 26, "weights", size=8, colour=MUTED)
    for layer in layers:
        xs = [layer.x] * len(layer.heights)
        if layer.hidden:
            sheet.canvas.scatter(xs, layer.heights, 42, "white", edgecolors=BLUE, linewidths=1.1)
            sheet.text(layer.x, (TOP + BOTTOM) / 2, "⋮", across="center", size=13, colour=BLUE)
        else:
            sheet.canvas.scatter(xs, layer.heights, 8, TEXT, marker="s", linewidths=0)
        for line, words in enumerate(layer.name.splitlines()):
            sheet.text(layer.x, BOTTOM + 24 + 16 * line, words, across="center")


def _connect(axes: Axes, below: Layer, above: Layer) -> None:
    """A line from every unit that is shown to every unit that is shown in the next layer."""
    lines = [[(below.x, y), (above.x, z)] for y in below.heights for z in above.heights]
    axes.add_collection(LineCollection(lines, colors=LINE, linewidths=0.4, alpha=0.8, zorder=0.5))


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


def weights_figure(evidence: Evidence) -> tuple[bytes, str]:
    """Fig. 4: weights at the bottom and at the top, each with one scale of colours; and the caption."""
    stored = evidence.run("add")
    caption = (
        "For each cell from the left, the unit whose squared weights lie most in it, then the next most concentrated "
        f"({stored.source}). Red is positive and blue negative; grey pixels never bear ink."
    )
    blocks = bottom(stored.run), top(stored.run)
    high = TITLE + DOWN * (blocks[0].layout.height * ZOOM + CAPTION) + MARGIN
    with new_sheet(MARGIN + len(blocks) * high) as sheet:
        for number, block in enumerate(blocks):
            _draw_block(sheet, block, MARGIN + number * high)
        return sheet.png(), caption


def concentration(weights: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The share of each unit's squared weights (units, pixels) that lies in each cell: (units, cells)."""
    squares = weights**2
    total = np.maximum(squares.sum(1, keepdims=True), 1e-30)
    return np.asarray(squares[:, places].sum(-1) / total)


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
        sheet.frame(cell_box(block.layout, block.cells[place], left, down, ZOOM), TEXT, 0.8)
        words = f"unit {block.units[place]}: {block.shares[place] * 100:.1f} % in cell {block.cells[place] + 1}"
        sheet.text(left, down + high + 12, words, size=8, colour=MUTED)
    scale = sheet.axes(MARGIN + ACROSS * (wide + GAP), top + TITLE, 10, DOWN * (high + CAPTION) - CAPTION)
    bar = sheet.figure.colorbar(image, cax=scale, ticks=[-limit, 0, limit])
    bar.set_ticklabels([f"−{limit:.2g}", "0", f"+{limit:.2g}"])
    bar.outline.set(edgecolor=LINE)
