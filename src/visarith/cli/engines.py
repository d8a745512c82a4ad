"""Where jobs run: the options that `reproduce` and `sweep` share, and the same jobs as commands for a scheduler."""

import argparse
import shlex
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from visarith.cli.progress import warn
from visarith.cli.settings import flag
from visarith.errors import VisarithError, whole

if TYPE_CHECKING:
    from visarith.studies.executor import Executor
    from visarith.studies.results import Result, Results
    from visarith.studies.study import Job

MOST = {"local": 64, "ray": 10_000}  # workers
ELSEWHERE = ("verb", "operations", "json", "engine", "address", "workers", "print_jobs")  # not in a job's command


def add_options(parser: argparse.ArgumentParser) -> None:
    """The engine and its size, and single jobs."""
    add = parser.add_argument
    add("--engine", choices=tuple(MOST), default="local", help="processes of this machine, or Ray (default local)")
    add("--address", metavar="HOST:PORT", help="the Ray cluster, or auto (default: a Ray of its own on this machine)")
    add("--workers", type=int, help="jobs at a time (default: as many as there are cores)")
    add("--threads", type=int, default=1, help="threads of each job (default 1; results differ in their last bits)")
    printed = "print a command for each job that has no result yet, one a line, and end"
    add("--print-jobs", action="store_true", help=printed)
    one = "run these jobs only, while others run into the same folder; --print-jobs names them"
    add("--job", action="extend", nargs="+", default=[], metavar="KEY", help=one)


def executor(options: argparse.Namespace, runs: Path) -> "Executor":
    """The executor that the options describe; nothing is started yet."""
    from visarith.studies.local import Local
    from visarith.studies.on_ray import OnRay

    address, threads = options.address, whole("threads", options.threads, 1, 256)
    workers = options.workers if options.workers is None else whole("workers", options.workers, 1, MOST[options.engine])
    if options.engine == "local":
        if address is not None:
            raise VisarithError(f"--address {address} is for a Ray cluster; add --engine ray, or leave it out")
        return Local(workers, threads)
    return OnRay(runs, address=address, workers=workers, threads=threads)


def run_jobs(options: argparse.Namespace, jobs: "list[Job]", results: "Results", runs: Path) -> "list[Result]":
    """Run jobs as the options say, and tell which failed. Ctrl-C and SIGTERM end everything that runs."""
    from visarith.cli.displays import reproduction
    from visarith.studies.reproduce import reproduce

    engine, before = executor(options, runs), signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        done = reproduce(jobs, results, runs=runs, executor=engine, watcher=reproduction(), alone=not options.job)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("stopped; the same command goes on from there") from None
    finally:
        signal.signal(signal.SIGTERM, before)
    for result in done:
        if result.failed is not None:
            warn(f"{result.job.title} failed: {result.failed}")
    return done


def check_single(options: argparse.Namespace, *others: str) -> None:
    """Refuse options that make no sense for single jobs."""
    for name in ("print_jobs", *others):
        if options.job and getattr(options, name):
            raise VisarithError(f"--job and {flag(name)} contradict each other; leave one out")


def commands(
    options: argparse.Namespace, jobs: "list[Job]", results: "Results", runs: Path, changes: dict[str, object]
) -> list[str]:
    """A command for each group of jobs that is left to do, with options changed; they can run in any order, at once."""
    from visarith.studies.reproduce import groups, remaining

    executor(options, runs)  # refuses options that contradict each other
    _, todo = remaining(jobs, results, runs)
    return [_command(options, changes | {"job": [job.key for job in group]}) for group in groups(todo)]


def _command(options: argparse.Namespace, changes: dict[str, object]) -> str:
    """The command that was given, with some options changed and without those that say where jobs run."""
    words = [sys.executable, "-m", "visarith", options.verb]
    for name, value in (vars(options) | changes).items():
        if name in ELSEWHERE or value in (None, False, []):
            continue
        for each in value if isinstance(value, list) else [value]:
            words += [flag(name)] if each is True else [flag(name), str(each)]
    return shlex.join([*words, *(["--", *options.operations] if "operations" in options else [])])
