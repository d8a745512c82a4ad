"""Cluster the cells without labels, calculate with the clusters, and draw their centres (Sec. 5)."""

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
    given = "where the cells stand and how many symbols there are; not which symbol a cell shows."
    fewer = 2  # the clusters replace the first and the last layer

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
