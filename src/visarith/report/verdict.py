"""A verdict on a claim, and the words that measured errors are put in."""

from dataclasses import dataclass
from typing import Literal

from visarith.evaluation import percent
from visarith.report.evidence import Summary

Word = Literal["confirmed", "refined", "refuted", "open"]
LEARNED, FAILED = 0.05, 0.3  # below this share of wrong digits a task counts as learned, above this as failed


@dataclass(frozen=True)
class Verdict:
    """What we measured, one word, and one sentence why or why not."""

    measured: str
    word: Word
    why: str


def decided(measured: str, good: bool, why: str, why_not: str) -> Verdict:
    return Verdict(measured, "confirmed" if good else "refuted", why if good else why_not)


def refined(measured: str, why: str) -> Verdict:
    """True with a condition that the paper does not state, or true in part."""
    return Verdict(measured, "refined", why)


def errors(found: Summary) -> str:
    """The digit error with its interval and seeds."""
    return f"{found.digits}, {found.seeds} seed{'s' if found.seeds > 1 else ''}"


def of_cells(found: Summary) -> str:
    """For Roman numerals: of all cells, and of the written ones."""
    return f"{found.digits} of all cells, {percent(found.written)} of written ones"
