"""The paper's learner: a fully connected network from the pixels of the inputs to the pixels of the answer."""

import itertools
from typing import Literal, cast

import torch
from torch import Tensor, nn

from visarith.errors import VisarithError, whole
from visarith.learners.learner import Learner, as_logits, draw_weights

Activation = Literal["relu", "sigmoid"]
ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "sigmoid": nn.Sigmoid}


class Perceptron(Learner):
    """Given beforehand: the size and number of the pictures, nothing else; any order of pixels is the same to it.

    >>> sum(weights.numel() for weights in Perceptron(2, 1, (15, 60)).parameters())
    823940
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        shape: tuple[int, int],
        answer_shape: tuple[int, int] | None = None,
        *,
        hidden_layers: int = 3,
        width: int = 256,
        activation: Activation = "relu",
    ) -> None:
        super().__init__(inputs, outputs, shape, answer_shape or shape)
        whole("hidden layers", hidden_layers, 1)
        whole("width", width, 1)
        if activation not in ACTIVATIONS:
            raise VisarithError(f"activation {activation!r} is unknown; use {' or '.join(ACTIVATIONS)}")
        high, wide = self.answer_shape
        sizes = [self.mean.numel(), *[width] * hidden_layers, outputs * high * wide]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(sizes))
        self.activation = ACTIVATIONS[activation]()

    def linear(self) -> list[nn.Linear]:
        """The layers from bottom to top."""
        return [cast(nn.Linear, layer) for layer in self.layers]

    def answer_to(self, centred: Tensor) -> Tensor:
        *hidden, last = self.linear()
        values = centred.flatten(1)
        for layer in hidden:
            values = self.activation(layer(values))
        return cast(Tensor, last(values))

    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:
        for layer in self.linear():
            draw_weights(layer, output if layer is self.layers[-1] else hidden, generator)

    @torch.no_grad()
    def answer_first(self, picture: Tensor) -> None:
        self.linear()[-1].bias.copy_(as_logits(picture).flatten())
