"""The paper's learner: a fully connected network from the pixels of the inputs to the pixels of the answer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from visarith.learners.config import LayeredConfig, setting

if TYPE_CHECKING:
    from visarith.data.spec import PictureSpec
    from visarith.learners.perceptron.network import Perceptron


@dataclass(frozen=True)
class Config(LayeredConfig):
    """The perceptron's options."""

    activation: str = setting("relu", "activation function of hidden units (default relu)", ("relu", "sigmoid"))

    name = "perceptron"
    rank = 2
    unsaid = True
    given = "the size and number of the pictures, nothing else; the order of pixels makes no difference to it."

    def check(self, spec: "PictureSpec") -> None:
        """Every picture set is accepted, one-hot ones too."""

    def network(self, spec: "PictureSpec") -> "Perceptron":
        from visarith.learners.perceptron.network import Perceptron

        pictures = spec.inputs, spec.outputs, spec.shape, spec.answer_shape
        return Perceptron(*pictures, hidden_layers=self.hidden_layers, width=self.width, activation=self.activation)  # type: ignore[arg-type]
