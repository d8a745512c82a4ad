"""Made-up results of every entry, for tests of what a report makes of them."""

from dataclasses import replace

from visarith.evaluation import Score
from visarith.experiments.catalogue import ENTRIES
from visarith.experiments.results import Result, Results, parts
from visarith.report.claims import CLAIMS
from visarith.report.evidence import Evidence


def score(error: float, reader: str = "templates", unreadable: int = 0, positions: list[float] | None = None) -> Score:
    bounds = (max(0.0, error - 0.001), min(1.0, error + 0.001))
    pairs = 30_000 if reader == "templates" else 2_000
    return Score(reader, pairs, error, bounds, error, error, bounds, error, unreadable, positions or [error] * 7)


def result(name: str, error: float, seed: int = 0, **more: object) -> Result:
    entry = ENTRIES[name]
    epochs = 0 if entry.parts else entry.recipe.epochs
    made = Result(
        entry=name,
        seed=seed,
        experiment=entry.experiment(seed).to_json(),
        parts=parts(entry, seed, quick=False),
        parameters=10,
        seconds=60.0,
        core_seconds=50.0,
        score=score(error),
        tesseract=score(error + 0.001, "tesseract") if entry.tesseract() else None,
        train_digit_error=error,
        distance=0.02,
        seen={"operands": 0.01, "answers": 0.02},
        curve=((1.0, 0.9),) * (epochs - 1) + ((0.5, error),) * min(epochs, 1),
    )
    return replace(made, **more)  # type: ignore[arg-type]


def verdicts(results: Results) -> dict[int, str]:
    evidence = Evidence(results)
    return {claim.number: claim.verdict(evidence).word for claim in CLAIMS}
