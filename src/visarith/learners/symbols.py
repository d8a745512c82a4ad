"""Perceive, calculate, draw (Sec. 5): cells are clustered without labels, or three parts are trained separately."""

from abc import abstractmethod
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from visarith.data.spec import PictureSpec
from visarith.data.view import View, intensities
from visarith.errors import VisarithError, whole
from visarith.learners.learner import Learner, Network
from visarith.learners.perception import Perceived, perceive
from visarith.learners.perceptron import Perceptron
from visarith.learners.vectors import far_apart
from visarith.pictures.codebook import Coded
from visarith.pictures.layout import Layout, one_hot_layout
from visarith.randomness import untouched
from visarith.training.recipe import Recipe

LOOKED_AT = 50_000  # cells that are clustered


class Clusters(Learner):
    """Finds the symbols by k-means before training; a network, the calculator, learns to calculate with them."""

    centres: Tensor
    places: Tensor
    calculator: Network

    def __init__(self, spec: PictureSpec, symbols: int) -> None:
        super().__init__(spec.outputs, spec.shape, spec.shape)
        self.inputs, self.symbols = spec.inputs, whole("symbols", symbols, 2)
        self.additive = spec.additive  # no symbols at all are 0
        self.register_buffer("places", torch.from_numpy(spec.cells))
        self.register_buffer("centres", torch.zeros(symbols, spec.cells.shape[1], device="cpu"))
        self._shown: tuple[View, View] | None = None  # pictures, and the calculator's pictures made from them

    def prepare(
        self, data: View, recipe: Recipe, *, seed: int, device: torch.device | str = "cpu", tell: Callable[[str], None]
    ) -> None:
        """Find the symbols, then prepare the calculator."""
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
        """Cluster the cells of these pictures (count, height, width)."""
        cells = self.cells_of(pictures[:, None])[:, 0].flatten(0, 1)
        self.centres.copy_(k_means(cells, self.symbols))

    def inner(self, data: View) -> tuple[Network, View]:
        if self._shown is None or self._shown[0] is not data:
            self._shown = data, self.shown(data)
        return self.calculator, self._shown[1]

    @abstractmethod
    def shown(self, data: View) -> View:
        """The pictures that the calculator is trained on, made from these."""

    def recognised(self, data: View) -> tuple[np.ndarray, np.ndarray]:
        """The cluster of each cell of inputs and answers; each distinct cell is classified once."""
        book = data.codebook
        if book is None:
            raise VisarithError(
                "the cells of these pictures do not repeat exactly, so they cannot be clustered; use clean pictures"
            )
        parts = []
        for coded in (book.inputs, book.answers):
            patterns = torch.from_numpy(coded.layout.patterns).to(self.device)
            parts.append(self.recognise(patterns).cpu().numpy().astype(np.uint8)[coded.codes])
        return parts[0], parts[1]

    def as_view(self, layout: Layout, inputs: np.ndarray, answers: np.ndarray) -> View:
        """Pictures for the calculator, on a layout of its own."""
        shape = layout.height, layout.width
        spec = PictureSpec(self.inputs, self.outputs, shape, shape, places=layout.places)
        return View.of_codes(spec, Coded(layout, inputs), Coded(layout, answers))

    def perceived(self, pictures: Tensor) -> Perceived:
        """The cluster of each cell of these pictures."""
        return perceive(pictures, self.places, self.centres, empty=self.additive)

    def cells_of(self, pictures: Tensor) -> Tensor:
        """(batch, inputs, height, width) -> (batch, inputs, cells, pixels)"""
        return pictures.flatten(2)[:, :, self.places]

    def recognise(self, cells: Tensor) -> Tensor:
        """The cluster of each cell (..., pixels): that of the nearest centre."""
        return torch.cdist(cells.flatten(0, -2), self.centres).argmin(-1).view(cells.shape[:-1])

    def put(self, cells: Tensor) -> Tensor:
        """Put cells into empty pictures: (batch, outputs, cells, pixels) -> (batch, outputs, height, width)."""
        drawn = cells.new_zeros(len(cells), self.outputs, self.shape[0] * self.shape[1])
        drawn[:, :, self.places] = cells
        return drawn.view(-1, self.outputs, *self.shape)


class Symbols(Clusters):
    """The calculator is the one-hot perceptron of Table 1; its symbols are the clusters, in the order found."""

    def __init__(self, spec: PictureSpec, symbols: int, *, hidden_layers: int, width: int) -> None:
        super().__init__(spec, symbols)
        table = len(self.places), symbols
        self.calculator = Perceptron(spec.inputs, spec.outputs, table, hidden_layers=hidden_layers, width=width)

    def shown(self, data: View) -> View:
        layout = one_hot_layout("".join(chr(ord("a") + i) for i in range(self.symbols)), len(self.places))
        return self.as_view(layout, *self.recognised(data))

    def forward(self, pictures: Tensor) -> Tensor:
        seen = torch.nn.functional.one_hot(self.perceived(pictures).which, self.symbols).float()
        shares = self.calculator(seen)  # (batch, outputs, cells, symbols)
        return self.put(shares / shares.sum(-1, keepdim=True).clamp(min=1e-9) @ self.centres)


class Joined(Learner):
    """Three perceptrons in a row that were trained separately, on symbols; the joined network is not trained."""

    def __init__(self, spec: PictureSpec, *, hidden_layers: int, width: int) -> None:
        super().__init__(spec.outputs, spec.shape, spec.shape)
        table = len(spec.cells), len(spec.ask("symbols"))
        self.perceive = Perceptron(1, 1, spec.shape, table, hidden_layers=1, width=width)
        self.calculate = Perceptron(spec.inputs, spec.outputs, table, hidden_layers=hidden_layers, width=width)
        self.draw = Perceptron(1, 1, table, spec.shape, hidden_layers=1, width=width)

    def forward(self, pictures: Tensor) -> Tensor:
        """(batch, inputs, height, width) -> (batch, outputs, height, width) in [0, 1]."""
        count, inputs = pictures.shape[:2]
        seen: Tensor = self.perceive(pictures.flatten(0, 1)[:, None]).view(count, inputs, *self.perceive.answer_shape)
        found = self.calculate(seen)  # (batch, outputs, cells, symbols)
        drawn: Tensor = self.draw(found.flatten(0, 1)[:, None])
        return drawn.view(count, self.outputs, *self.answer_shape)


def k_means(cells: Tensor, count: int) -> Tensor:
    """The centres (count, pixels) of clusters of these cells; if there are fewer distinct cells, the first is repeated.

    Clean cells repeat exactly, so the distinct ones are clustered, weighted by how often they occur. Each start centre
    is the cell that is farthest from those before it: this finds rare symbols, which k-means++ can miss.
    """
    with untouched():
        from sklearn.cluster import KMeans  # slow to import
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    distinct, index, counts = torch.unique(cells.cpu(), dim=0, return_inverse=True, return_counts=True)
    rows = torch.arange(len(cells), device="cpu")
    first = torch.empty_like(counts).scatter_reduce_(0, index, rows, "amin", include_self=False)
    order = first.argsort()  # that of occurrence: it decides between equal distances
    distinct, counts = distinct[order], counts[order]
    start = far_apart(distinct, min(count, len(distinct)))
    found = KMeans(len(start), init=distinct[start].numpy(), n_init=1, random_state=0)
    with threadpool_limits(1):  # the same bits for any number of threads
        found.fit(distinct.numpy(), sample_weight=counts.numpy())
    centres = torch.from_numpy(found.cluster_centers_).clamp(0, 1)  # KMeans subtracts the mean, and rounds
    return torch.cat([centres, centres[:1].expand(count - len(centres), -1)])
