"""The contract of all learners: pictures in, pictures out, and the methods that generic code calls."""

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
from visarith.training.recipe import CHOICES, Recipe
from visarith.training.round import Round

if TYPE_CHECKING:
    from visarith.data.task import Task
    from visarith.learners.certificate import Certificate, Step
    from visarith.learners.perception import Perceived

AT_A_TIME = 2_000  # pictures in a batch of `drawn`; fewer if they are large
MAY_BE_UNKNOWN = {"cells", "states", "states_back", "glyphs", "symbols"}  # whose rows of NaN are not found yet


class Learner(nn.Module, ABC):
    """Pictures in, pictures out: (batch, inputs, height, width) -> (batch, outputs, height, width) in [0, 1].

    Generic code calls these methods and never checks the class or the name of a learner. Only `forward` is required. A
    learner that is trained contains a `Network`.
    """

    thinks: str = ""  # which steps the page can show: columns, long multiplication, tally, units, gates or none

    def __init__(self, outputs: int, shape: tuple[int, int], answer_shape: tuple[int, int]) -> None:
        super().__init__()
        self.outputs, self.shape, self.answer_shape = outputs, shape, answer_shape

    @abstractmethod
    def forward(self, pictures: Tensor) -> Tensor: ...

    @property
    def device(self) -> torch.device:
        """The device of its weights."""
        weight = next(iter([*self.parameters(), *self.buffers()]), None)
        return torch.device("cpu") if weight is None else weight.device

    @torch.no_grad()
    def drawn(self, pictures: Tensor) -> np.ndarray:
        """The answers to any number of pictures, computed in batches."""
        if not len(pictures):
            return np.zeros((0, self.outputs, *self.answer_shape), np.float32)
        size = max(1, min(AT_A_TIME, 10_000_000 // math.prod(self.shape)))
        parts = [self(pictures[i : i + size].to(self.device)).cpu().numpy() for i in range(0, len(pictures), size)]
        return np.concatenate(parts)

    def perceived(self, pictures: Tensor) -> "Perceived | None":  # noqa: ARG002
        """Which glyph each cell of these pictures shows, and which cells are unreadable; None if it does not tell."""
        return None

    # Before, during and after training

    def prepare(
        self, data: View, recipe: Recipe, *, seed: int, device: torch.device | str = "cpu", tell: Callable[[str], None]
    ) -> None:
        """Before training: find cells, cluster, try structures. `tell` reports progress, a line at a time."""

    def found(self) -> dict[str, Tensor]:
        """What `prepare` has found; it is stored, so that a resumed run does not repeat it."""
        return {}

    def recall(self, found: dict[str, Tensor]) -> None:
        """Use what `prepare` found earlier."""

    def inner(self, data: View) -> "tuple[Network, View]":  # noqa: ARG002
        """The network that is trained, and its training pictures, made from `data`."""
        name = type(self).__name__.lower()
        raise VisarithError(f"{name} has nothing to learn: its weights are not trained; use another learner")

    def finish(self, data: View) -> None:
        """After training: quantise, if that costs no accuracy."""

    # What it is, for the terminal, the JSON, the report and the page

    def facts(self) -> dict[str, Any]:
        """What it has found and chosen, as JSON."""
        return {}

    def described(self) -> str:
        """What it has found and chosen, in words."""
        return ""

    @property
    def exact(self) -> bool | None:
        """Whether it draws all its training examples right, where it has checked that; None: it has not."""
        return None

    @property
    def quantised(self) -> bool:
        """Whether it was quantised, so that errors cannot add up however long the numbers are."""
        return False

    @property
    def weight_count(self) -> int:
        return sum(weight.numel() for weight in self.parameters())

    def export(self) -> dict[str, Any]:
        """Its weights by name, as JSON for the page (`learners/export.py`)."""
        raise VisarithError(f"a {type(self).__name__.lower()} does not run in a browser; leave it out of the page")

    # After training

    def restore(self, weights: dict[str, Tensor], data: Callable[[], View]) -> None:  # noqa: ARG002
        """Load the weights of a finished run; `data` is for what version 0.1 did not store."""
        self.load_state_dict(weights)

    @property
    def finite(self) -> bool:
        """Whether its weights, and what it has found, are finite numbers."""
        found = [each for name, each in self.named_buffers() if name.split(".")[-1] not in MAY_BE_UNKNOWN]
        return all(bool(each.isfinite().all()) for each in [*self.parameters(), *found])

    @property
    def lengthens(self) -> bool:
        """Whether the same weights can take pictures of other lengths."""
        return False

    def lengthened(self, spec: PictureSpec) -> "Learner":
        """The same weights for pictures of another length, if `lengthens`."""
        raise VisarithError(
            f"a {type(self).__name__.lower()} takes pictures of one size only; train one for {spec.shape}"
        )

    def unquantised(self) -> "Learner":
        """A copy as it was before it was quantised, or itself if it was not."""
        return self

    @property
    def longest(self) -> int | None:
        """The most digits that fit into memory; None: any number."""
        return None

    def permuted(self, order: np.ndarray) -> "Learner | None":  # noqa: ARG002
        """The same learner for permuted pixels, if the order of pixels makes no difference to it; otherwise None."""
        return None

    def certify(self, task: "Task", step: "Step") -> "Certificate":
        """Try all operands, or all states of a finite-state machine; `step` is called with the share that is done."""
        from visarith.learners.certificate import everything

        return everything(self, task, step=step)

    def linear(self) -> list[nn.Linear]:
        """Its layers from input to output, if it is a perceptron."""
        raise VisarithError(f"a {type(self).__name__.lower()} has no hidden units to look at; use a perceptron")


class Network(Learner):
    """A learner that is trained by gradient descent; its recipe says how the starting weights are drawn."""

    mean: Tensor  # subtracted from the inputs

    def __init__(self, inputs: int, outputs: int, shape: tuple[int, int], answer_shape: tuple[int, int]) -> None:
        super().__init__(outputs, shape, answer_shape)
        self.register_buffer("mean", torch.zeros(inputs, *shape, device="cpu"))

    def forward(self, pictures: Tensor) -> Tensor:
        return torch.sigmoid(self.logits(pictures))

    def logits(self, pictures: Tensor) -> Tensor:
        """The answer before the sigmoid."""
        return self.answer_to(pictures - self.mean).view(-1, self.outputs, *self.answer_shape)

    @abstractmethod
    def answer_to(self, centred: Tensor) -> Tensor:
        """From centred pictures to the logits of the answers, in any shape that begins with the batch."""

    def loss(self, pictures: Tensor, targets: Tensor, recipe: Recipe) -> Tensor:
        """The training loss of a batch."""
        return self.loss_factor(recipe) * loss_of(self.logits(pictures).float(), targets, recipe)

    def loss_factor(self, recipe: Recipe) -> float:
        """What the sum of the losses of an answer's pixels is multiplied by."""
        return recipe.scale(self.outputs * math.prod(self.answer_shape))

    def trained_weights(self) -> list[nn.Parameter]:
        """The weights that the optimizer updates."""
        return list(self.parameters())

    def inner(self, data: View) -> "tuple[Network, View]":
        return self, data

    def start(self, data: View, recipe: Recipe, generator: torch.Generator) -> None:
        """Draw the starting weights, set the output biases and the mean picture."""
        self.initialise(recipe.initialisation, recipe.output_initialisation, generator)
        self.frame(data.mean_targets)
        if recipe.alike:
            self.start_alike(data)
        if recipe.output_bias == "mean":
            self.answer_first(data.mean_targets)
        if recipe.centring:
            self.mean.copy_(data.mean_inputs)

    def rounds(self, data: View, recipe: Recipe) -> list[Round]:
        """The rounds of training; one by default."""
        return [Round(recipe.epochs, math.ceil(len(data) / recipe.batch), recipe.rate)]

    def enter(self, stage: int, data: View) -> None:
        """Begin a round of this stage."""

    def more_rounds(self, data: View, recipe: Recipe, before: list[Round], tell: Callable[[str], None]) -> list[Round]:  # noqa: ARG002
        """What follows when these rounds are done; nothing by default."""
        return []

    @abstractmethod
    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:
        """Draw the starting weights; biases start at 0 (Sec. 3.1 says nothing of either)."""

    def frame(self, picture: Tensor) -> None:
        """Copy the parts that this learner does not draw, such as margins, from the mean target picture."""

    def start_alike(self, data: View) -> None:
        """Give output pixels that always have equal targets equal starting weights."""

    @abstractmethod
    def answer_first(self, picture: Tensor) -> None:
        """Set the output biases so that the first answer to any input is about this picture."""

    def computation(self, data: View, recipe: Recipe, *, seed: int, bf16: bool) -> Computation:
        """How gradients are computed: on every pixel, or by an exact shortcut where the learner has one."""
        return Dense(self, data, recipe, seed=seed, bf16=bf16)

    def dropping_out(self, generator: torch.Generator) -> AbstractContextManager[None]:  # noqa: ARG002
        """Dropout for one step of training; none by default."""
        return nullcontext()


def as_logits(picture: Tensor) -> Tensor:
    """The logits of a picture, clamped where the gradient of the sigmoid would vanish."""
    return picture.clamp(0.01, 0.99).logit()


@torch.no_grad()
def draw_weights(layer: nn.Linear | nn.Conv2d, kind: str, generator: torch.Generator) -> None:
    """Draw the weights of a layer, and set its biases to 0."""
    weight = layer.weight
    units, fan_in = len(weight), weight[0].numel()
    deviations = {"lecun": fan_in**-0.5, "he": (2 / fan_in) ** 0.5, "gaussian": 0.01}  # of normal distributions
    # of uniform ones; Caffe calls its own, with the variance 1 / fan_in, xavier
    bounds = {"xavier": (6 / (fan_in + units)) ** 0.5, "torch": fan_in**-0.5, "caffe": (3 / fan_in) ** 0.5}
    if kind in deviations:
        weight.normal_(0, deviations[kind], generator=generator)
    elif kind in bounds:
        weight.uniform_(-bounds[kind], bounds[kind], generator=generator)
    elif kind == "zero":
        weight.zero_()
    else:
        raise VisarithError(f"initialisation {kind!r} is unknown; use {', '.join(CHOICES['output_initialisation'])}")
    if layer.bias is not None:
        layer.bias.zero_()
