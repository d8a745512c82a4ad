"""Progress of long work on stderr: a bar in a terminal, about ten lines in a log, nothing for short work."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from visarith.cli.terminal import visible

QUIET = 3.0  # seconds: what is done by then needs no line in a log
EVERY = 10.0  # seconds between lines where the amount of work is not known
Advance = Callable[[int], object]


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Advance]:
    """Show how far work has come; the caller is given a function to call with the number of things done.

    Without a total, only the time that has passed is shown.
    """
    with (_bar if sys.stderr.isatty() else _lines)(what, total) as advance:
        yield advance


def say(line: str) -> None:
    """A line about the work, on stderr at once."""
    print(visible(line), file=sys.stderr, flush=True)


def warn(text: str) -> None:
    """A line of the program itself, on stderr."""
    say(f"visarith: {text}")


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(42.4), duration(200), duration(4000)
    ('42 s', '3 min 20 s', '1 h 06 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60:02} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60:02} min"


@contextmanager
def _bar(what: str, total: int | None) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    known = (MofNCompleteColumn(), TimeRemainingColumn()) if total is not None else (TimeElapsedColumn(),)
    columns = (TextColumn("{task.description}"), BarColumn(), *known)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)


@contextmanager
def _lines(what: str, total: int | None) -> Iterator[Advance]:
    """The time that has passed until the first thing is done, and then how many are."""
    known, started = threading.Event(), time.monotonic()
    lines = Lines(what, total or 1, sys.stderr)

    def tick() -> None:
        wait = QUIET
        while not known.wait(wait):
            say(f"{what}: {duration(time.monotonic() - started)} so far")
            wait = EVERY

    def advance(count: int) -> None:
        if total is not None:
            known.set()
            lines.advance(count)

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield advance
    finally:
        known.set()
        thread.join()


class Lines:
    """A line when work turns out to be long, and one after each tenth of it, with the time left at the present rate.

    >>> now = iter([0.0, 4.0, 8.0, 16.0])
    >>> lines = Lines("drawing", 40, sys.stdout, clock=lambda: next(now))
    >>> lines.advance(10), lines.advance(10), lines.advance(20)
    drawing: 10 of 40, about 12 s left
    drawing: 20 of 40, about 8 s left
    drawing: 40 of 40, 16 s
    (None, None, None)
    """

    def __init__(self, what: str, total: int, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self.what, self.total, self.stream, self.clock = what, total, stream, clock
        self.done, self.said, self.started = 0, -1, clock()
        self.first: tuple[float, int] | None = None  # when things began to be done: what is before that is set-up

    def advance(self, count: int) -> None:
        """Note that so many more are done."""
        self.done += count
        now, tenths = self.clock(), 10 * self.done // self.total
        spent = now - self.started
        seconds, things = (now - self.first[0], self.done - self.first[1]) if self.first else (spent, self.done)
        self.first = self.first or (now, self.done)
        if spent < QUIET or tenths == self.said:
            return
        self.said = tenths
        left = f"about {duration(seconds / max(1, things) * (self.total - self.done))} left"
        rest = left if self.done < self.total else duration(spent)
        print(f"{self.what}: {self.done:,} of {self.total:,}, {rest}", file=self.stream, flush=True)
