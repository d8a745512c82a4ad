"""A user's own learner: any `nn.Module` from pictures to pictures."""

import copy
import hashlib
import inspect
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from visarith.errors import VisarithError
from visarith.learners.config import LearnerConfig, setting

if TYPE_CHECKING:
    from torch import nn

    from visarith.data.spec import PictureSpec
    from visarith.learners.own_network import OwnNetwork


@dataclass(frozen=True)
class Config(LearnerConfig):
    """What a run stores of a module: its class, its size and a hash of its code and starting weights."""

    module: str = setting("", "class of the module (set by va.learn)")
    weights: int = setting(0, "number of weights (set by va.learn)")
    start: str = setting("", "hash of the code and the starting weights (set by va.learn)")

    name = "own"
    given = "whatever its author has built into it."
    recipe = "module"
    by_name = False

    @classmethod
    def of(cls, module: "nn.Module") -> Self:
        """The config of a module; it keeps a reference to the module."""
        digest = hashlib.sha256(repr(module).encode())
        with suppress(OSError, TypeError):  # a class that was defined in a shell has no source
            digest.update(inspect.getsource(type(module)).encode())
        try:
            for name, value in module.state_dict().items():
                digest.update(name.encode())
                digest.update(repr((tuple(value.shape), value.flatten().tolist())).encode())
            weights = sum(weight.numel() for weight in module.parameters())
        except (RuntimeError, ValueError) as error:  # such as a lazy layer before its first forward pass
            reason = str(error).splitlines()[0]
            raise VisarithError(
                f"{type(module).__name__} has weights that cannot be read ({reason}); call it on a picture first"
            ) from None
        config = cls(type(module).__name__, weights, digest.hexdigest()[:16])
        return config.with_module(module)

    def with_module(self, module: "nn.Module") -> Self:
        """The same config with the module itself, which is not stored."""
        from torch import nn

        if not isinstance(module, nn.Module):
            raise VisarithError(f"learner {module!r} is no nn.Module; use the module that this run was trained with")
        config = copy.copy(self)
        object.__setattr__(config, "_module", module)
        return config

    def module_of_ones_own(self) -> "nn.Module | None":
        return getattr(self, "_module", None)

    def network(self, spec: "PictureSpec") -> "OwnNetwork":
        from visarith.learners.own_network import OwnNetwork

        module = self.module_of_ones_own()
        if module is None:
            raise VisarithError(f"the module {self.module} is not stored with a run; use va.load(path, learner=...)")
        return OwnNetwork(copy.deepcopy(module).cpu(), spec)

    def check(self, spec: "PictureSpec") -> None:
        """Every picture set is accepted, one-hot ones too."""

    def label(self, spec: "PictureSpec") -> str:  # noqa: ARG002
        return f"{self.module}-{self.start[:6]}"

    def described(self) -> str:
        return f"{self.module} of {self.weights:,} weights"

    def __reduce__(self) -> Any:
        return type(self), (self.module, self.weights, self.start)
