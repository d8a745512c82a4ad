"""Jobs in processes of this machine."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

import loky
from loky.backend import get_context
from loky.process_executor import BrokenProcessPool, TerminatedWorkerError

from visarith.studies.executor import WorkerLostError, cores, following, limits, perform
from visarith.studies.study import Context, Found, Job


class Local:
    """Worker processes, each a pool of its own, so that one that dies takes nothing but its job along."""

    def __init__(self, workers: int | None = None, threads: int = 1) -> None:
        self.workers, self.threads = workers or max(1, cores() // threads), threads
        self._pools: list[_Worker] = []

    def start(self) -> None:
        """Processes start with the first jobs."""

    def submit(self, job: Job, context: Context) -> "Future[Found]":
        for worker in [each for each in self._pools if each.idle]:
            try:
                return worker.submit(job, context)
            except BrokenProcessPool:  # it died while it was idle
                self._pools.remove(worker)
        self._pools.append(_Worker(self.threads))
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
        self.pool = loky.ProcessPoolExecutor(
            1, context=context, initializer=_connect, initargs=(self.queue, os.getpid()), env=limits(threads)
        )
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
        return following(self.current, _cause)


def _cause(error: BaseException) -> BaseException:
    if isinstance(error, TerminatedWorkerError):
        return WorkerLostError("its process was killed (out of memory?)")
    return error


_queue: Any = None  # in a worker process: where progress goes


def _connect(queue: Any, parent: int) -> None:
    global _queue
    _queue = queue
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    """End this process when its parent is gone, even if that was killed before this process had begun."""
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
    return perform(job, context, lambda done, text: _queue.put((job.key, done, text)))
