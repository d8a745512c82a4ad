"""Ablations: the table of what carries the result, one change of the column learner a line."""

from collections.abc import Sequence

from visarith.report.evidence import Evidence, Row
from visarith.report.parts import NOTHING, Table
from visarith.studies.ablations import LENGTHS, VARIANTS

TASKS = {"multiply": "multiplication", "add": "addition"}
CHANGES = {  # by the name of a variant without its operation: what is taken away or put in its place
    "full": ("full", "nothing is changed: the control"),
    "few": ("3,000 examples", "only the number of examples is changed"),
    "few-without-jitter": ("3,000 examples, without jitter", "the same, and no noise is added to columns in training"),
    "without-jitter": ("without jitter", "no noise is added to columns in training"),
    "without-waves": (
        "without sine and cosine",
        "the networks see the vector z of a column, and not its sine and cosine, which make digits, a periodic "
        "function of a sum, easy to learn",
    ),
    "gru": (
        "a GRU for the carry",
        "a GRU cell in the place of the carry network; its input is what that network sees, its memory is z",
    ),
    "without-reading-again": (
        "without drawing and reading again",
        "diagonals only: pairs of cells are summed as vectors, and nothing is written in between",
    ),
    "without-rounding": (
        "without rounding to glyphs",
        "what is drawn is read again as it was drawn and not as the nearest glyph, in training and afterwards; "
        "gradients still end at a drawing that another cell reads",
    ),
    "all-gradients": (
        "without rounding, with all gradients",
        "the same, and in training gradients pass through all drawings, which rounding cannot let them",
    ),
    "without-stages": (
        "without stages",
        "rows with all weights from the first step: no diagonals before, and reading starts from random weights",
    ),
    "all-pairs": (
        "all pairs meeting",
        "no wiring of places: each column is the sum of all pairs of cells, each with a learned weight",
    ),
}
Rows = Sequence[Row]


def ablated(evidence: Evidence) -> Table:
    """A line a variant, with all its seeds."""
    stored, lines = evidence.rows("ablations"), []
    for name in VARIANTS:
        operation, _, change = name.partition("-")
        found = sorted((row for row in stored if row["name"] == name), key=lambda row: int(row["seed"]))
        if found:
            title, what = CHANGES[change]
            seconds = sum(row["core_seconds"] for row in found) / len(found)
            lines.append(
                [
                    f"{TASKS[operation]}, {title}",
                    what,
                    _counted([row["exact"] for row in found]),
                    ", ".join(map(_wrong, found)),
                    *(_at(found, number) for number in range(len(LENGTHS))),
                    _certified(found),
                    f"{seconds:.0f}",
                ]
            )
    pairs, examples = max(row["pairs"] for row in stored), max(row["examples"] for row in stored)
    long = max(each["pairs"] for row in stored for each in row["longer"])
    seeds = sorted({row["seed"] for row in stored})
    note = (
        f"The column learner with one change each, trained on {examples:,} examples unless said, in a single attempt, "
        f"since further attempts would hide what a change costs; seeds {', '.join(map(str, seeds))}. All are given the "
        "path and the scan that trials find. Exact: right and clear on all own training examples. Where rows end worse "
        "than the diagonals that they start from, the learner keeps the diagonals; here its rows are measured, and the "
        "wrong answers of the diagonals are in brackets. Diagonals and learned wiring do not go to longer numbers "
        f"({NOTHING}). Products without reading again, without stages and of all pairs are trained in one stage, for "
        "at least as many steps as all stages of the full learner. All pairs of products read nothing again, so the "
        "line without that is their control."
    )
    wrong = [f"wrong of {long:,} at {digits} digits" for digits in LENGTHS]
    head = ["learner", "what is changed", "exact", f"wrong of {pairs:,}, a seed each", *wrong, "certified"]
    return Table("What carries the result", note, [*head, "core seconds, mean"], lines)


def _counted(good: Sequence[bool]) -> str:
    return f"{sum(good)} of {len(good)}"


def _wrong(row: Row) -> str:
    """The wrong numbers of rows, and in brackets those of the diagonals that the learner would keep instead."""
    kept = row["kept_wrong"]
    return f"{row['wrong']:,}" + ("" if kept is None else f" ({kept:,})")


def _at(rows: Rows, number: int) -> str:
    """The wrong numbers at one of the lengths, a seed each."""
    counts = [row["longer"][number]["wrong"] for row in rows]
    return ", ".join(NOTHING if count is None else f"{count:,}" for count in counts)


def _certified(rows: Rows) -> str:
    """How many are certified, and why the others are not."""
    proofs = [row["certificate"] for row in rows]
    why = dict.fromkeys(proof["why"] for proof in proofs if not proof["certified"])
    return "; ".join([_counted([proof["certified"] for proof in proofs]), *why])
