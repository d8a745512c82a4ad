"""The LSTM that the paper expects to be better at multiplication (Sec. 5)."""

import torch
from torch import Tensor, nn

from visarith.data.spec import PictureSpec
from visarith.data.view import View
from visarith.errors import VisarithError, option
from visarith.learners.learner import Network, as_logits, draw_weights
from visarith.training.computation import Computation
from visarith.training.recipe import Recipe

STRIP = 8  # pixels; counted from the right edge, for pictures whose cells are not known


class Recurrent(Network):
    """Reads strips from right to left: an LSTM sees a strip of every input and draws the same strip of the answer.

    The margins outside the strips are those of the mean target.
    """

    margin: Tensor

    def __init__(self, spec: PictureSpec, *, hidden_layers: int, width: int) -> None:
        super().__init__(spec.inputs, spec.outputs, spec.shape, spec.shape)
        high, wide = spec.shape
        self.left, self.pitch = spec.strips or (wide % STRIP, min(STRIP, wide))
        self.strips = (wide - self.left) // self.pitch
        if self.strips < 1:
            wider = option("picture", python="Typeface(height, width)")
            raise VisarithError(f"pictures {wide} wide have no strip of {self.pitch} pixels; use a wider {wider}")
        self.lstm = nn.LSTM(spec.inputs * high * self.pitch, width, hidden_layers, batch_first=True)
        self.pen = nn.Linear(width, spec.outputs * high * self.pitch)
        self.register_buffer("margin", torch.zeros(spec.outputs, high, wide, device="cpu"))  # the logits around strips

    def answer_to(self, centred: Tensor) -> Tensor:
        count, inputs, high, _ = centred.shape
        end = self.left + self.strips * self.pitch
        strips = centred[..., self.left : end].reshape(count, inputs, high, self.strips, self.pitch)
        read = strips.permute(0, 3, 1, 2, 4).flatten(2).flip(1)  # (batch, strips from the right, pixels)
        drawn = self.pen(self.lstm(read)[0]).flip(1).view(count, self.strips, self.outputs, high, self.pitch)
        middle = drawn.permute(0, 2, 3, 1, 4).flatten(3)
        around = self.margin.expand(count, -1, -1, -1)
        return torch.cat([around[..., : self.left], middle, around[..., end:]], -1)

    @torch.no_grad()
    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:
        """Draw input weights by `hidden`, the pen's by `output`; recurrent weights are orthogonal, forget biases 1."""
        for name, weight in self.lstm.named_parameters():
            if "bias" in name:
                weight.zero_()
                if "bias_ih" in name:
                    weight[self.lstm.hidden_size : 2 * self.lstm.hidden_size] = 1
            elif "weight_hh" in name:
                for gate in weight.chunk(4):
                    nn.init.orthogonal_(gate, generator=generator)
            else:
                bare = nn.Linear(weight.shape[1], weight.shape[0], bias=False)
                draw_weights(bare, hidden, generator)
                weight.copy_(bare.weight)
        draw_weights(self.pen, output, generator)

    @torch.no_grad()
    def frame(self, picture: Tensor) -> None:
        self.margin.copy_(as_logits(picture))

    @torch.no_grad()
    def answer_first(self, picture: Tensor) -> None:
        logits = as_logits(picture)
        end = self.left + self.strips * self.pitch
        strips = logits[..., self.left : end].reshape(*logits.shape[:-1], self.strips, self.pitch)
        self.pen.bias.copy_(strips.mean(-2).flatten())

    def computation(self, data: View, recipe: Recipe, *, seed: int, bf16: bool) -> Computation:  # noqa: ARG002
        return super().computation(data, recipe, seed=seed, bf16=False)  # PyTorch's LSTM has no bf16 on some CPUs
