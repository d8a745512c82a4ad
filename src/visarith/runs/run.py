"""Runs: a trained learner with its task or pictures and its score."""

import html
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from visarith.data.picture_set import PictureSet
from visarith.data.stored import Source
from visarith.data.task import Task
from visarith.errors import VisarithError, option, whole
from visarith.evaluation import Score
from visarith.learners.learner import Learner
from visarith.learners.perception import Perceived
from visarith.notation.arabic import MOST_CELLS
from visarith.operations import Operation
from visarith.pictures.png import as_html
from visarith.reading import Reader, Reading
from visarith.reading.legend import Legend
from visarith.runs.experiment import Experiment, from_json, resolve_device
from visarith.runs.folder import EXPERIMENT, LEGEND, WEIGHTS
from visarith.runs.judge import Judged, PictureError, checked_pictures, judge, reader_for
from visarith.runs.store import Store

FRESH = {"templates": 30_000, "tesseract": 2_000}  # pairs that are judged by default


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A finished run. Its methods take and return plain pictures, even if the learner was trained on permuted ones."""

    path: Path
    experiment: Experiment
    learner: Learner
    legend: Legend | None  # how answers are read, if known
    score: Score | None  # by templates; None if they cannot read the answers
    tesseract: Score | None
    picture_error: PictureError | None  # None in runs of version 0.1
    train_digit_error: float | None
    seconds: float
    core_seconds: float
    seen: int = 0  # test examples whose inputs are also training inputs, in a user's pictures
    shown: Source | None = None  # the source that it is used with, if not that of training
    _readers: dict[str, Reader] = field(default_factory=dict)

    def __repr__(self) -> str:
        result = self.judged.headline() if self.score or self.picture_error else "not judged"
        return f"Run({str(self.path)!r}: {self.source.label} by {self.experiment.learner.described()}, {result})"

    def _repr_html_(self) -> str:
        """Return three test examples for a notebook, or the repr if the pictures are not available."""
        try:
            _, test = self.source.split(self.experiment.examples, 3, seed=self.experiment.seed)
        except VisarithError:
            return html.escape(repr(self))
        inputs = test.inputs(np.arange(len(test)), torch.Generator().manual_seed(0))
        drawn = test.plain_answers(self.learner.drawn(inputs))
        return as_html(test.plain_inputs(inputs.numpy()), drawn, test.clean_answers(slice(0, 3)))

    @property
    def source(self) -> Source:
        """The task or the pictures that the run is used with."""
        return self.shown or self.experiment.source

    @property
    def task(self) -> Task:
        """The task; an error if the run has learned from pictures."""
        return self.source.task

    @property
    def judged(self) -> Judged:
        """The score and the picture error."""
        return Judged(self.picture_error or PictureError(0, 0.0, 0.0), self.score)

    @property
    def facts(self) -> dict[str, Any]:
        """What the learner has found in the pictures."""
        return self.learner.facts()

    def predict(self, pictures: np.ndarray) -> np.ndarray:
        """Draw answers: (count, inputs, height, width) in [0, 1] -> (count, outputs, height, width) in [0, 1]."""
        plain: np.ndarray = self.source.plain_answers(self.learner.drawn(self._as_seen(pictures)))
        return plain

    def perceive(self, pictures: np.ndarray) -> Perceived | None:
        """Tell which cells of input pictures the learner can read; None if it is of a kind that does not tell."""
        return self.learner.perceived(self._as_seen(pictures).to(self.learner.device))

    def _as_seen(self, pictures: np.ndarray) -> torch.Tensor:
        spec = self.source.spec
        return torch.from_numpy(self.source.shown_inputs(checked_pictures(pictures, spec.inputs, spec.shape)))

    def draw(self, *numbers: int) -> np.ndarray:
        """Draw the answer to numbers, (height, width), or (answers, height, width) if there are several answers."""
        self.task.domain.check(numbers)
        drawn = self.predict(self.task.typeset(numbers)[None])[0]
        return drawn if self.task.operation.answers > 1 else np.asarray(drawn[0])

    def read(self, pictures: np.ndarray, reader: str = "") -> Reading:
        """Read answer pictures (count, height, width), by default with templates if the cells are known."""
        shape = self.source.spec.answer_shape
        if np.ndim(pictures) != 3 or np.shape(pictures)[1:] != shape:
            raise VisarithError(f"pictures of shape {np.shape(pictures)} do not fit; this run draws {shape}")
        legend = self.readable
        name = reader or legend.best_reader
        if name not in self._readers:
            self._readers[name] = reader_for(legend, name)
        return self._readers[name].read(pictures)

    @property
    def readable(self) -> Legend:
        """The legend; an error if there is none."""
        if self.legend is None:
            raise VisarithError(f"{self.path} has learned from pictures without text and cannot read; add text")
        return self.legend

    def calculate(self, *numbers: int) -> int | tuple[int | None, ...] | None:
        """Draw the answer and read it; None if it is unreadable."""
        drawn = self.draw(*numbers).reshape(-1, *self.task.answer_shape)
        answers = tuple(self.task.notation.parse(self.read(drawn).symbols))
        return answers if self.task.operation.answers > 1 else answers[0]

    @property
    def lengthens(self) -> bool:
        """Whether the learner and the task allow numbers of other lengths."""
        return self.learner.lengthens and self.task.lengthens

    def at(self, digits: int) -> "Run":
        """Return the run for numbers of another length, with the same weights."""
        task = self.task
        if digits == task.notation.digits:
            return self
        if not self.lengthens:
            raise VisarithError(
                f"{digits} digits do not fit {self.path}: its {self.experiment.learner.name} takes pictures of "
                f"{task.notation.digits} digits only; train one with {option('digits', digits)}, or "
                f"{option('learner', 'columns')} as it is by default"
            )
        other = task.at(digits)
        network = self.learner.lengthened(other.spec)
        network.eval()
        return replace(self, learner=network, shown=other, legend=other.legend, _readers={})

    def digits_for(self, *numbers: int) -> int:
        """Return how many digits pictures need for these numbers and their answers, at least those of the task."""
        notation = self.task.notation
        digits, base = notation.digits, notation.base or 10
        answers = self.task.operation.domain(base**MOST_CELLS - 1).answers(numbers) or ()
        while digits <= MOST_CELLS and max([*numbers, *answers]) >= base**digits:
            digits += 1
        return digits

    def evaluate(self, **how: Any) -> Score:
        """Return the score on pairs that were not trained on; takes the options of `judge`."""
        judged = self.judge(**how)
        if judged.score is None:
            raise VisarithError(f"the pictures of {self.path} have no text; use judge for the picture error")
        return judged.score

    def judge(
        self,
        *,
        reader: str = "",
        pairs: int | None = None,
        seed: int = 0,
        noise: float | None = None,
        pictures: PictureSet | str | Path | None = None,
        step: Callable[[int], object] = lambda _: None,
    ) -> Judged:
        """Return picture error and score on fresh pairs of a task, on held-out pictures, or on other `pictures`.

        The default is 30,000 pairs, or 2,000 for Tesseract.
        """
        if reader:
            self.readable.reader(reader)
        if noise is not None and (pictures is not None or not self.source.generates):
            raise VisarithError(f"noise can be added to pictures of a task only; leave {option('noise')} out")
        whole("pairs", 1 if pairs is None else pairs, 1)
        name = reader or (self.legend.best_reader if self.legend else "templates")
        data, mean = self._test_set(FRESH.get(name, 1), pairs, seed, noise, pictures)
        return judge(self.learner, data, self.legend, name, mean=mean, seed=seed, step=step)

    def _test_set(
        self, usual: int, pairs: int | None, seed: int, noise: float | None, pictures: PictureSet | str | Path | None
    ) -> tuple[PictureSet, torch.Tensor | None]:
        """Return the examples to judge on, and the mean training answer if it is known."""
        experiment, spec = self.experiment, self.source.spec
        sizes = {"examples": experiment.examples, "test_pairs": experiment.test_pairs, "seed": experiment.seed}
        if pictures is not None:
            data = pictures if isinstance(pictures, PictureSet) else PictureSet.from_folder(pictures)
            if data.fingerprint == self.source.fingerprint:  # those of training: use the held-out part
                train, test = data.split(**sizes)
                return test.take(slice(0, pairs)), train.mean_targets
            if data.spec.sizes != spec.sizes:
                takes = f"{spec.inputs} of {spec.shape} -> {spec.outputs} of {spec.answer_shape}"
                raise VisarithError(f"the pictures {data.label} do not fit {self.path}: {data!r}; give {takes}")
            return data.take(slice(0, pairs)), None
        if not self.source.generates:
            train, test = self.source.split(**sizes)
            return test.take(slice(0, pairs if pairs is not None else usual)), train.mean_targets
        task = self.task if noise is None else self.task.with_noise(noise)
        trained = None
        if experiment.examples:  # a constructed network has none
            trained = experiment.task.split(**sizes)[0].operands
        return task.picture_set(task.fresh(usual if pairs is None else pairs, seed=seed, exclude=trained)), None


def load(
    path: str | Path,
    operation: Operation | None = None,
    *,
    notation: Any = None,
    learner: nn.Module | None = None,
    device: str = "cpu",
) -> Run:
    """Load a finished run from its folder.

    The code of your own operation, notation or learner is not stored; give it again.
    """
    store = Store(path)
    experiment = from_json(store.experiment(), str(path), operation, notation)
    judged = store.score()
    store.check(EXPERIMENT, WEIGHTS, LEGEND)
    config = experiment.learner if learner is None else experiment.learner.with_module(learner)
    network = config.build(experiment.source)
    try:
        network.restore(store.weights(), lambda: _few(experiment.task).view())
    except RuntimeError:
        remedy = f"train again into another {option('out')}"
        raise VisarithError(f"{path} has weights of another network; {remedy}") from None
    if not network.finite:
        raise VisarithError(f"{path} has weights that are no finite numbers; train it again with a smaller rate")
    network.to(resolve_device(device)).eval()
    try:
        return Run(
            store.path,
            replace(experiment, learner=config),
            network,
            store.legend() or experiment.source.legend,
            Score.from_json(judged["score"]) if judged["score"] else None,
            Score.from_json(judged["tesseract"]) if judged["tesseract"] else None,
            PictureError(**judged["picture_error"]) if judged.get("picture_error") else None,
            judged["train_digit_error"],
            judged["seconds"],
            judged["core_seconds"],
            judged.get("seen", 0),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        remedy = f"train again into another {option('out')}"
        raise VisarithError(f"{store.path} has a damaged score ({error}); {remedy}") from None


def _few(task: Task) -> PictureSet:
    """Return some examples, to find the cells again, which version 0.1 did not store."""
    return task.split(min(500, max(1, task.domain.candidates // 2)), 1, seed=0)[0]
