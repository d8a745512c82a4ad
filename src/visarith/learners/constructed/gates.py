"""Layers of a constructed network as modules: sums of the signals below, and gates on them."""

from typing import Literal, cast

import torch
from torch import Tensor, nn

from visarith.learners.constructed.circuit import Sum

Gate = Literal["relu", "sigmoid"]
UNITS = {"relu": 2, "sigmoid": 1}  # a gate
DENSE = 4_000_000  # weights up to which a matrix is multiplied whole


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
    """1 where a sum of whole numbers reaches a threshold, 0 where it does not: sums are half a step away from either.

    As two ReLUs (Sec. 6) it is 1 or 0 up to rounding; as a sigmoid, steep enough that floats round it, exactly.
    """

    which: Tensor
    thresholds: Tensor

    def __init__(self, which: list[int], thresholds: list[int], gate: Gate, kind: torch.dtype) -> None:
        super().__init__()
        self.gate, self.steepness = gate, 256 if kind == torch.float32 else 2048
        self.register_buffer("which", torch.tensor(which, dtype=torch.int32, device="cpu"))
        self.register_buffer("thresholds", torch.tensor([each - 0.5 for each in thresholds], dtype=kind, device="cpu"))

    def forward(self, sums: Tensor) -> Tensor:
        above = sums[:, self.which.long()] - self.thresholds
        if self.gate == "sigmoid":
            return torch.sigmoid(self.steepness * above)
        return torch.relu(2 * above + 0.5) - torch.relu(2 * above - 0.5)
