"""Run jobs: those without a stored result, in an order that respects what they need, each result stored at once."""

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from pathlib import Path

from visarith.errors import VisarithError
from visarith.studies.clock import Clock
from visarith.studies.executor import Executor, WorkerLostError, reason
from visarith.studies.local import Local
from visarith.studies.results import Result, Results
from visarith.studies.study import Context, Found, Job

POLL = 0.1  # seconds between two looks at the jobs' progress
ATTEMPTS = 3  # at a job whose worker dies; each goes on from the last epoch in the run folder


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
    executor: Executor | None = None,
    watcher: Watcher | None = None,
    alone: bool = True,
) -> list[Result]:
    """Run all jobs that have no usable result yet.

    Gives the results in the order of the jobs, and then those jobs that failed though only other jobs need them. If it
    is not `alone`, other processes may compute other jobs into the same folder at the same time.
    """
    executor, watcher, wanted = executor or Local(), watcher or Watcher(), list(jobs)
    with results.writing(None if alone else _closure(wanted)):
        kept, todo = remaining(wanted, results, runs, watcher)
        results.check(todo)
        context = Context(runs.absolute(), results.quick, executor.threads)
        try:
            if todo:
                executor.start()
            watcher.begin(todo, len(kept))
            ended = _Schedule(todo, results, context, executor, watcher).run()
        finally:
            executor.stop()
            watcher.close()
    asked = [ended.get(job.key) or kept[job.key] for job in wanted]
    return asked + [result for result in ended.values() if result.failed and result.job not in wanted]


def remaining(
    jobs: Iterable[Job], results: Results, runs: Path, watcher: Watcher | None = None
) -> tuple[dict[str, Result], list[Job]]:
    """The usable results of jobs by key, and the jobs that are left to do, with what these need."""
    wanted = list(jobs)
    kept: dict[str, Result] = {}
    for job in wanted:
        try:
            result = results.load(job)
        except VisarithError as error:
            (watcher or Watcher()).complaint(f"{error}; it is computed again")
        else:
            if result and result.failed is None:
                kept[job.key] = result
    todo = [job for job in wanted if job.key not in kept]
    return kept, _with_needs(todo, Context(runs.absolute(), results.quick))


def groups(jobs: list[Job]) -> list[list[Job]]:
    """The jobs in groups that need nothing of each other, so that they can run in any order; the longest come first."""
    found: list[list[Job]] = []
    for job in jobs:  # what a job needs comes before it
        needs = {need.key for need in job.needs}
        joined = [group for group in found if any(each.key in needs for each in group)]
        found = [group for group in found if group not in joined]
        found.append([*(each for group in joined for each in group), job])
    return sorted(found, key=lambda group: -sum(job.cost for job in group))


def _closure(jobs: Iterable[Job]) -> list[Job]:
    """The jobs and all that they need, and so on, each once."""

    def walk(some: Iterable[Job]) -> Iterator[Job]:
        for job in some:
            yield from walk(job.needs)
            yield job

    return list({job.key: job for job in walk(jobs)}.values())


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
        self.results, self.context, self.executor, self.watcher = results, context, executor, watcher
        self.running: dict[Future[Found], Job] = {}
        self.lost: dict[str, int] = {}  # how many workers each job has lost
        self.ended: dict[str, Result] = {}
        self.clock = Clock(jobs)

    def run(self) -> dict[str, Result]:
        while self.waiting or self.running:
            workers = self.executor.workers
            self.clock.workers = max(1, min(workers, len(self.waiting) + len(self.running)))
            while len(self.running) < workers and (job := self._next()):
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
                self._done(self.running.pop(future), future)
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

    def _done(self, job: Job, future: "Future[Found]") -> None:
        error = future.exception()
        if error is None:
            self._end(job, future.result(), None)
            return
        failed = reason(error)
        if isinstance(error, WorkerLostError):
            self.lost[job.key] = self.lost.get(job.key, 0) + 1
            if self.lost[job.key] < ATTEMPTS:
                self.watcher.complaint(f"{job.title}: {failed}; it goes on from its last epoch")
                self.running[self.executor.submit(job, self.context)] = job
                return
            failed = f"{failed}, {ATTEMPTS} times"
        self._end(job, {}, failed)

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
