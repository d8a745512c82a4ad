"""How training looks in a terminal, and in a log."""

import sys
from contextlib import AbstractContextManager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from visarith.cli.progress import Advance, progress, say
from visarith.runs.experiment import Experiment
from visarith.runs.judge import Judged
from visarith.runs.train import Watcher
from visarith.training.loop import Epoch


class Lines(Watcher):
    """Progress for logs: about ten lines a run, on stderr."""

    begun = False

    def begin(self, experiment: Experiment, path: Path, steps: int, done: int) -> None:
        self.begun = True
        self.epochs, self.total, self.done = experiment.recipe.epochs, steps, done
        self.finished_epochs = experiment.recipe.epochs * done // steps
        say(f"{described(experiment)} -> {path}")

    def tell(self, line: str) -> None:
        say(line)

    def epoch(self, epoch: Epoch, watched: Judged) -> None:
        self.finished_epochs = epoch.number
        if epoch.number % max(1, self.epochs // 10) == 0 or epoch.number == self.epochs:
            say(f"epoch {epoch.number} of {self.epochs}: {watched.headline()}")

    def judging(self) -> None:
        say("judging")

    def work(self, what: str, total: int | None) -> AbstractContextManager[Advance]:
        return progress(what, total)

    def where(self) -> str:
        """How far training came."""
        return f"after epoch {self.finished_epochs} of {self.epochs}" if self.begun else "before training began"

    def close(self) -> None:
        """Leave the terminal to others."""


class Bar(Lines):
    """Progress for people: a bar on stderr."""

    bar: Progress | None = None

    def begin(self, experiment: Experiment, path: Path, steps: int, done: int) -> None:
        super().begin(experiment, path, steps, done)
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
        self.bar = Progress(*columns, console=Console(stderr=True))
        self.bar.start()
        self.task = self.bar.add_task("learning", total=steps, completed=done)

    def step(self) -> None:
        assert self.bar
        self.bar.advance(self.task)

    def epoch(self, epoch: Epoch, watched: Judged) -> None:
        assert self.bar
        self.finished_epochs = epoch.number
        self.bar.update(self.task, description=f"epoch {epoch.number}/{self.epochs}, {watched.headline()}")

    def judging(self) -> None:
        assert self.bar
        self.bar.update(self.task, description="judging")

    def work(self, what: str, total: int | None) -> AbstractContextManager[Advance]:
        self.close()  # there is one live display at a time
        return super().work(what, total)

    def close(self) -> None:
        if self.bar:
            self.bar.stop()


def display() -> Lines:
    """A bar in a terminal, lines in a log."""
    return Bar() if sys.stderr.isatty() else Lines()


def described(experiment: Experiment) -> str:
    """One line that says what is learned, by whom and how."""
    source = experiment.source
    task = source.task if source.generates else None
    what = f"{task.operation.name} in {task.medium}" if task else f"the pictures {source.label}"
    return (
        f"{what}, {experiment.learner.described()}, recipe {experiment.recipe_name}, "
        f"{experiment.examples:,} examples, seed {experiment.seed}"
    )
