"""A small convolutional network: a learner that is given which pixels are neighbours."""

import math

import torch
from torch import Tensor, nn

from visarith.data.spec import PictureSpec
from visarith.learners.learner import Network, draw_weights
from visarith.learners.perceptron import Perceptron

CHANNELS = (16, 32)


class Convolutional(Network):
    """Two convolutions of stride 2, then a perceptron.

    >>> pictures = PictureSpec(2, 1, (15, 60), (15, 60))
    >>> Convolutional(pictures, hidden_layers=2, width=256)(torch.zeros(1, 2, 15, 60)).shape
    torch.Size([1, 1, 15, 60])
    """

    def __init__(self, spec: PictureSpec, *, hidden_layers: int, width: int) -> None:
        super().__init__(spec.inputs, spec.outputs, spec.shape, spec.answer_shape)
        first, second = CHANNELS
        self.first = nn.Conv2d(spec.inputs, first, 5, stride=2, padding=2)
        self.second = nn.Conv2d(first, second, 3, stride=2, padding=1)
        high, wide = (math.ceil(size / 4) for size in spec.shape)
        pictures = second, spec.outputs, (high, wide), spec.answer_shape
        self.top = Perceptron(*pictures, hidden_layers=hidden_layers, width=width)

    def answer_to(self, centred: Tensor) -> Tensor:
        features = torch.relu(self.second(torch.relu(self.first(centred))))
        return self.top.answer_to(features)

    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:
        draw_weights(self.first, hidden, generator)
        draw_weights(self.second, hidden, generator)
        self.top.initialise(hidden, output, generator)

    def answer_first(self, picture: Tensor) -> None:
        self.top.answer_first(picture)
