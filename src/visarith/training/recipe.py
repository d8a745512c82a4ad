"""How a learner is trained, as frozen data: the paper's recipe and its variations."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from visarith.errors import VisarithError, whole

CHOICES = {
    "optimizer": ("sgd", "adam"),
    "loss": ("squares", "cross-entropy"),
    "schedule": ("constant", "cosine"),
    "initialisation": ("torch", "lecun", "he", "xavier", "caffe", "gaussian"),
    "output_initialisation": ("torch", "lecun", "he", "xavier", "caffe", "gaussian", "zero"),
    "output_bias": ("zero", "mean"),
    "loss_per": ("picture", "output"),
    "noise": ("fresh", "fixed"),
    "precision": ("f32", "bf16", "auto"),
}

LARGEST = 1e30  # products of two still fit into single precision, or training stops and says so
SINCE_0_1 = ("loss_per", "bias_rate", "weight_decay", "jitter", "least_steps", "attempts")


@dataclass(frozen=True)
class Recipe:
    """Every choice of training. Sec. 3.1 states the first block and leaves the second one open; docs/paper.md says how
    each was decided."""

    optimizer: Literal["sgd", "adam"] = "sgd"
    rate: float = 0.1
    momentum: float = 0.9
    batch: int = 256
    epochs: int = 50

    loss: Literal["squares", "cross-entropy"] = "squares"  # of each pixel
    schedule: Literal["constant", "cosine"] = "constant"  # of the learning rate
    centring: bool = True  # subtract the mean training picture from the inputs
    loss_scale: float = 0.2  # times the sum over a picture's pixels, averaged over the batch; one value for all tasks:
    # a smaller one fails on one-hot, a larger one on Roman numerals and noise; Adam hardly depends on it
    loss_per: Literal["picture", "output"] = "picture"  # output: times the mean over an answer's pixels or numbers
    initialisation: str = "he"
    output_initialisation: str = "zero"
    output_bias: Literal["zero", "mean"] = "mean"  # the first answer to any input: grey, or the mean target picture
    bias_rate: float = 1.0  # the learning rate of biases, as a multiple of that of weights
    weight_decay: float = 0.0  # of weights, not of biases: adds so much of each weight to its gradient
    alike: bool = False  # equal starting weights for output pixels with equal targets, which are then computed as one
    noise: Literal["fresh", "fixed"] = "fresh"  # drawn each time an example is shown, or once
    precision: Literal["f32", "bf16", "auto"] = "f32"  # of matrix products; auto is bf16 where the CPU has it
    jitter: float = 0.0  # the standard deviation of noise on the columns of column learners, in training
    least_steps: int = 0  # in all: columns show few examples more often, and more distinct symbols too
    attempts: int = 1  # at most, for a learner that notices that it errs on its own training examples
    shortcuts: bool = True  # exact shortcuts; False: the dense computation on every pixel

    def __post_init__(self) -> None:
        for field, allowed in CHOICES.items():
            if getattr(self, field) not in allowed:
                raise VisarithError(f"{field} {getattr(self, field)!r} is unknown; use {', '.join(allowed)}")
        for field in ("batch", "epochs"):
            whole(field, getattr(self, field), 1)
        for field in ("rate", "loss_scale", "bias_rate"):
            if not 0 < getattr(self, field) <= LARGEST:
                raise VisarithError(f"{field} {getattr(self, field)} is not possible; use more than 0, up to {LARGEST}")
        for field in ("jitter", "weight_decay"):
            if not 0 <= getattr(self, field) <= LARGEST:
                raise VisarithError(f"{field} {getattr(self, field)} is not possible; use 0 up to {LARGEST}")
        if self.optimizer == "adam" and (self.bias_rate, self.weight_decay) != (1, 0):
            raise VisarithError(
                f"bias_rate {self.bias_rate} and weight_decay {self.weight_decay} are for SGD; "
                "use bias_rate 1 and weight_decay 0 with adam"
            )
        whole("attempts", self.attempts, 1)
        whole("least_steps", self.least_steps, 0)
        if not 0 <= self.momentum < 1:
            raise VisarithError(f"momentum {self.momentum} is not possible; use a number from 0 to below 1")

    def asked(self) -> dict[str, Any]:
        """What a stored result is asked about it: not the precision, which depended on the machine in version 0.1.

        A field that came later is left out at its default, so that it leaves earlier results what they were.
        """
        later = {name: getattr(Recipe, name) for name in SINCE_0_1}
        fields = {name: value for name, value in asdict(self).items() if name != "precision"}
        return {name: value for name, value in fields.items() if later.get(name) != value}

    def scale(self, outputs: int) -> float:
        """What the sum of an example's losses is multiplied by, if its answer has so many outputs."""
        return self.loss_scale / (outputs if self.loss_per == "output" else 1)


PAPER = Recipe()
# Where the paper's recipe fails (noise, Roman numerals), a grey first answer and random output weights learn far faster
# (docs/log.md).
ADAM = Recipe(
    optimizer="adam",
    rate=2e-3,
    schedule="cosine",
    loss_scale=0.05,
    initialisation="torch",
    output_initialisation="he",
    output_bias="zero",
    alike=True,
)
ENTROPY = replace(ADAM, loss="cross-entropy", rate=3e-3, initialisation="he")  # for one-hot
SLOW = replace(ADAM, rate=1e-3)  # for noise
COLUMNS = Recipe(
    optimizer="adam",
    rate=3e-3,
    epochs=6,
    schedule="cosine",
    centring=False,
    loss_scale=1.0,
    jitter=0.2,
    least_steps=3_000,
    attempts=4,
)
MODULE = replace(ADAM, rate=1e-3, centring=False)  # for users' modules, which keep their weights
RECIPES = {"paper": PAPER, "columns": COLUMNS, "adam": ADAM, "entropy": ENTROPY, "slow": SLOW, "module": MODULE}


def named(name: str) -> Recipe:
    """A recipe by its name."""
    if name not in RECIPES:
        raise VisarithError(f"recipe {name!r} is unknown; use one of {', '.join(RECIPES)}")
    return RECIPES[name]
