"""Which operations are learnable: the analysis beside a short training, from the stored rows."""

from collections.abc import Mapping
from typing import Any

from visarith.evaluation import percent
from visarith.insight.quick import EXAMPLES, STEPS
from visarith.notation import NOTATIONS
from visarith.report.learnable_verdict import Rows, learned, said_learnable
from visarith.report.tables import NOTHING, Table


def learnable_operations(rows: Rows) -> Table:
    """A line an operation."""
    lines = []
    for name, row in rows.items():
        takes = NOTHING if NOTATIONS[row["notation"]].additive else _taken(row)
        lines.append(
            [
                f"`{name}`",
                row["verdict"],
                row["way"],
                str(row["layers"]),
                _big(row["gates"]),
                _big(row["widest"]),
                row["growth"],
                takes,
                *(f"{percent(each['digit_error'])} of {percent(each['chance'])}" for each in row["trained"]),
                "yes" if said_learnable(row) == learned(row) else "**no**",
            ]
        )
    head = [
        "operation",
        "verdict",
        "way",
        "hidden layers",
        "gates",
        "in a layer",
        "growth",
        "takes",
        "one-hot",
        "pictures",
    ]
    note = (
        "What a construction by thresholds needs (an upper bound), how many digits' worth of input one digit of the "
        f"answer takes, and what {STEPS:,} steps on at most {EXAMPLES:,} examples say: wrong digits on other pairs, of "
        "those of always drawing the commonest. They agree where the analysis says learnable and training leaves less "
        "than a third of chance's errors in one medium, or neither."
    )
    return Table("Which operations are learnable", note, [*head, "agree"], lines)


def _taken(row: Mapping[str, Any]) -> str:
    return f"{max(digit['taken'] for digit in row['per_digit']):.1f}"


def _big(number: int) -> str:
    return f"{number:,}" if number < 1_000_000 else f"{number:.0e}"
