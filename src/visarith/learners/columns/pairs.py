"""The pair network: reads each cell, combines cells of different operands, and sums the results into columns."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

CODE, SUM = 24, 16  # lengths of the vectors of a cell and of a column


class PairNetwork(nn.Module):
    """Cells in, columns out: (batch, inputs, cells, pixels) -> (batch, cells, SUM).

    The path "aligned" combines the cells at the same place in all operands. The path "diagonal" combines every cell of
    one operand with every cell of the other and sums the pairs whose places add up. If one of the inputs shows a sign,
    its vector is an input of every combination.
    """

    def __init__(self, inputs: int, cells: int, pixels: int, *, width: int, sign: int | None) -> None:
        super().__init__()
        self.cells, self.pixels, self.sign = cells, pixels, sign
        self.operands = [number for number in range(inputs) if number != sign]
        self.has_diagonals = len(self.operands) == 2
        self.reader = layers(pixels, width, CODE)
        paths = ("aligned", "diagonal") if self.has_diagonals else ("aligned",)
        self.meet = nn.ModuleDict({path: layers(inputs * CODE, width, SUM) for path in paths})
        # (operands, cells): the cells that look the same in every training picture
        self.constant = torch.zeros(len(self.operands), cells, dtype=torch.bool, device="cpu")
        self.kept: Tensor | None = None  # during a step of training, the pairs that dropout keeps

    def has_rows(self, outputs: int) -> bool:
        """Whether pairs can be computed row by row: two operands, one answer."""
        return self.has_diagonals and outputs == 1

    def trained_weights(self, paths: list[str]) -> list[nn.Parameter]:
        """The weights that these paths use."""
        modules = [self.reader, *(self.meet[path] for path in paths)]
        return [weight for module in modules for weight in module.parameters()]

    def forward(self, cells: Tensor, paths: list[str]) -> Tensor:
        vectors = self.reader(cells)
        return torch.stack([self.summed(path, self.combined(path, vectors)) for path in paths]).sum(0)

    def all_pairs(self, cells: Tensor) -> Tensor:
        """The vectors of all pairs of cells of two operands: (batch, cells, cells, SUM)."""
        return self.combined("diagonal", self.reader(cells))

    def combined(self, path: str, vectors: Tensor) -> Tensor:
        """The vectors of all combinations, from those of cells (batch, inputs, cells, CODE)."""
        operands = vectors[:, self.operands].unbind(1)
        parts = list(operands) if path == "aligned" else _all_pairs(*operands)
        if self.sign is not None:
            sign = self.sign_vector(vectors[:, self.sign])
            parts.append(sign.view(len(sign), *[1] * (parts[0].dim() - 2), CODE).expand_as(parts[0]))
        return self.meet[path](torch.cat(parts, -1))  # type: ignore[no-any-return]

    def summed(self, path: str, combined: Tensor) -> Tensor:
        """Columns from the vectors of all combinations."""
        return combined if path == "aligned" else self.diagonals(combined)

    def sign_vector(self, vectors: Tensor) -> Tensor:
        """One vector for a picture of a sign, (batch, cells, code) -> (batch, code), to which empty cells add 0."""
        empty: Tensor = self.reader(vectors.new_zeros(self.pixels))
        return (vectors - empty).sum(1)

    def looked_up(self, patterns: Tensor, codes: Tensor, paths: list[str]) -> Tensor:
        """The same columns from a codebook: `codes` (batch, inputs, cells) says which pattern stands in each cell."""
        return torch.stack([self.summed(path, self.looked_up_combined(path, patterns, codes)) for path in paths]).sum(0)

    def looked_up_pairs(self, patterns: Tensor, codes: Tensor) -> Tensor:
        """The vectors of all pairs from a codebook."""
        return self.looked_up_combined("diagonal", patterns, codes)

    def looked_up_combined(self, path: str, patterns: Tensor, codes: Tensor) -> Tensor:
        """The vectors of all combinations, from a codebook: of all there are or, if fewer, of those shown."""
        count, shown = len(patterns), codes[:, self.operands]
        combinations = shown[:, 0].numel() * (1 if path == "aligned" else self.cells)
        if count ** len(self.operands) > combinations:
            return self.combined(path, self.reader(patterns)[codes])
        if path == "aligned":
            strides = count ** torch.arange(len(self.operands) - 1, -1, -1, device=codes.device)
            index = (shown * strides[:, None]).sum(1)
        else:
            index = shown[:, 0, :, None] * count + shown[:, 1, None]
        if self.sign is None:
            return self.table(path, patterns)[index]
        signs, which = torch.unique(codes[:, self.sign], dim=0, return_inverse=True)
        index = index + which.view(-1, *[1] * (index.dim() - 1)) * count ** len(self.operands)
        return self.table(path, patterns, signs)[index]

    def table(self, path: str, patterns: Tensor, signs: Tensor | None = None) -> Tensor:
        """The vector of every combination of patterns; the last operand's pattern changes fastest."""
        vectors, count = self.reader(patterns), len(self.operands)
        kinds = torch.arange(len(patterns), device=patterns.device)
        rows = torch.cartesian_prod(*[kinds] * count).view(-1, count)
        parts = vectors[rows].flatten(1)
        if signs is not None:
            sign = self.sign_vector(vectors[signs])
            parts = torch.cat([parts.repeat(len(sign), 1), sign.repeat_interleave(len(rows), 0)], 1)
        return self.meet[path](parts)  # type: ignore[no-any-return]

    def diagonals(self, pairs: Tensor) -> Tensor:
        """Sum the pairs whose places, from the right, add up: (batch, cells, cells, sum) -> (batch, cells, sum)."""
        if self.kept is not None:
            pairs = pairs * self.kept[..., None]
        cells = torch.arange(self.cells, device=pairs.device)
        sums = [pairs[:, cells[column:], cells[column:].flip(0)].sum(1) for column in range(self.cells)]
        return torch.stack(sums, 1)

    @contextmanager
    def dropping_out(self, generator: torch.Generator) -> Iterator[None]:
        """Drop each constant cell from the diagonals with probability 1/2.

        The number of leading zeros tells a column its place. A network that uses this works at one length only.
        """
        if self.constant.any() and self.has_diagonals:
            kept = ~self.constant | (torch.rand(self.constant.shape, generator=generator, device="cpu") < 0.5)
            self.kept = (kept[0][:, None] & kept[1]).float().to(next(self.parameters()).device)
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


def _all_pairs(left: Tensor, right: Tensor) -> list[Tensor]:
    """Every pair of cells: (batch, cells, code) twice -> (batch, cells, cells, code) twice."""
    cells = left.shape[1]
    return [left[:, :, None].expand(-1, -1, cells, -1), right[:, None].expand(-1, cells, -1, -1)]
