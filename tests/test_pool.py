"""The pool of runs: how many at a time, in which order, how long still, and how it looks."""

import os
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from visarith.experiments import pool
from visarith.experiments.catalogue import ENTRIES
from visarith.experiments.pool import Audience, Job
from visarith.experiments.results import Result, Results
from visarith.pool_display import PoolBars, PoolLines, duration


def test_threads_and_workers_never_exceed_the_cores(tmp_path: Path) -> None:
    stored = Results(tmp_path)
    for count, workers, at_work, threads in ((5, 2, 2, 1), (1, 2, 1, 2), (3, 8, 3, 2)):
        made = pool._Pool([Job(ENTRIES["add"], seed) for seed in range(count)], stored, tmp_path, workers, Audience())
        assert (made.workers, made.threads) == (at_work, threads)


def test_the_time_that_is_left_follows_the_speed_so_far() -> None:
    jobs = [Job(replace(ENTRIES["add"], cost=100), seed) for seed in range(3)]
    clock = pool._Clock(jobs, 2)
    assert clock.left() is None
    jobs[0].done, jobs[0].started = 1.0, time.monotonic() - 200  # twice as slow as expected
    clock.ended(jobs[0])
    assert clock.left() == pytest.approx(200, rel=0.01)


def test_parts_come_before_the_whole(tmp_path: Path) -> None:
    names = ["roman-joined", *ENTRIES["roman-joined"].parts]
    made = pool._Pool([Job(ENTRIES[name], 0) for name in names], Results(tmp_path), tmp_path, 2, Audience())
    waiting = []
    while job := made._next():
        waiting.append(job)
        made.working[Connection(os.open(os.devnull, os.O_RDONLY), writable=False)] = job, None  # type: ignore[assignment]
    assert sorted(job.entry.name for job in waiting) == sorted(ENTRIES["roman-joined"].parts)
    made.working.clear()
    last = made._next()
    assert last
    assert last.entry.name == "roman-joined"


@pytest.mark.parametrize("show", [PoolLines, PoolBars])
def test_what_is_shown_counts_up_to_the_end(show: type[PoolLines], capsys: pytest.CaptureFixture[str]) -> None:
    shown = show()
    shown.complaint("results/add.seed0.json is damaged")  # comes before anything begins
    jobs = [Job(ENTRIES["add"], seed) for seed in (0, 1)]
    shown.begin(jobs, 3)
    for job in jobs:
        shown.started(job)
        job.done, job.said = 0.5, "epoch 1 of 2"
        shown.progress(job, 100.0)
        job.done = 1.0
        shown.ended(job, Result("add", job.seed, {}, failed="it broke"), 50.0)
    shown.close()
    said = capsys.readouterr().err
    assert "results/add.seed0.json is damaged" in said
    assert "2 runs to do, 3 stored already" in said
    assert "1 of 2: add seed 0, failed: it broke, 0 s, about 50 s left" in said
    assert "2 of 2: add seed 1" in said


def test_durations_are_for_people() -> None:
    assert [duration(seconds) for seconds in (0.2, 59.6, 61, 3599, 7200)] == [
        "0 s",
        "1 min 00 s",
        "1 min 01 s",
        "59 min 59 s",
        "2 h 00 min",
    ]
