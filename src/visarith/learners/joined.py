"""Perceive, calculate, draw: three perceptrons that were trained apart, one after the other (Sec. 5)."""

from torch import Tensor, nn

from visarith.learners.perceptron import Perceptron


class Joined(nn.Module):
    """Given beforehand: the symbols. Its parts were taught apart, with tables of symbols in between."""

    def __init__(self, perceive: Perceptron, calculate: Perceptron, draw: Perceptron) -> None:
        super().__init__()
        self.perceive, self.calculate, self.draw = perceive, calculate, draw
        self.outputs = calculate.outputs

    def forward(self, pictures: Tensor) -> Tensor:
        """(batch, inputs, height, width) -> (batch, outputs, height, width) in [0, 1]."""
        count, inputs = pictures.shape[:2]
        seen: Tensor = self.perceive(pictures.flatten(0, 1)[:, None]).view(count, inputs, *self.perceive.answer_shape)
        found = self.calculate(seen)  # (batch, outputs, cells, symbols)
        drawn: Tensor = self.draw(found.flatten(0, 1)[:, None]).view(count, self.outputs, *self.draw.answer_shape)
        return drawn
