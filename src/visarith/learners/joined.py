"""Perceive, calculate, draw: three perceptrons in a row, each trained separately (Sec. 5)."""

from torch import Tensor

from visarith.data.spec import PictureSpec
from visarith.learners.learner import Learner
from visarith.learners.perceptron import Perceptron


class Joined(Learner):
    """Three perceptrons that were trained on symbols; the joined network is not trained."""

    def __init__(self, spec: PictureSpec, *, hidden_layers: int, width: int) -> None:
        super().__init__(spec.outputs, spec.shape, spec.shape)
        table = len(spec.cells), len(spec.ask("symbols"))
        self.perceive = Perceptron(1, 1, spec.shape, table, hidden_layers=1, width=width)
        self.calculate = Perceptron(spec.inputs, spec.outputs, table, hidden_layers=hidden_layers, width=width)
        self.draw = Perceptron(1, 1, table, spec.shape, hidden_layers=1, width=width)

    def forward(self, pictures: Tensor) -> Tensor:
        """(batch, inputs, height, width) -> (batch, outputs, height, width) in [0, 1]."""
        count, inputs = pictures.shape[:2]
        seen: Tensor = self.perceive(pictures.flatten(0, 1)[:, None]).view(count, inputs, *self.perceive.answer_shape)
        found = self.calculate(seen)  # (batch, outputs, cells, symbols)
        drawn: Tensor = self.draw(found.flatten(0, 1)[:, None])
        return drawn.view(count, self.outputs, *self.answer_shape)
