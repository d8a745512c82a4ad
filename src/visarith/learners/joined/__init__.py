"""Perceive, calculate, draw: three perceptrons that were trained apart, one after the other (Sec. 5)."""

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
    given = "the symbols. Its parts were taught apart, with tables of symbols in between."
    learns = False
    made_by = "its parts are trained apart and joined by visarith reproduce"
    told = ("symbols",)
    fewer = 2  # perceiving and drawing stand for the first and the last layer

    def network(self, spec: "PictureSpec") -> "Joined":
        from visarith.learners.joined.network import Joined

        table = len(spec.cells), len(spec.ask("symbols"))
        size = {"hidden_layers": self.hidden_layers, "width": self.width}
        return Joined(spec.inputs, spec.outputs, spec.shape, table, **size)

    def joined(self, task: "Task", *parts: "Learner") -> "Joined":
        """The network for a task with the weights of three parts that were trained apart: perceive, calculate, draw."""
        network: Joined = self.build(task)  # type: ignore[assignment]
        network.join(*parts)
        return network
