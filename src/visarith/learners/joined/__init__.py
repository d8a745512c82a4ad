"""Perceive, calculate, draw: three perceptrons in a row, each trained separately (Sec. 5)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from visarith.learners.config import ClusteredConfig, LayeredConfig

if TYPE_CHECKING:
    from visarith.data.spec import PictureSpec
    from visarith.data.task import Task
    from visarith.learners.joined.network import Joined
    from visarith.learners.learner import Learner


@dataclass(frozen=True)
class Config(ClusteredConfig, LayeredConfig):
    """The options of joined."""

    name = "joined"
    given = "the symbols. Its three parts are trained separately, on one-hot tables of symbols."
    learns = False
    made_by = "visarith reproduce trains its parts separately and joins them"
    told = ("symbols",)
    fewer = 2  # perceiving and drawing replace the first and the last layer

    def network(self, spec: "PictureSpec") -> "Joined":
        from visarith.learners.joined.network import Joined

        table = len(spec.cells), len(spec.ask("symbols"))
        size = {"hidden_layers": self.hidden_layers, "width": self.width}
        return Joined(spec.inputs, spec.outputs, spec.shape, table, **size)

    def joined(self, task: "Task", *parts: "Learner") -> "Joined":
        """The network for a task from three parts that were trained separately: perceive, calculate, draw."""
        network: Joined = self.build(task)  # type: ignore[assignment]
        network.join(*parts)
        return network
