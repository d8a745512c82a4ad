"""The paper's learner: a fully connected network from the pixels of the inputs to the pixels of the answer."""

import copy
import itertools
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.view import View
from visarith.errors import VisarithError, whole
from visarith.learners.export import layers, mean
from visarith.learners.learner import Network, as_logits, draw_weights
from visarith.learners.perceptron_shortcut import Shortcut, alike, fits
from visarith.training.computation import Computation
from visarith.training.recipe import Recipe

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "sigmoid": nn.Sigmoid}


class Perceptron(Network):
    """Fully connected layers; the order of pixels makes no difference to them.

    >>> sum(weights.numel() for weights in Perceptron(2, 1, (15, 60)).parameters())
    823940
    """

    thinks = "units"

    def __init__(
        self,
        inputs: int,
        outputs: int,
        shape: tuple[int, int],
        answer_shape: tuple[int, int] | None = None,
        *,
        hidden_layers: int = 3,
        width: int = 256,
        activation: str = "relu",
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
        self.activated = activation

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

    @torch.no_grad()
    def start_alike(self, data: View) -> None:
        if data.codebook is not None and data.codebook.answers.layout.ground is None:
            same = alike(data.codebook.answers)
            last = self.linear()[-1]
            last.weight.copy_(last.weight[same])

    def computation(self, data: View, recipe: Recipe, *, seed: int, bf16: bool) -> Computation:
        if recipe.shortcuts and data.codebook is not None and fits(data.codebook, recipe):
            return Shortcut(self, data.codebook, recipe, bf16=bf16)
        return super().computation(data, recipe, seed=seed, bf16=bf16)

    @torch.no_grad()
    def permuted(self, order: np.ndarray) -> "Perceptron":
        """The same perceptron for permuted pixels: the weights are permuted likewise."""
        moved = torch.from_numpy(order).to(self.device)
        other = copy.deepcopy(self)
        first, last = other.linear()[0], other.linear()[-1]
        inputs = len(other.mean)
        first.weight.copy_(first.weight.view(-1, inputs, len(moved))[:, :, moved].flatten(1))
        other.mean.copy_(other.mean.flatten(1)[:, moved].view(other.mean.shape))
        last.weight.copy_(last.weight[moved])
        last.bias.copy_(last.bias[moved])
        return other

    def described(self) -> str:
        *hidden, _ = self.linear()
        layers = f"{len(hidden)} hidden layer{'s' if len(hidden) > 1 else ''} of {hidden[0].out_features} units"
        return f"{layers}; the order of pixels makes no difference"

    def export(self) -> dict[str, Any]:
        return {
            "kind": "perceptron",
            "outputs": self.outputs,
            "activation": self.activated,
            "mean": mean(self.mean),
            "layers": layers(self.linear()),
        }
