"""A learner that has nothing to learn: its weights are set by hand, from the pictures of the symbols (Sec. 6)."""

from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import torch
from torch import Tensor, nn

from visarith.errors import VisarithError
from visarith.learners.circuit import Circuit, Layer, Sum, signal, total
from visarith.learners.constructions import FORMS, Form, by_carries, by_thresholds, products, written_roman
from visarith.notation.arabic import Arabic
from visarith.pictures.page import Page
from visarith.task import Task

Gate = Literal["relu", "sigmoid"]
OPERATIONS = ("add", "subtract", "multiply", "add-three")
SURE = 1 / 8  # how far a sum may be off; gates are sure from 1/4 on
DENSE = 4_000_000  # weights up to which a matrix is multiplied whole
UNITS = {"relu": 2, "sigmoid": 1}  # a gate
FLOATS = {"float32": torch.float32, "float64": torch.float64}
MOST = 2**53  # whole numbers that float64 holds


class Weights(nn.Module):
    """Sums of the signals below: the weights that are not 0, and constants. Rows are as many as there are sums."""

    rows: Tensor
    columns: Tensor
    values: Tensor
    constants: Tensor

    def __init__(self, sums: list[Sum], below: int, kind: torch.dtype) -> None:
        super().__init__()
        self.shape = len(sums), below
        entries = [(row, column, weight) for row, each in enumerate(sums) for column, weight in each.terms.items()]
        rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
        self.register_buffer("rows", torch.tensor(rows, dtype=torch.int32))
        self.register_buffer("columns", torch.tensor(columns, dtype=torch.int32))
        self.register_buffer("values", torch.tensor(values, dtype=kind))
        self.register_buffer("constants", torch.tensor([each.constant for each in sums], dtype=kind))

    def forward(self, signals: Tensor) -> Tensor:
        """(batch, below) -> (batch, sums)."""
        where = self.rows.long(), self.columns.long()
        if self.shape[0] * self.shape[1] <= DENSE:
            matrix = self.values.new_zeros(self.shape).index_put_(where, self.values)
            return signals @ matrix.T + self.constants
        sparse = torch.sparse_coo_tensor(torch.stack(where), self.values, self.shape, check_invariants=False)
        return cast(Tensor, torch.sparse.mm(sparse, signals.T)).T + self.constants


class Gates(nn.Module):
    """1 where a sum of whole numbers reaches a threshold, 0 where it does not: sums are half a step away from either.

    As two ReLUs (Sec. 6) it is 1 or 0 up to rounding; as a sigmoid, steep enough that floats round it, exactly.
    """

    which: Tensor
    thresholds: Tensor

    def __init__(self, which: list[int], thresholds: list[int], gate: Gate, kind: torch.dtype) -> None:
        super().__init__()
        self.gate, self.steepness = gate, 256 if kind == torch.float32 else 2048
        self.register_buffer("which", torch.tensor(which, dtype=torch.int32))
        self.register_buffer("thresholds", torch.tensor([each - 0.5 for each in thresholds], dtype=kind))

    def forward(self, sums: Tensor) -> Tensor:
        above = sums[:, self.which.long()] - self.thresholds
        if self.gate == "sigmoid":
            return torch.sigmoid(self.steepness * above)
        return torch.relu(2 * above + 0.5) - torch.relu(2 * above - 0.5)


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
            self.circuit = _circuit(task, self.form)
            self.precision = _precision(self.circuit, gate, self.reads)
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


def _circuit(task: Task, form: Form) -> Circuit:
    circuit, notation = Circuit(), task.notation
    page, operands = task.page, task.operation.operands
    symbols = len(page.alphabet)
    seen = [
        [[signal((operand * page.cells + cell) * symbols + s) for s in range(symbols)] for cell in range(page.cells)]
        for operand in range(operands)
    ]
    faithful = form == "thresholds"
    if isinstance(notation, Arabic):
        right_first = [cells[::-1] for cells in seen]
        radices = [notation.base] * notation.cells
        if task.operation.name == "multiply":
            length = len(np.base_repr(task.domain.largest, notation.base))
            left, right = (cells[:length] for cells in right_first)
            places = products(circuit, left, right, notation.cells, squares=form == "fewest")
        else:
            places = _added(right_first, task.operation.name == "subtract")
    else:
        radices = [5, 2] * notation.digits
        places = [
            Sum(each.terms, 0, operands * (radix - 1))
            for each, radix in zip(_counted(seen, symbols - 1), radices, strict=True)
        ]
    if form == "carries":
        digits = by_carries(circuit, places, radices)
    else:
        spare = faithful and isinstance(notation, Arabic) and task.operation.name in ("add", "subtract")
        over = int(task.operation.name == "subtract")  # nine less each digit, and one: a power of the base too much
        digits = by_thresholds(circuit, places, radices, spare=spare, over=over)
    if not isinstance(notation, Arabic):
        circuit.drawn = written_roman(circuit, digits, page.cells)
    elif faithful:  # HL3
        layer = circuit.layer()
        circuit.drawn = [[layer.gate(each) for each in cell] for cell in reversed(digits)]
    else:
        circuit.drawn = digits[::-1]
    return circuit


def _added(seen: list[list[list[Sum]]], subtract: bool) -> list[Sum]:
    """The sum of the digits at each place; to subtract, nine less the digit is added, and one in the end."""
    places = []
    for place in range(len(seen[0])):
        parts: list[tuple[int, Sum]] = []
        for operand, cells in enumerate(seen):
            top = len(cells[place]) - 1
            worth = [top - n if subtract and operand else n for n in range(top + 1)]
            parts.append((1, total(zip(worth, cells[place], strict=True), most=top)))
        if subtract and not place:
            parts.append((1, Sum({}, 1)))
        places.append(total(parts))
    return places


def _counted(seen: list[list[list[Sum]]], numerals: int) -> list[Sum]:
    """How often each numeral stands in the pictures, wherever it does."""
    return [total((1, symbols[n]) for cells in seen for symbols in cells) for n in range(numerals)]


def _precision(circuit: Circuit, gate: Gate, reads: bool) -> str:
    """The smallest floats in which no sum is off by more than SURE, or none."""
    for name, bits in (("float32", 24), ("float64", 53)):
        rounding = 2.0 ** (2 - bits)
        off = (0.0 if gate == "sigmoid" else 4 * rounding) if reads else 2.0 ** (9 - bits)
        sure = True
        for layer in circuit.layers:
            reach = max((layer.sums[which].reach + abs(threshold) for which, threshold in layer.gates), default=0)
            sure = (
                sure and reach * (off + (rounding if gate == "relu" or off else 0)) < SURE and reach < 2.0 ** (bits - 2)
            )
            off = 0.0 if gate == "sigmoid" else 2 * rounding * reach
        if sure:
            return name
    return ""
