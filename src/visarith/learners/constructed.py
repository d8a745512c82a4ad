"""A learner that has nothing to learn: its weights are set by hand, from the pictures of the symbols (Sec. 6)."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from visarith.errors import VisarithError
from visarith.learners.blueprint import circuit_for, precision_for
from visarith.learners.circuit import Layer
from visarith.learners.constructions import FORMS, Form
from visarith.learners.gates import DENSE, UNITS, Gate, Gates, Weights
from visarith.notation.arabic import Arabic
from visarith.pictures.page import Page
from visarith.task import Task

OPERATIONS = ("add", "subtract", "multiply", "add-three")
FLOATS = {"float32": torch.float32, "float64": torch.float64}
MOST = 2**53  # whole numbers that float64 holds


@dataclass(frozen=True)
class Size:
    """How large a network is; of weights only those are counted that are not 0."""

    gates: tuple[int, ...]  # of each hidden layer
    units: tuple[int, ...]
    parameters: int


class Constructed(nn.Module):
    """Given beforehand: everything. It shows that such weights exist (Sec. 6), not that they can be learned.

    HL1 has a gate for each symbol in each cell, whose template is the smallest that is half a step above 0 for this
    symbol and half a step below for all others. What follows is a circuit; what it says is painted with the symbols'
    own pictures. In the form `fewest` templates are not thresholded, since a sum of them is a sum of pixels, and
    neither is what is painted.
    """

    templates: Tensor
    offsets: Tensor
    glyphs: Tensor
    places: Tensor
    answer_places: Tensor
    filters: Tensor | None  # templates at every place of a picture, where there is room for that
    paint: Tensor | None  # and glyphs

    def __init__(self, task: Task, gate: Gate = "relu", form: str = "") -> None:
        super().__init__()
        _check(task, gate, form)
        self.gate, self.operands = gate, task.operation.operands
        self.shape, self.answer_shape = task.shape, task.answer_shape
        page, answer_page = task.page, task.answer_page
        self.cells, self.symbols = page.cells, len(page.alphabet)
        small: list[Form] = ["thresholds"] if task.notation.limit < MOST else []
        for self.form in [each for each in FORMS if each == form] or [*small, "carries"]:
            self.circuit = circuit_for(task, self.form)
            self.precision = precision_for(self.circuit, gate, self.reads)
            if self.precision:
                break
        else:
            raise VisarithError(
                f"{self.form} for {task.notation.digits} digits needs weights that float64 cannot hold; "
                f"use --form carries, whose weights stay small"
            )
        kind = FLOATS[self.precision]
        templates, offsets = _templates(page)
        self.kind, seeing = kind, torch.float32 if self.reads else kind  # gates put right what templates round
        self.register_buffer("templates", torch.from_numpy(templates).to(seeing))
        self.register_buffer("offsets", torch.from_numpy(offsets).to(seeing))
        self.register_buffer("glyphs", torch.from_numpy(answer_page.patterns))
        self.register_buffer("places", torch.from_numpy(page.places), persistent=False)
        self.register_buffer("answer_places", torch.from_numpy(answer_page.places), persistent=False)
        self.register_buffer("filters", _spread(self.templates, page), persistent=False)
        self.register_buffer("paint", _spread(self.glyphs, answer_page), persistent=False)
        seen = self.operands * self.cells * self.symbols
        self.read = Gates(list(range(seen)), [1] * seen, gate, kind) if self.reads else None
        self.sums, self.gates = nn.ModuleList(), nn.ModuleList()
        below = seen
        for layer in self.circuit.layers:
            self.sums.append(Weights(layer.sums, below, kind))
            which, thresholds = [number for number, _ in layer.gates], [threshold for _, threshold in layer.gates]
            self.gates.append(Gates(which, thresholds, gate, kind))
            below = len(layer.gates)
        self.draws = Weights([each for cell in self.circuit.drawn for each in cell], below, kind)

    @property
    def reads(self) -> bool:
        """Whether what templates say is thresholded (HL1)."""
        return self.form != "fewest"

    @property
    def largest_weight(self) -> int:
        """Of all weights between gates."""
        sums = [each for layer in self.circuit.layers for each in layer.sums]
        return max((abs(weight) for each in sums for weight in each.terms.values()), default=0)

    @torch.no_grad()
    def forward(self, pictures: Tensor) -> Tensor:
        *_, signals = self.signals(pictures)
        shares: Tensor = self.draws(signals).float()
        pixels = self.answer_shape[0] * self.answer_shape[1]
        if self.paint is not None:
            answer = shares @ self.paint
        else:
            answer = shares.new_zeros(len(pictures), pixels)
            cells = shares.view(len(pictures), self.cells, self.symbols) @ self.glyphs
            answer[:, self.answer_places.flatten()] = cells.flatten(1)
        return answer.view(len(pictures), 1, *self.answer_shape).clamp_(0, 1)

    def signals(self, pictures: Tensor) -> list[Tensor]:
        """What each hidden layer says, from HL1 on (without gates there in the form `fewest`)."""
        pixels = pictures.flatten(2).to(self.templates.dtype)
        if self.filters is not None:
            said = (pixels @ self.filters.T).view(len(pictures), -1, self.symbols)
        else:
            said = (pixels[:, :, self.places] @ self.templates.T).flatten(1, 2)
        said = (said + self.offsets).flatten(1).to(self.kind)  # of operands, cells and symbols
        signals = [said if self.read is None else self.read(said)]
        for sums, gates in zip(self.sums, self.gates, strict=True):
            signals.append(gates(sums(signals[-1])))
        return signals

    @property
    def size(self) -> Size:
        """Gates and units of each hidden layer, and the weights between them that are not 0, with one bias a unit."""
        units, cell = UNITS[self.gate], self.glyphs.shape[1]
        gates = [len(layer.gates) for layer in self.circuit.layers]
        below = self.operands * self.cells * self.symbols
        weights = 0
        if self.reads:
            gates.insert(0, below)
            weights += below * units * (cell + 1)
        for number, layer in enumerate(self.circuit.layers):
            weights += sum(self._inputs(layer, which, number) + 1 for which, _ in layer.gates) * units
        painted = {
            (number, cell)
            for cell, symbols in enumerate(self.circuit.drawn)
            for each in symbols
            for number in each.terms
        }
        weights += len(painted) * units * cell + self.cells * cell
        return Size(tuple(gates), tuple(units * count for count in gates), weights)

    def _inputs(self, layer: Layer, which: int, number: int) -> int:
        """How many weights a gate has: on units of the layer below, or on pixels where that is the picture."""
        terms = layer.sums[which].terms
        if number == 0 and not self.reads:
            return len({signal // self.symbols for signal in terms}) * self.glyphs.shape[1]
        return len(terms) * (UNITS[self.gate] if number or self.reads else 1)


def _check(task: Task, gate: str, form: str) -> None:
    if task.operation.name not in OPERATIONS:
        raise VisarithError(f"there is no construction to {task.operation.name}; use one of {', '.join(OPERATIONS)}")
    if task.medium != "pictures" or task.answer_medium != "pictures":
        raise VisarithError("constructions look at pictures; leave --medium out")
    if gate not in UNITS:
        raise VisarithError(f"gates {gate!r} are unknown; use {' or '.join(UNITS)}")
    if form and form not in FORMS:
        raise VisarithError(f"form {form!r} is unknown; use one of {', '.join(FORMS)}")
    if isinstance(task.notation, Arabic) and not task.notation.padded:
        raise VisarithError("constructions write leading zeros; leave --unpadded out")
    if task.notation.name == "roman" and task.operation.name not in ("add", "add-three"):
        raise VisarithError(f"there is no construction to {task.operation.name} Roman numerals; use add or Arabic ones")


def _templates(page: Page) -> tuple[np.ndarray, np.ndarray]:
    """For each symbol the smallest weights that give 1 for it and 0 for all others, offsets included."""
    patterns = page.patterns.astype(np.float64)
    mean = patterns.mean(0)
    weights = np.ascontiguousarray(
        np.linalg.pinv(patterns - mean).T
    )  # (symbols, pixels); rows sum to 0, as the centred symbols do
    offsets = 1 / len(patterns) - weights @ mean
    if np.abs(patterns @ weights.T + offsets - np.eye(len(patterns))).max() > 1e-6:
        raise VisarithError(
            f"the symbols {page.alphabet!r} cannot be told apart by sums of pixels; use another --font or --picture"
        )
    return weights, offsets


def _spread(patterns: Tensor, page: Page) -> Tensor | None:
    """Patterns (symbols, cell pixels) in every cell of the picture: (cells x symbols, pixels), unless that is large."""
    if page.cells * len(patterns) * page.pixels > DENSE:
        return None
    spread = patterns.new_zeros(page.cells, len(patterns), page.pixels)
    for cell, places in enumerate(torch.from_numpy(page.places)):
        spread[cell][:, places] = patterns
    return spread.flatten(0, 1)
