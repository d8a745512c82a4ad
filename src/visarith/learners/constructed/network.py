"""A network whose weights are set by hand, from the pictures of the symbols (Sec. 6); nothing is learned."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from visarith.data.task import Task
from visarith.errors import VisarithError, option
from visarith.learners.constructed import FORMS
from visarith.learners.constructed.circuit import DENSE, UNITS, Gate, Gates, Layer, Sum, Weights
from visarith.learners.constructed.constructions import Form, circuit_for, precision_for
from visarith.learners.export import tensor
from visarith.learners.learner import Learner
from visarith.pictures.layout import Layout

FLOATS = {"float32": torch.float32, "float64": torch.float64}
MOST = 2**53  # up to which float64 holds every whole number


@dataclass(frozen=True)
class Size:
    """How large a network is; weights that are 0 are not counted."""

    gates: tuple[int, ...]  # of each hidden layer
    units: tuple[int, ...]
    parameters: int


class Constructed(Learner):
    """A network whose weights are set by hand.

    HL1 has a gate for each symbol in each cell. Its template is the smallest that gives 1 for this symbol and 0 for all
    others. A circuit follows, and its answer is painted with the pictures of the symbols. The form `fewest` thresholds
    neither the templates, since a sum of them is a sum of pixels, nor the answer.
    """

    templates: Tensor
    offsets: Tensor
    glyphs: Tensor
    places: Tensor
    answer_places: Tensor
    thinks = "gates"
    filters: Tensor | None  # templates in every cell of a picture, if that is not too large
    paint: Tensor | None  # glyphs in every cell, likewise

    def __init__(self, task: Task, gate: Gate = "relu", form: str = "") -> None:
        super().__init__(task.operation.answers, task.shape, task.answer_shape)
        self.gate, self.operands = gate, task.operation.operands
        layout, answer_layout = task.layout, task.answer_layout
        self.cells, self.symbols = layout.cells, len(layout.alphabet)
        small: list[Form] = ["thresholds"] if task.notation.limit < MOST else []
        for self.form in [each for each in FORMS if each == form] or [*small, "carries"]:
            self.circuit = circuit_for(task, self.form)  # type: ignore[arg-type]
            self.precision = precision_for(self.circuit, gate, self.reads)
            if self.precision:
                break
        else:
            raise VisarithError(
                f"{self.form} for {task.notation.digits} digits needs weights that float64 cannot hold; "
                f"use {option('form', 'carries')}, whose weights stay small"
            )
        kind = FLOATS[self.precision]
        self.kind, seeing = kind, torch.float32 if self.reads else kind  # gates remove the rounding errors of templates
        for name, values in zip(("templates", "offsets"), _templates(layout), strict=True):
            self.register_buffer(name, torch.from_numpy(values).to(seeing))
        self.register_buffer("glyphs", torch.from_numpy(answer_layout.patterns))
        self.register_buffer("places", torch.from_numpy(layout.places), persistent=False)
        self.register_buffer("answer_places", torch.from_numpy(answer_layout.places), persistent=False)
        self.register_buffer("filters", _spread(self.templates, layout), persistent=False)
        self.register_buffer("paint", _spread(self.glyphs, answer_layout), persistent=False)
        seen = self.operands * self.cells * self.symbols
        self.read = Gates([(number, 1) for number in range(seen)], gate, kind) if self.reads else None
        self.sums, self.gates = nn.ModuleList(), nn.ModuleList()
        below = seen
        for layer in self.circuit.layers:
            self.sums.append(Weights(layer.sums, below, kind))
            self.gates.append(Gates(layer.gates, gate, kind))
            below = len(layer.gates)
        self.draws = Weights([each for cell in self.circuit.drawn for each in cell], below, kind)

    @property
    def reads(self) -> bool:
        """Whether the templates' values are thresholded (HL1)."""
        return self.form != "fewest"

    @property
    def largest_weight(self) -> int:
        """The largest absolute weight between gates."""
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
        """The values of each hidden layer from HL1 on, which has no gates in the form `fewest`."""
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
        """Gates and units of each hidden layer, and the number of weights and biases that are not 0."""
        units = UNITS[self.gate]
        gates = [len(layer.gates) for layer in self.circuit.layers]
        weights = 0
        if self.reads:
            gates.insert(0, self.operands * self.cells * self.symbols)
            weights += self.operands * self.cells * units * (int(self.templates.count_nonzero()) + self.symbols)
        for number, layer in enumerate(self.circuit.layers):
            weights += sum(self._inputs(layer, which, number) + 1 for which, _ in layer.gates) * units
        weights += sum(self._painted(symbols, units) for symbols in self.circuit.drawn)
        return Size(tuple(gates), tuple(units * count for count in gates), weights)

    @property
    def weight_count(self) -> int:
        return self.size.parameters

    def _inputs(self, layer: Layer, which: int, number: int) -> int:
        """How many weights a gate has, on the units or the pixels of the layer below."""
        terms = layer.sums[which].terms
        if number or self.reads:
            return len(terms) * UNITS[self.gate]
        cells: dict[int, Tensor] = {}  # the weights of a cell's pixels, summed over its symbols
        for signal, weight in terms.items():
            cell, symbol = divmod(signal, self.symbols)
            cells[cell] = cells.get(cell, 0) + weight * self.templates[symbol]
        return sum(_not_zero(pixels) for pixels in cells.values())

    def _painted(self, symbols: list[Sum], units: int) -> int:
        """How many weights and biases draw one cell."""
        bias = sum(each.constant * glyph for each, glyph in zip(symbols, self.glyphs, strict=True))
        pixels: dict[int, Tensor] = {}
        for each, glyph in zip(symbols, self.glyphs, strict=True):
            for signal, weight in each.terms.items():
                pixels[signal] = pixels.get(signal, 0) + weight * glyph
        return sum(_not_zero(each) for each in pixels.values()) * units + _not_zero(torch.as_tensor(bias))

    def described(self) -> str:
        layers = " + ".join(f"{count:,}" for count in self.size.gates)
        return f"nothing is learned: {layers} gates, their weights set by hand"

    def export(self) -> dict[str, Any]:
        return {
            "kind": "constructed",
            "steepness": self.gates[0].steepness if self.gate == "sigmoid" else None,  # None: gates are two ReLUs
            "reads": self.reads,
            "templates": tensor(self.templates),
            "offsets": tensor(self.offsets),
            "glyphs": tensor(self.glyphs),
            "layers": [
                {"sums": _weights(sums), "which": tensor(gates.which), "thresholds": tensor(gates.thresholds)}
                for sums, gates in zip(self.sums, self.gates, strict=True)
            ],
            "draws": _weights(self.draws),
        }


def _weights(sums: nn.Module) -> dict[str, Any]:
    return {name: tensor(each) for name, each in sums.named_buffers()}


def _not_zero(weights: Tensor) -> int:
    """How many weights are not 0, up to rounding."""
    return int((weights.abs() > 1e-9).sum())


def _templates(layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """For each symbol the smallest weights, and an offset, that give 1 for it and 0 for all others."""
    patterns = layout.patterns.astype(np.float64)
    mean = patterns.mean(0)
    weights = np.ascontiguousarray(np.linalg.pinv(patterns - mean).T)  # (symbols, pixels)
    weights[:, (patterns == patterns[:1]).all(0)] = 0  # pixels that are the same in all symbols, exactly 0
    offsets = 1 / len(patterns) - weights @ mean
    if np.abs(patterns @ weights.T + offsets - np.eye(len(patterns))).max() > 1e-6:
        raise VisarithError(
            f"the symbols {layout.alphabet!r} cannot be told apart by sums of pixels; use another {option('font')} or "
            f"{option('picture', python='Typeface(height, width)')}"
        )
    return weights, offsets


def _spread(patterns: Tensor, layout: Layout) -> Tensor | None:
    """Patterns (symbols, cell pixels) in every cell: (cells x symbols, pixels), or None if that is too large."""
    if layout.cells * len(patterns) * layout.pixels > DENSE:
        return None
    spread = patterns.new_zeros(layout.cells, len(patterns), layout.pixels)
    for cell, places in enumerate(torch.from_numpy(layout.places)):
        spread[cell][:, places] = patterns
    return spread.flatten(0, 1)
