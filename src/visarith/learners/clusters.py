"""Symbols without a teacher: the cells of many pictures fall into clusters (Sec. 5)."""

import numpy as np
import torch
from torch import Tensor, nn

from visarith.errors import whole

LOOKED_AT = 50_000  # cells that are clustered
ROUNDS = 20  # of Lloyd's algorithm, at most


class Clusters(nn.Module):
    """A network that tells symbols apart before it is taught anything."""

    centres: Tensor
    places: Tensor

    def __init__(self, outputs: int, shape: tuple[int, int], *, places: np.ndarray, symbols: int) -> None:
        super().__init__()
        self.outputs, self.shape = outputs, shape
        self.symbols = whole("symbols", symbols, 2)
        self.register_buffer("places", torch.from_numpy(places))
        self.register_buffer("centres", torch.zeros(symbols, places.shape[1]))

    @torch.no_grad()
    def find_symbols(self, pictures: Tensor) -> None:
        """Cluster the cells of these pictures (count, height, width): k-means from centres far apart."""
        cells = self.cells_of(pictures[:, None])[:, 0].flatten(0, 1)
        self.centres.copy_(_cluster(cells, self.symbols))

    def cells_of(self, pictures: Tensor) -> Tensor:
        """(batch, inputs, height, width) -> (batch, inputs, cells, pixels)"""
        return pictures.flatten(2)[:, :, self.places]

    def recognise(self, cells: Tensor) -> Tensor:
        """Which cluster each cell (..., pixels) belongs to."""
        return torch.cdist(cells.flatten(0, -2), self.centres).argmin(-1).view(cells.shape[:-1])

    def put(self, cells: Tensor) -> Tensor:
        """Cells as pictures, on empty ground: (batch, outputs, cells, pixels) -> (batch, outputs, height, width)."""
        drawn = cells.new_zeros(len(cells), self.outputs, self.shape[0] * self.shape[1])
        drawn[:, :, self.places] = cells
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
