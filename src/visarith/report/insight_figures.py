"""Figures of what was measured inside trained perceptrons, and of what they draw for illegible digits."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from visarith.report.drawing import BLUE, GREEN, LINE, MUTED, ORANGE, PINK, TEXT, WIDTH, Sheet, new_sheet
from visarith.report.insight_evidence import Insight, Row, at, hidden_layers, layer

PANELS = {
    "add": "Addition",
    "subtract": "Subtraction",
    "multiply": "Multiplication",
    "noise-better": "Noisy addition, better recipe",
}
KINDS = {"input": ("input digits", BLUE), "answer": ("answer digits", ORANGE), "carry": ("carries", GREEN)}
CURVES = {"add": "Trained without noise", "noise-better": "Trained with noise"}
RELIABLE = {  # and where it is named
    "noise-better": ("noise, better recipe", BLUE, (0.03, 0.92)),
    "noise": ("noise, the paper's recipe", GREEN, (0.03, 0.84)),
    "add": ("trained without noise", PINK, (0.42, 0.22)),
}
EXPLAINED: dict[str, tuple[str | int, ...]] = {  # what may explain a unit: quantiles of the best one's share
    "digit at one place of one input": ("units", "input", "place_share"),
    "both digits of one column": ("explained", "column", "share"),
    "sum of one column": ("explained", "total", "share"),
    "digit at one place of the answer": ("units", "answer", "place_share"),
}
ENOUGH = 30  # digits in a bin that is drawn


def draw_units(found: Insight) -> bytes:
    """A panel a layer of addition: how much of a unit's activation each of four things explains, half of the units."""
    rows = found["add"]
    numbers, high, left, apart = hidden_layers(rows[0]), 150, 226, 36
    wide = (WIDTH - left - 30) // len(numbers) - apart + apart // len(numbers)
    with new_sheet(high + 116) as sheet:
        for place, number in enumerate(numbers):
            axes = sheet.axes(left + place * (wide + apart), 62, wide, high)
            for line, path in enumerate(EXPLAINED.values()):
                for network, colour, up in (("trained", BLUE, -0.16), ("untrained", LINE, 0.2)):
                    _, low, median, top, _ = np.mean([layer(number, *path, network=network)(row) for row in rows], 0)
                    axes.barh(line + up, top - low, 0.3, left=low, color=colour, alpha=0.45 if colour == BLUE else 0.6)
                    dark = colour if colour == BLUE else MUTED
                    axes.plot([median] * 2, [line + up - 0.15, line + up + 0.15], color=dark, linewidth=2)
            axes.set(xlim=(0, 1), ylim=(len(EXPLAINED) - 0.5, -0.5))
            axes.set_yticks(range(len(EXPLAINED)), list(EXPLAINED) if place == 0 else [""] * len(EXPLAINED))
            axes.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
            axes.tick_params(axis="y", length=0, labelcolor=TEXT)
            axes.grid(axis="x")
            axes.set_title(f"Layer {number}", color=TEXT, weight="bold")
        handles = [
            Patch(color=BLUE, alpha=0.45, label="trained"),
            Patch(color=LINE, alpha=0.6, label="before training"),
        ]
        _legend(sheet, handles, left)
        sheet.text(left, high + 100, "of the variance of a unit's activation", size=8.5, colour=MUTED)
        return sheet.png()


def draw_probes(found: Insight) -> bytes:
    """A panel an entry, a line a seed: what a weighted sum of each layer reads right, and what it did at the start."""
    entries = [name for name in PANELS if name in found]
    high, wide, lines = 180, 372, (len(entries) + 1) // 2
    with new_sheet(40 + lines * (high + 74)) as sheet:
        for number, entry in enumerate(entries):
            down, across = divmod(number, 2)
            axes = sheet.axes(62 + across * (wide + 62), 60 + down * (high + 74), wide, high)
            _draw_probes(axes, found[entry], PANELS[entry])
        handles = [
            Line2D([], [], color=colour, marker="o", markersize=3.5, label=name) for name, colour in KINDS.values()
        ]
        handles.append(Line2D([], [], color=MUTED, linestyle=(0, (1, 1.6)), label="before training"))
        handles.append(Line2D([], [], color=LINE, linewidth=4, label="shuffled labels"))
        _legend(sheet, handles, 56)
        return sheet.png()


def _draw_probes(axes: Axes, rows: Sequence[Row], title: str) -> None:
    numbers = [0, *hidden_layers(rows[0])]
    for row in rows:
        for kind, (_, colour) in KINDS.items():
            if layer(0, "probes", kind)(row) is None:
                continue
            trained = [layer(number, "probes", kind)(row) for number in numbers]
            start = [trained[0], *(layer(number, "probes", kind, network="untrained")(row) for number in numbers[1:])]
            shuffled = [layer(number, "shuffled", kind)(row) for number in numbers]
            axes.plot(numbers, shuffled, color=LINE, linewidth=4, alpha=0.6, zorder=1.5)
            axes.plot(numbers, start, color=colour, linewidth=1.2, linestyle=(0, (1, 1.6)), zorder=2)
            axes.plot(numbers, trained, color=colour, linewidth=1.4, marker="o", markersize=3.5, zorder=3)
    axes.set_title(title, color=TEXT, weight="bold")
    axes.set(ylim=(0, 1.04), xlim=(-0.12, numbers[-1] + 0.12))
    axes.set_xticks(numbers, ["pixels", *(f"layer {number}" for number in numbers[1:])])
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.yaxis.set_major_formatter(PercentFormatter(1, 0, " %"))
    axes.grid(axis="y")


def draw_blends(found: Insight) -> bytes:
    """Two panels of curves with and without noisy training, and one of ink against truth."""
    entries = [name for name in CURVES if name in found and all("mean" in _alone(row) for row in found[name])]
    side, apart = 226, 62
    with new_sheet(side + 118) as sheet:
        for number, entry in enumerate(entries):
            axes = sheet.axes(60 + number * (side + apart), 62, side, side)
            _draw_curve(axes, found[entry], CURVES[entry])
            axes.set(ylabel="share in the answer" if number == 0 else "")
            if entry != "add":
                likely = np.mean([at("mixtures", "likely")(row) for row in found[entry]], 0)
                axes.plot(
                    _alone(found[entry][0])["proportions"], likely, color=TEXT, linestyle=(0, (1, 1.6)), linewidth=1.1
                )
        axes = sheet.axes(60 + len(CURVES) * (side + apart) + 6, 62, side, side)
        _draw_reliability(axes, found)
        handles: list[Line2D | Patch] = [
            Line2D([], [], color=BLUE, linewidth=1.8, label="median case"),
            Line2D([], [], color=ORANGE, linewidth=1.4, label="mean"),
            Patch(color=BLUE, alpha=0.32, label="half of the cases"),
            Patch(color=BLUE, alpha=0.13, label="nine tenths"),
            Line2D([], [], color=MUTED, linestyle=(0, (4, 3)), linewidth=0.9, label="in proportion"),
            Line2D([], [], color=TEXT, linestyle=(0, (1, 1.6)), linewidth=1.1, label="if the noise is known"),
        ]
        _legend(sheet, handles, 54)
        return sheet.png()


def _alone(row: Row) -> Row:
    found: Row = at("mixtures", "alone")(row)
    return found


def _draw_curve(axes: Axes, rows: Sequence[Row], title: str) -> None:
    curves = [_alone(row) for row in rows]
    across = curves[0]["proportions"]
    bounds = {q: np.mean([curve["quantiles"][q] for curve in curves], 0) for q in curves[0]["quantiles"]}
    axes.fill_between(across, bounds["0.05"], bounds["0.95"], color=BLUE, alpha=0.13, linewidth=0)
    axes.fill_between(across, bounds["0.25"], bounds["0.75"], color=BLUE, alpha=0.22, linewidth=0)
    axes.plot(across, bounds["0.5"], color=BLUE, linewidth=1.8)
    axes.plot(across, np.mean([curve["mean"] for curve in curves], 0), color=ORANGE, linewidth=1.4)
    _square(axes, title)
    axes.set(xlabel="proportion of the second digit")


def _draw_reliability(axes: Axes, found: Insight) -> None:
    for entry, (words, colour, place) in RELIABLE.items():
        if entry not in found:
            continue
        for bins in (row["reliability"] for row in found[entry]):
            there = [i for i, count in enumerate(bins["counts"]) if count >= ENOUGH]
            drawn, true = ([bins[name][i] for i in there] for name in ("drawn", "true"))
            axes.plot(drawn, true, color=colour, linewidth=1.3, marker="o", markersize=3)
        axes.text(*place, words, color=colour, size=8)
    _square(axes, "Noisy pictures: ink and truth")
    axes.set(xlabel="ink of a digit", ylabel="how often it is the true one")


def _square(axes: Axes, title: str) -> None:
    axes.plot([0, 1], [0, 1], color=MUTED, linestyle=(0, (4, 3)), linewidth=0.9, zorder=1.9)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.grid()
    axes.set_title(title, color=TEXT, weight="bold")


def _legend(sheet: Sheet, handles: Sequence[Line2D | Patch], left: float) -> None:
    """One line of words above the panels."""
    place = (left / WIDTH, 1 - 8 / sheet.height)
    sheet.figure.legend(
        handles=list(handles),
        loc="upper left",
        bbox_to_anchor=place,
        ncols=len(handles),
        borderaxespad=0,
        columnspacing=1.6,
    )
