"""The report's tables as data, the same for Markdown and HTML."""

from collections.abc import Sequence
from dataclasses import dataclass

from visarith.evaluation import percent
from visarith.experiments.catalogue import CATALOGUE, GROUPS
from visarith.experiments.entry import QUICK_TESSERACT, QUICK_TEST_PAIRS, TESSERACT, TEST_PAIRS
from visarith.learners import LEARNERS, config_of
from visarith.report.claims import CLAIMS
from visarith.report.evidence import Evidence, NoResultError, Share, Summary

NOTHING = "-"


@dataclass(frozen=True)
class Table:
    """A title, what is to be known to read it, a head and rows of text."""

    title: str
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """The table alone, as Markdown."""
        lines = [self.head, ["---"] * len(self.head), *self.rows]
        return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines) + "\n"


def table_1(evidence: Evidence) -> Table:
    """The paper's Table 1 with ours beside it."""
    rows = []
    for name, operation in (
        ("add", "Addition"),
        ("subtract", "Subtraction"),
        ("multiply", "Multiplication"),
        ("roman", "Roman addition"),
    ):
        for medium, suffix in (("pictures", ""), ("one-hot", "-one-hot")):
            entry = f"{name}{suffix}"
            found, better = evidence.summary(entry), _better(evidence, entry)
            rows.append(
                [
                    operation,
                    medium,
                    str(found.entry.task.hidden_layers),
                    _paper(found),
                    _share(found),
                    _tesseract(found),
                    better,
                    str(found.seeds),
                ]
            )
    pairs, read = (QUICK_TEST_PAIRS, QUICK_TESSERACT) if evidence.quick else (TEST_PAIRS, TESSERACT)
    note = (
        "Share of wrong digits, for Roman numerals of all 35 cells; in brackets the 95 % interval of the mean over "
        f"seeds, or of the one run. Templates read {pairs:,} answers, Tesseract {read:,}."
    )
    head = ["operation", "medium", "layers", "paper", "ours", "by Tesseract", "ours, better recipe", "seeds"]
    return Table("Table 1", note, head, rows)


def _better(evidence: Evidence, entry: str) -> str:
    try:
        found = evidence[f"{entry}-better"]
    except (NoResultError, KeyError):
        return NOTHING
    experiment = found.entry.experiment(0, quick=evidence.quick)
    return f"{found.digits}, {experiment.recipe_name}, {experiment.recipe.epochs} epochs"


def group_tables(evidence: Evidence) -> list[Table]:
    """Every entry of the catalogue, a table a group."""
    head = ["experiment", "what", "paper", "digits wrong", "numbers wrong", "written cells", "by Tesseract", "training"]
    head += ["answers from clean", "recipe", "weights", "seeds", "seconds", "core seconds"]
    tables = []
    for group, title in GROUPS.items():
        found = [evidence.summary(entry.name) for entry in CATALOGUE if entry.group == group]
        tables.append(Table(title, "", head, [_row(summary, quick=evidence.quick) for summary in found]))
    return tables


def _row(found: Summary, *, quick: bool) -> list[str]:
    entry = found.entry
    start = [f"`{entry.name}`", entry.title, _paper(found)]
    if not found.runs:
        return [*start, _share(found), *[NOTHING] * 10]
    experiment = entry.experiment(0, quick=quick)
    distance = f"{found.distance:.3f}" if found.distance is not None else NOTHING
    return [
        *start,
        _share(found),
        str(found.numbers),
        percent(found.written),
        str(found.tesseract) if found.tesseract else NOTHING,
        percent(found.training),
        distance,
        NOTHING if entry.parts else f"{experiment.recipe_name}, {experiment.recipe.epochs} epochs",
        f"{found.runs[0].parameters:,}",
        str(found.seeds),
        f"{found.seconds:.0f}",
        f"{found.core_seconds:.0f}",
    ]


def positions(evidence: Evidence) -> Table:
    """The error of each digit, from the left."""
    rows = []
    for entry in CATALOGUE:
        found = evidence.summary(entry.name)
        if found.runs and entry.task.notation.base is not None and len(found.positions) == 7:
            rows.append([f"`{entry.name}`", *(percent(share) for share in found.positions)])
    head = ["experiment", *(f"digit {i}" for i in range(1, 8))]
    return Table("Error by position", "Digit 1 is the leftmost. Mean over seeds, by templates.", head, rows)


def claims(evidence: Evidence) -> Table:
    """Every claim of the paper, what we measured and what follows."""
    rows = []
    for claim in CLAIMS:
        verdict = claim.verdict(evidence)
        what = claim.text + (f" ({claim.figure})" if claim.figure else "")
        rows.append(
            [str(claim.number), what, claim.section, f"`{claim.where}`", verdict.measured, verdict.word, verdict.why]
        )
    head = ["#", "claim (the paper's figure)", "section", "where", "what we measured", "verdict", "why"]
    return Table("The paper's claims", "", head, rows)


def learners() -> Table:
    """What each learner is given beforehand, as it says itself."""
    rows, users = [], dict[str, list[str]]()
    for entry in CATALOGUE:
        users.setdefault(entry.learner.name, []).append(f"`{entry.name}`")
    for name in LEARNERS:
        config = config_of(name)
        shown = "all others" if config.unsaid else ", ".join(users.get(name, [])) or NOTHING
        rows.append([name, config.given, shown])
    note = (
        "Every learner sees pixels (or, in the medium one-hot, tables) and nothing else; this is what it is built with."
    )
    return Table("What the learners are told", note, ["learner", "given beforehand", "experiments"], rows)


def readme(evidence: Evidence) -> Table:
    """The short table of the README."""
    rows = []
    for name in ("add", "subtract", "multiply", "roman", "noise"):
        found, better = evidence.summary(name), evidence.summary(f"{name}-better") if name not in EASY else None
        rows.append(
            [
                found.entry.title,
                _paper(found),
                _share(found),
                _tesseract(found),
                percent(found.numbers.mean) if found.runs else NOTHING,
                str(better.digits) if better and better.runs else NOTHING,
                str(found.seeds),
            ]
        )
    head = [
        "operation",
        "the paper",
        "ours, by templates",
        "ours, by Tesseract",
        "numbers wrong",
        "a better recipe",
        "seeds",
    ]
    return Table("Results", "", head, rows)


EASY = ("add", "subtract")  # what the paper's recipe learns well


def _share(found: Summary) -> str:
    if not found.runs:
        return f"failed: {found.failures[0].failed}" if found.failures else "not measured yet"
    failed = f", {len(found.failures)} failed" if found.failures else ""
    return f"**{percent(found.digits.mean)}** ({_bounds(found.digits)}){failed}"


def _paper(found: Summary) -> str:
    """The paper's figure, with as many digits as it prints."""
    return NOTHING if found.entry.paper is None else f"{100 * found.entry.paper:g} %"


def _bounds(share: Share) -> str:
    return f"{percent(share.low)} to {percent(share.high)}"


def _tesseract(found: Summary) -> str:
    return percent(found.tesseract.mean) if found.runs and found.tesseract else NOTHING
