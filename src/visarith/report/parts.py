"""What a topic contributes to the report: verdicts on claims, tables and figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from visarith.evaluation import percent
from visarith.report.evidence import Summary

Word = Literal["confirmed", "refined", "refuted", "open"]
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


@dataclass(frozen=True)
class Figure:
    """A PNG with its caption; without one, `missing` says what it needs."""

    name: str
    title: str
    caption: str
    png: bytes | None
    missing: str = ""
