"""From how few examples perceptrons and columns learn: table and figure."""

from collections.abc import Iterable, Mapping, Sequence

from visarith.evaluation import percent
from visarith.report.drawing import BLUE, DASHED, MUTED, ORANGE, Sheet, count_axis, share_axis, two_panels
from visarith.report.evidence import Evidence, Row
from visarith.report.parts import NOTHING, Table

OPERATIONS = {"add": ("addition", 0.019), "multiply": ("multiplication", 0.715)}  # and the paper's error
LEARNERS = {"perceptron": BLUE, "columns": ORANGE}
ZERO = 1e-6  # where no wrong digit is drawn

Rows = Sequence[Row]
Counts = Mapping[int, Rows]  # a row a seed, by the number of examples


def few_examples(evidence: Evidence) -> Table:
    """Errors by the number of examples, and the smallest numbers that are enough."""
    stored = evidence.rows("few-examples")
    counts = sorted({row["examples"] for row in stored})
    lines, seeds = [], 0
    for operation, (title, paper) in OPERATIONS.items():
        for learner in LEARNERS:
            found = _by_count(stored, learner, operation)
            cells = [percent(_error(found[count])) if count in found else NOTHING for count in counts]
            small = [count for count, rows in found.items() if _error(rows) <= paper]
            exact = [count for count, rows in found.items() if sum(r["wrong"] == 0 for r in rows) * 3 >= 2 * len(rows)]
            smallest = [f"{min(enough):,}" if enough else "none" for enough in (small, exact)]
            lines.append([title, learner, *cells, *smallest])
            seeds = max([seeds, *map(len, found.values())])
    head = ["operation", "learner", *(f"{count:,}" for count in counts), "the paper's error from", "0 wrong from"]
    note = (
        f"Wrong digits on 30,000 other pairs, mean over up to {seeds} seeds, by the number of distinct training pairs; "
        "all runs of a learner take about as many steps, the perceptron's those of 10 epochs of 150,000 (with 50 it "
        "reaches the paper's error, see Table 1). Columns were told which cells meet. 0 wrong: of all numbers, for at "
        "least two of three seeds."
    )
    return Table("Few examples", note, head, lines)


def few_examples_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """A panel an operation, a line a learner, a dot a seed; and the caption."""
    stored = evidence.rows("few-examples")
    caption = (
        "Wrong digits on 30,000 other pairs against the number of distinct training pairs: a dot a seed, a line "
        "through the means, dashed the paper's error from 150,000. 0 stands lowest."
    )
    with two_panels(*(title.capitalize() for title, _ in OPERATIONS.values())) as (sheet, panels):
        for axes, (operation, (_, paper)) in zip(panels, OPERATIONS.items(), strict=True):
            for learner, colour in LEARNERS.items():
                found = _by_count(stored, learner, operation)
                means = [max(_error(rows), ZERO) for rows in found.values()]
                axes.plot(list(found), means, color=colour, label=learner)
                for count, rows in found.items():
                    dots = [max(row["digit_error"], ZERO) for row in rows]
                    axes.plot([count] * len(dots), dots, "o", color=colour, markersize=3, alpha=0.7)
            axes.axhline(paper, color=MUTED, linewidth=0.9, linestyle=DASHED)
            share_axis(axes, ZERO, ZERO)
            count_axis(axes, "distinct training pairs", (30, 300, 3_000, 150_000))
            axes.legend(loc="center right")
        return sheet, caption


def _by_count(stored: Iterable[Row], learner: str, operation: str) -> Counts:
    mine = [row for row in stored if (row["learner"], row["operation"]) == (learner, operation)]
    counts = sorted({row["examples"] for row in mine})
    return {count: [row for row in mine if row["examples"] == count] for count in counts}


def _error(rows: Rows) -> float:
    return sum(float(row["digit_error"]) for row in rows) / len(rows)
