"""How `reproduce` looks: a bar for each running job in a terminal, a line for each finished one in a log."""

import sys

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from visarith.cli.progress import duration, say
from visarith.evaluation import percent
from visarith.studies import studies
from visarith.studies.catalogue import ENTRIES
from visarith.studies.reproduce import Watcher
from visarith.studies.results import Result
from visarith.studies.study import Job


class JobLines(Watcher):
    """A line on stderr for each job that has ended."""

    def begin(self, jobs: list[Job], stored: int) -> None:
        self.total, self.ready = len(jobs), 0
        already = f", {stored} stored already" if stored else ""
        self._say(f"{len(jobs)} job{'' if len(jobs) == 1 else 's'} to do{already}")

    def complaint(self, text: str) -> None:
        self._say(f"visarith: {text}")

    def ended(self, result: Result, left: float | None) -> None:
        self.ready += 1
        words = [result.job.title, _headline(result), duration(result.seconds)]
        self._say(f"{self.ready} of {self.total}: {', '.join(filter(None, words))}{_left(left)}")

    def _say(self, line: str) -> None:
        say(line)


class JobBars(JobLines):
    """A bar for all jobs together and one for each job that runs."""

    bars: Progress | None = None

    def begin(self, jobs: list[Job], stored: int) -> None:
        self.bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[said]}"),
            console=Console(stderr=True),
            expand=True,
        )
        self.bars.start()
        self.lines: dict[str, TaskID] = {}
        self.done = {job.key: 0.0 for job in jobs}
        self.costs = {job.key: job.cost for job in jobs}
        self.all = self.bars.add_task("all jobs", total=sum(self.costs.values()) or 1, said="")
        super().begin(jobs, stored)

    def started(self, job: Job) -> None:
        assert self.bars
        self.lines[job.key] = self.bars.add_task(job.title, total=1.0, said="starting")

    def progress(self, job: Job, done: float, text: str, left: float | None) -> None:
        assert self.bars
        self.bars.update(self.lines[job.key], completed=done, said=text)
        self._advance(job, done, left)

    def ended(self, result: Result, left: float | None) -> None:
        super().ended(result, left)
        self._advance(result.job, 1.0, left)
        assert self.bars
        self.bars.remove_task(self.lines.pop(result.job.key))

    def close(self) -> None:
        if self.bars:
            self.bars.stop()

    def _advance(self, job: Job, done: float, left: float | None) -> None:
        assert self.bars
        self.done[job.key] = done
        completed = sum(self.done[key] * cost for key, cost in self.costs.items())
        self.bars.update(self.all, completed=completed, said=f"{self.ready} of {self.total}{_left(left)}")

    def _say(self, line: str) -> None:
        if self.bars:
            self.bars.console.print(line, highlight=False, markup=False)
        else:
            super()._say(line)


def watcher() -> JobLines:
    """Bars in a terminal, lines in a log."""
    return JobBars() if sys.stderr.isatty() else JobLines()


def listed(jobs: list[Job]) -> str:
    """The studies with their experiments, and how long each study takes on one core."""
    lines = []
    for study in studies().values():
        own = [job for job in jobs if job.study == study.name and not job.seed]
        if own:
            cost = duration(sum(job.cost for job in own))
            lines.append(f"{study.name}: {study.title} ({len(own)} jobs, {cost}{', long' if study.long else ''})")
            lines += [f"  {job.name:24} {ENTRIES[job.name].title}" for job in own if job.name in ENTRIES and job.folder]
    return "\n".join(lines)


def _headline(result: Result) -> str:
    """The digit error of a job that has one, or why the job failed."""
    if result.failed is not None:
        return f"failed: {result.failed}"
    error = (result.found.get("score") or result.found).get("digit_error")
    return "" if error is None else percent(error)


def _left(seconds: float | None) -> str:
    return f", about {duration(seconds)} left" if seconds else ""
