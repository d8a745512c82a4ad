"""Examples of a task as a picture set: pictures are typeset a batch at a time."""

import numpy as np
import torch
from torch import Tensor

from visarith.data.picture_set import PictureSet
from visarith.data.task import Examples, Task
from visarith.data.view import Typeset, View
from visarith.errors import VisarithError
from visarith.pictures.codebook import Codebook, Coded
from visarith.reading.legend import Legend


class Typesetter(Typeset):
    """Typesets examples of a task and corrupts them."""

    def __init__(self, task: Task, examples: Examples) -> None:
        inputs, answers = Coded(task.layout, examples.inputs), Coded(task.answer_layout, examples.answers)
        super().__init__(task.spec, Codebook(inputs, answers))
        self.task, self.examples = task, examples

    def inputs(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        return self.task.inputs(self.examples.inputs[rows], noise)

    def targets(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        return self.task.targets(self.examples.answers[rows], noise)

    def means(self) -> tuple[Tensor, Tensor]:
        answers = self.book.answers.mean(self.task.corruption.expected)
        return self.task.mean_inputs(self.examples.inputs), torch.from_numpy(answers)

    def codebook(self) -> Codebook | None:
        return None if self.task.corruption.changes_pixels else self.book

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
        return self._task.plain_answer_layout.typeset(self.examples.answers[rows]).astype(np.float32) / 255

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
        return PictureSet(*self.raw(slice(None)), text=self.text, name=self._task.label)

    def take(self, rows: np.ndarray | slice) -> "TaskSet":
        return TaskSet(self._task, self.examples[rows])
