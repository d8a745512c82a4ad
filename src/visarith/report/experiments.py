"""Every experiment of the catalogue: tables by group, error by position, open choices, learners; learning curves."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm

from visarith.evaluation import percent
from visarith.learners import LEARNERS, config_of
from visarith.report.drawing import (
    BLUE,
    DASHED,
    GREEN,
    MARGIN,
    MUTED,
    ORANGE,
    PINK,
    TEXT,
    WIDTH,
    Sheet,
    new_sheet,
    share_axis,
)
from visarith.report.evidence import Evidence, NoResultError, Summary
from visarith.report.parts import NOTHING, Table, our_error, paper_error
from visarith.runs.train import WATCHED
from visarith.studies.catalogue import CATALOGUE, ENTRIES, GROUPS

ZERO = 1e-5  # where an epoch without a wrong digit is drawn; below any share that a curve can have
HIGH, WIDE, APART = 190, 372, 74  # pixels of a panel, and between panels
POSITIONS = ("add", "subtract", "noise", "multiply", "multiply-one-hot")


@dataclass(frozen=True)
class Panel:
    """Curves that are to be compared: entry, label and colour of each; the paper's error is that of the first."""

    title: str
    curves: tuple[tuple[str, str, str], ...]
    paper: str = "the paper:"


SUMS = (("add", "addition", BLUE), ("sigmoid", "addition, sigmoid units", GREEN), ("subtract", "subtraction", PINK))
PANELS = (
    Panel("Addition and subtraction", SUMS, "the paper, addition:"),
    *(
        Panel(title, ((entry, "the paper's recipe", BLUE), (f"{entry}-better", "a better recipe", ORANGE)))
        for entry, title in (("multiply", "Multiplication"), ("roman", "Roman addition"), ("noise", "Noisy addition"))
    ),
)
CURVES = tuple(name for panel in PANELS for name, *_ in panel.curves)


def group_tables(evidence: Evidence) -> list[Table]:
    """Every entry of the catalogue, a table a group."""
    head = ["experiment", "what", "paper", "digits wrong", "numbers wrong", "written cells", "by Tesseract", "training"]
    head += ["answers from clean", "recipe", "weights", "seeds", "seconds", "core seconds"]
    rows = {entry: _row(evidence.summary(entry.name), quick=evidence.quick) for entry in CATALOGUE}
    return [
        Table(title, "", head, [row for entry, row in rows.items() if entry.group == group])
        for group, title in GROUPS.items()
    ]


def _row(found: Summary, *, quick: bool) -> list[str]:
    entry = found.entry
    start = [f"`{entry.name}`", entry.title, paper_error(found), our_error(found)]
    if not found.runs:
        return [*start, *[NOTHING] * 10]
    experiment = entry.experiment(0, quick=quick)
    recipe = NOTHING if entry.parts else f"{experiment.recipe_name}, {experiment.recipe.epochs} epochs"
    read = [str(found.numbers), percent(found.written), str(found.tesseract or NOTHING), percent(found.training)]
    distance = f"{found.distance:.3f}" if found.distance is not None else NOTHING
    times = [f"{found.seconds:.0f}", f"{found.core_seconds:.0f}"]
    return [*start, *read, distance, recipe, f"{found.runs[0].parameters:,}", str(found.seeds), *times]


def positions(evidence: Evidence) -> Table:
    """The error of each digit, from the left."""
    rows = []
    for entry in CATALOGUE:
        found = evidence.summary(entry.name)
        if found.runs and entry.task.notation.base is not None and len(found.positions) == 7:
            rows.append([f"`{entry.name}`", *(percent(share) for share in found.positions)])
    head = ["experiment", *(f"digit {i}" for i in range(1, 8))]
    return Table("Error by position", "Digit 1 is the leftmost. Mean over seeds, by templates.", head, rows)


def seen(evidence: Evidence) -> Table:
    """How much of the test was met in training, for every task."""
    rows = []
    for entry in CATALOGUE:
        found = [run.seen for run in evidence.summary(entry.name).runs if run.seen]
        if found:
            shares = [percent(sum(each[what] for each in found) / len(found)) for what in ("operands", "answers")]
            rows.append([f"`{entry.name}`", entry.title, *shares])
    note = (
        "No test pair, and no mirrored pair where order does not matter, is a training pair. Single numbers may be: "
        "the share of test operands, and of answers, that occur somewhere in training."
    )
    return Table("What the test shares with training", note, ["experiment", "what", "operands", "answers"], rows)


def learners() -> Table:
    """What each learner is given beforehand, as its config says."""
    rows, users = [], dict[str, list[str]]()
    for entry in CATALOGUE:
        users.setdefault(entry.learner.name, []).append(f"`{entry.name}`")
    for name in LEARNERS:
        config = config_of(name)
        shown = "all others" if config.unsaid else ", ".join(users.get(name, [])) or NOTHING
        rows.append([name, config.given, shown])
    note = "Every learner sees pixels (or, in the medium one-hot, tables) and nothing else; this is what it is built "
    note += "with."
    return Table("What the learners are told", note, ["learner", "given beforehand", "experiments"], rows)


def curves_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """The digit error after each epoch, and the caption."""
    there = [entry for entry in CURVES if any(run.curve for run in evidence.summary(entry).runs)]
    if not there:
        raise NoResultError(" and ".join(CURVES))
    caption = (
        f"Digit error on up to {WATCHED:,} test pairs after each epoch, a line a seed (entries {', '.join(there)}); "
        "an epoch without a wrong digit is drawn at 0, and the dashed line is the paper's error at the end."
    )
    panels = [panel for panel in PANELS if any(name in there for name, *_ in panel.curves)]
    rows = (len(panels) + 1) // 2
    with new_sheet(MARGIN + rows * (HIGH + APART)) as sheet:
        for number, panel in enumerate(panels):
            row, column = divmod(number, 2)
            axes = sheet.axes(62 + column * (WIDE + 62), MARGIN + 16 + row * (HIGH + APART), WIDE, HIGH)
            _draw_panel(axes, panel, evidence)
        return sheet, caption


def _draw_panel(axes: Axes, panel: Panel, evidence: Evidence) -> None:
    lowest = 1.0
    for name, label, colour in panel.curves:
        for number, run in enumerate(evidence.summary(name).runs):
            errors = [max(error, ZERO) for _, error in run.curve]
            lowest = min([lowest, *errors])
            epochs = range(1, len(errors) + 1)
            axes.plot(epochs, errors, color=colour, linewidth=1.2, alpha=0.85, label="" if number else label)
    paper = ENTRIES[panel.curves[0][0]].paper
    if paper is not None:
        lowest = min(lowest, paper)
        axes.axhline(paper, color=MUTED, linewidth=0.9, linestyle=DASHED, zorder=3.5)
        words = f"{panel.paper} {paper * 100:.1f} %"
        place, white = axes.get_yaxis_transform(), {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8}
        axes.annotate(words, (1, paper), (0, 3), place, "offset points", ha="right", color=MUTED, bbox=white)
    axes.set_title(panel.title)
    share_axis(axes, lowest, ZERO)
    axes.set(xlabel="epoch")
    axes.margins(x=0.01)
    axes.legend(loc="lower left")


def positions_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """The digit error at each place of the answer, and the caption."""
    names = [entry for entry in POSITIONS if evidence.summary(entry).runs]
    if not names:
        raise NoResultError(" and ".join(POSITIONS))
    caption = f"Wrong digits in percent at each place of the answer, mean over seeds (entries {', '.join(names)})."
    table = np.array([evidence.summary(name).positions for name in names])
    high, left, top = 40, 190, 44
    with new_sheet(top + high * len(names) + MARGIN) as sheet:
        axes = sheet.axes(left, top, WIDTH - left - MARGIN, high * len(names))
        axes.imshow(table, cmap="Blues", norm=PowerNorm(0.5, 0, 1), aspect="auto", interpolation="nearest")
        axes.spines[:].set_visible(False)
        axes.set_yticks(range(len(names)), [ENTRIES[name].title for name in names])
        axes.set_xticks(range(table.shape[1]), [_place(power) for power in reversed(range(table.shape[1]))])
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        for (row, column), share in np.ndenumerate(table):
            colour = "white" if share > 0.4 else TEXT
            axes.text(column, row, _percent(share), ha="center", va="center", color=colour)
        axes.set_xticks(np.arange(table.shape[1] - 1) + 0.5, minor=True)
        axes.set_yticks(np.arange(len(names) - 1) + 0.5, minor=True)
        axes.grid(which="minor", color="white", linewidth=2)
        axes.tick_params(which="minor", length=0)
        sheet.text(left - 5, top - 12, "wrong digits in %", across="right", size=8, colour=MUTED)
        return sheet, caption


def _place(power: int) -> str:
    """What a digit counts: 1, 10, 100, 10³, ..."""
    return str(10**power) if power < 3 else "10" + str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _percent(share: float) -> str:
    """In percent, with two decimals at most.

    >>> [_percent(share) for share in (0, 0.00003, 0.00031, 0.0142, 0.715)]
    ['0', '<0.01', '0.03', '1.4', '72']
    """
    percent = 100 * share
    if percent < 0.005:
        return "<0.01" if percent else "0"
    return f"{percent:.{2 if percent < 0.995 else 1 if percent < 9.95 else 0}f}"
