"""A run is a trained learner with what it has learned from and its score."""

import html
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from visarith.data.picture_set import PictureSet
from visarith.data.stored import Source
from visarith.data.task import Task
from visarith.errors import VisarithError, option, whole
from visarith.evaluation import Score
from visarith.learners.learner import Learner
from visarith.notation.arabic import MOST_CELLS
from visarith.operations import Operation
from visarith.pictures.sheet import as_html
from visarith.reading import Reader, Reading
from visarith.reading.legend import Legend
from visarith.runs.experiment import Experiment, from_json
from visarith.runs.judge import Judged, PictureError, checked_pictures, judge, reader_for
from visarith.runs.store import Store

if TYPE_CHECKING:
    from torch import nn

FRESH = {"templates": 30_000, "tesseract": 2_000}  # pairs that are judged unless another number is asked for


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """A finished run. Pictures are as a person sees them, whatever permutation the learner was trained with."""

    path: Path
    experiment: Experiment
    learner: Learner
    legend: Legend | None  # how answers are read, if that is known
    score: Score | None  # by the first reader there is; None where answers cannot be read
    tesseract: Score | None
    picture_error: PictureError | None  # None in runs of version 0.1
    train_digit_error: float | None
    seconds: float
    core_seconds: float
    seen: int = 0  # test examples whose inputs are among those of training, in pictures that were brought
    shown: Source | None = None  # if it is another one than it was trained on
    _readers: dict[str, Reader] = field(default_factory=dict)

    def __repr__(self) -> str:
        said = self.judged.headline() if self.score or self.picture_error else "not judged"
        return f"Run({str(self.path)!r}: {self.source.label} by {self.experiment.learner.described()}, {said})"

    def _repr_html_(self) -> str:
        """Three test examples as the run draws them, for notebooks; only words where its pictures are gone."""
        try:
            _, test = self.source.split(self.experiment.examples, 3, seed=self.experiment.seed)
        except VisarithError:
            return html.escape(repr(self))
        inputs = test.inputs(np.arange(len(test)), torch.Generator().manual_seed(0))
        drawn = test.plain_answers(self.learner.drawn(inputs))
        return as_html(test.plain_inputs(inputs.numpy()), drawn, test.clean_answers(slice(0, 3)))

    @property
    def source(self) -> Source:
        """The task or the pictures that it is used with."""
        return self.shown or self.experiment.source

    @property
    def task(self) -> Task:
        """The task, or an error where pictures were learned from."""
        return self.source.task

    @property
    def judged(self) -> Judged:
        """Its score and its picture error together."""
        return Judged(self.picture_error or PictureError(0, 0.0, 0.0), self.score)

    @property
    def facts(self) -> dict[str, Any]:
        """What the learner has found and chosen."""
        return self.learner.facts()

    def predict(self, pictures: np.ndarray) -> np.ndarray:
        """(count, inputs, height, width) in [0, 1] -> (count, outputs, height, width) in [0, 1]."""
        spec = self.source.spec
        checked = checked_pictures(pictures, spec.inputs, spec.shape)
        drawn = self.learner.drawn(torch.from_numpy(self.source.shown_inputs(checked)))
        plain: np.ndarray = self.source.plain_answers(drawn)
        return plain

    def draw(self, *numbers: int) -> np.ndarray:
        """The answer picture (height, width), or (answers, height, width) where there are several answers."""
        self.task.domain.check(numbers)
        symbols = self.task.symbols(np.array([numbers], object))
        drawn = self.predict(self.task.plain_layout.typeset(symbols).astype(np.float32) / 255)[0]
        return drawn if self.task.operation.answers > 1 else np.asarray(drawn[0])

    def read(self, pictures: np.ndarray, reader: str = "") -> Reading:
        """Read answer pictures (count, height, width), by templates where there are any."""
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
        """How answers are read, or an error where that is not known."""
        if self.legend is None:
            raise VisarithError(
                f"{self.path} has learned from pictures without text, so that none can be read; add text"
            )
        return self.legend

    def calculate(self, *numbers: int) -> int | tuple[int | None, ...] | None:
        """The answer, read back from what was drawn; None where it is unreadable."""
        drawn = self.draw(*numbers).reshape(-1, *self.task.answer_shape)
        answers = tuple(self.task.notation.parse(self.read(drawn).symbols))
        return answers if self.task.operation.answers > 1 else answers[0]

    @property
    def lengthens(self) -> bool:
        """Whether the same weights can take pictures of other lengths, and numbers of other lengths can be shown."""
        return self.learner.lengthens and self.task.lengthens

    def at(self, digits: int) -> "Run":
        """The same weights on pictures of longer or shorter numbers, for learners that take any length."""
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
        """How many digits pictures must have for these numbers and their answers: those that they have, or more."""
        notation = self.task.notation
        digits, base = notation.digits, notation.base or 10
        answers = self.task.operation.domain(base**MOST_CELLS - 1).answers(numbers) or ()
        while digits <= MOST_CELLS and max([*numbers, *answers]) >= base**digits:
            digits += 1
        return digits

    def evaluate(self, **how: Any) -> Score:
        """What a reader makes of answers to pairs that were not trained on, with the options of `judge`."""
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
        """Picture error and score: of a task on fresh pairs, of pictures on those held out, or on other `pictures`.

        By default 30,000 pairs, or 2,000 for Tesseract.
        """
        if reader:
            self.readable.reader(reader)
        if noise is not None and (pictures is not None or not self.source.generates):
            raise VisarithError(f"noise is added to pictures that are drawn here; leave {option('noise')} out")
        whole("pairs", 1 if pairs is None else pairs, 1)
        name = reader or (self.legend.best_reader if self.legend else "templates")
        data, mean = self._judged_on(FRESH.get(name, 1), pairs, seed, noise, pictures)
        return judge(self.learner, data, self.legend, name, mean=mean, seed=seed, step=step)

    def _judged_on(
        self, usual: int, pairs: int | None, seed: int, noise: float | None, pictures: PictureSet | str | Path | None
    ) -> tuple[PictureSet, torch.Tensor | None]:
        """What it is judged on, and the mean answer of training where that is at hand."""
        experiment, spec = self.experiment, self.source.spec
        sizes = {"examples": experiment.examples, "test_pairs": experiment.test_pairs, "seed": experiment.seed}
        if pictures is not None:
            data = pictures if isinstance(pictures, PictureSet) else PictureSet.from_folder(pictures)
            if data.fingerprint == self.source.fingerprint:  # its own: only what was held out
                train, test = data.split(**sizes)
                return test.take(slice(0, pairs)), train.mean_targets
            theirs = data.spec
            if (theirs.inputs, theirs.shape, theirs.outputs, theirs.answer_shape) != (
                *(spec.inputs, spec.shape),
                *(spec.outputs, spec.answer_shape),
            ):
                takes = f"{spec.inputs} of {spec.shape} and draws {spec.outputs} of {spec.answer_shape}"
                raise VisarithError(f"{data!r} does not fit {self.path}, which takes {takes}")
            return data.take(slice(0, pairs)), None
        if not self.source.generates:
            train, test = self.source.split(**sizes)
            return test.take(slice(0, pairs if pairs is not None else usual)), train.mean_targets
        task = self.task if noise is None else self.task.with_noise(noise)
        fresh = task.fresh(usual if pairs is None else pairs, seed=seed, exclude=self._trained())
        return task.picture_set(fresh), None

    def _trained(self) -> np.ndarray | None:
        """The operands that it was trained on, unless it was constructed."""
        experiment = self.experiment
        if not experiment.examples:
            return None
        return experiment.task.examples(experiment.examples, experiment.test_pairs, seed=experiment.seed)[0].operands


def load(
    path: str | Path,
    operation: Operation | None = None,
    *,
    notation: Any = None,
    learner: "nn.Module | None" = None,
    device: str = "cpu",
) -> Run:
    """A finished run from its folder; what is a user's own and not stored must be given again.

    That is the rule of an operation, a notation, and the module of a learner of one's own.
    """
    from visarith.runs.experiment import resolve_device

    store = Store(path)
    experiment = from_json(store.experiment(), str(path), operation, notation)
    judged = store.score()
    config = experiment.learner if learner is None else experiment.learner.with_module(learner)
    network = config.build(experiment.source)
    try:
        network.restore(store.weights(), lambda: _few(experiment).view())
    except RuntimeError:
        raise VisarithError(f"{path} has weights of another network; delete the folder and train again") from None
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
    except (KeyError, TypeError) as error:
        raise VisarithError(
            f"{store.path} has a damaged score ({error}); train again into another {option('out')}"
        ) from None


def _few(experiment: Experiment) -> PictureSet:
    """Some examples, for what version 0.1 did not store: where cells stand that were found."""
    source = experiment.task
    some, _ = source.examples(min(500, max(1, source.domain.candidates // 2)), 1, seed=0)
    return source.picture_set(some)
