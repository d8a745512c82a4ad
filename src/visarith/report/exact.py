"""What the paper could not learn: column learners and the tally beside the perceptron.

Tables of scores, certificates, lengths never seen, closed loops and Roman addition; the figure "Lengths never seen".
"""

from collections.abc import Sequence

from visarith.evaluation import percent
from visarith.report.drawing import BLUE, GREEN, ORANGE, Sheet, count_axis, share_axis, two_panels
from visarith.report.evidence import Evidence, NoResultError, Row, Summary
from visarith.report.parts import NOTHING, Table
from visarith.runs.paper import paper_digit_error
from visarith.studies.experiments import RunResult

BESIDE = {  # the perceptron's best on the same task
    "columns-add": "add",
    "columns-subtract": "subtract",
    "columns-multiply": "multiply",
    "columns-halve": "halve",
    "columns-noise": "noise-better",
    "columns-found": None,
    "columns-any": "any",
    "columns-roman": "roman-better",
}
ROMAN = {  # every attempt, and what it is told
    "roman": "nothing",
    "roman-better": "nothing",
    "roman-one-hot": "the symbols of inputs and answer",
    "roman-one-hot-better": "the symbols of inputs and answer",
    "roman-symbols": "where cells stand, how many symbols there are",
    "roman-joined": "the symbols, while its parts are trained",
    "roman-numerals": "where cells stand, how they are wired to columns of equal cells",
    "columns-roman": "where cells stand, how many symbols, that counts in an order say all",
}
LINES = (  # entry, label, colour, and size of its dots, so that none hides another
    ("columns-add", "addition", BLUE, 8),
    ("columns-subtract", "subtraction", GREEN, 5.5),
    ("columns-multiply", "multiplication", ORANGE, 3),
)
ZERO = 1e-4  # where no wrong number is drawn


def beside_the_perceptron(evidence: Evidence) -> Table:
    """Scores, what was chosen, and time."""
    rows = []
    for name, other in BESIDE.items():
        found = evidence.summary(name)
        if not found.runs:
            rows.append([f"`{name}`", found.entry.title, *[NOTHING] * 7])
            continue
        rows.append(
            [
                f"`{name}`",
                found.entry.title,
                _mean(evidence, other),
                percent(found.mean),
                percent(found.tesseract.mean) if found.tesseract else NOTHING,
                _wrong_numbers(found),
                _chosen(found),
                f"{found.runs[0].parameters:,}",
                f"{found.core_seconds:.0f}",
            ]
        )
    head = ["experiment", "what", "perceptron", "columns", "by Tesseract", "wrong numbers, a seed each", "chosen"]
    note = (
        "Share of wrong digits (of all cells for Roman numerals): the perceptron with its best recipe, and the column "
        "learner. What each is told beforehand stands under Limitations."
    )
    return Table("Columns beside the perceptron", note, [*head, "weights", "core seconds"], rows)


def readme(evidence: Evidence) -> Table:
    """The short table of the README."""
    rows = []
    for name, other in BESIDE.items():
        found = evidence.summary(name)
        if found.runs:
            paper = paper_digit_error(found.entry.task.to_json())
            theirs = f"{100 * paper:g} %" if paper is not None else NOTHING
            errors = [theirs, _mean(evidence, other), f"**{percent(found.mean)}**", _wrong_numbers(found)]
            rows.append([found.entry.title, *errors, _exact(found), f"{found.core_seconds:.0f}"])
    head = ["operation", "the paper", "perceptron, best recipe", "columns", "wrong numbers", "certified exact"]
    return Table("What the paper could not learn", "", [*head, "core seconds"], rows)


def roman_attempts(evidence: Evidence) -> Table:
    """Every way in which Roman numerals were added, from the worst to the best."""
    rows = []
    for name, told in ROMAN.items():
        found = evidence.summary(name)
        if found.runs:
            shares = map(percent, (found.mean, found.written, found.numbers.mean))
            rows.append((found.mean, [f"`{name}`", found.entry.title, told, *shares, str(found.seeds)]))
    head = ["experiment", "what", "beside pixels it is told", "cells wrong", "written cells", "numbers wrong", "seeds"]
    note = "The paper: 74.3 % of cells in pictures, 0.7 % from one-hot vectors. Means over seeds, by templates."
    return Table("Roman addition, all attempts", note, head, [row for _, row in sorted(rows, reverse=True)])


def _mean(evidence: Evidence, entry: str | None) -> str:
    found = evidence.summary(entry) if entry else None
    return percent(found.mean) if found and found.runs else NOTHING


def _exact(found: Summary) -> str:
    """For how many seeds, and up to which length."""
    proofs = [_certificate(run) for run in found.runs]
    certified = [proof for proof in proofs if proof.get("certified")]
    if not certified:
        return NOTHING
    length = "at every length" if certified[0]["every_length"] else f"up to {certified[0]['exact_up_to_digits']} digits"
    return f"{len(certified)} of {len(proofs)} seeds, {length}"


def _wrong_numbers(found: Summary) -> str:
    """Of each seed."""
    wrong = [str(round(score.number_error * score.pairs)) for score in found.scores]
    return f"{', '.join(wrong)} of {found.scores[0].pairs:,}"


def _chosen(found: Summary) -> str:
    """Path and scan, whether they were found, and whether the learner was quantised; each way once."""
    said = []
    for run in found.runs:
        proof = run.proof or {}
        quantised = "quantised" if proof.get("settled") else "not quantised"
        said.append(f"{proof.get('path')} from the {proof.get('scan')}, {quantised}")
    return "; ".join(f"{words} ({said.count(words)} of {len(said)})" for words in dict.fromkeys(said))


def _certificate(run: RunResult) -> Row:
    return (run.proof or {}).get("certificate") or {}


def certificates(evidence: Evidence) -> Table:
    """What is certain: enumerated, not sampled."""
    rows = []
    for name in BESIDE:
        for run in evidence.summary(name).runs:
            found = _certificate(run)
            length = "every length" if found.get("every_length") else f"{found.get('exact_up_to_digits', 0)} digits"
            upto = length if found.get("certified") else "none"
            tried = [f"{found.get(count, 0):,}" for count in ("enumerated", "wrong")]
            margin = f"{found.get('smallest_margin', 0.0):.3f}" if found.get("enumerated") else NOTHING
            control = {True: "fails", False: "PASSES", None: NOTHING}[found.get("control_failed")]
            rows.append([f"`{name}`", str(run.seed), upto, *tried, margin, control, str(found.get("why", ""))])
    head = ["experiment", "seed", "exact up to", "tried", "wrong", "smallest margin", "shuffled weights", "why"]
    note = (
        "Margin: 1 is exactly a glyph, 0 half way to another. Roman numerals: for operands up to 4,999,999, from which "
        "examples come."
    )
    return Table("Certificates", note, head, rows)


def other_lengths(evidence: Evidence) -> Table:
    """Wrong numbers at lengths never seen, and steps of closed loops."""
    rows = []
    for name in BESIDE:
        found = evidence.summary(name)
        for kind, words in (("lengths", "as it is"), ("unsettled", "not quantised")):
            parts = [part for run in found.runs if (part := (run.proof or {}).get(kind))]
            if parts:
                each = [row for part in parts for row in part]
                hard = f"{sum(row['hard_wrong'] for row in each)} of {sum(row['hard'] for row in each)}"
                rows.append([f"`{name}`", words, "; ".join(_by_length(parts)), hard])
        for sequence in dict.fromkeys(s for run in found.runs for s in ((run.proof or {}).get("loops") or {})):
            loops = [run.proof["loops"][sequence] for run in found.runs if run.proof]
            rows.append([f"`{name}`", f"closed loop, {sequence}", "; ".join(map(_loop, loops)), NOTHING])
    head = ["experiment", "what", "wrong of 1,000 at so many digits, a seed each", "hard cases wrong"]
    note = "Trained on seven digits. Hard cases are long carries and borrows, and numbers that are almost nothing."
    return Table("Lengths never seen, and closed loops", note, head, rows)


def _by_length(parts: Sequence[Sequence[Row]]) -> list[str]:
    return [
        f"{row[0]['digits']:,}: {', '.join(str(each['wrong']) for each in row)}" for row in zip(*parts, strict=True)
    ]


def _loop(found: Row) -> str:
    if found["first_error"]:
        return f"first error at step {found['first_error']:,}"
    return f"none in {found['steps']:,} steps, {found['digits']:,} digits"


def lengths_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """The share of wrong numbers against the number of digits, quantised and not; and the caption."""
    there = [line for line in LINES if any(run.proof for run in evidence.summary(line[0]).runs)]
    if not there:
        raise NoResultError(" and ".join(entry for entry, *_ in LINES))
    caption = (
        "Wrong numbers among 1,000 at lengths that were not trained, a line a seed: quantised column learners and the "
        f"same weights before that (entries {', '.join(entry for entry, *_ in there)}; trained on seven digits; 0 "
        "stands lowest)."
    )
    with two_panels("Quantised", "Not quantised") as (sheet, panels):
        for axes, kind in zip(panels, ("lengths", "unsettled"), strict=True):
            for entry, label, colour, size in there:
                for seed, run in enumerate(evidence.summary(entry).runs):
                    rows = (run.proof or {}).get(kind) or []
                    shares = [max(row["wrong"] / row["pairs"], ZERO) for row in rows]
                    digits, named = [row["digits"] for row in rows], "" if seed else label
                    axes.plot(digits, shares, "o-", color=colour, markersize=size, linewidth=1.1, label=named)
            share_axis(axes, ZERO, ZERO)
            count_axis(axes, "digits", (7, 20, 100, 1000))
            axes.set(xlim=(6.5, 1200))
            axes.legend(loc="center right")
        return sheet, caption
