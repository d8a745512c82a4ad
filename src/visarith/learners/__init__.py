"""Who learns: networks from pictures to pictures, built by name."""

from dataclasses import dataclass
from typing import Literal

from visarith.errors import VisarithError
from visarith.learners.perceptron import Activation, Perceptron
from visarith.task import Task

MOST_WEIGHTS = 500_000_000  # two gigabytes, and as much again for each of gradient and momentum
HIDDEN_LAYERS = {"multiply": 5}  # Table 1's depth; every other operation has 3


@dataclass(frozen=True)
class LearnerSpec:
    """A learner as data: its name and its size. 0 hidden layers means Table 1's depth for the task."""

    name: Literal["perceptron"] = "perceptron"
    hidden_layers: int = 0
    width: int = 256
    activation: Activation = "relu"

    def build(self, task: Task) -> Perceptron:
        """The network for this task, its weights not yet drawn."""
        if self.name != "perceptron":
            raise VisarithError(f"learner {self.name!r} is unknown; use perceptron")
        pixels, layers = task.page.pixels, self.hidden_layers or table_1_depth(task)
        pictures = task.operation.operands + task.operation.answers
        weights = self.width * (pictures * pixels + (layers - 1) * self.width)
        if weights > MOST_WEIGHTS:
            raise VisarithError(
                f"a perceptron of {weights:,} weights is too large; use a smaller --width, --hidden-layers or --picture"
            )
        return Perceptron(
            task.operation.operands,
            task.operation.answers,
            task.shape,
            hidden_layers=layers,
            width=self.width,
            activation=self.activation,
        )


PAPER_LEARNER = LearnerSpec()


def table_1_depth(task: Task) -> int:
    """The paper's number of hidden layers; one-hot lacks the first and the last of them (Sec. 5)."""
    depth = HIDDEN_LAYERS.get(task.operation.name, 3)
    return depth - 2 if task.medium == "one-hot" else depth
