"""The paper's learner: a fully connected network from the pixels of the inputs to the pixels of the answer."""

import itertools
from typing import Literal, cast

import torch
from torch import Tensor, nn

from visarith.errors import VisarithError, whole

Activation = Literal["relu", "sigmoid"]
ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "sigmoid": nn.Sigmoid}


class Perceptron(nn.Module):
    """Given beforehand: the size and number of the pictures, nothing else; any order of pixels is the same to it.

    >>> sum(weights.numel() for weights in Perceptron(2, 1, (15, 60)).parameters())
    823940
    """

    mean: Tensor

    def __init__(
        self,
        inputs: int,
        outputs: int,
        shape: tuple[int, int],
        *,
        hidden_layers: int = 3,
        width: int = 256,
        activation: Activation = "relu",
    ) -> None:
        super().__init__()
        whole("hidden layers", hidden_layers, 1)
        whole("width", width, 1)
        if activation not in ACTIVATIONS:
            raise VisarithError(f"activation {activation!r} is unknown; use {' or '.join(ACTIVATIONS)}")
        height, wide = shape
        self.outputs, self.shape = outputs, shape
        sizes = [inputs * height * wide, *[width] * hidden_layers, outputs * height * wide]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in itertools.pairwise(sizes))
        self.activation = ACTIVATIONS[activation]()
        self.register_buffer("mean", torch.zeros(inputs, height, wide))  # subtracted from the inputs

    def linear(self) -> list[nn.Linear]:
        """The layers from bottom to top."""
        return [cast(nn.Linear, layer) for layer in self.layers]

    def forward(self, pictures: Tensor) -> Tensor:
        """(batch, inputs, height, width) -> (batch, outputs, height, width) in [0, 1]."""
        *hidden, last = self.linear()
        values = (pictures - self.mean).flatten(1)
        for layer in hidden:
            values = self.activation(layer(values))
        return torch.sigmoid(last(values)).view(-1, self.outputs, *self.shape)

    @torch.no_grad()
    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:
        """Draw the starting weights; biases start at 0 (Sec. 3.1 says nothing of either)."""
        for layer in self.linear():
            kind = output if layer is self.layers[-1] else hidden
            _initialise(layer.weight, kind, generator)
            layer.bias.zero_()

    @torch.no_grad()
    def answer_first(self, picture: Tensor) -> None:
        """Set the output biases so that, without weights, the answer to anything is this picture."""
        self.linear()[-1].bias.copy_(picture.flatten().clamp(0.01, 0.99).logit())


def _initialise(weight: Tensor, kind: str, generator: torch.Generator) -> None:
    units, fan_in = weight.shape
    if kind == "zero":
        weight.zero_()
    elif kind == "lecun":
        weight.normal_(0, fan_in**-0.5, generator=generator)
    elif kind == "he":
        weight.normal_(0, (2 / fan_in) ** 0.5, generator=generator)
    elif kind == "xavier":
        bound = (6 / (fan_in + units)) ** 0.5
        weight.uniform_(-bound, bound, generator=generator)
    elif kind == "torch":  # nn.Linear's own
        weight.uniform_(-(fan_in**-0.5), fan_in**-0.5, generator=generator)
    else:
        raise VisarithError(f"initialisation {kind!r} is unknown; use torch, lecun, he, xavier or zero")
