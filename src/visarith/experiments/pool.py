"""A pool of runs: as many processes as the cores allow, each result kept as soon as it is there, none able to harm
another."""

import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import torch

from visarith.errors import VisarithError
from visarith.experiments.catalogue import ENTRIES, GROUPS
from visarith.experiments.entry import Entry
from visarith.experiments.reproduce import reproduce
from visarith.experiments.results import Result, Results, parts
from visarith.runs.experiment import Experiment
from visarith.runs.judge import Judged
from visarith.runs.learn import Watcher
from visarith.training.loop import Epoch


@dataclass(eq=False)
class Job:
    """One entry with one seed, and how far it is."""

    entry: Entry
    seed: int
    done: float = 0.0  # from 0 to 1
    resumed_at: float = 0.0
    said: str = "starting"
    started: float = field(default_factory=time.monotonic)

    @property
    def name(self) -> str:
        return f"{self.entry.name} seed {self.seed}"


class Audience:
    """Is told how the pool does; this one does nothing with it."""

    def begin(self, jobs: list[Job], kept: int) -> None: ...
    def complaint(self, text: str) -> None: ...
    def started(self, job: Job) -> None: ...
    def progress(self, job: Job, left: float | None) -> None: ...
    def ended(self, job: Job, result: Result, left: float | None) -> None: ...
    def close(self) -> None: ...


def reproduce_all(
    entries: list[Entry],
    seeds: Iterable[int],
    results: Results,
    *,
    runs: Path,
    workers: int | None = None,
    audience: Audience | None = None,
) -> list[Result]:
    """Every entry with every seed; what is stored and believed is not done again. The results, in that order."""
    audience = audience or Audience()
    jobs = [Job(entry, seed) for seed in seeds for entry in entries]
    kept: dict[str, Result] = {}
    for job in jobs:
        try:
            result = results.load(job.entry, job.seed)
        except VisarithError as error:
            audience.complaint(f"{error}; it is computed again")
        else:
            if result is not None and result.failed is None:
                kept[job.name] = result
    open_jobs = [job for job in jobs if job.name not in kept]
    results.prepare()
    audience.begin(open_jobs, len(kept))
    pool = _Pool(open_jobs, results, runs, workers or cores(), audience)
    try:
        kept |= pool.work()
    finally:
        pool.stop()
        audience.close()
    return [kept[job.name] for job in jobs]


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Pool:
    def __init__(self, jobs: list[Job], results: Results, runs: Path, workers: int, audience: Audience) -> None:
        order = list(GROUPS)
        self.waiting = sorted(jobs, key=lambda job: (order.index(job.entry.group) > 1, job.seed, -job.entry.cost))
        self.results, self.runs, self.audience = results, runs, audience
        self.workers = max(1, min(workers, len(jobs)))
        self.threads = max(1, workers // self.workers)
        self.working: dict[Connection, tuple[Job, ForkServerProcess]] = {}
        self.ended: dict[str, Result] = {}
        self.clock = _Clock(jobs, self.workers)
        self.context = multiprocessing.get_context("forkserver")
        self.context.set_forkserver_preload([__name__])

    def work(self) -> dict[str, Result]:
        while self.waiting or self.working:
            while len(self.working) < self.workers and (job := self._next()):
                self._start(job)
            for connection in wait(list(self.working)):
                self._listen(connection)  # type: ignore[arg-type]
        return self.ended

    def stop(self) -> None:
        """End what still works; its epochs so far are kept."""
        for _, process in self.working.values():
            process.terminate()
        for _, process in self.working.values():
            process.join(5)
            if process.is_alive():
                process.kill()

    def _next(self) -> Job | None:
        """The first job whose parts are not still to come."""
        unfinished = {job.name for job in self.waiting} | {job.name for job, _ in self.working.values()}
        for job in self.waiting:
            if not any(Job(ENTRIES[part], job.seed).name in unfinished for part in job.entry.parts):
                self.waiting.remove(job)
                return job
        return None

    def _start(self, job: Job) -> None:
        ours, theirs = self.context.Pipe(duplex=False)
        arguments = (theirs, job.entry, job.seed, self.runs, self.results.quick, self.threads)
        process = self.context.Process(target=_child, args=arguments, daemon=True)
        process.start()
        theirs.close()
        job.started = time.monotonic()
        self.working[ours] = job, process
        self.audience.started(job)

    def _listen(self, connection: Connection) -> None:
        job, process = self.working[connection]
        try:
            kind, told = connection.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            process.join(5)
            kind, told = "failed", f"its process ended with {process.exitcode}"
            if process.exitcode == 1:
                told += " (in a script of your own, start it under if __name__ == '__main__')"
        if kind == "progress":
            if job.said == "starting":
                job.resumed_at = told[0]
            job.done, job.said = told
            self.audience.progress(job, self.clock.left())
            return
        connection.close()
        del self.working[connection]
        process.join()
        result: Result = told if kind == "result" else self._failure(job, told)
        self.results.keep(job.entry, result)
        self.ended[job.name] = result
        job.done = 1.0
        self.clock.ended(job)
        self.audience.ended(job, result, self.clock.left())

    def _failure(self, job: Job, why: str) -> Result:
        experiment = job.entry.experiment(job.seed, quick=self.results.quick).to_json()
        of = parts(job.entry, job.seed, quick=self.results.quick)
        return Result(entry=job.entry.name, seed=job.seed, experiment=experiment, parts=of, failed=why)


class _Clock:
    """How long it will still take: what the jobs cost on another machine, times how this one compares so far."""

    def __init__(self, jobs: list[Job], workers: int) -> None:
        self.jobs, self.workers = jobs, workers
        self.expected = self.took = 0.0

    def ended(self, job: Job) -> None:
        self.expected += job.entry.cost * (1 - job.resumed_at)
        self.took += time.monotonic() - job.started

    def left(self) -> float | None:
        now = time.monotonic()
        working = [job for job in self.jobs if 0 < job.done < 1]
        expected = self.expected + sum(job.entry.cost * (job.done - job.resumed_at) for job in working)
        took = self.took + sum(now - job.started for job in working)
        rest = sum(job.entry.cost * (1 - job.done) for job in self.jobs)
        return rest * took / expected / self.workers if expected else None


class _Messenger(Watcher):
    """Tells the pool, through a pipe, how a run goes."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def begin(self, experiment: Experiment, path: Path, steps: int, done: int) -> None:  # noqa: ARG002
        self.epochs = experiment.recipe.epochs
        self._tell(done / steps, "learning")

    def epoch(self, epoch: Epoch, watched: Judged) -> None:
        said = f"epoch {epoch.number} of {self.epochs}, {watched.headline()}"
        self._tell(0.98 * epoch.number / self.epochs, said)

    def judging(self) -> None:
        self._tell(0.98, "judging")

    def _tell(self, done: float, said: str) -> None:
        self.connection.send(("progress", (done, said)))


def _child(connection: Connection, entry: Entry, seed: int, runs: Path, quick: bool, threads: int) -> None:
    """Do one job in a process of its own; whatever goes wrong is told, and is nobody else's trouble."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the pool, which then ends its processes
    torch.set_num_threads(threads)
    message: tuple[str, Any]
    try:
        result = reproduce(entry, seed, runs=runs, quick=quick, threads=threads, watcher=_Messenger(connection))
        message = "result", result
    except Exception as error:
        text = str(error) if isinstance(error, VisarithError) else f"{type(error).__name__}: {error}"
        message = "failed", " ".join(text.split())
    with suppress(OSError):  # the pool may be gone
        connection.send(message)
    connection.close()
