"""The LSTM that the paper expects to be better at multiplication (Sec. 5)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from visarith.learners.config import LayeredConfig

if TYPE_CHECKING:
    from visarith.data.spec import PictureSpec
    from visarith.learners.recurrent.network import Recurrent

STRIP = 8  # pixels; counted from the right edge, for pictures whose cells are not known


@dataclass(frozen=True)
class Config(LayeredConfig):
    """The options of recurrent."""

    name = "recurrent"
    given = "the vertical strips that the cells stand in, and that they are read from right to left."
    squares = 8  # an LSTM has four gates, each with two matrices

    def check(self, spec: "PictureSpec") -> None:
        super().check(spec)
        spec.of_one_size(self.name)

    def depth(self, spec: "PictureSpec") -> int:  # noqa: ARG002
        return 1  # it is applied to every strip

    def network(self, spec: "PictureSpec") -> "Recurrent":
        from visarith.learners.recurrent.network import Recurrent

        left, pitch = spec.strips or (spec.shape[1] % STRIP, min(STRIP, spec.shape[1]))
        size = {"layers": self.hidden_layers, "width": self.width}
        return Recurrent(spec.inputs, spec.outputs, spec.shape, left=left, pitch=pitch, **size)
