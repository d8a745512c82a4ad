"""Symbols without a teacher: the cells of many pictures fall into clusters (Sec. 5)."""

from abc import abstractmethod
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from visarith.data.spec import PictureSpec
from visarith.data.view import View, intensities
from visarith.errors import VisarithError, whole
from visarith.learners.learner import Learner, Network
from visarith.pictures.codebook import Coded
from visarith.pictures.layout import Layout
from visarith.training.recipe import Recipe

LOOKED_AT = 50_000  # cells that are clustered
ROUNDS = 20  # of Lloyd's algorithm, at most


class Clusters(Learner):
    """A learner that tells symbols apart before it is taught anything; a network learns to calculate with them."""

    centres: Tensor
    places: Tensor
    calculator: Network

    def __init__(self, inputs: int, outputs: int, shape: tuple[int, int], *, places: np.ndarray, symbols: int) -> None:
        super().__init__(outputs, shape, shape)
        self.inputs, self.symbols = inputs, whole("symbols", symbols, 2)
        self.register_buffer("places", torch.from_numpy(places))
        self.register_buffer("centres", torch.zeros(symbols, places.shape[1], device="cpu"))
        self._shown: tuple[View, View] | None = None  # pictures, and what the calculator is shown of them

    def prepare(
        self, data: View, recipe: Recipe, *, seed: int, device: torch.device | str = "cpu", tell: Callable[[str], None]
    ) -> None:
        """Find the symbols, then whatever the calculator looks for."""
        pictures = self.inputs + self.outputs
        few = data.raw(slice(0, max(1, LOOKED_AT // (pictures * len(self.places)))))
        both = np.concatenate(few, axis=1)  # some symbols are seen in answers only
        self.find_symbols(intensities(both).flatten(0, 1))
        network, shown = self.inner(data)
        network.prepare(shown, recipe, seed=seed, device=device, tell=tell)

    def found(self) -> dict[str, Tensor]:
        inner = {f"calculator.{name}": value for name, value in self.calculator.found().items()}
        return {"centres": self.centres, **inner}

    def recall(self, found: dict[str, Tensor]) -> None:
        self.centres.copy_(found["centres"])
        inner = {name.removeprefix("calculator."): value for name, value in found.items() if name != "centres"}
        self.calculator.recall(inner)

    @torch.no_grad()
    def find_symbols(self, pictures: Tensor) -> None:
        """Cluster the cells of these pictures (count, height, width): k-means from centres far apart."""
        cells = self.cells_of(pictures[:, None])[:, 0].flatten(0, 1)
        self.centres.copy_(_cluster(cells, self.symbols))

    def inner(self, data: View) -> tuple[Network, View]:
        if self._shown is None or self._shown[0] is not data:
            self._shown = data, self.shown(data)
        return self.calculator, self._shown[1]

    @abstractmethod
    def shown(self, data: View) -> View:
        """What the calculator is shown of pictures."""

    def recognised(self, data: View) -> tuple[np.ndarray, np.ndarray]:
        """Which symbol stands in each cell of inputs and answers; each distinct cell is recognised once."""
        book = data.codebook
        if book is None:
            raise VisarithError("cells that do not repeat exactly are not clustered; use clean pictures")
        parts = []
        for coded in (book.inputs, book.answers):
            patterns = torch.from_numpy(coded.layout.patterns).to(self.device)
            parts.append(self.recognise(patterns).cpu().numpy().astype(np.uint8)[coded.codes])
        return parts[0], parts[1]

    def as_view(self, layout: Layout, inputs: np.ndarray, answers: np.ndarray) -> View:
        """Pictures for the calculator, typeset on a layout of its own."""
        shape = layout.height, layout.width
        spec = PictureSpec(self.inputs, self.outputs, shape, shape, places=layout.places)
        return View.of_codes(spec, Coded(layout, inputs), Coded(layout, answers))

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
