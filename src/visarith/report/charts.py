"""Results as charts: learning curves, and the digit error of each position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import PowerNorm

from visarith.experiments.catalogue import ENTRIES
from visarith.experiments.results import Result
from visarith.report.drawing import BLUE, GREEN, MARGIN, MUTED, ORANGE, PINK, TEXT, WIDTH, new_sheet

NOTHING = 1e-5  # where an epoch without a wrong digit is drawn; below any share that a curve can have
TICKS = {1e-5: "0.001 %", 1e-4: "0.01 %", 1e-3: "0.1 %", 1e-2: "1 %", 1e-1: "10 %", 1: "100 %"}
HIGH, WIDE, APART = 190, 372, 74  # pixels of a panel, and between panels


@dataclass(frozen=True)
class Panel:
    """Curves that are to be compared: entry, label and colour of each; the paper's error is that of the first."""

    title: str
    curves: tuple[tuple[str, str, str], ...]
    paper: str = "the paper:"


def _recipes(title: str, entry: str) -> Panel:
    return Panel(title, ((entry, "the paper's recipe", BLUE), (f"{entry}-better", "a better recipe", ORANGE)))


PANELS = (
    Panel(
        "Addition and subtraction",
        (
            ("add", "addition", BLUE),
            ("sigmoid", "addition, sigmoid units", GREEN),
            ("subtract", "subtraction", PINK),
        ),
        "the paper, addition:",
    ),
    _recipes("Multiplication", "multiply"),
    _recipes("Roman addition", "roman"),
    _recipes("Noisy addition", "noise"),
)
CURVES = tuple(name for panel in PANELS for name, *_ in panel.curves)
POSITIONS = ("add", "subtract", "noise", "multiply", "multiply-one-hot")


def draw_curves(results: Mapping[str, Sequence[Result]]) -> bytes:
    """A panel for each comparison, on one scale; entries without a result are left out."""
    panels = [panel for panel in PANELS if any(results.get(name) for name, *_ in panel.curves)]
    rows = (len(panels) + 1) // 2
    with new_sheet(MARGIN + rows * (HIGH + APART)) as sheet:
        for number, panel in enumerate(panels):
            row, column = divmod(number, 2)
            axes = sheet.axes(62 + column * (WIDE + 62), MARGIN + 16 + row * (HIGH + APART), WIDE, HIGH)
            _draw_panel(axes, panel, results)
        return sheet.png()


def _draw_panel(axes: Axes, panel: Panel, results: Mapping[str, Sequence[Result]]) -> None:
    lowest = 1.0
    for name, label, colour in panel.curves:
        for number, result in enumerate(results.get(name, ())):
            errors = [max(error, NOTHING) for _, error in result.curve]
            lowest = min([lowest, *errors])
            epochs = range(1, len(errors) + 1)
            axes.plot(epochs, errors, color=colour, linewidth=1.2, alpha=0.85, label="" if number else label)
    paper = ENTRIES[panel.curves[0][0]].paper
    if paper is not None:
        lowest = min(lowest, paper)
        axes.axhline(paper, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=3.5)
        words = f"{panel.paper} {paper * 100:.1f} %"
        place, white = axes.get_yaxis_transform(), {"facecolor": "white", "edgecolor": "none", "pad": 1, "alpha": 0.8}
        axes.annotate(words, (1, paper), (0, 3), place, "offset points", ha="right", color=MUTED, bbox=white)
    axes.set_title(panel.title, color=TEXT, weight="bold")
    share_axis(axes, lowest)
    axes.set(xlabel="epoch")
    axes.margins(x=0.01)
    axes.legend(loc="lower left")


def share_axis(axes: Axes, lowest: float, nothing: float = NOTHING) -> None:
    """A logarithmic axis of shares down to the lowest; 0, which it cannot have, stands below the rest."""
    if lowest > 0.05:
        ticks = {0.05: "5 %", 0.1: "10 %", 0.2: "20 %", 0.5: "50 %", 1: "100 %"}
    else:
        above = {at: label for at, label in TICKS.items() if at > nothing and at * 10 > lowest}
        ticks = above | ({nothing: "0"} if lowest == nothing else {})
    axes.set(yscale="log", ylim=(min([lowest, *ticks]) * 0.8, 1.05))
    axes.set_yticks(list(ticks), list(ticks.values()))
    axes.set_yticks([], minor=True)
    axes.grid(axis="y")


def draw_positions(results: Mapping[str, Sequence[Result]]) -> bytes:
    """A row for each entry, a column for each digit of the answer; the mean over seeds."""
    names = [name for name in POSITIONS if results.get(name)]
    table = np.array([positions(results[name]) for name in names])
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
        return sheet.png()


def positions(results: Sequence[Result]) -> np.ndarray:
    """The digit error of each position from the left, as the mean over seeds."""
    return np.asarray(np.mean([result.score.per_position for result in results if result.score], axis=0))


def _place(power: int) -> str:
    """What a digit counts: 1, 10, 100, 10³, ..."""
    return str(10**power) if power < 3 else "10" + str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _percent(share: float) -> str:
    """In percent, with as many decimals as it has to say.

    >>> [_percent(share) for share in (0, 0.00003, 0.00031, 0.0142, 0.715)]
    ['0', '<0.01', '0.03', '1.4', '72']
    """
    percent = 100 * share
    if percent < 0.005:
        return "<0.01" if percent else "0"
    return f"{percent:.{2 if percent < 0.995 else 1 if percent < 9.95 else 0}f}"
