"""Symbols first, without a teacher: cluster the cells, calculate with the clusters, draw their centres (Sec. 5)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from visarith.learners.config import ClusteredConfig, LayeredConfig

if TYPE_CHECKING:
    from visarith.data.spec import PictureSpec
    from visarith.learners.symbols.network import Symbols


@dataclass(frozen=True)
class Config(ClusteredConfig, LayeredConfig):
    """The options of symbols."""

    name = "symbols"
    given = "where the cells stand and how many symbols there are; not which cell shows which."
    fewer = 2  # the clusters stand for the first and the last layer

    def network(self, spec: "PictureSpec") -> "Symbols":
        from visarith.learners.symbols.network import Symbols

        return Symbols(
            spec.inputs,
            spec.outputs,
            spec.shape,
            places=spec.cells,
            symbols=self.symbols(spec),
            hidden_layers=self.hidden_layers,
            width=self.width,
        )
