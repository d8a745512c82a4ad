"""The learner around a user's module: it checks shapes and values, and is trained like every other learner."""

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy

from visarith.data.spec import PictureSpec
from visarith.data.view import View
from visarith.errors import VisarithError
from visarith.learners.learner import Network
from visarith.training.recipe import Recipe

TRIED = 16  # examples of the check before training
ROUNDING = 1e-5  # how far a pixel may be outside [0, 1]


class OwnNetwork(Network):
    """A copy of the module, with its weights; the caller's module is not changed."""

    def __init__(self, module: nn.Module, spec: PictureSpec) -> None:
        super().__init__(spec.inputs, spec.outputs, spec.shape, spec.answer_shape)
        self.module = module

    def forward(self, pictures: Tensor) -> Tensor:
        name, wanted = type(self.module).__name__, (len(pictures), self.outputs, *self.answer_shape)
        try:
            drawn: Tensor = self.module(pictures - self.mean)
        except Exception as error:
            reason = (str(error).splitlines() or [""])[0]
            raise VisarithError(
                f"{name} fails on pictures of shape {tuple(pictures.shape)} ({type(error).__name__}: {reason}); mend it"
            ) from error
        if not isinstance(drawn, Tensor):
            raise VisarithError(f"{name} returns {type(drawn).__name__}, not a tensor; return one of shape {wanted}")
        if tuple(drawn.shape) != wanted:
            raise VisarithError(f"{name} returns the shape {tuple(drawn.shape)}; these pictures need {wanted}")
        low, high = float(drawn.detach().min()), float(drawn.detach().max())
        if not (low >= -ROUNDING and high <= 1 + ROUNDING):
            raise VisarithError(f"{name} draws values from {low:g} to {high:g}; end it with a sigmoid, for [0, 1]")
        return drawn.clamp(0, 1)

    def logits(self, pictures: Tensor) -> Tensor:
        logits: Tensor = self(pictures).logit(1e-6)
        return logits

    def answer_to(self, centred: Tensor) -> Tensor:
        return self.module(centred)  # type: ignore[no-any-return]

    def loss(self, pictures: Tensor, targets: Tensor, recipe: Recipe) -> Tensor:
        drawn: Tensor = self(pictures).float()
        if recipe.loss == "squares":
            total: Tensor = (drawn - targets).square().sum()
        else:
            total = binary_cross_entropy(drawn, targets.clamp(0, 1), reduction="sum")
        return self.loss_factor(recipe) * total / len(drawn)

    def trained_weights(self) -> list[nn.Parameter]:
        return [weight for weight in self.module.parameters() if weight.requires_grad]

    def start(self, data: View, recipe: Recipe, generator: torch.Generator) -> None:
        """Keep the module's weights, and check it on a few examples before anything is stored."""
        if recipe.centring:
            self.mean.copy_(data.mean_inputs)
        self.eval()
        weights, name = self.trained_weights(), type(self.module).__name__
        if not weights:
            raise VisarithError(f"{name} has no weights that require a gradient; give it some to train")
        rows = torch.arange(min(TRIED, len(data)), device="cpu").numpy()
        inputs, targets = (pictures.to(self.device) for pictures in data.batch(rows, generator))
        loss = self.loss(inputs, targets, recipe)
        if not loss.requires_grad:
            raise VisarithError(
                f"the output of {name} has no gradient; leave torch.no_grad and detach out of its forward"
            )
        if not any(each is not None for each in torch.autograd.grad(loss, weights, allow_unused=True)):
            raise VisarithError(f"the output of {name} does not depend on its weights; use them in its forward")

    def initialise(self, hidden: str, output: str, generator: torch.Generator) -> None:
        """The module keeps its weights."""

    def answer_first(self, picture: Tensor) -> None:
        """The module keeps its biases."""
