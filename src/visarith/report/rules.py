"""Rules given as expressions: the table of what columns learn exactly, what they do not, and why."""

from collections.abc import Sequence

from visarith.report.evidence import Evidence, Row
from visarith.report.parts import NOTHING, Table
from visarith.studies.rules import RULES

SCANS = {  # that bring each digit what it depends on
    "any": "its own column",
    "right": "its own column and those to its right",
    "left": "its own column and those to its left",
    "right-left": "columns on both sides",
}
Rows = Sequence[Row]


def learned_rules(evidence: Evidence) -> Table:
    """A line a rule, with all its seeds."""
    stored = evidence.rows("rules")
    lines = []
    for name, rule in RULES.items():
        if found := [row for row in stored if row["name"] == name]:
            title = f"`{found[0]['expression']}`" + ("" if rule.base == 10 else f", base {rule.base}")
            chosen = "; ".join(dict.fromkeys(f"{row['facts']['path']}, {row['facts']['scan']}" for row in found))
            wrong = ", ".join(f"{row['wrong']:,}" for row in found)
            lines.append([title, wrong, chosen, _exact(found), _certified(found), _depends(found), _why(name, found)])
    pairs, examples = max(row["pairs"] for row in stored), max(row["examples"] for row in stored)
    head = [f"wrong of {pairs:,}, a seed each", "found: path, scan", "training digits all right", "certified"]
    note = (
        f"Column learners at their defaults, trained on {examples:,} examples of each rule and judged on operands that "
        "were held out. What a digit of the answer depends on is measured by changing single digits of a sample of "
        "operands. An explanation is ours, and not measured."
    )
    return Table(
        "Rules given as expressions", note, ["rule", *head, "a digit depends on", "why it is not learned"], lines
    )


def _exact(rows: Rows) -> str:
    """How many seeds get all digits of the training examples right that are read again after training."""
    return _counted([row["train_digit_error"] == 0 for row in rows])


def _certified(rows: Rows) -> str:
    """How many seeds are certified, and what the certificates say."""
    proofs = [row["certificate"] for row in rows]
    said = dict.fromkeys(proof["why"] for proof in proofs)
    return f"{_counted([proof['certified'] for proof in proofs])}: {'; '.join(said)}"


def _counted(good: Sequence[bool]) -> str:
    if len(set(good)) == 1:
        return "yes" if good[0] else "no"
    return f"{sum(good)} of {len(good)}"


def _depends(rows: Rows) -> str:
    return f"{SCANS[rows[0]['needs']]}; takes {rows[0]['takes']:.1f} digits' worth"


def _why(name: str, rows: Rows) -> str:
    """Why a rule is not learned: a scan that cannot bring what is needed, or our explanation."""
    if not any(row["wrong"] for row in rows):
        return NOTHING
    short = [row for row in rows if row["wrong"] and not _brings(row["facts"]["scan"], row["needs"])]
    cannot = f"a scan from the {short[0]['facts']['scan']} does not bring these columns; " if short else ""
    return f"{cannot}explanation: {RULES[name].obstacle or 'no obstacle is known, training fell short'}"


def _brings(scan: str, needed: str) -> bool:
    return needed in ("any", scan) or scan == "right-left"
