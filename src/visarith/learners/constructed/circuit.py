"""Threshold circuits (Sec. 6): layers of gates, each on where a sum of the layer below reaches a threshold.

First a circuit as data, then its layers as PyTorch modules.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

import torch
from torch import Tensor, nn

Gate = Literal["relu", "sigmoid"]
UNITS = {"relu": 2, "sigmoid": 1}  # of a gate
DENSE = 4_000_000  # weights up to which a matrix is multiplied as a dense one


@dataclass(frozen=True)
class Sum:
    """A weighted sum of signals of a layer, and a constant; its value is between 0 and `most`."""

    terms: Mapping[int, int]
    constant: int = 0
    most: int = 1

    @property
    def reach(self) -> int:
        """The largest absolute value that can occur while it is computed."""
        return sum(abs(weight) for weight in self.terms.values()) + abs(self.constant)


def signal(number: int) -> Sum:
    """The sum of one signal alone."""
    return Sum({number: 1})


def total(parts: Iterable[tuple[int, Sum]], most: int | None = None) -> Sum:
    """The weighted sum of several sums; `most` is for parts that exclude each other.

    >>> total([(1, signal(0)), (10, signal(1))])
    Sum(terms={0: 1, 1: 10}, constant=0, most=11)
    """
    terms: dict[int, int] = {}
    constant = highest = 0
    for weight, part in parts:
        constant += weight * part.constant
        highest += weight * part.most
        for number, each in part.terms.items():
            terms[number] = terms.get(number, 0) + weight * each
    kept = {number: weight for number, weight in terms.items() if weight}
    return Sum(kept, constant, highest if most is None else most)


@dataclass
class Layer:
    """Gates in order; each is on where one of the sums reaches its threshold."""

    sums: list[Sum] = field(default_factory=list)
    gates: list[tuple[int, int]] = field(default_factory=list)  # which sum, and its threshold

    def compare(self, compared: Sum, thresholds: Iterable[int]) -> list[Sum]:
        """A gate for each threshold of one sum."""
        self.sums.append(compared)
        first = len(self.gates)
        self.gates += [(len(self.sums) - 1, threshold) for threshold in thresholds]
        return [signal(number) for number in range(first, len(self.gates))]

    def gate(self, compared: Sum, threshold: int = 1) -> Sum:
        return self.compare(compared, [threshold])[0]


@dataclass
class Circuit:
    """Layers above the symbols of the inputs; the answer is a sum, 0 or 1, for each cell and each symbol."""

    layers: list[Layer] = field(default_factory=list)
    drawn: list[list[Sum]] = field(default_factory=list)  # cells from the left, symbols

    def layer(self) -> Layer:
        self.layers.append(Layer())
        return self.layers[-1]


Steps = Mapping[int, Sum]  # for each threshold above 0, the gate that is on from there


def staircase(gates: Steps, heights: Sequence[int]) -> Sum:
    """The sum that is heights[i] where a number is i, from gates for 'at least i'.

    >>> staircase({1: signal(0), 2: signal(1)}, [0, 1, 0])  # 1 where the number is 1
    Sum(terms={0: 1, 1: -1}, constant=0, most=1)
    """
    rises = enumerate(itertools.pairwise(heights), 1)
    climbed = total((after - before, gates[i]) for i, (before, after) in rises if after != before)
    return Sum(climbed.terms, heights[0], max(heights))


def steps(layer: Layer, counted: Sum) -> Steps:
    """A gate for every value that a sum can reach."""
    thresholds = range(1, counted.most + 1)
    return dict(zip(thresholds, layer.compare(counted, thresholds), strict=True))


def indicators(gates: Steps, most: int, radix: int) -> list[Sum]:
    """For each digit the sum that is 1 where a number is that digit modulo the radix, from gates for 'at least i'."""
    return [staircase(gates, [int(i % radix == digit) for i in range(most + 1)]) for digit in range(radix)]


class Weights(nn.Module):
    """Sums of the signals below: a row for each sum, of which the weights that are not 0 are stored, and constants."""

    rows: Tensor
    columns: Tensor
    values: Tensor
    constants: Tensor

    def __init__(self, sums: list[Sum], below: int, kind: torch.dtype) -> None:
        super().__init__()
        self.shape = len(sums), below
        entries = [(row, column, weight) for row, each in enumerate(sums) for column, weight in each.terms.items()]
        rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
        self.register_buffer("rows", torch.tensor(rows, dtype=torch.int32, device="cpu"))
        self.register_buffer("columns", torch.tensor(columns, dtype=torch.int32, device="cpu"))
        self.register_buffer("values", torch.tensor(values, dtype=kind, device="cpu"))
        self.register_buffer("constants", torch.tensor([each.constant for each in sums], dtype=kind, device="cpu"))

    def forward(self, signals: Tensor) -> Tensor:
        """(batch, below) -> (batch, sums)."""
        where = self.rows.long(), self.columns.long()
        if self.shape[0] * self.shape[1] <= DENSE:
            matrix = self.values.new_zeros(self.shape).index_put_(where, self.values)
            return signals @ matrix.T + self.constants
        sparse = torch.sparse_coo_tensor(torch.stack(where), self.values, self.shape, check_invariants=False)
        return cast(Tensor, torch.sparse.mm(sparse, signals.T)).T + self.constants


class Gates(nn.Module):
    """1 where a sum of whole numbers reaches a threshold, otherwise 0; thresholds are half-way between whole numbers.

    Two ReLUs (Sec. 6) give 1 or 0 up to rounding. The sigmoid is so steep that it rounds to exactly 1 or 0.
    """

    which: Tensor
    thresholds: Tensor

    def __init__(self, gates: list[tuple[int, int]], gate: Gate, kind: torch.dtype) -> None:
        super().__init__()
        self.gate, self.steepness = gate, 256 if kind == torch.float32 else 2048
        which, thresholds = [number for number, _ in gates], [threshold - 0.5 for _, threshold in gates]
        self.register_buffer("which", torch.tensor(which, dtype=torch.int32, device="cpu"))
        self.register_buffer("thresholds", torch.tensor(thresholds, dtype=kind, device="cpu"))

    def forward(self, sums: Tensor) -> Tensor:
        above = sums[:, self.which.long()] - self.thresholds
        if self.gate == "sigmoid":
            return torch.sigmoid(self.steepness * above)
        return torch.relu(2 * above + 0.5) - torch.relu(2 * above - 0.5)
