"""Who learns: networks from pictures to pictures, built by name."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from torch import nn

from visarith.errors import VisarithError
from visarith.learners.convolutional import Convolutional
from visarith.learners.joined import Joined
from visarith.learners.perceptron import Activation, Perceptron
from visarith.learners.recurrent import Recurrent
from visarith.learners.symbols import Symbols
from visarith.task import Task

LEARNERS = ("perceptron", "convolutional", "recurrent", "symbols", "joined")
MOST_WEIGHTS = 500_000_000  # two gigabytes, and as much again for each of gradient and momentum


@dataclass(frozen=True)
class LearnerSpec:
    """A learner as data: its name and its size. 0 hidden layers means Table 1's depth for the task."""

    name: Literal["perceptron", "convolutional", "recurrent", "symbols", "joined"] = "perceptron"
    hidden_layers: int = 0
    width: int = 256
    activation: Activation = "relu"

    def resolved(self, task: Task) -> "LearnerSpec":
        """With the number of hidden layers spelt out."""
        return replace(self, hidden_layers=self.hidden_layers or default_depth(self.name, task))

    def build(self, task: Task) -> nn.Module:
        """The network for this task, its weights not yet drawn."""
        if self.name not in LEARNERS:
            raise VisarithError(f"learner {self.name!r} is unknown; use one of {', '.join(LEARNERS)}")
        if self.activation != "relu" and self.name != "perceptron":
            raise VisarithError(f"activation {self.activation!r} is for the perceptron, not for {self.name}; use relu")
        spec = self.resolved(task)
        self._check_size(task, spec.hidden_layers)
        operation = task.operation
        inputs, outputs, layers, width = operation.operands, operation.answers, spec.hidden_layers, self.width
        if self.name == "perceptron":
            return Perceptron(
                inputs,
                outputs,
                task.shape,
                task.answer_shape,
                hidden_layers=layers,
                width=width,
                activation=self.activation,
            )
        if task.medium != "pictures" or task.answer_medium != "pictures":
            raise VisarithError(f"the learner {self.name} looks at pictures; leave --medium out or use perceptron")
        page = task.plain_page
        if self.name == "convolutional":
            return Convolutional(inputs, outputs, task.shape, hidden_layers=layers, width=width)
        if self.name == "recurrent":
            left, pitch = page.corners[0][1], page.glyphs.shape[2]
            return Recurrent(inputs, outputs, task.shape, left=left, pitch=pitch, layers=layers, width=width)
        symbols = len(page.alphabet)
        if self.name == "symbols":
            if task.corruption.changes_pixels:
                raise VisarithError("the learner symbols clusters clean cells; leave noise and displacement out")
            size = {"symbols": symbols, "hidden_layers": layers, "width": width}
            return Symbols(inputs, outputs, task.shape, places=task.page.places, **size)
        table = (page.cells, symbols)
        return Joined(
            Perceptron(1, 1, task.shape, table, hidden_layers=1, width=width),
            Perceptron(inputs, outputs, table, hidden_layers=layers, width=width),
            Perceptron(1, 1, table, task.shape, hidden_layers=1, width=width),
        )

    def _check_size(self, task: Task, layers: int) -> None:
        inputs = task.operation.operands * math.prod(task.shape)
        answers = task.operation.answers * math.prod(task.answer_shape)
        square = 8 * self.width if self.name == "recurrent" else self.width  # an LSTM has four gates, each with two
        weights = self.width * (inputs + answers + (layers - 1) * self.width + square)
        if weights > MOST_WEIGHTS:
            raise VisarithError(
                f"a {self.name} of {weights:,} weights is too large; use a smaller --width, --picture or depth"
            )


PAPER_LEARNER = LearnerSpec()


def default_depth(name: str, task: Task) -> int:
    """How many hidden layers a learner has unless it is said: what the perceptron has in Table 1, less what is given.

    The convolutions stand for its first layer; the clusters of `symbols` and the outer parts of `joined` for its first
    and last; the LSTM is one layer that is used many times.
    """
    depth = table_1_depth(task)
    fewer = {"convolutional": 1, "symbols": 2, "joined": 2}
    return 1 if name == "recurrent" else max(1, depth - fewer.get(name, 0))


def table_1_depth(task: Task) -> int:
    """The paper's number of hidden layers; one-hot lacks the first and the last of them (Sec. 5).

    Perception alone is what those two do: one hidden layer between pictures and one-hot.
    """
    if task.medium != task.answer_medium:
        return 1
    depth = 5 if task.operation.name == "multiply" or task.notation.name == "roman" else 3
    return depth - 2 if task.medium == "one-hot" else depth
