"""Where cells meet: each is read by one small network, and what is read of those that meet is summed into columns."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

CODE, SUM = 24, 16  # how long the vectors of a cell and of a column are


class Meeting(nn.Module):
    """Cells in, columns out: (batch, inputs, cells, pixels) -> (batch, cells, SUM), along the paths that are on.

    If one of the inputs is the picture of a sign, every meeting sees what it says.
    """

    def __init__(self, inputs: int, cells: int, pixels: int, *, width: int, sign: int | None) -> None:
        super().__init__()
        self.cells, self.pixels, self.sign = cells, pixels, sign
        self.operands = [number for number in range(inputs) if number != sign]
        self.has_diagonals = len(self.operands) == 2
        self.reader = layers(pixels, width, CODE)
        paths = ("aligned", "diagonal") if self.has_diagonals else ("aligned",)
        self.meet = nn.ModuleDict({path: layers(inputs * CODE, width, SUM) for path in paths})
        # (operands, cells) those that look the same in every training picture, and so say nothing
        self.silent = torch.zeros(len(self.operands), cells, dtype=torch.bool, device="cpu")
        self.kept: Tensor | None = None  # in a step of training, the pairs of cells that meet

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def trained_weights(self, paths: list[str]) -> list[nn.Parameter]:
        return [
            weight for module in (self.reader, *(self.meet[path] for path in paths)) for weight in module.parameters()
        ]

    def forward(self, cells: Tensor, paths: list[str]) -> Tensor:
        vectors = self.reader(cells)
        operands = vectors[:, self.operands].unbind(1)
        columns = []
        for path in paths:
            parts = list(operands) if path == "aligned" else _each_with_each(*operands)
            if self.sign is not None:
                said = self.said(vectors[:, self.sign])
                parts.append(said.view(len(said), *[1] * (parts[0].dim() - 2), CODE).expand_as(parts[0]))
            columns.append(self._summed(path, self.meet[path](torch.cat(parts, -1))))
        return torch.stack(columns).sum(0)

    def said(self, vectors: Tensor) -> Tensor:
        """What a picture of a sign says: (batch, cells, code) -> (batch, code); empty cells say nothing."""
        nothing: Tensor = self.reader(vectors.new_zeros(self.pixels))
        return (vectors - nothing).sum(1)

    def looked_up(self, patterns: Tensor, codes: Tensor, paths: list[str]) -> Tensor:
        """The same columns from which distinct cell picture stands where, codes (batch, inputs, cells)."""
        count, shown = len(patterns), codes[:, self.operands]
        signs, which = None, None
        if self.sign is not None:
            signs, which = torch.unique(codes[:, self.sign], dim=0, return_inverse=True)
        columns = []
        for path in paths:
            table = self.table(path, patterns, signs)
            if path == "aligned":
                strides = count ** torch.arange(len(self.operands) - 1, -1, -1, device=codes.device)
                index = (shown * strides[:, None]).sum(1)
            else:
                index = shown[:, 0, :, None] * count + shown[:, 1, None]
            if which is not None:
                index = index + which.view(-1, *[1] * (index.dim() - 1)) * count ** len(self.operands)
            columns.append(self._summed(path, table[index]))
        return torch.stack(columns).sum(0)

    def table(self, path: str, patterns: Tensor, signs: Tensor | None = None) -> Tensor:
        """What each combination of distinct cell pictures gives; the last operand's changes fastest."""
        vectors, count = self.reader(patterns), len(self.operands)
        kinds = torch.arange(len(patterns), device=patterns.device)
        rows = torch.cartesian_prod(*[kinds] * count).view(-1, count)
        parts = vectors[rows].flatten(1)
        if signs is not None:
            said = self.said(vectors[signs])
            parts = torch.cat([parts.repeat(len(said), 1), said.repeat_interleave(len(rows), 0)], 1)
        return self.meet[path](parts)  # type: ignore[no-any-return]

    def _summed(self, path: str, met: Tensor) -> Tensor:
        return met if path == "aligned" else self.diagonals(met)

    def diagonals(self, met: Tensor) -> Tensor:
        """(batch, cells, cells, sum) -> (batch, cells, sum): the pairs whose places, from the right, add up."""
        if self.kept is not None:
            met = met * self.kept[..., None]
        last = self.cells - 1
        sums = []
        for column in range(self.cells):
            first = torch.arange(column, self.cells, device=met.device)
            sums.append(met[:, first, column + last - first].sum(1))
        return torch.stack(sums, 1)

    @contextmanager
    def dropping_out(self, generator: torch.Generator) -> Iterator[None]:
        """Drop each silent cell from the diagonals, or not, so that nothing is learned from how many there are.

        Otherwise the zeros before the operands of long multiplication tell a column which one it is, and what is
        learned holds at one length only.
        """
        if self.silent.any() and self.has_diagonals:
            kept = ~self.silent | (torch.rand(self.silent.shape, generator=generator, device="cpu") < 0.5)
            self.kept = (kept[0][:, None] & kept[1]).float().to(self.device)
        try:
            yield
        finally:
            self.kept = None


def layers(*sizes: int) -> nn.Sequential:
    """Linear layers of these sizes with ReLUs between them."""
    modules: list[nn.Module] = []
    for inputs, units in itertools.pairwise(sizes):
        modules += [nn.Linear(inputs, units), nn.ReLU()]
    return nn.Sequential(*modules[:-1])


def _each_with_each(left: Tensor, right: Tensor) -> list[Tensor]:
    """(batch, cells, code) twice -> (batch, cells, cells, code) twice: every pair of cells."""
    cells = left.shape[1]
    return [left[:, :, None].expand(-1, -1, cells, -1), right[:, None].expand(-1, cells, -1, -1)]
