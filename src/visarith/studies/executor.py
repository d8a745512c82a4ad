"""What runs jobs: an executor takes them with `submit`. `local.py` has processes of this machine, `on_ray.py` Ray."""

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from typing import Protocol

from visarith.errors import VisarithError, option
from visarith.runs.store import BusyError
from visarith.studies.study import Context, Found, Job

PATIENCE = 120.0  # seconds: a network file system keeps the locks of a machine that died for up to 90


class WorkerLostError(Exception):
    """The process that ran a job died; the job itself may be sound."""


class Executor(Protocol):
    """Runs jobs on its workers; a job that fails or dies harms no other."""

    @property
    def workers(self) -> int:
        """How many jobs it runs at a time; more machines may come and go."""

    @property
    def threads(self) -> int:
        """The threads of each job. They change the last bits of a result, so they depend on nothing else."""

    def start(self) -> None:
        """Get ready for jobs; raises a VisarithError if that is not possible."""

    def submit(self, job: Job, context: Context) -> "Future[Found]":
        """Run a job; its future ends with WorkerLostError if the process that ran it died."""

    def progress(self) -> Iterator[tuple[str, float, str]]:
        """What jobs have told since the last call: the job's key, the share that is done, and a few words."""

    def stop(self) -> None:
        """End everything now, running jobs too."""


def perform(job: Job, context: Context, tell: Callable[[float, str], None]) -> Found:
    """What a worker does with a job.

    Its run may still be locked: by the worker that was lost, for as long as the file system takes to notice.
    """
    import torch

    torch.set_num_threads(context.threads)
    last = time.monotonic() + PATIENCE
    while True:
        try:
            return job.work(replace(context, progress=tell))
        except BusyError:
            if time.monotonic() > last:
                raise
            tell(0.0, "waiting for another process that trains this run")
            time.sleep(1)


def limits(threads: int) -> dict[str, str]:
    """The environment of a worker; NumPy, SciPy and scikit-learn would otherwise take all cores, in every worker."""
    return dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))


def following(other: "Future[Found]", read: Callable[[BaseException], BaseException]) -> "Future[Found]":
    """A future that ends as the other one does, but with what `read` makes of its error."""
    mine: Future[Found] = Future()

    def end(ended: "Future[Found]") -> None:
        error = ended.exception()
        if error is None:
            mine.set_result(ended.result())
        else:
            mine.set_exception(read(error))

    other.add_done_callback(end)
    return mine


def reason(error: BaseException) -> str:
    """Why a job failed, in one line."""
    known = isinstance(error, VisarithError | WorkerLostError)
    text = str(error) if known else f"{type(error).__name__}: {error}"
    return " ".join(text.replace("another `out`", f"another {option('runs')}").split())


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
