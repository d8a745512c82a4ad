"""What every learner is: a network from pictures to pictures that can start from known weights."""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from visarith.errors import VisarithError


class Learner(nn.Module, ABC):
    """Pictures in, pictures out: (batch, inputs, height, width) -> (batch, outputs, height, width) in [0, 1]."""

    mean: Tensor  # subtracted from the inputs

    def __init__(self, inputs: int, outputs: int, shape: tuple[int, int], answer_shape: tuple[int, int]) -> None:
        super().__init__()
        self.outputs, self.shape, self.answer_shape = outputs, shape, answer_shape
        self.register_buffer("mean", torch.zeros(inputs, *shape))

    def forward(self, pictures: Tensor) -> Tensor:
        return torch.sigmoid(self.logits(pictures))

    def logits(self, pictures: Tensor) -> Tensor:
        """The answer before the sigmoid that makes it a picture."""
        return self.answer_to(pictures - self.mean).view(-1, self.outputs, *self.answer_shape)

    @abstractmethod
    def answer_to(self, centred: Tensor) -> Tensor:
        """From centred pictures to the logits of the answers, in any shape that begins with the batch."""

    def trained_weights(self) -> list[nn.Parameter]:
        """The weights that training changes."""
        return list(self.parameters())

    @abstractmethod
    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:
        """Draw the starting weights; biases start at 0 (Sec. 3.1 says nothing of either)."""

    def practising(self, generator: torch.Generator) -> AbstractContextManager[None]:  # noqa: ARG002
        """For one step of training: what makes it harder for this learner then, if there is anything."""
        return nullcontext()

    def frame(self, picture: Tensor) -> None:
        """Take what this learner never draws itself, if there is anything, from the mean target picture."""

    @abstractmethod
    def answer_first(self, picture: Tensor) -> None:
        """Set the output biases so that, without weights, the answer to anything is about this picture."""


def as_logits(picture: Tensor) -> Tensor:
    """What a sigmoid turns into this picture, kept away from where its gradient vanishes."""
    return picture.clamp(0.01, 0.99).logit()


@torch.no_grad()
def draw_weights(layer: nn.Linear | nn.Conv2d, kind: str, generator: torch.Generator) -> None:
    """Draw the weights of a layer, and set its biases to 0."""
    weight = layer.weight
    units, fan_in = len(weight), weight[0].numel()
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
    if layer.bias is not None:
        layer.bias.zero_()
