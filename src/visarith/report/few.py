"""How many examples are enough: error against the number of distinct training pairs."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from visarith.evaluation import percent
from visarith.report.charts import share_axis
from visarith.report.drawing import BLUE, MARGIN, MUTED, ORANGE, TEXT, WIDTH, new_sheet
from visarith.report.tables import NOTHING, Table

FILE = "few_examples.json"  # written by benchmarks/few_examples.py
OPERATIONS = {"add": ("addition", 0.019), "multiply": ("multiplication", 0.715)}  # and the paper's error
LEARNERS = {"perceptron": BLUE, "columns": ORANGE}
NOTHING_WRONG = 1e-6

Rows = Mapping[tuple[str, str, int], Sequence[Mapping[str, Any]]]


def load(folder: Path) -> Rows:
    """The stored rows, by learner, operation and number of examples; empty if there are none."""
    file = folder / FILE
    rows: dict[tuple[str, str, int], list[Mapping[str, Any]]] = {}
    for row in json.loads(file.read_text()).values() if file.exists() else ():
        rows.setdefault((row["learner"], row["operation"], row["examples"]), []).append(row)
    return rows


def few_examples(rows: Rows) -> Table:
    """Errors, and below them the smallest numbers that are enough."""
    counts = sorted({count for *_, count in rows})
    lines = []
    for operation, (title, paper) in OPERATIONS.items():
        for learner in LEARNERS:
            found = {count: rows[key] for count in counts if (key := (learner, operation, count)) in rows}
            cells = [_mean(found[count]) if count in found else NOTHING for count in counts]
            small = [count for count, each in found.items() if _error(each) <= paper]
            exact = [count for count, each in found.items() if sum(r["wrong"] == 0 for r in each) * 3 >= 2 * len(each)]
            smallest = [f"{min(which):,}" if which else "none" for which in (small, exact)]
            lines.append([title, learner, *(cells if found else [NOTHING] * len(counts)), *smallest])
    head = ["operation", "learner", *(f"{count:,}" for count in counts), "the paper's error from", "0 wrong from"]
    seeds = max((len(each) for each in rows.values()), default=0)
    note = (
        f"Wrong digits on 30,000 other pairs, mean over up to {seeds} seeds, by the number of distinct training pairs; "
        "all runs of a learner take about as many steps, the perceptron's those of 10 epochs of 150,000 (with 50 it "
        "reaches the paper's error, see Table 1). Columns were told which cells meet. 0 wrong: of all numbers, for at "
        "least two of three seeds."
    )
    return Table("Few examples", note, head, lines)


def draw_few(rows: Rows) -> bytes:
    """A panel an operation, a line a learner, a dot a seed."""
    high, wide = 230, WIDTH // 2 - 90
    with new_sheet(high + 100) as sheet:
        for number, (operation, (title, paper)) in enumerate(OPERATIONS.items()):
            axes = sheet.axes(66 + number * (wide + 84), MARGIN + 20, wide, high)
            for learner, colour in LEARNERS.items():
                counts = sorted(count for who, what, count in rows if (who, what) == (learner, operation))
                found = [rows[learner, operation, count] for count in counts]
                axes.plot(counts, [max(_error(each), NOTHING_WRONG) for each in found], color=colour, label=learner)
                for count, each in zip(counts, found, strict=True):
                    dots = [max(row["digit_error"], NOTHING_WRONG) for row in each]
                    axes.plot([count] * len(dots), dots, "o", color=colour, markersize=3, alpha=0.7)
            axes.axhline(paper, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
            axes.set_title(title.capitalize(), color=TEXT, weight="bold")
            share_axis(axes, NOTHING_WRONG, nothing=NOTHING_WRONG)
            axes.set(xscale="log", xlabel="distinct training pairs")
            axes.set_xticks([30, 300, 3_000, 150_000], ["30", "300", "3,000", "150,000"])
            axes.set_xticks([], minor=True)
            axes.legend(loc="center right")
        return sheet.png()


def _error(rows: Sequence[Mapping[str, Any]]) -> float:
    return sum(float(row["digit_error"]) for row in rows) / len(rows)


def _mean(rows: Sequence[Mapping[str, Any]]) -> str:
    return percent(_error(rows))
