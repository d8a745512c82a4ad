"""Run jobs: those without a stored result, in an order that respects what they need, each result stored at once."""

import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from pathlib import Path

from visarith.errors import VisarithError
from visarith.studies.executor import Executor, Local, cores, reason
from visarith.studies.results import Result, Results
from visarith.studies.study import Context, Found, Job

POLL = 0.1  # seconds between two looks at the jobs' progress


class Watcher:
    """Receives the events of a reproduction; this one ignores them."""

    def begin(self, jobs: list[Job], stored: int) -> None: ...
    def complaint(self, text: str) -> None: ...
    def started(self, job: Job) -> None: ...
    def progress(self, job: Job, done: float, text: str, left: float | None) -> None: ...
    def ended(self, result: Result, left: float | None) -> None: ...
    def close(self) -> None: ...


def reproduce(
    jobs: Iterable[Job],
    results: Results,
    *,
    runs: Path,
    workers: int | None = None,
    executor: Executor | None = None,
    watcher: Watcher | None = None,
) -> list[Result]:
    """Run all jobs that have no usable result yet.

    Gives the results in the order of the jobs, and then those jobs that failed though only other jobs need them.
    """
    watcher = watcher or Watcher()
    wanted = list(jobs)
    kept: dict[str, Result] = {}
    for job in wanted:
        try:
            result = results.load(job)
        except VisarithError as error:
            watcher.complaint(f"{error}; it is computed again")
        else:
            if result and result.failed is None:
                kept[job.key] = result
    context = Context(runs, results.quick)
    todo = _with_needs([job for job in wanted if job.key not in kept], context)
    with results.writing(todo):
        watcher.begin(todo, len(kept))
        executor = executor or Local(workers or cores())
        try:
            ended = _Schedule(todo, results, context, executor, watcher).run()
        finally:
            executor.stop()
            watcher.close()
    asked = [ended.get(job.key) or kept[job.key] for job in wanted]
    return asked + [result for result in ended.values() if result.failed and result.job not in wanted]


def _with_needs(jobs: list[Job], context: Context) -> list[Job]:
    """The jobs, and those that they need whose runs are not on disk, even if their results are stored."""
    found: dict[str, Job] = {}

    def add(job: Job) -> None:
        if job.key not in found:
            for need in job.needs:
                if not need.ready(context) or need.key in wanted:
                    add(need)
            found[job.key] = job

    wanted = {job.key for job in jobs}
    for job in jobs:
        add(job)
    return list(found.values())


class _Schedule:
    """The state of a reproduction: what waits, what runs, what has ended."""

    def __init__(
        self, jobs: list[Job], results: Results, context: Context, executor: Executor, watcher: Watcher
    ) -> None:
        self.waiting = sorted(jobs, key=lambda job: (job.seed or 0, -job.cost))
        self.results, self.executor, self.watcher = results, executor, watcher
        self.workers = max(1, min(executor.workers, len(jobs)))
        threads = max(1, executor.workers // self.workers)
        self.context = Context(context.runs, context.quick, threads)
        self.running: dict[Future[Found], Job] = {}
        self.ended: dict[str, Result] = {}
        self.clock = Clock(jobs, self.workers)

    def run(self) -> dict[str, Result]:
        while self.waiting or self.running:
            while len(self.running) < self.workers and (job := self._next()):
                self.clock.start(job)
                self.watcher.started(job)
                lost = [need.title for need in job.needs if need.key in self.ended and self.ended[need.key].failed]
                if lost:
                    self._end(job, {}, f"it needs {lost[0]}, which failed")
                else:
                    self.running[self.executor.submit(job, self.context)] = job
            done, _ = wait(self.running, timeout=POLL, return_when=FIRST_COMPLETED)
            self._listen()
            for future in done:
                error = future.exception()
                found, failed = (future.result(), None) if error is None else ({}, reason(error))
                self._end(self.running.pop(future), found, failed)
        return self.ended

    def _next(self) -> Job | None:
        """The first job that needs nothing that is still to come."""
        unfinished = {job.key for job in [*self.waiting, *self.running.values()]}
        for job in self.waiting:
            if not any(need.key in unfinished for need in job.needs):
                self.waiting.remove(job)
                return job
        return None

    def _listen(self) -> None:
        jobs = {job.key: job for job in self.running.values()}
        for key, done, text in self.executor.progress():
            if key in jobs:
                self.clock.progress(jobs[key], done)
                self.watcher.progress(jobs[key], done, text, self.clock.left())

    def _end(self, job: Job, found: Found, failed: str | None) -> None:
        result = Result(job, found, failed, self.clock.end(job))
        try:
            if failed is None or not self._usable(job):  # a failure replaces no result
                self.results.keep(result)
        except (ValueError, TypeError) as error:
            if isinstance(error, VisarithError):
                raise
            result = replace(result, found={}, failed=f"its result is no JSON ({error})")
            self.results.keep(result)
        self.ended[job.key] = result
        self.watcher.ended(result, self.clock.left())

    def _usable(self, job: Job) -> bool:
        try:
            stored = self.results.load(job)
        except VisarithError:
            return False
        return stored is not None and stored.failed is None


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
    workers: int
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
