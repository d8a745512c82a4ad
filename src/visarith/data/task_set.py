"""Examples of a task as a picture set: pictures are typeset a batch at a time."""

import numpy as np
import torch
from torch import Tensor

from visarith.data.picture_set import PictureSet
from visarith.data.spec import PictureSpec
from visarith.data.task import Examples, Task
from visarith.data.view import View
from visarith.errors import VisarithError
from visarith.pictures.codebook import Codebook, Coded
from visarith.reading.legend import Legend


class Typesetter:
    """Typesets examples of a task and corrupts them; implements `Pixels`."""

    def __init__(self, task: Task, examples: Examples) -> None:
        self.task, self.examples = task, examples

    @property
    def spec(self) -> PictureSpec:
        return self.task.spec

    def __len__(self) -> int:
        return len(self.examples)

    def inputs(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        return self.task.inputs(self.examples.inputs[rows], noise)

    def targets(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        return self.task.targets(self.examples.answers[rows], noise)

    def raw(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        task, examples = self.task, self.examples
        return task.layout.typeset(examples.inputs[rows]), task.answer_layout.typeset(examples.answers[rows])

    def means(self) -> tuple[Tensor, Tensor]:
        answers = torch.from_numpy(self.task.answer_layout.mean(self.examples.answers))
        return self.task.mean_inputs(self.examples.inputs), answers

    def codebook(self) -> Codebook | None:
        if self.task.corruption.changes_pixels:
            return None
        inputs, answers = self.examples.inputs, self.examples.answers
        return Codebook(Coded(self.task.layout, inputs), Coded(self.task.answer_layout, answers))

    def digests(self) -> list[bytes]:
        return [repr(row).encode() for row in self.examples.operands.tolist()]

    def take(self, rows: np.ndarray) -> "Typesetter":
        return Typesetter(self.task, self.examples[rows])


class TaskSet(PictureSet):
    """Pictures of a task; they are scored by their symbols."""

    def __init__(self, task: Task, examples: Examples) -> None:
        View.__init__(self, Typesetter(task, examples))
        self._task, self.examples, self.name = task, examples, task.operation.name
        self.path = self._test = None

    @property
    def task(self) -> Task:  # type: ignore[override]
        return self._task

    @property
    def operands(self) -> np.ndarray:  # type: ignore[override]
        return self.examples.operands

    @property
    def text(self) -> list[tuple[str, ...]]:  # type: ignore[override]
        notation = self._task.notation
        return [tuple(notation.text(line) for line in lines) for lines in self.examples.answers]

    @property
    def legend(self) -> Legend:  # type: ignore[override]
        return self._task.legend

    def truth_in(self, legend: Legend) -> np.ndarray:  # noqa: ARG002
        return self.examples.answers

    def clean_answers(self, rows: slice) -> np.ndarray:
        pictures = self._task.plain_answer_layout.typeset(self.examples.answers[rows])
        return pictures.astype(np.float32) / 255

    def plain_answers(self, pictures: np.ndarray) -> np.ndarray:
        return self._task.plain_answers(pictures)

    def plain_inputs(self, pictures: np.ndarray) -> np.ndarray:
        return self._task.plain_inputs(pictures)

    def shown_inputs(self, pictures: np.ndarray) -> np.ndarray:
        return self._task.shown_inputs(pictures)

    def split(
        self, examples: int | None = None, test_pairs: int | None = None, *, seed: int
    ) -> tuple[PictureSet, PictureSet]:
        return self.as_pictures().split(examples, test_pairs, seed=seed)

    def sizes(self, examples: int | None = None, test_pairs: int | None = None, *, seed: int) -> tuple[int, int]:
        return self.as_pictures().sizes(examples, test_pairs, seed=seed)

    @property
    def fingerprint(self) -> str:
        return self.as_pictures().fingerprint

    def as_pictures(self) -> PictureSet:
        """Return the same pictures as a plain picture set, without the task."""
        if self._task.corruption.changes_pixels:
            raise VisarithError("noisy and displaced pictures are drawn anew each time; learn from the task instead")
        shown, drawn = self._pixels.raw(np.arange(len(self)))
        return PictureSet(shown, drawn, text=self.text, name=self._task.label)

    def take(self, rows: np.ndarray | slice) -> "TaskSet":
        return TaskSet(self._task, self.examples[rows])
