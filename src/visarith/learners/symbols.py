"""Symbols first, without a teacher: cluster the cells, calculate with the clusters, draw their centres (Sec. 5)."""

import numpy as np
import torch
from torch import Tensor

from visarith.learners.clusters import Clusters
from visarith.learners.perceptron import Perceptron


class Symbols(Clusters):
    """Given beforehand: where the cells stand and how many symbols there are; not which cell shows which.

    The calculator is Table 1's one-hot network, whose symbols are the clusters: numbered as they were found.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        shape: tuple[int, int],
        *,
        places: np.ndarray,
        symbols: int,
        hidden_layers: int = 1,
        width: int = 256,
    ) -> None:
        super().__init__(outputs, shape, places=places, symbols=symbols)
        table = (len(places), symbols)
        self.calculator = Perceptron(inputs, outputs, table, hidden_layers=hidden_layers, width=width)

    def forward(self, pictures: Tensor) -> Tensor:
        seen = torch.nn.functional.one_hot(self.recognise(self.cells_of(pictures)), self.symbols).float()
        shares = self.calculator(seen)  # (batch, outputs, cells, symbols)
        return self.put(shares / shares.sum(-1, keepdim=True).clamp(min=1e-9) @ self.centres)
