"""How things look in a terminal: progress, scores, lists, and pictures made of block characters."""

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from visarith.evaluation import Score, percent
from visarith.runs.experiment import Experiment
from visarith.runs.judge import Judged, PictureError
from visarith.runs.learn import Watcher
from visarith.runs.run import Run
from visarith.training.loop import Epoch

SHOWN_POSITIONS = 35
READERS = {"templates": "read by templates", "tesseract": "read by Tesseract"}


class Lines(Watcher):
    """Progress for logs: about ten lines a run, on stderr."""

    begun = False

    def begin(self, experiment: Experiment, path: Path, steps: int, done: int) -> None:
        self.begun = True
        self.epochs, self.total, self.done = experiment.recipe.epochs, steps, done
        self.finished_epochs = experiment.recipe.epochs * done // steps
        self._say(f"{describe(experiment)} -> {path}")

    def tell(self, line: str) -> None:
        self._say(line)

    def epoch(self, epoch: Epoch, watched: Judged) -> None:
        self.finished_epochs = epoch.number
        if epoch.number % max(1, self.epochs // 10) == 0 or epoch.number == self.epochs:
            self._say(f"epoch {epoch.number} of {self.epochs}: {watched.headline()}")

    def judging(self) -> None:
        self._say("judging")

    def where(self) -> str:
        return f"after epoch {self.finished_epochs} of {self.epochs}" if self.begun else "before training began"

    def close(self) -> None:
        """Let go of the terminal."""

    def _say(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)


class Bar(Lines):
    """Progress for people: a bar on stderr."""

    def begin(self, experiment: Experiment, path: Path, steps: int, done: int) -> None:
        super().begin(experiment, path, steps, done)
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self.bar.start()
        self.task = self.bar.add_task("learning", total=steps, completed=done)

    def step(self) -> None:
        self.bar.advance(self.task)

    def epoch(self, epoch: Epoch, watched: Judged) -> None:
        self.finished_epochs = epoch.number
        self.bar.update(self.task, description=f"epoch {epoch.number}/{self.epochs}, {watched.headline()}")

    def judging(self) -> None:
        self.bar.update(self.task, description="judging")

    def close(self) -> None:
        if self.begun:
            self.bar.stop()


def watcher() -> Lines:
    """A bar in a terminal, lines in a log."""
    return Bar() if sys.stderr.isatty() else Lines()


def describe(experiment: Experiment) -> str:
    """One line that says what is learned, by whom and how."""
    source = experiment.source
    task = source.task if source.generates else None
    what = f"{task.operation.name} in {task.medium}" if task else f"the pictures {source.label}"
    return (
        f"{what}, {experiment.learner.described()}, recipe {experiment.recipe_name}, "
        f"{experiment.examples:,} examples, seed {experiment.seed}"
    )


def show_run(run: Run, paper: float | None, picture: Path, *, trained_now: bool) -> None:
    if not trained_now:
        print(f"{describe(run.experiment)}\n{run.path} is finished; this is its score.")
    print()
    if run.score:
        show_score(run.score, paper)
    if run.tesseract:
        print()
        show_score(run.tesseract, paper)
    if run.picture_error and not run.source.generates:
        print()
        show_picture_error(run.picture_error)
    if run.seen:
        print(f"  seen before    {run.seen:,} of them have the inputs of a training example; split them anew")
    print()
    if run.train_digit_error is not None:
        print(f"training digits  {percent(run.train_digit_error)} wrong")
    precision = run.experiment.recipe.precision
    print(f"network          {run.learner.weight_count:,} weights, {precision}, {run.seconds:.0f} s")
    if described := run.learner.described():
        print(f"{run.experiment.learner.name:<16} {described}")
    print(f"examples         {picture}")
    print(f"run              {run.path}")


def show_picture_error(error: PictureError, which: str = "held-out pictures") -> None:
    """How far drawings are from the true pictures, beside always drawing the mean answer."""
    mean = f"always drawing the mean answer: {error.mean_answer_error:.4f}"
    print(f"{error.pairs:,} {which}, compared pixel by pixel")
    print(f"  picture error  {error.error:.4f} (root mean square; {mean})")


def show_score(score: Score, paper: float | None) -> None:
    print(f"{score.pairs:,} held-out pairs, {READERS[score.reader]}")
    beside = f"   the paper: {100 * paper:g} %" if paper is not None else ""
    print(f"  digit error    {percent(score.digit_error):8} {_interval(score.digit_interval)}{beside}")
    print(f"  number error   {percent(score.number_error):8} {_interval(score.number_interval)}")
    if len(score.per_position) <= SHOWN_POSITIONS:
        print(f"  by position    {'  '.join(percent(share) for share in score.per_position)}")
    print(f"  edit distance  {percent(score.edit_error)}")
    print(f"  unreadable     {score.unreadable:,}")


def _interval(bounds: tuple[float, float]) -> str:
    return f"(95 %: {percent(bounds[0])} to {percent(bounds[1])})"


def show_reading(result: dict[str, Any]) -> None:
    print(f"reading  {result['reading']} (confidence {result['confidence']:.2f})")
    if "expected" in result:
        print(f"truth    {result['expected']}\n{'right' if result['correct'] else 'wrong'}")


def show_runs(rows: list[dict[str, Any]], folder: Path) -> None:
    if not rows:
        print(f"no runs in {folder} yet; make run trains the first")
        return
    wide = max(len(row["run"]) for row in rows)
    print(f"{'run':{wide}}  {'digit error':>11}  {'numbers':>8}  {'paper':>6}")
    for row in rows:
        if row["state"] != "finished":
            print(f"{row['run']:{wide}}  {row['state']}")
            continue
        paper = f"{100 * row['paper_digit_error']:g} %" if row["paper_digit_error"] is not None else "-"
        if row["digit_error"] is None:
            print(f"{row['run']:{wide}}  picture error {row['picture_error']:.4f}")
            continue
        errors = f"{percent(row['digit_error']):>11}  {percent(row['number_error']):>8}"
        print(f"{row['run']:{wide}}  {errors}  {paper:>6}")


def show_picture(picture: np.ndarray) -> None:
    """Two rows of pixels a line; in braille where the terminal is too narrow for that."""
    room = shutil.get_terminal_size((80, 24)).columns
    lines = half_blocks(picture) if picture.shape[1] <= room else braille(picture)
    if len(lines[0]) > room:
        print(f"(the picture needs {len(lines[0])} columns, the terminal has {room}; --save keeps it as a PNG)")
        return
    text = "\n".join(lines)
    encoding = sys.stdout.encoding or "ascii"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = "\n".join("".join("#" if pixel > 0.5 else "." for pixel in row) for row in picture)
    print(text)


def half_blocks(picture: np.ndarray) -> list[str]:
    """Two pixels a character, one above the other."""
    rows = np.pad(picture, ((0, picture.shape[0] % 2), (0, 0))) > 0.5
    return ["".join(" ▄▀█"[2 * above + below] for above, below in zip(*pair, strict=True)) for pair in _pairs(rows)]


def _pairs(rows: np.ndarray) -> list[tuple[list[int], list[int]]]:
    whole = rows.astype(int).tolist()
    return [(whole[i], whole[i + 1]) for i in range(0, len(whole), 2)]


def braille(picture: np.ndarray) -> list[str]:
    """Eight pixels a character, two wide and four high."""
    height, width = picture.shape
    dots = np.pad(picture, ((0, -height % 4), (0, -width % 2))) > 0.5
    bits = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
    blocks = dots.reshape(dots.shape[0] // 4, 4, dots.shape[1] // 2, 2)
    codes = (blocks * bits[None, :, None, :]).sum(axis=(1, 3))
    return ["".join(chr(0x2800 + code) for code in row) for row in codes.tolist()]
