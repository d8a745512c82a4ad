"""Studies and their jobs: what `visarith reproduce` runs, and what the report reads.

A study is a list of jobs. A job computes one result, which is stored as one JSON file. The executor runs jobs, on this
machine or elsewhere; a job reports its progress through its context.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Found = dict[str, Any]  # what a job computes, as JSON
METHOD = 1  # raise it when the same job would no longer give the same result: training, reading or scoring changed


def _silent(done: float, text: str) -> None: ...


@dataclass(frozen=True)
class Context:
    """Where a job keeps its runs, how many threads it may use, and whom it tells how far it is."""

    runs: Path
    quick: bool = False  # at a size from which nothing can be concluded
    threads: int = 1
    progress: Callable[[float, str], None] = _silent  # the share that is done, and a few words

    def folder(self, study: str, name: str, asked: Mapping[str, Any]) -> Path:
        """Where a job keeps its run; another question, or another METHOD, has another folder."""
        return self.runs / study / f"{name}-{fingerprint([METHOD, asked])}"


def fingerprint(value: Any) -> str:
    """Eight hexadecimal digits of the SHA-256 of a JSON value.

    >>> fingerprint({"seed": 0}) == fingerprint({"seed": 0}) != fingerprint({"seed": 1})
    True
    """
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]


def first_difference(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> str | None:
    """The first key in which a stored question differs from the one that is asked now, or None.

    >>> first_difference({"seed": 0, "pairs": 10}, {"seed": 0, "pairs": 20})
    'pairs'
    """
    return next((key for key in {**asked, **stored} if stored.get(key) != asked.get(key)), None)


def _plausible(found: Found) -> str | None:  # noqa: ARG001
    return None


def _nothing(context: Context) -> bool:  # noqa: ARG001
    return True


@dataclass(frozen=True)
class Job:
    """One result: what is asked, and the function that computes it.

    `work` must be picklable, since it runs in another process. A stored result is used again if `asked` is the same,
    it has all `keys`, and `implausible` finds nothing wrong with it. `needs` are jobs whose runs `work` loads; `ready`
    says whether the run of this job is on disk.
    """

    study: str
    name: str
    asked: Mapping[str, Any] = field(compare=False)
    work: Callable[[Context], Found] = field(compare=False)
    cost: float = field(compare=False)  # expected seconds on one core of the machine in docs/log.md
    seed: int | None = None
    folder: str = field(default="", compare=False)  # of the results, if it is not the study's name
    keys: tuple[str, ...] = field(default=(), compare=False)  # that the report reads
    needs: "tuple[Job, ...]" = field(default=(), compare=False)
    differs: Callable[[Mapping[str, Any], Mapping[str, Any]], str | None] = field(
        default=first_difference, compare=False
    )
    implausible: Callable[[Found], str | None] = field(default=_plausible, compare=False)
    ready: Callable[[Context], bool] = field(default=_nothing, compare=False)

    @property
    def key(self) -> str:
        """Where the result is stored, relative to the folder of results and without `.json`."""
        seed = "" if self.seed is None else f".seed{self.seed}"
        return f"{self.folder or self.study}/{self.name}{seed}"

    @property
    def title(self) -> str:
        """How the job is called in progress messages."""
        shown = self.name if self.folder else f"{self.study} {self.name}"
        return shown if self.seed is None else f"{shown} seed {self.seed}"


@dataclass(frozen=True)
class Study:
    """A named set of jobs; `jobs` lists them for some seeds, at full or at quick size."""

    name: str
    title: str
    jobs: Callable[[Sequence[int], bool], list[Job]]
    long: bool = False  # run by `reproduce --full` and `--quick`, or by its name
