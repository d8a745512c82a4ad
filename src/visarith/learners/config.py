"""A learner as data: its name, what it is given, its own options. Nothing here needs PyTorch."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from visarith.errors import VisarithError, option, whole

if TYPE_CHECKING:
    from visarith.data.spec import PictureSpec
    from visarith.learners.learner import Learner

MOST_WEIGHTS = 500_000_000  # two gigabytes, and as much again for each of gradient and momentum
WIDTH_HELP = "units a hidden layer (default 256; 64 for columns and tally)"


def setting(default: Any, text: str, choices: Sequence[str] = ()) -> Any:
    """A field of a config with its help text and, if there are few, its values; 0 or "" leaves it to the learner."""
    return field(default=default, metadata={"help": text, "choices": tuple(choices)})


@dataclass(frozen=True)
class LearnerConfig(ABC):
    """What every learner's config is: its fields are the learner's options, and the command line is made from them."""

    name: ClassVar[str]
    given: ClassVar[str]  # what it is told beforehand, in a sentence or two
    recipe: ClassVar[str] = "paper"  # the name of the recipe that it is trained with unless another is asked for
    rank: ClassVar[int] = 9  # of those that ship, the lowest is taken unless another is asked for
    learns: ClassVar[bool] = True  # False: its weights come from elsewhere
    made_by: ClassVar[str] = ""  # then: from where
    by_name: ClassVar[bool] = True  # whether its name and options say all about it, so that a command line can
    unsaid: ClassVar[bool] = False  # whether it goes without saying in names of runs and results: the paper's learner
    told: ClassVar[tuple[str, ...]] = ()  # what it asks for beside pixels; `given` says so
    usual: ClassVar[dict[str, Any]] = {}  # what options are resolved to that do not depend on the pictures

    def __post_init__(self) -> None:
        for each in fields(self):
            value, choices = getattr(self, each.name), each.metadata.get("choices", ())
            words = each.name.replace("_", " ")
            if choices and value not in (*choices, each.default):
                use = " or ".join(choices) if len(choices) == 2 else "one of " + ", ".join(choices)
                raise VisarithError(f"{words} {value!r} is unknown; use {use}")
            if type(each.default) is int:
                whole(words, value, int(value != 0))  # 0 leaves it to the learner

    @abstractmethod
    def network(self, spec: "PictureSpec") -> "Learner":
        """The learner for such pictures, its weights not yet drawn; all options are resolved."""

    def check(self, spec: "PictureSpec") -> None:
        """Refuse pictures that this learner cannot work with, in one line."""
        if spec.one_hot:
            raise VisarithError(
                f"the learner {self.name} looks at pictures; leave {option('medium')} out or use perceptron"
            )

    def resolved(self, spec: "PictureSpec") -> Self:  # noqa: ARG002
        """With what depends on the pictures spelt out, so that a run can be made again."""
        return self

    def sees(self, spec: "PictureSpec") -> "PictureSpec":
        """What this learner is told of pictures: of what is told by name only, what it has named."""
        return replace(spec, told={name: spec.told[name] for name in self.told if name in spec.told})

    def build(self, source: Any) -> "Learner":
        """The learner for a task or a picture set; of what is told by name only, it sees what it has named."""
        spec = self.sees(source.spec)
        self.check(spec)
        import torch

        with torch.device("cpu"), torch.random.fork_rng(devices=[]):  # whatever the caller's default is
            return self.resolved(spec).network(spec)

    def with_module(self, module: Any) -> Self:  # noqa: ARG002
        """The same config with a user's module, for learners that are one."""
        raise VisarithError(f"this run was learned by {self.name}, not by a module of your own; leave `learner` out")

    def joined(self, task: Any, *parts: "Learner") -> "Learner":  # noqa: ARG002
        """The learner for a task made from parts that were trained apart, for learners that are."""
        raise VisarithError(f"{self.name} is not made from parts")

    def module_of_ones_own(self) -> Any:
        """The user's module, for learners that are one."""
        return None

    def label(self, spec: "PictureSpec") -> str:
        """What differs from the usual, for the name of a run."""
        usual, own = type(self)().resolved(spec), self.resolved(spec)
        changed = [each.name for each in fields(self) if getattr(own, each.name) != getattr(usual, each.name)]
        return "-".join(_labelled(name, getattr(own, name)) for name in changed)

    def described(self) -> str:
        """Name and size in a few words."""
        return self.name

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The config that was stored; options of other learners, which version 0.1 recorded too, are left out."""
        known = {}
        for each in fields(cls):
            if each.name in data:
                if type(data[each.name]) is not type(each.default):
                    raise TypeError(f"{each.name} is {data[each.name]!r}")
                known[each.name] = data[each.name]
        return cls(**known)

    def to_json(self) -> dict[str, Any]:
        """The name and all options."""
        return {"name": self.name, **{each.name: getattr(self, each.name) for each in fields(self)}}

    def identity(self) -> dict[str, Any]:
        """The name and the options that are not as by default: one that is added later changes nothing."""
        usual = {each.name: (each.default, self.usual.get(each.name, each.default)) for each in fields(self)}
        own = {key: value for key, value in self.to_json().items() if value not in usual.get(key, ())}
        if self.unsaid:
            del own["name"]
        return own


def _labelled(name: str, value: Any) -> str:
    """How an option looks in the name of a run: a word as it is, a number with its name."""
    short = {"hidden_layers": "layers", "width": "wide"}.get(name, name)
    return value if isinstance(value, str) else f"{value}{short}"


@dataclass(frozen=True)
class LayeredConfig(LearnerConfig):
    """The options of learners that are stacks of layers."""

    hidden_layers: int = setting(
        0, "hidden layers (default: Table 1's, 3; 5 for multiply and roman; 2 fewer for one-hot)"
    )
    width: int = setting(0, WIDTH_HELP)

    usual: ClassVar[dict[str, Any]] = {"width": 256}
    fewer: ClassVar[int] = 0  # layers than Table 1's perceptron, since something else stands for them
    squares: ClassVar[int] = 1  # matrices of width x width in a layer

    def depth(self, spec: "PictureSpec") -> int:
        """How many hidden layers it has unless it is said."""
        return max(1, spec.hidden_layers - self.fewer)

    def resolved(self, spec: "PictureSpec") -> Self:
        layers, width = self.hidden_layers or self.depth(spec), self.width or self.usual["width"]
        inputs, answers = spec.inputs * math.prod(spec.shape), spec.outputs * math.prod(spec.answer_shape)
        weights = width * (inputs + answers + (layers - 1 + self.squares) * width)
        if weights > MOST_WEIGHTS:
            raise VisarithError(
                f"a {self.name} of {weights:,} weights is too large; use a smaller {option('width')}, "
                f"{option('picture', python='Typeface(height, width)')} or depth"
            )
        return replace(self, hidden_layers=layers, width=width)

    def described(self) -> str:
        return f"{self.hidden_layers} x {self.width} {self.name}"


@dataclass(frozen=True)
class ClusteredConfig(LearnerConfig):
    """What learners ask of pictures that cluster their cells first: clean cells, and how many symbols there are."""

    def check(self, spec: "PictureSpec") -> None:
        super().check(spec)
        if not spec.clean:
            raise VisarithError(f"the learner {self.name} clusters clean cells; leave noise and displacement out")
        self.symbols(spec)

    def symbols(self, spec: "PictureSpec") -> int:
        """How many there are."""
        if spec.symbols is None or spec.places is None:
            raise VisarithError(
                f"the learner {self.name} is told the cells and the number of symbols, which these pictures do not "
                f"say; use {option('learner', 'columns')} or perceptron"
            )
        return spec.symbols
