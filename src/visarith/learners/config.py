"""A learner as data: its name, what it is given, its options. Nothing here needs PyTorch."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from visarith.errors import VisarithError, option, whole

if TYPE_CHECKING:
    from visarith.data.spec import PictureSpec
    from visarith.learners.learner import Learner

MOST_LAYERS = 1_000  # hidden; a million of one unit each would take minutes to build
MOST_WEIGHTS = 500_000_000  # two gigabytes, and the same again for gradients and for momentum
_SHORT = {"hidden_layers": "layers", "width": "wide"}  # in the name of a run, after their number
WIDTH_HELP = "units in a hidden layer (default 256; 64 for columns, tally and numerals)"


def setting(default: Any, text: str, choices: Sequence[str] = ()) -> Any:
    """A field of a config with its help text and its possible values; the default 0 or "" lets the learner choose."""
    return field(default=default, metadata={"help": text, "choices": tuple(choices)})


@dataclass(frozen=True)
class LearnerConfig(ABC):
    """The base of every learner's config; its fields are the learner's options, also on the command line."""

    name: ClassVar[str]
    given: ClassVar[str]  # what it knows before training, in a sentence or two
    recipe: ClassVar[str] = "paper"  # the name of the default recipe
    rank: ClassVar[int] = 9  # of several pretrained learners, the one of lowest rank is the default
    learns: ClassVar[bool] = True  # False: its weights are not trained
    made_by: ClassVar[str] = ""  # if it does not learn: how its weights are made
    by_name: ClassVar[bool] = True  # whether name and options define it, so that the command line can build it
    unsaid: ClassVar[bool] = False  # whether names of runs and results leave it out: the paper's learner
    told: ClassVar[tuple[str, ...]] = ()  # what it asks for besides pixels; `given` mentions it
    usual: ClassVar[dict[str, Any]] = {}  # defaults of options left at 0 or "" that do not depend on the pictures

    def __post_init__(self) -> None:
        for each in fields(self):
            value, choices = getattr(self, each.name), each.metadata.get("choices", ())
            words = each.name.replace("_", " ")
            if choices and value not in (*choices, each.default):
                use = " or ".join(choices) if len(choices) == 2 else "one of " + ", ".join(choices)
                raise VisarithError(f"{words} {value!r} is unknown; use {use}")
            if type(each.default) is int:
                whole(words, value, int(value != 0))  # 0 lets the learner choose

    @abstractmethod
    def network(self, spec: "PictureSpec") -> "Learner":
        """The untrained learner for such pictures; all options are resolved."""

    def check(self, spec: "PictureSpec") -> None:
        """Raise an error for pictures that this learner cannot work with."""
        if spec.one_hot:
            raise VisarithError(
                f"the learner {self.name} is for pictures, not for one-hot inputs; "
                f"leave {option('medium')} out or use perceptron"
            )

    def resolved(self, spec: "PictureSpec") -> Self:  # noqa: ARG002
        """The config with every option set, those that depend on the pictures too, so that a run can be repeated."""
        return self

    def filled(self, spec: "PictureSpec") -> Self:
        """As `resolved`, also where the learner is too large to be built."""
        return self.resolved(spec)

    def sees(self, spec: "PictureSpec") -> "PictureSpec":
        """The spec that this learner may see: without what it did not ask for in `told`."""
        return replace(spec, told={name: spec.told[name] for name in self.told if name in spec.told})

    def build(self, source: Any) -> "Learner":
        """The untrained learner for a task or a picture set."""
        spec = self.sees(source.spec)
        self.check(spec)
        import torch

        with torch.device("cpu"), torch.random.fork_rng(devices=[]):  # independent of the caller's defaults
            return self.resolved(spec).network(spec)

    def with_module(self, module: Any) -> Self:  # noqa: ARG002
        """The same config with a user's module; for the learner `own` only."""
        raise VisarithError(f"this run was learned by {self.name}, not by a module of your own; leave `learner` out")

    def joined(self, task: Any, *parts: "Learner") -> "Learner":  # noqa: ARG002
        """The learner for a task from parts that were trained separately; for the learner `joined` only."""
        raise VisarithError(f"{self.name} is not made from parts; use the learner joined")

    def module_of_ones_own(self) -> Any:
        """The user's module, or None; for the learner `own`."""
        return None

    def label(self, spec: "PictureSpec") -> str:
        """The options that differ from the default, for the name of a run."""
        usual, own = type(self)().filled(spec), self.resolved(spec)
        changed = [each.name for each in fields(self) if getattr(own, each.name) != getattr(usual, each.name)]
        values = {_SHORT.get(name, name): getattr(own, name) for name in changed}
        return "-".join(value if isinstance(value, str) else f"{value}{name}" for name, value in values.items())

    def described(self) -> str:
        """Name and size in a few words."""
        return self.name

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The config that was stored; ignores options of other learners, which version 0.1 stored too."""
        known = {each.name: data[each.name] for each in fields(cls) if each.name in data}
        for each in fields(cls):
            if type(known.get(each.name, each.default)) is not type(each.default):
                raise TypeError(f"{each.name} is {known[each.name]!r}")
        return cls(**known)

    def to_json(self) -> dict[str, Any]:
        """The name and all options."""
        return {"name": self.name, **{each.name: getattr(self, each.name) for each in fields(self)}}

    def identity(self) -> dict[str, Any]:
        """The name and the options that differ from the default; an option that is added later changes no identity."""
        usual = {each.name: (each.default, self.usual.get(each.name, each.default)) for each in fields(self)}
        own = {key: value for key, value in self.to_json().items() if value not in usual.get(key, ())}
        if self.unsaid:
            del own["name"]
        return own


@dataclass(frozen=True)
class LayeredConfig(LearnerConfig):
    """The options of learners that are stacks of layers."""

    hidden_layers: int = setting(
        0, "hidden layers (default as in Table 1: 3; 5 for multiply and roman; 2 fewer for one-hot)"
    )
    width: int = setting(0, WIDTH_HELP)

    usual: ClassVar[dict[str, Any]] = {"width": 256}
    fewer: ClassVar[int] = 0  # hidden layers than Table 1's perceptron, which other parts replace
    squares: ClassVar[int] = 1  # matrices of width x width in a layer

    def depth(self, spec: "PictureSpec") -> int:
        """The default number of hidden layers."""
        return max(1, spec.hidden_layers - self.fewer)

    def filled(self, spec: "PictureSpec") -> Self:
        return replace(
            self, hidden_layers=self.hidden_layers or self.depth(spec), width=self.width or self.usual["width"]
        )

    def resolved(self, spec: "PictureSpec") -> Self:
        whole("hidden layers", self.hidden_layers, 0, MOST_LAYERS)
        filled = self.filled(spec)
        layers, width = filled.hidden_layers, filled.width
        inputs, answers = spec.inputs * math.prod(spec.shape), spec.outputs * math.prod(spec.answer_shape)
        weights = width * (inputs + answers + (layers - 1 + self.squares) * width)
        if weights > MOST_WEIGHTS:
            raise VisarithError(
                f"a {self.name} of {weights:,} weights is too large; use a smaller {option('width')}, "
                f"{option('picture', python='Typeface(height, width)')} or depth"
            )
        return filled

    def described(self) -> str:
        return f"{self.hidden_layers} x {self.width} {self.name}"


@dataclass(frozen=True)
class ClusteredConfig(LearnerConfig):
    """The base of learners that cluster cells: they need clean cells and the number of symbols."""

    def check(self, spec: "PictureSpec") -> None:
        super().check(spec)
        if not spec.clean:
            raise VisarithError(
                f"the learner {self.name} clusters clean cells, and these are not; leave noise and displacement out"
            )
        self.symbols(spec)

    def symbols(self, spec: "PictureSpec") -> int:
        """The number of symbols."""
        if spec.symbols is None or spec.places is None:
            raise VisarithError(
                f"the learner {self.name} needs the places of cells and the number of symbols, which are not known for "
                f"these pictures; use {option('learner', 'columns')} or perceptron"
            )
        return spec.symbols
