"""Claim 32: whether the analysis tells which operations are learnable, by a rule on the stored rows."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from visarith.evaluation import percent
from visarith.insight.learnability import LEARNABLE
from visarith.report.evidence import Evidence
from visarith.report.verdict import Verdict, refined

FILE = "learnable.json"  # written by benchmarks/learnable.py
LEARNED = 1 / 3  # a short training has learned an operation if fewer of chance's errors than this are left
OTHERWISE = (0.25, 0.5)  # other bounds, with which the verdict is tried too
MOSTLY = 0.75  # of the operations must agree

Rows = Mapping[str, Mapping[str, Any]]


def load(folder: Path) -> Rows:
    """The stored rows by name; empty if there are none."""
    file = folder / FILE
    return cast(Rows, json.loads(file.read_text())) if file.exists() else {}


def left(row: Mapping[str, Any]) -> float:
    """The share of chance's errors that training leaves, in the medium in which it leaves fewer."""
    return min(each["digit_error"] / each["chance"] if each["chance"] else 1.0 for each in row["trained"])


def said_learnable(row: Mapping[str, Any]) -> bool:
    """Whether the analysis says so, be it with one more layer."""
    return str(row["verdict"]).startswith(LEARNABLE)


def learned(row: Mapping[str, Any], bound: float = LEARNED) -> bool:
    """Whether training says so."""
    return left(row) < bound


def agreements(rows: Rows, bound: float = LEARNED) -> tuple[int, int]:
    """On how many operations the analysis agrees with training, and how many one answer to all would get right."""
    yes = sum(learned(row, bound) for row in rows.values())
    agree = sum(said_learnable(row) == learned(row, bound) for row in rows.values())
    return agree, max(yes, len(rows) - yes)


def helps_to_tell(evidence: Evidence) -> Verdict:
    """Compare what the analysis says of each operation with what a short training says."""
    rows = load(evidence.folder)
    if not rows:
        why = "There is no results/learnable.json yet; `python benchmarks/learnable.py` makes it."
        return Verdict("not measured yet", "open", why)
    wrong = {name: row for name, row in rows.items() if said_learnable(row) != learned(row)}
    agree, blind = agreements(rows)
    measured = (
        f"the analysis and a short training agree on {agree} of {len(rows)} operations ({blind} by one answer to all)"
    )
    if not wrong:
        return Verdict(
            measured, "confirmed", "What it calls learnable is learned in a short training, and nothing else."
        )
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
