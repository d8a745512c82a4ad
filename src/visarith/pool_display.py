"""How a pool of runs looks in a terminal, and in a log."""

import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from visarith.evaluation import percent
from visarith.experiments.catalogue import GROUPS
from visarith.experiments.entry import Entry
from visarith.experiments.pool import Audience, Job
from visarith.experiments.results import Result


class PoolLines(Audience):
    """How the pool does, for logs: a line a run, on stderr."""

    def begin(self, jobs: list[Job], kept: int) -> None:
        self.total, self.ready, self.failed = len(jobs), 0, 0
        already = f", {kept} stored already" if kept else ""
        self._say(f"{len(jobs)} run{'' if len(jobs) == 1 else 's'} to do{already}")

    def complaint(self, text: str) -> None:
        self._say(f"visarith: {text}")

    def ended(self, job: Job, result: Result, left: float | None) -> None:
        self.ready += 1
        self.failed += result.failed is not None
        said = f"failed: {result.failed}" if result.failed or not result.score else percent(result.score.digit_error)
        self._say(f"{self.ready} of {self.total}: {job.name}, {said}, {duration(result.seconds)}{_left(left)}")

    def _say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


class PoolBars(PoolLines):
    """How the pool does, for people: a bar for everything and one for each run at work."""

    bars: Progress | None = None

    def begin(self, jobs: list[Job], kept: int) -> None:
        self.bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[said]}"),
            console=Console(stderr=True),
            expand=True,
        )
        self.bars.start()
        self.lines: dict[str, TaskID] = {}
        self.costs = {job.name: job.entry.cost for job in jobs}
        self.all = self.bars.add_task("all runs", total=sum(self.costs.values()) or 1, said="")
        self.jobs = jobs
        super().begin(jobs, kept)

    def started(self, job: Job) -> None:
        assert self.bars
        self.lines[job.name] = self.bars.add_task(job.name, total=1.0, said=job.said)

    def progress(self, job: Job, left: float | None) -> None:
        assert self.bars
        self.bars.update(self.lines[job.name], completed=job.done, said=job.said)
        done = sum(each.done * each.entry.cost for each in self.jobs)
        self.bars.update(self.all, completed=done, said=f"{self.ready} of {self.total}{_left(left)}")

    def ended(self, job: Job, result: Result, left: float | None) -> None:
        super().ended(job, result, left)
        self.progress(job, left)
        assert self.bars
        self.bars.remove_task(self.lines.pop(job.name))

    def close(self) -> None:
        if self.bars:
            self.bars.stop()

    def _say(self, line: str) -> None:
        if self.bars:
            self.bars.console.print(line, highlight=False, markup=False)
        else:
            super()._say(line)


def listed(entries: list[Entry]) -> str:
    """The experiments by group, a line each."""
    lines = []
    for group, title in GROUPS.items():
        own = [entry for entry in entries if entry.group == group]
        lines += [f"{group}: {title}", *(f"  {entry.name:24} {entry.title}" for entry in own)] if own else []
    return "\n".join(lines)


def audience() -> PoolLines:
    """Bars in a terminal, lines in a log."""
    return PoolBars() if sys.stderr.isatty() else PoolLines()


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(42.4), duration(200), duration(4000)
    ('42 s', '3 min 20 s', '1 h 06 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60:02} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60:02} min"


def _left(seconds: float | None) -> str:
    return f", about {duration(seconds)} left" if seconds else ""
