"""A small convolutional network: a learner that is given which pixels are neighbours."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from visarith.learners.config import LayeredConfig

if TYPE_CHECKING:
    from visarith.data.spec import PictureSpec
    from visarith.learners.convolutional.network import Convolutional


@dataclass(frozen=True)
class Config(LayeredConfig):
    """The options of convolutional."""

    name = "convolutional"
    given = "which pixels are neighbours."
    fewer = 1  # the convolutions replace the first layer

    def network(self, spec: "PictureSpec") -> "Convolutional":
        from visarith.learners.convolutional.network import Convolutional

        pictures = spec.inputs, spec.outputs, spec.shape, spec.answer_shape
        return Convolutional(*pictures, hidden_layers=self.hidden_layers, width=self.width)
