"""Count the symbols, calculate with the counts, and write that many of each symbol; for additive numerals."""

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
        "where the cells stand, how many symbols there are, that the count of each symbol determines a picture, that "
        "all pictures show the symbols in the same order, and that the last symbol fills the rest."
    )

    def check(self, spec: "PictureSpec") -> None:
        super().check(spec)
        if not spec.additive:
            raise VisarithError(
                "the learner tally is for Roman numerals, whose symbols can be counted; use columns for other notations"
            )

    def network(self, spec: "PictureSpec") -> "Tally":
        from visarith.learners.tally.network import Tally

        pictures = spec.inputs, spec.outputs, spec.shape
        symbols = self.symbols(spec)
        return Tally(*pictures, self.path, self.scan, places=spec.cells, symbols=symbols, width=self.width)
