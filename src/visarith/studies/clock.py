"""The time that jobs still need."""

import time
from dataclasses import dataclass, field

from visarith.studies.study import Job


@dataclass
class _Progress:
    cost: float
    started: float = 0.0
    took: float | None = None
    done: float = 0.0
    first: float | None = None  # the share that was done at the first report: a resumed run starts above 0


@dataclass
class Clock:
    """Estimates the time left: what the jobs cost on another machine, times how this machine compares so far."""

    jobs: list[Job]
    workers: int = 1
    _all: dict[str, _Progress] = field(init=False)

    def __post_init__(self) -> None:
        self._all = {job.key: _Progress(job.cost) for job in self.jobs}

    def start(self, job: Job) -> None:
        self._all[job.key].started = time.monotonic()

    def progress(self, job: Job, done: float) -> None:
        here = self._all[job.key]
        here.first = done if here.first is None else here.first
        here.done = done

    def end(self, job: Job) -> float:
        """Note that a job has ended, and give the seconds that it took."""
        here = self._all[job.key]
        here.done, here.took = 1.0, time.monotonic() - here.started
        return here.took

    def left(self) -> float | None:
        """Seconds, or None as long as nothing can be said."""
        now = time.monotonic()
        begun = [each for each in self._all.values() if each.done > 0]
        expected = sum(each.cost * (each.done - (each.first or 0.0)) for each in begun)
        took = sum(now - each.started if each.took is None else each.took for each in begun)
        rest = sum(each.cost * (1 - each.done) for each in self._all.values())
        return rest * took / expected / self.workers if expected else None
