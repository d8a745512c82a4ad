"""A run is a trained learner with its task and its score."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from visarith.errors import VisarithError
from visarith.evaluation import Score
from visarith.experiments.experiment import Experiment, from_json
from visarith.experiments.judge import judge, predict, reader_for
from visarith.experiments.store import Store
from visarith.learners import columns_of
from visarith.notation.arabic import MOST_CELLS
from visarith.operations import Operation
from visarith.reading import Reader, Reading
from visarith.task import Task


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run. Pictures are as a person sees them, whatever permutation the learner was trained with."""

    path: Path
    experiment: Experiment
    learner: nn.Module
    score: Score
    tesseract: Score | None
    train_digit_error: float
    seconds: float
    core_seconds: float
    shown: Task | None = None  # if it is another one than it was trained on
    _readers: dict[str, Reader] = field(default_factory=dict)

    @property
    def task(self) -> Task:
        return self.shown or self.experiment.task

    def predict(self, pictures: np.ndarray) -> np.ndarray:
        """(count, inputs, height, width) in [0, 1] -> (count, outputs, height, width) in [0, 1]."""
        expected = (self.task.operation.operands, *self.task.shape)
        pictures = np.asarray(pictures)
        if pictures.dtype.kind in "iu" and pictures.size and pictures.max() > 1:
            raise VisarithError(f"pictures of {pictures.dtype} up to {pictures.max()} are too bright; divide by 255")
        pictures = pictures.astype(np.float32)
        if not np.isfinite(pictures).all():
            raise VisarithError("pictures have pixels that are no numbers; use intensities in [0, 1]")
        if pictures.ndim != 4 or pictures.shape[1:] != expected:
            raise VisarithError(
                f"pictures of shape {pictures.shape} do not fit; this run takes (count, {str(expected)[1:-1]})"
            )
        return predict(self.learner, self.task, torch.from_numpy(self.task.page.shuffled(pictures)))

    def draw(self, *numbers: int) -> np.ndarray:
        """The answer picture (height, width), or (answers, height, width) where there are several answers."""
        self.task.domain.check(numbers)
        symbols = self.task.symbols(np.array([numbers], object))
        drawn = self.predict(self.task.plain_page.typeset(symbols).astype(np.float32) / 255)[0]
        return drawn if self.task.operation.answers > 1 else np.asarray(drawn[0])

    def read(self, pictures: np.ndarray, reader: str = "templates") -> Reading:
        """Read answer pictures (count, height, width)."""
        if np.ndim(pictures) != 3 or np.shape(pictures)[1:] != self.task.answer_shape:
            shape = self.task.answer_shape
            raise VisarithError(f"pictures of shape {np.shape(pictures)} do not fit; this run draws {shape}")
        if reader not in self._readers:
            self._readers[reader] = reader_for(reader, self.task)
        return self._readers[reader].read(pictures)

    def calculate(self, *numbers: int) -> int | tuple[int | None, ...] | None:
        """The answer, read back from what was drawn; None where it is unreadable."""
        drawn = self.draw(*numbers).reshape(-1, *self.task.answer_shape)
        answers = tuple(self.task.notation.parse(self.read(drawn).symbols))
        return answers if self.task.operation.answers > 1 else answers[0]

    def chosen(self) -> dict[str, str | bool]:
        """What a column learner was given and has chosen; nothing for others."""
        columns = columns_of(self.learner)
        if columns is None:
            return {}
        cells = self.experiment.learner.cells
        return {"cells": cells, "path": columns.path, "scan": columns.scan, "settled": columns.settled}

    @property
    def lengthens(self) -> bool:
        """Whether the same weights can take pictures of other lengths."""
        plain = self.task.notation.name == "arabic" and not self.task.corruption.permutation
        return self.experiment.learner.name == "columns" and plain and not self.experiment.recipe.centring

    def at(self, digits: int) -> "Run":
        """The same weights on pictures of longer or shorter numbers, for the column learner."""
        spec, task = self.experiment.learner, self.task
        if digits == task.notation.digits:
            return self
        if not self.lengthens:
            raise VisarithError(
                f"{digits} digits do not fit {self.path}: its {spec.name} takes pictures of {task.notation.digits} "
                f"digits only; train one with --digits {digits}, or --learner columns as it is by default"
            )
        other = task.at(digits)
        network = spec.build(other)
        weights = {name: weight for name, weight in self.learner.state_dict().items() if name != "mean"}
        try:
            network.load_state_dict(weights, strict=False)
        except RuntimeError:
            raise VisarithError(f"cells of {digits} digits look otherwise than those of {self.path}") from None
        network.eval()
        return replace(self, learner=network, shown=other, _readers={})

    def digits_for(self, *numbers: int) -> int:
        """How many digits pictures must have for these numbers and their answers: those that they have, or more."""
        notation = self.task.notation
        digits, base = notation.digits, getattr(notation, "base", 10)
        answers = self.task.operation.domain(base**MOST_CELLS - 1).answers(numbers) or ()
        while digits <= MOST_CELLS and max([*numbers, *answers]) >= base**digits:
            digits += 1
        return digits

    def evaluate(
        self, *, reader: str = "templates", pairs: int | None = None, seed: int = 0, noise: float | None = None
    ) -> Score:
        """The score on fresh pairs that were not trained on; by default 30,000, or 2,000 for Tesseract."""
        task = self.task
        if noise is not None:
            task = task.with_noise(noise)
        count = pairs if pairs is not None else (2_000 if reader == "tesseract" else 30_000)
        return judge(self.learner, task, task.fresh(count, seed=seed, exclude=self._trained()), reader, seed=seed)

    def _trained(self) -> np.ndarray | None:
        """The operands that it was trained on, unless it was constructed."""
        experiment = self.experiment
        if not experiment.examples:
            return None
        return experiment.task.examples(experiment.examples, experiment.test_pairs, seed=experiment.seed)[0].operands


def load(path: str | Path, operation: Operation | None = None) -> Run:
    """A finished run from its folder; a user's own operation, whose rule is not stored, must be given again."""
    store = Store(path)
    experiment = from_json(store.experiment(), str(path), operation)
    judged = store.score()
    network = experiment.learner.build(experiment.task)
    try:
        network.load_state_dict(store.weights())
    except RuntimeError:
        raise VisarithError(f"{path} has weights of another network; delete the folder and train again") from None
    network.eval()
    try:
        return Run(
            store.path,
            experiment,
            network,
            Score.from_json(judged["score"]),
            Score.from_json(judged["tesseract"]) if judged["tesseract"] else None,
            judged["train_digit_error"],
            judged["seconds"],
            judged["core_seconds"],
        )
    except (KeyError, TypeError) as error:
        raise VisarithError(f"{store.path} has a damaged score ({error}); train again into another --out") from None
