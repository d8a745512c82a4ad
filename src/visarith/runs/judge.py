"""Judge a learner: draw its answers, read them and score them."""

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

BRIGHTEST = 10.0  # noise may exceed [0, 1], but not by this much; such pictures are on a scale of 255
AT_A_TIME = 2_000  # examples, fewer if pictures are large


NO_BETTER = 0.99  # of the mean answer's picture error: a network that always draws about that has learned nothing


@dataclass(frozen=True)
class PictureError:
    """The root mean square difference of drawings and true pictures, over all pixels."""

    pairs: int
    error: float
    mean_answer_error: float  # of always drawing the mean answer

    @property
    def no_better_than_mean(self) -> bool:
        """Whether drawings are no closer to the answers than the mean answer."""
        return self.share >= NO_BETTER

    @property
    def share(self) -> float:
        """The error divided by that of the mean answer: 0 is perfect, 1 is no better than the mean."""
        return self.error / self.mean_answer_error if self.mean_answer_error else float(self.error > 0)


@dataclass(frozen=True)
class Judged:
    """The picture error of drawings and, if they can be read, their score."""

    picture: PictureError
    score: Score | None = None
    unreadable_inputs: int | None = None  # examples with an unreadable input cell; None if the learner does not tell

    def headline(self) -> str:
        """Return the digit error, or the picture error if there is none, as text."""
        if self.score is not None:
            return f"digit error {percent(self.score.digit_error)}"
        return f"picture error {self.picture.error:.4f}"

    def to_json(self) -> dict[str, Any]:
        """Return the errors for a line of the metrics."""
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
    """Draw the answers to these pictures and compare them with the true ones; read them too if there is a legend.

    The answer to inputs that the learner cannot read is unreadable, so it counts as wrong whatever it shows.
    `mean` is the mean answer of the training set, permuted if the task is; the default is the mean of `data`.
    """
    truth = data.truth_in(legend) if legend is not None else None
    chosen: Reader | None = None
    if legend is not None and truth is not None:
        chosen = reader_for(legend, reader) if isinstance(reader, str) else reader
    average = data.plain_answers((data.mean_targets if mean is None else mean).numpy()[None])
    noise = generator(seed, "test noise")
    readings: list[list[Reading]] = [[] for _ in range(data.spec.outputs)]
    squares, mean_squares, pixels, size = 0.0, 0.0, 0, at_a_time(data.spec.shape)
    unreadable: int | None = None
    for start in range(0, len(data), size):
        rows = np.arange(start, min(start + size, len(data)))
        inputs = data.inputs(rows, noise)
        pictures = data.plain_answers(learner.drawn(inputs))
        if not np.isfinite(pictures).all():
            raise VisarithError("the network draws pixels that are no finite numbers; train it with a smaller rate")
        perceived = learner.perceived(inputs.to(learner.device))
        illegible = np.zeros(len(rows), bool) if perceived is None else ~perceived.legible.cpu().numpy()
        if perceived is not None:
            unreadable = (unreadable or 0) + int(illegible.sum())
        clean = data.clean_answers(slice(start, start + size))
        squares += float(np.square(pictures - clean, dtype=np.float64).sum())
        mean_squares += float(np.square(average - clean, dtype=np.float64).sum())
        pixels += clean.size
        if chosen is not None:
            for answer, parts in enumerate(readings):
                parts.append(chosen.read(pictures[:, answer]).without(illegible))
        step(len(rows))
    error = PictureError(len(data), (squares / pixels) ** 0.5, (mean_squares / pixels) ** 0.5)
    if chosen is None or truth is None or legend is None:
        return Judged(error, unreadable_inputs=unreadable)
    scored = score(chosen.name, [_joined(parts) for parts in readings], truth, legend.notation)
    return Judged(error, scored, unreadable)


def reader_for(legend: Legend, name: str) -> Reader:
    """Return a reader with as many workers as PyTorch has threads."""
    return legend.reader(name, workers=torch.get_num_threads())


def at_a_time(shape: tuple[int, int]) -> int:
    """Return how many examples are drawn in one batch; large pictures need smaller batches."""
    return max(1, min(AT_A_TIME, 10_000_000 // (shape[0] * shape[1])))


def drawn_answers(learner: Learner, data: PictureSet, *, seed: int) -> np.ndarray:
    """Return what the learner draws (count, answers, height, width), with the noise with which a run is judged."""
    inputs = data.inputs(np.arange(len(data)), generator(seed, "test noise"))
    return data.plain_answers(learner.drawn(inputs))


def distance(learner: Learner, data: PictureSet, legend: Legend, *, seed: int) -> float | None:
    """Return the root mean square difference to clean pictures, over the answers that are read correctly."""
    answers, clean, right = _drawn(learner, data, legend, seed)
    squares = np.concatenate([((answers - clean)[:, i][right[:, i]] ** 2).ravel() for i in range(answers.shape[1])])
    return float(squares.mean() ** 0.5) if squares.size else None


def examples_shown(
    learner: Learner, data: PictureSet, legend: Legend | None, *, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return inputs, answers and truths of three test examples: two correct ones and, if there is one, a wrong one."""
    few = data.take(slice(0, 2_000))
    answers, clean, right = _drawn(learner, few, legend, seed)
    wrong = ~right.all(1)
    order = np.concatenate([np.flatnonzero(~wrong)[:2], np.flatnonzero(wrong), np.flatnonzero(~wrong)[2:]])[:3]
    inputs = few.inputs(np.arange(len(few)), generator(seed, "test noise"))
    return few.plain_inputs(inputs.numpy()[order]), answers[order], clean[order]


def _drawn(
    learner: Learner, data: PictureSet, legend: Legend | None, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return answers and clean pictures (count, answers, height, width), and which answers are read correctly.

    Without templates, an answer counts as correct if its error is not above the median.
    """
    answers = drawn_answers(learner, data, seed=seed)
    clean = data.clean_answers(slice(0, len(data)))
    truth = data.truth_in(legend) if legend is not None else None
    if legend is None or truth is None or legend.layout is None:
        apart = np.square(answers - clean).mean((2, 3))
        return answers, clean, apart <= np.median(apart)
    reader = legend.reader("templates")
    read = [(reader.read(answers[:, i]).symbols == truth[:, i]).all(1) for i in range(answers.shape[1])]
    return answers, clean, np.stack(read, 1)


def _joined(parts: list[Reading]) -> Reading:
    symbols, confidence = zip(*((part.symbols, part.confidence) for part in parts), strict=True)
    return Reading(np.concatenate(symbols), np.concatenate(confidence), [text for part in parts for text in part.texts])


def checked_pictures(pictures: Any, inputs: int, shape: tuple[int, int]) -> np.ndarray:
    """Return a user's pictures (count, inputs, height, width) in [0, 1] as float32."""
    pictures = np.asarray(pictures)
    if pictures.dtype.kind in "iu" and pictures.size and pictures.max() > 1:
        raise VisarithError(f"pictures of {pictures.dtype} up to {pictures.max()} are too bright; divide by 255")
    if pictures.dtype.kind not in "biuf":
        raise VisarithError(f"pictures of {pictures.dtype} have no intensities; use numbers in [0, 1]")
    checked: np.ndarray = pictures.astype(np.float32)
    if not np.isfinite(checked).all():
        raise VisarithError("pictures have pixels that are not numbers; use intensities in [0, 1]")
    if checked.size and max(-checked.min(), checked.max()) > BRIGHTEST:
        raise VisarithError(f"pictures have intensities up to {np.abs(checked).max():g}; divide by 255, ink is 1")
    expected = (inputs, *shape)
    if checked.ndim != 4 or checked.shape[1:] != expected:
        raise VisarithError(
            f"pictures of shape {checked.shape} do not fit; this run takes (count, {str(expected)[1:-1]})"
        )
    return checked
