"""A learner of one's own: any module from pictures to pictures, taken as it is."""

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
    """What is kept of a module: its class, its size and a hash of what it starts from."""

    module: str = setting("", "the class of the module")
    weights: int = setting(0, "how many it has")
    start: str = setting("", "a hash of the module and of the weights that it starts from")

    name = "own"
    given = "whatever its author has built into it."
    recipe = "module"
    by_name = False

    @classmethod
    def of(cls, module: "nn.Module") -> Self:
        """The config of a module, which it remembers."""
        digest = hashlib.sha256(repr(module).encode())
        with suppress(OSError, TypeError):  # a class that was typed into a shell has no source
            digest.update(inspect.getsource(type(module)).encode())
        try:
            for name, value in module.state_dict().items():
                digest.update(name.encode())
                digest.update(repr((tuple(value.shape), value.flatten().tolist())).encode())
            weights = sum(weight.numel() for weight in module.parameters())
        except (RuntimeError, ValueError) as error:  # such as a lazy layer, whose weights are not there yet
            reason = str(error).splitlines()[0]
            raise VisarithError(
                f"{type(module).__name__} has weights that cannot be read ({reason}); show it a picture first"
            ) from None
        config = cls(type(module).__name__, weights, digest.hexdigest()[:16])
        return config.with_module(module)

    def with_module(self, module: "nn.Module") -> Self:
        """The same config with the module itself, which is not stored."""
        from torch import nn

        if not isinstance(module, nn.Module):
            raise VisarithError(f"learner {module!r} is no module; give the one that this run was trained with")
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
        """Tables of symbols are pictures to it as well."""

    def label(self, spec: "PictureSpec") -> str:  # noqa: ARG002
        return f"{self.module}-{self.start[:6]}"

    def described(self) -> str:
        return f"{self.module} of {self.weights:,} weights"

    def __reduce__(self) -> Any:
        return type(self), (self.module, self.weights, self.start)
