"""Figures of what the layers of trained perceptrons hold: what explains a unit, and what each layer tells."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from visarith.report.drawing import (
    BLUE,
    DOTTED,
    GREEN,
    LINE,
    MUTED,
    ORANGE,
    TEXT,
    WIDTH,
    Sheet,
    legend_above,
    new_sheet,
)
from visarith.report.evidence import Evidence, Row
from visarith.report.insight import KINDS, Keys, at, insight, layer

PANELS = {
    "add": "Addition",
    "subtract": "Subtraction",
    "multiply": "Multiplication",
    "noise-better": "Noisy addition, better recipe",
}
EXPLAINED: dict[str, Keys] = {  # what may explain a unit: quantiles of the best one's share
    "digit at one place of one input": ("units", "input", "place_share"),
    "both digits of one column": ("explained", "column", "share"),
    "sum of one column": ("explained", "total", "share"),
    "digit at one place of the answer": ("units", "answer", "place_share"),
}
COLOURS = {"input": BLUE, "answer": ORANGE, "carry": GREEN}


def units_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """A panel a layer of addition: how much of a unit's activation each of four things explains; and the caption."""
    caption = (
        "How much of the variance of a unit's activation the best of each explains: bars hold half of the units, ticks "
        "are the median one (entry add, mean over seeds)."
    )
    found = insight(evidence)
    rows, numbers, high, left, apart = found["add"], found.hidden_layers("add"), 150, 226, 36
    wide = (WIDTH - left - 30) // len(numbers) - apart + apart // len(numbers)
    with new_sheet(high + 116) as sheet:
        for place, number in enumerate(numbers):
            axes = sheet.axes(left + place * (wide + apart), 62, wide, high)
            for line, path in enumerate(EXPLAINED.values()):
                for network, colour, up in (("trained", BLUE, -0.16), ("untrained", LINE, 0.2)):
                    _, low, median, top, _ = np.mean(
                        [at(row, *layer(number, *path, network=network)) for row in rows], 0
                    )
                    axes.barh(line + up, top - low, 0.3, left=low, color=colour, alpha=0.45 if colour == BLUE else 0.6)
                    dark = colour if colour == BLUE else MUTED
                    axes.plot([median] * 2, [line + up - 0.15, line + up + 0.15], color=dark, linewidth=2)
            axes.set(xlim=(0, 1), ylim=(len(EXPLAINED) - 0.5, -0.5))
            axes.set_yticks(range(len(EXPLAINED)), list(EXPLAINED) if place == 0 else [""] * len(EXPLAINED))
            axes.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
            axes.tick_params(axis="y", length=0, labelcolor=TEXT)
            axes.grid(axis="x")
            axes.set_title(f"Layer {number}")
        legend_above(
            sheet,
            [Patch(color=BLUE, alpha=0.45, label="trained"), Patch(color=LINE, alpha=0.6, label="before training")],
            left,
        )
        sheet.text(left, high + 100, "of the variance of a unit's activation", size=8.5, colour=MUTED)
        return sheet, caption


def probes_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """A panel an entry, a line a seed: what a weighted sum of each layer reads right; and the caption."""
    caption = (
        "Digits and carries that a weighted sum of each layer reads right on pairs that it was not fitted on, mean "
        "over places, a line a seed. Dotted: the same network before training. Grey: fitted to labels of other pairs."
    )
    found = insight(evidence)
    entries = [name for name in PANELS if name in found]
    high, wide, lines = 180, 372, (len(entries) + 1) // 2
    with new_sheet(40 + lines * (high + 74)) as sheet:
        for number, entry in enumerate(entries):
            down, across = divmod(number, 2)
            axes = sheet.axes(62 + across * (wide + 62), 60 + down * (high + 74), wide, high)
            _draw_probes(axes, found[entry], PANELS[entry])
        handles = [
            Line2D([], [], color=colour, marker="o", markersize=3.5, label=KINDS[kind])
            for kind, colour in COLOURS.items()
        ]
        handles.append(Line2D([], [], color=MUTED, linestyle=DOTTED, label="before training"))
        handles.append(Line2D([], [], color=LINE, linewidth=4, label="shuffled labels"))
        legend_above(sheet, handles, 56)
        return sheet, caption


def _draw_probes(axes: Axes, rows: Sequence[Row], title: str) -> None:
    numbers = range(len(rows[0]["trained"]))
    for row in rows:
        for kind, colour in COLOURS.items():
            trained = [each["probes"][kind] for each in row["trained"]]
            if trained[0] is None:
                continue
            start = [trained[0], *(each["probes"][kind] for each in row["untrained"])]
            shuffled = [each["shuffled"][kind] for each in row["trained"]]
            axes.plot(numbers, shuffled, color=LINE, linewidth=4, alpha=0.6, zorder=1.5)
            axes.plot(numbers, start, color=colour, linewidth=1.2, linestyle=DOTTED, zorder=2)
            axes.plot(numbers, trained, color=colour, linewidth=1.4, marker="o", markersize=3.5, zorder=3)
    axes.set_title(title)
    axes.set(ylim=(0, 1.04), xlim=(-0.12, numbers[-1] + 0.12))
    axes.set_xticks(numbers, ["pixels", *(f"layer {number}" for number in numbers[1:])])
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.yaxis.set_major_formatter(PercentFormatter(1, 0, " %"))
    axes.grid(axis="y")
