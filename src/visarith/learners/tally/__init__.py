"""Count the symbols, calculate with the counts, and write as many of each, where that is all there is to a number."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from visarith.errors import VisarithError
from visarith.learners.columns import WalkConfig
from visarith.learners.config import ClusteredConfig

if TYPE_CHECKING:
    from visarith.data.spec import PictureSpec
    from visarith.learners.tally.network import Tally


@dataclass(frozen=True)
class Config(ClusteredConfig, WalkConfig):
    """The options of the tally."""

    name = "tally"
    rank = 1
    given = (
        "where the cells stand, how many symbols there are, and that a picture is said by how often each symbol "
        "stands in it, in an order that all pictures keep, the last one filling what is left."
    )

    def check(self, spec: "PictureSpec") -> None:
        super().check(spec)
        if not spec.additive:
            raise VisarithError("the learner tally counts symbols, as Roman numerals allow; use columns for others")

    def network(self, spec: "PictureSpec") -> "Tally":
        from visarith.learners.tally.network import Tally

        pictures = spec.inputs, spec.outputs, spec.shape
        symbols = self.symbols(spec)
        return Tally(*pictures, self.path, self.scan, places=spec.cells, symbols=symbols, width=self.width)
