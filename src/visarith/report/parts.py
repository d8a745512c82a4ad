"""What a topic of the report is made of: claims with their verdicts, figures and tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from visarith.evaluation import percent
from visarith.report.drawing import Sheet
from visarith.report.evidence import Evidence, NoResultError, Summary

Word = Literal["confirmed", "refined", "refuted", "open"]
WORDS: tuple[Word, ...] = get_args(Word)
FIRST, AGAIN = "2026-11-16", "2026-11-18"  # when rules were written: at first, and anew
SEEDS = 3  # that a verdict on a difference between trainings needs
LEARNED, FAILED = 0.05, 0.3  # below this share of wrong digits a task counts as learned, above this as failed
NOTHING = "-"  # a cell of a table without a value


@dataclass(frozen=True)
class Verdict:
    """What we measured, one word, and one sentence why or why not."""

    measured: str
    word: Word
    why: str


def decided(measured: str, good: bool, why: str, why_not: str) -> Verdict:
    """Confirmed or refuted."""
    return Verdict(measured, "confirmed" if good else "refuted", why if good else why_not)


def refined(measured: str, why: str) -> Verdict:
    """True with a condition that the paper does not state, or true in part."""
    return Verdict(measured, "refined", why)


@dataclass(frozen=True)
class Claim:
    """One of the paper's claims in our words, and the rule that decides it."""

    number: int
    text: str
    section: str  # of the paper
    figure: str  # the paper's own, if it gives one
    where: str  # the file that it is about
    decide: Callable[[Evidence], Verdict]
    rule: str  # that `decide` follows, in words
    written: str = AGAIN  # the day of the rule
    before: bool = False  # whether that was before the results that it weighs

    def verdict(self, evidence: Evidence) -> Verdict:
        """What we measured, whether that confirms the claim, and why or why not."""
        try:
            found = self.decide(evidence)
        except NoResultError as missing:
            why = f"There is no result of {missing.what} yet; `{missing.remedy}` makes it."
            return Verdict("not measured yet", "open", why)
        if evidence.quick:
            return Verdict(found.measured, "open", "A quick run is too small to decide anything.")
        return found

    @property
    def titled(self) -> str:
        """The claim with the paper's figure."""
        return self.text + (f" ({self.figure})" if self.figure else "")

    @property
    def dated(self) -> str:
        """When the rule was written."""
        return f"{self.written}, {'before' if self.before else 'after'} the results"


def seeds_needed(*found: Summary) -> None:
    """Raise NoResultError if one of these entries has fewer seeds than a verdict on a difference needs."""
    for each in found:
        if each.seeds < SEEDS:
            name = each.entry.name
            raise NoResultError(f"{SEEDS} seeds of {name}", f"visarith reproduce --only {name} --seeds {SEEDS}")


def errors(found: Summary) -> str:
    """The digit error with its interval and the number of seeds."""
    said = str(found.digits)
    return said if "seeds" in said else f"{said}, {found.seeds} seed{'s' if found.seeds > 1 else ''}"


def of_cells(found: Summary) -> str:
    """For Roman numerals: the error over all cells, and over the written ones."""
    return f"{found.digits} of all cells, {percent(found.written)} of written ones"


def paper_error(found: Summary) -> str:
    """The paper's figure, with as many digits as it prints."""
    return NOTHING if found.entry.paper is None else f"{100 * found.entry.paper:g} %"


def our_error(found: Summary) -> str:
    """Our digit error as a cell of a table, or why there is none."""
    if not found.runs:
        return f"failed: {found.failures[0].failed}" if found.failures else "not measured yet"
    failed = f"; {len(found.failures)} failed" if found.failures else ""
    mean = percent(found.mean)
    return f"**{mean}**{str(found.digits).removeprefix(mean)}{failed}"


@dataclass(frozen=True)
class Table:
    """Rows of text under a head; the note says how to read them."""

    title: str
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """The table alone, as Markdown."""
        lines = [self.head, ["---"] * len(self.head), *self.rows]
        return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines) + "\n"


@dataclass(frozen=True, eq=False)
class Figure:
    """A drawing with its caption; without one, `missing` says what it needs."""

    name: str  # of its file
    title: str
    caption: str
    sheet: Sheet | None
    missing: str = ""


@dataclass(frozen=True)
class Plate:
    """A figure that is still to be drawn from results."""

    name: str
    title: str
    draw: Callable[[Evidence], tuple[Sheet, str]]  # the drawing and its caption

    def drawn(self, evidence: Evidence) -> Figure:
        """The figure, or what it needs."""
        try:
            sheet, caption = self.draw(evidence)
        except NoResultError as error:
            return Figure(self.name, self.title, "", None, f"needs {error.what}; {error.remedy} makes it")
        return Figure(self.name, self.title, caption, sheet)


Tables = Callable[[Evidence], Table | list[Table]]


@dataclass(frozen=True)
class Topic:
    """A section of the report: some words, claims with their verdicts, figures and tables; long tables are folded."""

    title: str
    text: str
    claims: tuple[Claim, ...] = ()
    plates: tuple[Plate, ...] = ()
    tables: tuple[Tables, ...] = ()
    appendix: tuple[Tables, ...] = ()


def made(tables: Sequence[Tables], evidence: Evidence) -> list[Table]:
    """Those tables of which something is stored."""
    found: list[Table] = []
    for make in tables:
        try:
            table = make(evidence)
        except NoResultError:
            continue
        found += [table] if isinstance(table, Table) else table
    return found
