"""A network whose weights are set by hand, from the pictures of the symbols (Sec. 6); nothing is learned."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from visarith.errors import VisarithError, option
from visarith.learners.config import LearnerConfig, setting

if TYPE_CHECKING:
    from visarith.data.spec import PictureSpec
    from visarith.data.task import Task
    from visarith.learners.constructed.network import Constructed

FORMS = ("thresholds", "fewest", "carries")


@dataclass(frozen=True)
class Config(LearnerConfig):
    """The options of the constructed network."""

    activation: str = setting(
        "relu", "what a gate is made of: two ReLUs or a steep sigmoid (default relu)", ("relu", "sigmoid")
    )
    form: str = setting(
        "",
        "the paper's circuit, fewest gates or small weights (default thresholds; carries for long numbers)",
        FORMS,
    )

    name = "constructed"
    given = "everything. It shows that such weights exist (Sec. 6), not that they can be learned."
    learns = False
    made_by = "its weights are set by hand by visarith construct"
    told = ("task",)

    def check(self, spec: "PictureSpec") -> None:
        task: Task = spec.ask("task")
        name, notation = task.operation.name, task.notation
        if not task.operation.construction:
            raise VisarithError(f"there is no construction for {name}; use one of {', '.join(constructible())}")
        if spec.one_hot:
            raise VisarithError(f"constructions are for pictures, not for one-hot inputs; leave {option('medium')} out")
        if notation.additive and task.operation.construction != "sum":
            raise VisarithError(f"there is no construction for {name} of Roman numerals; use add or Arabic numerals")
        if not notation.additive and notation.place_base is None:
            unpadded = option("padded", False, flag="unpadded")
            raise VisarithError(f"constructions are for numbers with leading zeros; leave {unpadded} out")

    def network(self, spec: "PictureSpec") -> "Constructed":
        from visarith.learners.constructed.network import Constructed

        return Constructed(spec.ask("task"), self.activation, self.form)  # type: ignore[arg-type]


def constructible() -> list[str]:
    """The operations for which there is a construction."""
    from visarith.operations import OPERATIONS

    return [name for name, operation in OPERATIONS.items() if operation.construction]
