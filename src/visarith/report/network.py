"""Figures of trained networks: test pairs (Fig. 1 and 3), the network itself (Fig. 2) and its weights (Fig. 4)."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import matplotlib
import numpy as np
from matplotlib.collections import LineCollection

from visarith.pictures.layout import Layout
from visarith.randomness import generator
from visarith.report import drawing
from visarith.report.drawing import BLUE, LINE, MARGIN, MUTED, ORANGE, TEXT, WIDTH, ZOOM
from visarith.report.evidence import Evidence, NoResultError
from visarith.runs.experiment import Experiment
from visarith.runs.run import Run
from visarith.studies.insight.layers import stack

BATCH = 2_000  # as many as the judge draws at once, so that noise falls on a pair as it did there
COLUMNS = 3
ROWS = ("input 1", "input 2", "network's answer", "truth")
OPERATIONS = {"subtraction": ["subtract"], "multiplication": ["multiply"], "noisy addition": ["noise-better", "noise"]}
HEIGHT, PICTURE = 330, 3  # of Fig. 2: its height, and pixels of a picture's pixel
TOP, BOTTOM = 56, 270  # of the columns of units
SHOWN = 10  # units of a layer, with a gap in the middle
ACROSS, DOWN = 3, 3  # units of a block of Fig. 4
TITLE, CAPTION, GAP = 30, 30, 20
CLIPPED = 99.5  # percent of the weights that are shown lie within the colours
COLOURS = "RdBu_r"


@dataclass(frozen=True, eq=False)
class Example:
    """One test pair as a person sees it."""

    inputs: np.ndarray  # (operands, height, width), corrupted as the task says
    answer: np.ndarray  # (height, width), what the network draws
    target: np.ndarray  # (height, width), what it should draw, with noise where training had it
    wrong: np.ndarray  # (cells,) whether the templates read something else than the truth


def examples_of(run: Run) -> Iterator[Example]:
    """The run's test pairs, in the order in which they were judged."""
    experiment, task = run.experiment, run.task
    _, test = task.examples(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    reader = task.legend.reader("templates")
    noise, target_noise = (generator(experiment.seed, purpose) for purpose in ("test noise", "report"))
    for start in range(0, len(test), BATCH):
        batch = test[start : start + BATCH]
        inputs = task.inputs(batch.inputs, noise)
        answers = task.plain_answers(run.learner.drawn(inputs))[:, 0]
        wrong = reader.read(answers).symbols != batch.answers[:, 0]
        targets = task.answer_layout.plain(task.targets(batch.answers[:, 0], target_noise).numpy())
        yield from map(Example, task.layout.plain(inputs.numpy()), answers, targets, wrong)


@lru_cache(maxsize=8)  # Fig. 1 and 2 show the same ones, and sampling 180,000 pairs takes two seconds
def right_and_wrong(run: Run) -> list[Example]:
    """The first two that are right and the first that is wrong, or as near to that as the run allows."""
    right: list[Example] = []
    wrong: list[Example] = []
    for example in examples_of(run):
        same = wrong if example.wrong.any() else right
        if len(same) < COLUMNS:
            same.append(example)
        if len(right) >= COLUMNS - 1 and wrong:
            break
    failures = wrong[: max(1, COLUMNS - len(right))]
    return [*right[: COLUMNS - len(failures)], *failures]


def examples_figure(evidence: Evidence) -> tuple[bytes, str]:
    """Fig. 1: inputs, answer and truth, wrong digits framed; and the caption."""
    stored = evidence.run("add")
    run, examples = stored.run, right_and_wrong(stored.run)
    wrong = sum(bool(example.wrong.any()) for example in examples)
    right = len(examples) - wrong
    what = f"{right} that are right and {wrong} that are wrong, wrong digits framed"
    if not wrong:
        what = f"the first {right}; not one of them all is wrong"
    elif (right, wrong) == (2, 1):
        what = "the first two that are right and the first that is wrong, its wrong digits framed"
    columns = [
        _column(run, example, *(("wrong", ORANGE) if example.wrong.any() else ("right", BLUE))) for example in examples
    ]
    caption = f"Of the {run.experiment.test_pairs:,} test pairs, {what} ({stored.source})."
    return drawing.draw_columns(ROWS, columns), caption


def operations_figure(evidence: Evidence) -> tuple[bytes, str]:
    """Fig. 3: the first test pair of each operation of which there is a run; and the caption."""
    runs, missing = {}, []
    for title, entries in OPERATIONS.items():
        try:
            runs[title] = evidence.run(*entries)
        except NoResultError as error:
            missing.append(error)
    if not runs:
        raise missing[0]
    sources = "; ".join(stored.source for stored in runs.values())
    caption = f"The first test pair of {', '.join(runs)} ({sources}), wrong digits framed."
    if "noisy addition" in runs:
        caption += " The last picture of noisy addition is not the truth but a target as it was trained with."
    caption += "".join(f" Not shown: {error}." for error in missing)
    columns = [_column(stored.run, next(examples_of(stored.run)), title) for title, stored in runs.items()]
    return drawing.draw_columns(ROWS, columns), caption


def _column(run: Run, example: Example, title: str, colour: str = TEXT) -> drawing.Column:
    frames = {len(example.inputs): np.flatnonzero(example.wrong).tolist()}
    note = "a noisy target of training, not the truth" if run.task.corruption.noise else ""
    pictures = [*example.inputs, example.answer, example.target]
    return drawing.Column(title, pictures, run.task.plain_answer_layout, frames, note, colour)


@dataclass(frozen=True, eq=False)
class Layer:
    """A column of units: where it stands, which heights, and what is said of it."""

    x: float
    heights: np.ndarray
    units: int
    name: str
    hidden: bool


def network_figure(evidence: Evidence) -> tuple[bytes, str]:
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
        return sheet.png(), caption


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


def _draw_layers(sheet: drawing.Sheet, layers: list[Layer]) -> None:
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
    with drawing.new_sheet(MARGIN + len(blocks) * high) as sheet:
        for number, block in enumerate(blocks):
            _draw_block(sheet, block, MARGIN + number * high)
        return sheet.png(), caption


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


def _draw_block(sheet: drawing.Sheet, block: Block, top: int) -> None:
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
