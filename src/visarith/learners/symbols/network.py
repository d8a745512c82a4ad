"""Symbols first, without a teacher: cluster the cells, calculate with the clusters, draw their centres (Sec. 5)."""

import numpy as np
import torch
from torch import Tensor

from visarith.data.view import View
from visarith.learners.clusters import Clusters
from visarith.learners.perceptron.network import Perceptron
from visarith.pictures.layout import one_hot_layout


class Symbols(Clusters):
    """The calculator is Table 1's one-hot network, whose symbols are the clusters: numbered as they were found."""

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
        super().__init__(inputs, outputs, shape, places=places, symbols=symbols)
        table = (len(places), symbols)
        self.calculator = Perceptron(inputs, outputs, table, hidden_layers=hidden_layers, width=width)

    def shown(self, data: View) -> View:
        layout = one_hot_layout("".join(chr(ord("a") + i) for i in range(self.symbols)), len(self.places))
        return self.as_view(layout, *self.recognised(data))

    def forward(self, pictures: Tensor) -> Tensor:
        seen = torch.nn.functional.one_hot(self.recognise(self.cells_of(pictures)), self.symbols).float()
        shares = self.calculator(seen)  # (batch, outputs, cells, symbols)
        return self.put(shares / shares.sum(-1, keepdim=True).clamp(min=1e-9) @ self.centres)
