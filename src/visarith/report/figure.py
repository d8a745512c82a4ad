"""A figure with its words, and how those say where it comes from or what it needs."""

from dataclasses import dataclass

from visarith.runs.run import Run


@dataclass(frozen=True)
class Figure:
    """A picture with its words; `missing` says why there is none, or what a better one needs."""

    name: str
    title: str
    caption: str
    png: bytes | None
    missing: str


def source(run: Run | None, entry: str) -> str:
    assert run is not None
    return f"entry {entry}, seed {run.experiment.seed}"


def needs(*entries: str) -> str:
    return f"needs the run of {', '.join(entries)}; visarith reproduce --only {' '.join(entries)} makes it"
