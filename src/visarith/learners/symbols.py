"""Symbols first, without a teacher: cluster the cells, calculate with the clusters, draw their centres (Sec. 5)."""

import numpy as np
import torch
from torch import Tensor, nn

from visarith.errors import whole
from visarith.learners.perceptron import Perceptron

LOOKED_AT = 50_000  # cells that are clustered
ROUNDS = 20  # of Lloyd's algorithm, at most


class Symbols(nn.Module):
    """Given beforehand: where the cells stand and how many symbols there are; not which cell shows which.

    The calculator is Table 1's one-hot network, whose symbols are the clusters: numbered as they were found.
    """

    centres: Tensor
    places: Tensor

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
        super().__init__()
        self.outputs, self.shape = outputs, shape
        cells, pixels = places.shape
        self.symbols = whole("symbols", symbols, 2)
        self.register_buffer("places", torch.from_numpy(places))
        self.register_buffer("centres", torch.zeros(symbols, pixels))
        table = (cells, symbols)
        self.calculator = Perceptron(inputs, outputs, table, hidden_layers=hidden_layers, width=width)

    @torch.no_grad()
    def find_symbols(self, pictures: Tensor) -> None:
        """Cluster the cells of these pictures (count, height, width): k-means from centres far apart."""
        cells = pictures.flatten(1)[:, self.places].flatten(0, 1)
        self.centres.copy_(_cluster(cells, self.symbols))

    def recognise(self, cells: Tensor) -> Tensor:
        """Which cluster each cell (..., pixels) belongs to."""
        return torch.cdist(cells.flatten(0, -2), self.centres).argmin(-1).view(cells.shape[:-1])

    def forward(self, pictures: Tensor) -> Tensor:
        cells = pictures.flatten(2)[:, :, self.places]  # (batch, inputs, cells, pixels)
        seen = torch.nn.functional.one_hot(self.recognise(cells), self.symbols).float()
        shares = self.calculator(seen)  # (batch, outputs, cells, symbols)
        shares = shares / shares.sum(-1, keepdim=True).clamp(min=1e-9)
        drawn = pictures.new_zeros(len(pictures), self.outputs, self.shape[0] * self.shape[1])
        drawn[:, :, self.places] = shares @ self.centres
        return drawn.view(-1, self.outputs, *self.shape)


def _cluster(cells: Tensor, count: int) -> Tensor:
    """k-means (Lloyd) that starts from the cell farthest from all centres so far, again and again."""
    centres = cells[:1]
    for _ in range(count - 1):
        far = torch.cdist(cells, centres).min(1).values.argmax()
        centres = torch.cat([centres, cells[far : far + 1]])
    for _ in range(ROUNDS):
        nearest = torch.cdist(cells, centres).argmin(1)
        members = torch.nn.functional.one_hot(nearest, count).float()
        moved = members.T @ cells / members.sum(0).clamp(min=1)[:, None]
        moved = torch.where(members.sum(0)[:, None] > 0, moved, centres)
        if torch.allclose(moved, centres, atol=1e-6):
            break
        centres = moved
    return centres
