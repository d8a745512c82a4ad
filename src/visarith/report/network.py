"""A drawing of the paper's network (Fig. 2): pictures, units and every connection between those that are shown."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection

from visarith.report.drawing import BLUE, LINE, MARGIN, MUTED, TEXT, WIDTH, Sheet, new_sheet
from visarith.runs.experiment import Experiment

HEIGHT, ZOOM = 330, 3
TOP, BOTTOM = 56, 270  # of the columns of units
SHOWN = 10  # units of a layer, with a gap in the middle


@dataclass(frozen=True)
class Layer:
    """A column of units: where it stands, which heights, and what is said of it."""

    x: float
    heights: tuple[float, ...]
    units: int
    name: str
    hidden: bool


def draw_network(experiment: Experiment, inputs: Sequence[np.ndarray], answer: np.ndarray) -> bytes:
    """The network of an experiment, with pictures (height, width) of one example at both ends."""
    high, wide = (size * ZOOM for size in answer.shape)
    middle = (TOP + BOTTOM) / 2
    tops = np.linspace(TOP, BOTTOM, len(inputs) + 1)
    centres = [float(a + b) / 2 for a, b in itertools.pairwise(tops)]
    layers = _layers(experiment, centres, middle, high, wide)
    with new_sheet(HEIGHT) as sheet:
        _draw_layers(sheet, layers)
        for number, (picture, centre) in enumerate(zip(inputs, centres, strict=True), 1):
            sheet.picture(picture, MARGIN, round(centre - high / 2), ZOOM)
            sheet.text(MARGIN, centre - high / 2 - 12, f"input {number}", colour=MUTED)
        sheet.picture(answer, WIDTH - MARGIN - wide, round(middle - high / 2), ZOOM)
        sheet.text(WIDTH - MARGIN - wide, middle - high / 2 - 12, "answer", colour=MUTED)
        return sheet.png()


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
