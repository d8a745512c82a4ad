"""The one contract of all learners: from pictures to pictures, and what generic code may ask of them."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.spec import PictureSpec
from visarith.data.view import View
from visarith.errors import VisarithError
from visarith.training.computation import Computation, Dense, loss_of
from visarith.training.recipe import Recipe

if TYPE_CHECKING:
    from visarith.data.task import Task
    from visarith.learners.certificate import Certificate

AT_A_TIME = 2_000  # pictures that are drawn together, fewer where they are large


class Learner(nn.Module, ABC):
    """Pictures in, pictures out: (batch, inputs, height, width) -> (batch, outputs, height, width) in [0, 1].

    Generic code asks a learner and never looks at what class or name it has. Only `forward` must be there; what is
    trained is a `Network`.
    """

    thinks: str = ""  # what the page can show of its work: columns, long multiplication, tally, units, gates, nothing

    def __init__(self, outputs: int, shape: tuple[int, int], answer_shape: tuple[int, int]) -> None:
        super().__init__()
        self.outputs, self.shape, self.answer_shape = outputs, shape, answer_shape

    @abstractmethod
    def forward(self, pictures: Tensor) -> Tensor: ...

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        weight = next(iter([*self.parameters(), *self.buffers()]), None)
        return torch.device("cpu") if weight is None else weight.device

    @torch.no_grad()
    def drawn(self, pictures: Tensor) -> np.ndarray:
        """The answers to any number of pictures, a few at a time."""
        if not len(pictures):
            return np.zeros((0, self.outputs, *self.answer_shape), np.float32)
        size = max(1, min(AT_A_TIME, 10_000_000 // math.prod(self.shape)))
        parts = [self(pictures[i : i + size].to(self.device)).cpu().numpy() for i in range(0, len(pictures), size)]
        return np.concatenate(parts)

    # Before, during and after training

    def prepare(
        self, data: View, recipe: Recipe, *, seed: int, device: torch.device | str = "cpu", tell: Callable[[str], None]
    ) -> None:
        """Before training: find cells, cluster, try structures. `tell` is told what takes long."""

    def found(self) -> dict[str, Tensor]:
        """What `prepare` has found, so that a run that is resumed need not look again."""
        return {}

    def recall(self, found: dict[str, Tensor]) -> None:
        """Take what `prepare` found earlier."""

    def inner(self, data: View) -> "tuple[Network, View]":  # noqa: ARG002
        """The network that is trained, and the pictures that it is trained on."""
        name = type(self).__name__.lower()
        raise VisarithError(f"{name} has nothing to learn: its weights come from elsewhere; train another learner")

    def finish(self, data: View) -> None:
        """After training: quantise, if that costs nothing."""

    # What it is, for the terminal, the JSON, the report and the page

    def facts(self) -> dict[str, Any]:
        """What it has found and chosen."""
        return {}

    def described(self) -> str:
        """What it has found and chosen, in words."""
        return ""

    @property
    def quantised(self) -> bool:
        """Whether it is a finite machine, whose answers do not depend on how long numbers are."""
        return False

    @property
    def weight_count(self) -> int:
        return sum(weight.numel() for weight in self.parameters())

    def export(self) -> dict[str, Any]:
        """Its weights by their part in it, for the page (`learners/export.py`)."""
        raise VisarithError(f"a {type(self).__name__.lower()} does not run in browsers yet; leave it out of the page")

    # What may be asked of it afterwards

    def restore(self, weights: dict[str, Tensor], data: Callable[[], View]) -> None:  # noqa: ARG002
        """Take the weights of a finished run; `data` is for what older runs did not keep."""
        self.load_state_dict(weights)

    @property
    def lengthens(self) -> bool:
        """Whether the same weights can take pictures of other lengths."""
        return False

    def lengthened(self, spec: PictureSpec) -> "Learner":
        """The same weights for pictures of another length; asked only of those that can take one."""
        raise VisarithError(
            f"a {type(self).__name__.lower()} takes pictures of one size only; train one for {spec.shape}"
        )

    def unquantised(self) -> "Learner":
        """As it was at the end of its training: a copy, where it has been quantised."""
        return self

    @property
    def longest(self) -> int | None:
        """Digits up to which it may be tried within reason; None: any number."""
        return None

    def permuted(self, order: np.ndarray) -> "Learner | None":  # noqa: ARG002
        """The same learner for pictures whose pixels stand in another order, where that is all the same to it."""
        return None

    def certify(self, task: "Task") -> "Certificate":
        """Try everything that it can do, where there is an end to that."""
        from visarith.learners.certificate import everything

        return everything(self, task)

    def linear(self) -> list[nn.Linear]:
        """Its layers from bottom to top, where it is a stack of them."""
        raise VisarithError(f"a {type(self).__name__.lower()} has no hidden units to look at; ask a perceptron")


class Network(Learner):
    """A learner that is trained by gradients, from weights that are drawn by a recipe."""

    mean: Tensor  # subtracted from the inputs

    def __init__(self, inputs: int, outputs: int, shape: tuple[int, int], answer_shape: tuple[int, int]) -> None:
        super().__init__(outputs, shape, answer_shape)
        self.register_buffer("mean", torch.zeros(inputs, *shape, device="cpu"))

    def forward(self, pictures: Tensor) -> Tensor:
        return torch.sigmoid(self.logits(pictures))

    def logits(self, pictures: Tensor) -> Tensor:
        """The answer before the sigmoid that makes it a picture."""
        return self.answer_to(pictures - self.mean).view(-1, self.outputs, *self.answer_shape)

    @abstractmethod
    def answer_to(self, centred: Tensor) -> Tensor:
        """From centred pictures to the logits of the answers, in any shape that begins with the batch."""

    def loss(self, pictures: Tensor, targets: Tensor, recipe: Recipe) -> Tensor:
        """What training makes small."""
        return loss_of(self.logits(pictures).float(), targets, recipe)

    def trained_weights(self) -> list[nn.Parameter]:
        """The weights that training changes."""
        return list(self.parameters())

    def inner(self, data: View) -> "tuple[Network, View]":
        return self, data

    def start(self, data: View, recipe: Recipe, generator: torch.Generator) -> None:
        """Draw the starting weights, set the output biases, take the mean picture."""
        self.initialise(recipe.initialisation, recipe.output_initialisation, generator)
        self.frame(data.mean_targets)
        if recipe.alike:
            self.start_alike(data)
        if recipe.output_bias == "mean":
            self.answer_first(data.mean_targets)
        if recipe.centring:
            self.mean.copy_(data.mean_inputs)

    @abstractmethod
    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:
        """Draw the starting weights; biases start at 0 (Sec. 3.1 says nothing of either)."""

    def frame(self, picture: Tensor) -> None:
        """Take what this learner never draws itself, if there is anything, from the mean target picture."""

    def start_alike(self, data: View) -> None:
        """Let output pixels that always agree start alike, where that makes a difference."""

    @abstractmethod
    def answer_first(self, picture: Tensor) -> None:
        """Set the output biases so that, without weights, the answer to anything is about this picture."""

    def computation(self, data: View, recipe: Recipe, *, seed: int, bf16: bool) -> Computation:
        """How its gradients are computed: on every pixel, unless it has an exact shortcut for these pictures."""
        return Dense(self, data, recipe, seed=seed, bf16=bf16)

    def dropping_out(self, generator: torch.Generator) -> AbstractContextManager[None]:  # noqa: ARG002
        """Dropout for one step of training, if there is any."""
        return nullcontext()


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
