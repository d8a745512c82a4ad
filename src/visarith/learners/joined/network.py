"""Perceive, calculate, draw: three perceptrons in a row, each trained separately (Sec. 5)."""

from torch import Tensor

from visarith.learners.learner import Learner
from visarith.learners.perceptron.network import Perceptron


class Joined(Learner):
    """Three perceptrons that were trained on symbols; the joined network is not trained."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        shape: tuple[int, int],
        table: tuple[int, int],
        *,
        hidden_layers: int = 1,
        width: int = 256,
    ) -> None:
        super().__init__(outputs, shape, shape)
        self.perceive = Perceptron(1, 1, shape, table, hidden_layers=1, width=width)
        self.calculate = Perceptron(inputs, outputs, table, hidden_layers=hidden_layers, width=width)
        self.draw = Perceptron(1, 1, table, shape, hidden_layers=1, width=width)

    def join(self, *parts: Learner) -> None:
        """Copy the weights of the three parts: perceive, calculate, draw."""
        for mine, part in zip((self.perceive, self.calculate, self.draw), parts, strict=True):
            mine.load_state_dict(part.state_dict())

    def forward(self, pictures: Tensor) -> Tensor:
        """(batch, inputs, height, width) -> (batch, outputs, height, width) in [0, 1]."""
        count, inputs = pictures.shape[:2]
        seen: Tensor = self.perceive(pictures.flatten(0, 1)[:, None]).view(count, inputs, *self.perceive.answer_shape)
        found = self.calculate(seen)  # (batch, outputs, cells, symbols)
        drawn: Tensor = self.draw(found.flatten(0, 1)[:, None])
        return drawn.view(count, self.outputs, *self.answer_shape)
