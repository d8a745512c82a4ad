"""Which operations are learnable, by analysis and by a short training, and from how few examples.

Claim 32, the table "Which operations are learnable", and table and figure "Few examples".
"""

from collections.abc import Iterable, Mapping, Sequence

from visarith.evaluation import percent
from visarith.notation import NOTATIONS
from visarith.report.drawing import BLUE, DASHED, MUTED, ORANGE, count_axis, share_axis, two_panels
from visarith.report.evidence import Evidence, Row
from visarith.report.parts import NOTHING, Table, Verdict, refined
from visarith.studies.learnability import LEARNABLE
from visarith.studies.learnability.training import EXAMPLES, STEPS

LEARNED = 1 / 3  # a short training has learned an operation if fewer of chance's errors than this are left
OTHERWISE = (0.25, 0.5)  # other bounds, with which the verdict is tried too
MOSTLY = 0.75  # of the operations must agree
OPERATIONS = {"add": ("addition", 0.019), "multiply": ("multiplication", 0.715)}  # and the paper's error
LEARNERS = {"perceptron": BLUE, "columns": ORANGE}
ZERO = 1e-6  # where no wrong digit is drawn

Rows = Sequence[Row]
Counts = Mapping[int, Rows]  # a row a seed, by the number of examples


def left(row: Row) -> float:
    """The share of chance's errors that training leaves, in the medium in which it leaves fewer."""
    return min(each["digit_error"] / each["chance"] if each["chance"] else 1.0 for each in row["trained"])


def said_learnable(row: Row) -> bool:
    """Whether the analysis says so, be it with one more layer."""
    return str(row["verdict"]).startswith(LEARNABLE)


def learned(row: Row, bound: float = LEARNED) -> bool:
    """Whether training says so."""
    return left(row) < bound


def agreements(rows: Rows, bound: float = LEARNED) -> tuple[int, int]:
    """On how many operations the analysis agrees with training, and how many one answer to all would get right."""
    yes = sum(learned(row, bound) for row in rows)
    agree = sum(said_learnable(row) == learned(row, bound) for row in rows)
    return agree, max(yes, len(rows) - yes)


def helps_to_tell(evidence: Evidence) -> Verdict:
    """Claim 32: compare what the analysis says of each operation with what a short training says."""
    rows = evidence.rows("learnability")
    wrong = {_title(row): row for row in rows if said_learnable(row) != learned(row)}
    agree, blind = agreements(rows)
    measured = f"the analysis and a short training agree on {agree} of {len(rows)} operations "
    measured += f"({blind} by one answer to all)"
    if not wrong:
        why = "What it calls learnable is learned in a short training, and nothing else."
        return Verdict(measured, "confirmed", why)
    said = "; ".join(
        f"`{name}` ({row['verdict']}, {percent(left(row))} of chance's errors left)" for name, row in wrong.items()
    )
    if agree >= MOSTLY * len(rows) and agree > blind:
        return refined(measured, f"It helps, and errs in {said}.{_otherwise(rows)}")
    return Verdict(measured, "refuted", f"It errs too often to help: {said}.")


def _otherwise(rows: Rows) -> str:
    """With which other bounds it would not help."""
    found = {bound: agreements(rows, bound) for bound in OTHERWISE}
    return "".join(
        f" If {percent(bound)} left counted as learned, it would agree on {agree} and one answer to all on {blind}."
        for bound, (agree, blind) in found.items()
        if agree <= blind
    )


def learnable_operations(evidence: Evidence) -> Table:
    """A line an operation."""
    lines = []
    for row in evidence.rows("learnability"):
        gates = [f"{_big(row['gates'])} at {row['counted_digits']}", _big(row["widest"])]
        taken = f"{max(digit['taken'] for digit in row['per_digit']):.1f}"
        takes = NOTHING if NOTATIONS[row["notation"]].additive else taken
        trained = [f"{percent(each['digit_error'])} of {percent(each['chance'])}" for each in row["trained"]]
        agree = "yes" if said_learnable(row) == learned(row) else "**no**"
        start = [f"`{_title(row)}`", row["verdict"], row["way"], str(row["layers"])]
        lines.append([*start, *gates, takes, *trained, agree])
    head = ["operation", "verdict", "way", "hidden layers", "gates at digits", "in a layer", "takes", "one-hot"]
    note = (
        "What a construction by thresholds needs (an upper bound, counted at the longest length at which all operands "
        "can be tried), how many digits' worth of input one digit of the "
        f"answer takes, and what {STEPS:,} steps on at most {EXAMPLES:,} examples say: wrong digits on other pairs, of "
        "those of always drawing the commonest. They agree where the analysis says learnable and training leaves less "
        "than a third of chance's errors in one medium, or neither."
    )
    return Table("Which operations are learnable", note, [*head, "pictures", "agree"], lines)


def _title(row: Row) -> str:
    look = "Roman" if NOTATIONS[row["notation"]].additive else f"base {row['base']}"
    return f"{row['expression'] or row['operation']}, {row['digits']} digits, {look}"


def _big(number: int) -> str:
    return f"{number:,}" if number < 1_000_000 else f"{number:.0e}"


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


def few_examples_figure(evidence: Evidence) -> tuple[bytes, str]:
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
        return sheet.png(), caption


def _by_count(stored: Iterable[Row], learner: str, operation: str) -> Counts:
    mine = [row for row in stored if (row["learner"], row["operation"]) == (learner, operation)]
    counts = sorted({row["examples"] for row in mine})
    return {count: [row for row in mine if row["examples"] == count] for count in counts}


def _error(rows: Rows) -> float:
    return sum(float(row["digit_error"]) for row in rows) / len(rows)
