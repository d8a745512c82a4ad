"""Draw the answers of a learner, have them read, and score them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from visarith.data.picture_set import PictureSet
from visarith.errors import VisarithError
from visarith.evaluation import Score, percent, score
from visarith.learners.learner import Learner
from visarith.randomness import generator
from visarith.reading import Reader, Reading
from visarith.reading.legend import Legend

AT_A_TIME = 2_000  # pictures, fewer where they are large


@dataclass(frozen=True)
class PictureError:
    """How far drawings are from the true pictures, whatever they say: root mean square over all pixels."""

    pairs: int
    error: float
    mean_answer_error: float  # of always drawing the mean answer

    @property
    def share(self) -> float:
        """The error as a share of that of the mean answer: 0 is perfect, 1 has learned nothing."""
        return self.error / self.mean_answer_error if self.mean_answer_error else float(self.error > 0)


@dataclass(frozen=True)
class Judged:
    """What a judge says of drawings: how far they are from the truth and, if they can be read, what was read."""

    picture: PictureError
    score: Score | None = None

    def headline(self) -> str:
        """The error that matters most, in a few words."""
        if self.score is not None:
            return f"digit error {percent(self.score.digit_error)}"
        return f"picture error {self.picture.error:.4f}"

    def to_json(self) -> dict[str, Any]:
        """One line of the metrics."""
        read = self.score and {"digit_error": self.score.digit_error, "per_position": self.score.per_position}
        return {"picture_error": self.picture.error, **(read or {"digit_error": None, "per_position": None})}


def judge(
    learner: Learner,
    data: PictureSet,
    legend: Legend | None,
    reader: str | Reader = "templates",
    *,
    mean: torch.Tensor | None = None,
    seed: int,
    step: Callable[[int], object] = lambda _: None,
) -> Judged:
    """Draw the answers to these pictures and compare them with the true ones; read them too, if there is a legend.

    `mean` is the mean answer of training, as a learner sees it; without it the mean of these answers is taken.
    """
    truth = data.truth_in(legend) if legend is not None else None
    judge_: Reader | None = None
    if legend is not None and truth is not None:
        judge_ = reader_for(legend, reader) if isinstance(reader, str) else reader
    average = data.plain_answers((data.mean_targets if mean is None else mean).numpy()[None])
    noise = generator(seed, "test noise")
    readings: list[list[Reading]] = [[] for _ in range(data.spec.outputs)]
    squares, mean_squares, pixels, size = 0.0, 0.0, 0, at_a_time(data.spec.shape)
    for start in range(0, len(data), size):
        rows = np.arange(start, min(start + size, len(data)))
        pictures = data.plain_answers(learner.drawn(data.inputs(rows, noise)))
        clean = data.clean_answers(slice(start, start + size))
        squares += float(np.square(pictures - clean, dtype=np.float64).sum())
        mean_squares += float(np.square(average - clean, dtype=np.float64).sum())
        pixels += clean.size
        if judge_ is not None:
            for answer, parts in enumerate(readings):
                parts.append(judge_.read(pictures[:, answer]))
        step(len(rows))
    error = PictureError(len(data), (squares / pixels) ** 0.5, (mean_squares / pixels) ** 0.5)
    if judge_ is None or truth is None or legend is None:
        return Judged(error)
    return Judged(error, score(judge_.name, [_joined(parts) for parts in readings], truth, legend.notation))


def reader_for(legend: Legend, name: str) -> Reader:
    """A reader with as many workers as PyTorch may use threads."""
    return legend.reader(name, workers=torch.get_num_threads())


def at_a_time(shape: tuple[int, int]) -> int:
    """How many examples are drawn together: fewer where pictures are large."""
    return max(1, min(AT_A_TIME, 10_000_000 // (shape[0] * shape[1])))


def distance(learner: Learner, data: PictureSet, legend: Legend, *, seed: int) -> float | None:
    """How far answers that are read right are from clean pictures: root mean square over their pixels."""
    answers, clean, right = _drawn(learner, data, legend, seed)
    squares = np.concatenate([((answers - clean)[:, i][right[:, i]] ** 2).ravel() for i in range(answers.shape[1])])
    return float(squares.mean() ** 0.5) if squares.size else None


def examples_shown(
    learner: Learner, data: PictureSet, legend: Legend | None, *, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, answers and truths of three test examples: two as they come and, if there is one, a failure."""
    few = data.take(slice(0, 2_000))
    answers, clean, right = _drawn(learner, few, legend, seed)
    wrong = ~right.all(1)
    order = np.concatenate([np.flatnonzero(~wrong)[:2], np.flatnonzero(wrong), np.flatnonzero(~wrong)[2:]])[:3]
    inputs = few.inputs(np.arange(len(few)), generator(seed, "test noise"))
    return few.plain_inputs(inputs.numpy()[order]), answers[order], clean[order]


def _drawn(
    learner: Learner, data: PictureSet, legend: Legend | None, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Answers and clean pictures (count, answers, height, width), and which are read right by templates.

    Where there are no templates, an answer counts as right that is nearer to its picture than the median is.
    """
    inputs = data.inputs(np.arange(len(data)), generator(seed, "test noise"))
    answers = data.plain_answers(learner.drawn(inputs))
    clean = data.clean_answers(slice(0, len(data)))
    truth = data.truth_in(legend) if legend is not None else None
    if legend is None or truth is None or legend.layout is None:
        apart = np.square(answers - clean).mean((2, 3))
        return answers, clean, apart <= np.median(apart)
    reader = legend.reader("templates")
    read = [(reader.read(answers[:, i]).symbols == truth[:, i]).all(1) for i in range(answers.shape[1])]
    return answers, clean, np.stack(read, 1)


def _joined(parts: list[Reading]) -> Reading:
    return Reading(
        np.concatenate([part.symbols for part in parts]),
        np.concatenate([part.confidence for part in parts]),
        [text for part in parts for text in part.texts],
    )


def checked_pictures(pictures: Any, inputs: int, shape: tuple[int, int]) -> np.ndarray:
    """Pictures that a user brings: (count, inputs, height, width) in [0, 1], as float32."""
    pictures = np.asarray(pictures)
    if pictures.dtype.kind in "iu" and pictures.size and pictures.max() > 1:
        raise VisarithError(f"pictures of {pictures.dtype} up to {pictures.max()} are too bright; divide by 255")
    checked: np.ndarray = pictures.astype(np.float32)
    if not np.isfinite(checked).all():
        raise VisarithError("pictures have pixels that are no numbers; use intensities in [0, 1]")
    expected = (inputs, *shape)
    if checked.ndim != 4 or checked.shape[1:] != expected:
        raise VisarithError(
            f"pictures of shape {checked.shape} do not fit; this run takes (count, {str(expected)[1:-1]})"
        )
    return checked
