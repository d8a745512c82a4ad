"""Which operations are learnable, by analysis and by a short training: claim 32 and its table."""

from collections.abc import Sequence

from visarith.evaluation import percent
from visarith.notation import NOTATIONS
from visarith.report.evidence import Evidence, Row
from visarith.report.parts import FIRST, NOTHING, Claim, Table, Topic, Verdict, refined
from visarith.studies.learnability import LEARNABLE
from visarith.studies.learnability.training import EXAMPLES, STEPS

LEARNED = 1 / 3  # a short training has learned an operation if fewer of chance's errors than this are left
OTHERWISE = (0.25, 0.5)  # other bounds, with which the verdict is tried too
MOSTLY = 0.75  # of the operations must agree

Rows = Sequence[Row]


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


TOPIC = Topic(
    "What can be learned by looking?",
    "The paper hopes that its analysis tells which operations are learnable. Here `visarith learnable` counts what a "
    "construction would need, and a short training says what becomes of it.",
    claims=(
        Claim(
            32,
            "The analysis helps to tell which operations are learnable",
            "7",
            "",
            "studies/learnability/__init__.py",
            helps_to_tell,
            "Confirmed if analysis and a short training agree on all operations; refined if on three quarters and more "
            "than one answer to all would; else refuted.",
            FIRST,
        ),
    ),
    tables=(learnable_operations,),
)
