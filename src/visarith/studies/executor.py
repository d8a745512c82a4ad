"""Where jobs run. An executor takes jobs with `submit`; `Local` runs them in processes of this machine."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Protocol

import loky
from loky.backend import get_context
from loky.process_executor import BrokenProcessPool, TerminatedWorkerError

from visarith.errors import VisarithError, option
from visarith.studies.study import Context, Found, Job


class Executor(Protocol):
    """Runs at most `workers` jobs at a time; a job that fails or dies harms no other."""

    workers: int

    def submit(self, job: Job, context: Context) -> "Future[Found]": ...

    def progress(self) -> Iterator[tuple[str, float, str]]:
        """What jobs have told since the last call: the job's key, the share that is done, and a few words."""

    def stop(self) -> None:
        """End everything now, running jobs too."""


class Local:
    """Worker processes, each a pool of its own, so that one that dies takes nothing but its job along."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pools: list[_Worker] = []

    def submit(self, job: Job, context: Context) -> "Future[Found]":
        for worker in [each for each in self._pools if each.idle]:
            try:
                return worker.submit(job, context)
            except BrokenProcessPool:  # it died while it was idle
                self._pools.remove(worker)
        self._pools.append(_Worker(context.threads))
        return self._pools[-1].submit(job, context)

    def progress(self) -> Iterator[tuple[str, float, str]]:
        for worker in self._pools:
            while not worker.queue.empty():
                yield worker.queue.get()

    def stop(self) -> None:
        for worker in self._pools:
            worker.pool.shutdown(wait=True, kill_workers=True)
        self._pools.clear()


class _Worker:
    """One process, and the queue through which its jobs report progress."""

    def __init__(self, threads: int) -> None:
        context = get_context("loky")
        self.queue = context.SimpleQueue()
        limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
        self.pool = loky.ProcessPoolExecutor(
            1, context=context, initializer=_connect, initargs=(self.queue,), env=limits
        )  # NumPy, SciPy and scikit-learn would otherwise take all cores, in every worker
        self.current: Future[Found] | None = None

    @property
    def idle(self) -> bool:
        """Whether it can take a job; a process that died cannot."""
        if self.current is None:
            return True
        return self.current.done() and not isinstance(self.current.exception(), BrokenProcessPool)

    def submit(self, job: Job, context: Context) -> "Future[Found]":
        with _interrupts_blocked():  # the process inherits this: Ctrl-C is for the parent, which ends its workers
            self.current = self.pool.submit(_run, job, context)
        return self.current


def reason(error: BaseException) -> str:
    """Why a job failed, in one line."""
    if isinstance(error, TerminatedWorkerError):
        return "its process was killed (out of memory?)"
    text = str(error) if isinstance(error, VisarithError) else f"{type(error).__name__}: {error}"
    return " ".join(text.replace("another `out`", f"another {option('runs')}").split())


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_queue: Any = None  # in a worker process: where progress goes


def _connect(queue: Any) -> None:
    global _queue
    _queue = queue
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    """End this process when its parent is gone, even if that was killed."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run(job: Job, context: Context) -> Found:
    import torch

    torch.set_num_threads(context.threads)

    def tell(done: float, text: str) -> None:
        _queue.put((job.key, done, text))

    return job.work(Context(context.runs, context.quick, context.threads, tell))
