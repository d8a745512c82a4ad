"""How training and `reproduce` look on stderr: bars in a terminal, lines in a log."""

import sys
from contextlib import AbstractContextManager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from visarith.cli.progress import Advance, duration, progress, say
from visarith.cli.terminal import visible
from visarith.evaluation import percent
from visarith.runs.experiment import Experiment
from visarith.runs.judge import Judged
from visarith.runs.train import Watcher
from visarith.studies import studies
from visarith.studies.catalogue import ENTRIES
from visarith.studies.reproduce import Watcher as JobWatcher
from visarith.studies.results import Result
from visarith.studies.study import Job
from visarith.training.loop import Epoch, Training

# Training


class Lines(Watcher):
    """About ten lines a run."""

    begun = False

    def begin(self, experiment: Experiment, path: Path, training: Training) -> None:
        self.begun, self.training = True, training
        say(f"{described(experiment)} -> {path}")

    def tell(self, line: str) -> None:
        say(line)

    def epoch(self, epoch: Epoch, watched: Judged) -> None:
        planned = self.training.epochs_planned
        if epoch.number % max(1, planned // 10) == 0 or epoch.number == planned:
            say(f"epoch {epoch.number} of {planned}: {watched.headline()}")

    def judging(self) -> None:
        say("judging")

    def work(self, what: str, total: int | None) -> AbstractContextManager[Advance]:
        return progress(what, total)

    def where(self) -> str:
        """How far training came."""
        if not self.begun:
            return "before training began"
        return f"after epoch {self.training.epochs_done} of {self.training.epochs_planned}"

    def close(self) -> None:
        """Leave the terminal to others."""


class Bar(Lines):
    """A bar for one run."""

    bar: Progress | None = None

    def begin(self, experiment: Experiment, path: Path, training: Training) -> None:
        super().begin(experiment, path, training)
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        self.bar = Progress(*columns, console=Console(stderr=True))
        self.bar.start()
        self.task = self.bar.add_task("learning", total=training.steps_planned, completed=training.steps_done)

    def tell(self, line: str) -> None:
        if self.bar and self.bar.live.is_started:
            self.bar.console.print(visible(line), highlight=False, markup=False)
        else:
            super().tell(line)

    def step(self) -> None:
        assert self.bar
        self.bar.advance(self.task)

    def epoch(self, epoch: Epoch, watched: Judged) -> None:
        self._describe(f"epoch {epoch.number}/{self.training.epochs_planned}, {watched.headline()}")

    def judging(self) -> None:
        self._describe("judging")

    def _describe(self, text: str) -> None:
        assert self.bar
        self.bar.update(self.task, description=text, total=self.training.steps_planned)

    def work(self, what: str, total: int | None) -> AbstractContextManager[Advance]:
        self.close()  # there is one live display at a time
        return super().work(what, total)

    def close(self) -> None:
        if self.bar:
            self.bar.stop()


def training() -> Lines:
    """The display of a run."""
    return Bar() if sys.stderr.isatty() else Lines()


def described(experiment: Experiment) -> str:
    """One line that says what is learned, by whom and how."""
    source = experiment.source
    task = source.task if source.generates else None
    what = f"{task.operation} in {task.medium}" if task else f"the pictures {source.label}"
    return (
        f"{what}, {experiment.learner.described()}, recipe {experiment.recipe_name}, "
        f"{experiment.examples:,} examples, seed {experiment.seed}"
    )


# Reproduction


class JobLines(JobWatcher):
    """A line for each job that has ended."""

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
        columns = TextColumn("{task.description}"), BarColumn(bar_width=None), TextColumn("{task.fields[said]}")
        self.bars = Progress(*columns, console=Console(stderr=True), expand=True)
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
        self.done[job.key] = done
        completed = sum(self.done[key] * cost for key, cost in self.costs.items())
        self.bars.update(self.all, completed=completed, said=f"{self.ready} of {self.total}{_left(left)}")

    def ended(self, result: Result, left: float | None) -> None:
        super().ended(result, left)
        self.progress(result.job, 1.0, "", left)
        assert self.bars
        self.bars.remove_task(self.lines.pop(result.job.key))

    def close(self) -> None:
        if self.bars:
            self.bars.stop()

    def _say(self, line: str) -> None:
        if self.bars:
            self.bars.console.print(visible(line), highlight=False, markup=False)
        else:
            super()._say(line)


def reproduction() -> JobLines:
    """The display of a reproduction."""
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
