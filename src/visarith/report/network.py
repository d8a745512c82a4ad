"""The paper's network, units and connections: Fig. 2."""

import itertools
from dataclasses import dataclass

import numpy as np
from matplotlib.collections import LineCollection

from visarith.report import drawing
from visarith.report.drawing import BLUE, LINE, MARGIN, MUTED, TEXT, WIDTH, Sheet
from visarith.report.evidence import Evidence
from visarith.report.examples import right_and_wrong
from visarith.runs.experiment import Experiment

HEIGHT, PICTURE = 330, 3  # of the sheet, and pixels of a picture's pixel
TOP, BOTTOM = 56, 270  # of the columns of units
SHOWN = 10  # units of a layer, with a gap in the middle


@dataclass(frozen=True, eq=False)
class Layer:
    """A column of units: where it stands, which heights, and what is said of it."""

    x: float
    heights: np.ndarray
    units: int
    name: str
    hidden: bool


def network_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """Fig. 2: units and connections, with pictures of one example at both ends; and the caption."""
    stored = evidence.run("add")
    example = right_and_wrong(stored.run)[0]
    inputs, answer = example.inputs, example.answer
    caption = (
        "Every pixel of both inputs is connected with every unit of the first hidden layer, and so on to the answer; "
        f"a few units stand for all. The pictures are the first pair of Fig. 1 ({stored.source})."
    )
    high, wide = (size * PICTURE for size in answer.shape)
    middle = (TOP + BOTTOM) / 2
    tops = np.linspace(TOP, BOTTOM, len(inputs) + 1)
    centres = [float(a + b) / 2 for a, b in itertools.pairwise(tops)]
    with drawing.new_sheet(HEIGHT) as sheet:
        _draw_layers(sheet, _layers(stored.run.experiment, centres, middle, high, wide))
        for number, (picture, centre) in enumerate(zip(inputs, centres, strict=True), 1):
            sheet.picture(picture, MARGIN, round(centre - high / 2), PICTURE)
            sheet.text(MARGIN, centre - high / 2 - 12, f"input {number}", colour=MUTED)
        sheet.picture(answer, WIDTH - MARGIN - wide, round(middle - high / 2), PICTURE)
        sheet.text(WIDTH - MARGIN - wide, middle - high / 2 - 12, "answer", colour=MUTED)
        return sheet, caption


def _layers(experiment: Experiment, centres: list[float], middle: float, high: int, wide: int) -> list[Layer]:
    """Pixels, hidden layers, pixels, from left to right."""
    task, learner = experiment.task, experiment.learner
    *hidden, _ = learner.build(task).linear()
    (tall, broad), (drawn_tall, drawn_broad) = task.shape, task.answer_shape
    first, last = MARGIN + wide + 14, WIDTH - MARGIN - wide - 14
    drawn = np.linspace(middle - high / 2 + 3, middle + high / 2 - 3, 6)
    pixels = np.concatenate([np.linspace(centre - high / 2 + 3, centre + high / 2 - 3, 6) for centre in centres])
    units = np.linspace(TOP, BOTTOM, SHOWN + 1)
    units = units[abs(units - middle) > 1]
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
        lines = [[(below.x, y), (above.x, z)] for y in below.heights for z in above.heights]
        sheet.canvas.add_collection(LineCollection(lines, colors=LINE, linewidths=0.4, alpha=0.8, zorder=0.5))
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
