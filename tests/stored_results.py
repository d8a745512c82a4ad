"""Made-up results of entries and studies, for tests of what a report makes of them."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from visarith.evaluation import Score
from visarith.report.claims import CLAIMS
from visarith.report.evidence import Evidence
from visarith.studies import experiments, studies
from visarith.studies.catalogue import ENTRIES
from visarith.studies.results import Result, Results


def score(
    error: float, reader: str = "templates", unreadable: int = 0, positions: list[float] | None = None
) -> dict[str, Any]:
    """A score as it is stored: all three errors are the same."""
    bounds = (max(0.0, error - 0.001), min(1.0, error + 0.001))
    pairs = 30_000 if reader == "templates" else 2_000
    return asdict(
        Score(reader, pairs, error, bounds, error, error, bounds, error, unreadable, positions or [error] * 7)
    )


def keep(results: Results, name: str, error: float, seed: int = 0, **more: object) -> None:
    """Store a result of an entry with this error at every position; `more` replaces what a run has found."""
    entry = ENTRIES[name]
    epochs = 0 if entry.parts else entry.recipe.epochs
    found = {
        "parameters": 10,
        "seconds": 60.0,
        "core_seconds": 50.0,
        "score": score(error),
        "tesseract": score(error + 0.001, "tesseract") if entry.tesseract() else None,
        "train_digit_error": error,
        "distance": 0.02,
        "seen": {"operands": 0.01, "answers": 0.02},
        "curve": [[1.0, 0.9]] * (epochs - 1) + [[0.5, error]] * min(epochs, 1),
    }
    results.keep(Result(experiments.job(entry, seed), found | more))


def keep_seeds(results: Results, name: str, error: float, **more: object) -> None:
    """Store the same for three seeds."""
    for seed in range(3):
        keep(results, name, error, seed, **more)


def keep_readers(results: Results, entry: str, shares: Mapping[str, tuple[float, float]]) -> None:
    """Store what readers made of 1,000 answers, 500 of them blurred: digit error, and share of blurred unreadable."""
    read = {
        name: {"digit_error": error, "digit_interval": [error, error], "unreadable": 0}
        | {"blurred_unreadable": round(500 * unread)}
        for name, (error, unread) in shares.items()
    }
    for seed in range(3):
        found = {"entry": entry, "seed": seed, "pairs": 1_000, "blurred": 500, "cut": 0.5, "readers": read}
        keep_row(results, "readers", entry, found, seed)


def keep_failure(results: Results, name: str, why: str) -> None:
    """Store that all runs of an entry failed."""
    for seed in range(3):
        results.keep(Result(experiments.job(ENTRIES[name], seed), {}, failed=why))


def keep_row(results: Results, study: str, name: str, found: Mapping[str, Any], seed: int = 0) -> None:
    """Store what a job of a study has found."""
    (job,) = (job for job in studies()[study].jobs([seed], False) if job.name == name)
    results.keep(Result(job, dict(found)))


def verdicts(results: Results) -> dict[int, str]:
    """The verdict on each claim."""
    evidence = Evidence(results)
    return {claim.number: claim.verdict(evidence).word for claim in CLAIMS}
