"""Count the symbols, calculate with the counts, and write as many of each, where that is all there is to a number."""

import numpy as np
import torch
from torch import Tensor

from visarith.learners.clusters import Clusters
from visarith.learners.columns import Columns

MOST = 9  # strokes a tally has room for


class Tally(Clusters):
    """Given beforehand: where the cells stand, how many symbols there are, and that a picture is said by how often each
    symbol stands in it, in an order that all pictures keep, the last one filling what is left.

    Which symbols there are and their order is found by looking; what they are worth, and which way counts are carried,
    is learned by a column learner whose cells are tallies: which symbol, and so many strokes.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        shape: tuple[int, int],
        path: str = "",
        scan: str = "",
        *,
        places: np.ndarray,
        symbols: int,
        width: int = 64,
    ) -> None:
        super().__init__(outputs, shape, places=places, symbols=symbols)
        table = (symbols - 1, symbols - 1 + MOST)
        layout = np.arange(table[0] * table[1]).reshape(table)
        self.calculator = Columns(inputs, outputs, table, places=layout, path=path, scan=scan, width=width)

    @torch.no_grad()
    def find_symbols(self, pictures: Tensor) -> None:
        """Cluster the cells, then put the clusters in the order in which pictures show them."""
        super().find_symbols(pictures)
        seen = self.recognise(self.cells_of(pictures[:, None])[:, 0])
        cells = seen.shape[1]
        shown = seen[:, :, None] == torch.arange(self.symbols)  # (pictures, cells, symbols)
        first = torch.where(shown.any(1), shown.int().argmax(1), cells)
        both = shown.any(1)[:, :, None] & shown.any(1)[:, None]
        before = ((first[:, :, None] < first[:, None]) & both).sum(0)
        after_how_many = (before < before.T).sum(1)
        self.centres.copy_(self.centres[after_how_many.argsort(stable=True)])

    def strokes(self, symbols: Tensor, counts: Tensor) -> Tensor:
        """Tallies: (...) symbols and counts -> (..., symbols - 1 + MOST), which symbol and so many strokes."""
        which = torch.nn.functional.one_hot(symbols, self.symbols - 1)
        return torch.cat([which, torch.arange(MOST) < counts[..., None]], -1).float()

    def counted(self, seen: Tensor) -> Tensor:
        """How often each symbol but the last stands among cells: (..., cells) -> (..., symbols - 1)."""
        return torch.stack([(seen == symbol).sum(-1) for symbol in range(self.symbols - 1)], -1)

    def forward(self, pictures: Tensor) -> Tensor:
        counts = self.counted(self.recognise(self.cells_of(pictures)))
        tallies = self.strokes(torch.arange(self.symbols - 1).expand_as(counts), counts)
        answers = self.calculator(tallies)[..., self.symbols - 1 :].round().sum(-1)  # (batch, outputs, symbols - 1)
        ends = answers.cumsum(-1)
        written = (torch.arange(len(self.places))[:, None] >= ends[..., None, :]).sum(-1)  # the last where none is left
        return self.put(self.centres[written])
