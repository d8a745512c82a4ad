"""Count the symbols, calculate with the counts, and write that many of each symbol; for additive numerals."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from visarith.data.spec import PictureSpec
from visarith.data.view import View
from visarith.learners.columns.network import Columns
from visarith.learners.export import tensor
from visarith.learners.symbols import Clusters
from visarith.pictures.layout import Layout

if TYPE_CHECKING:
    from visarith.data.task import Task
    from visarith.learners.certificate import Certificate, Step

MOST = 9  # strokes that a tally has room for


class Tally(Clusters):
    """A column learner whose cells are tallies: which symbol, and one stroke for each time that it occurs.

    The symbols and their order are found by clustering. What they are worth, and how counts are carried, is learned.
    """

    thinks = "tally"
    calculator: Columns

    def __init__(self, spec: PictureSpec, symbols: int, *, path: str, scan: str, width: int) -> None:
        super().__init__(spec, symbols)
        table = (symbols - 1, symbols - 1 + MOST)
        tallies = PictureSpec(
            spec.inputs, spec.outputs, table, table, places=np.arange(table[0] * table[1]).reshape(table)
        )
        self.calculator = Columns(tallies, path=path, scan=scan, width=width, rounds_to_glyphs=False)

    @torch.no_grad()
    def find_symbols(self, pictures: Tensor) -> None:
        """Cluster the cells, and sort the clusters by the order in which they occur in pictures."""
        super().find_symbols(pictures)
        seen = self.recognise(self.cells_of(pictures[:, None])[:, 0])
        cells = seen.shape[1]
        shown = seen[:, :, None] == torch.arange(self.symbols, device=seen.device)  # (pictures, cells, symbols)
        first = torch.where(shown.any(1), shown.int().argmax(1), cells)
        both = shown.any(1)[:, :, None] & shown.any(1)[:, None]
        before = ((first[:, :, None] < first[:, None]) & both).sum(0)
        rank = (before < before.T).sum(1)
        self.centres.copy_(self.centres[rank.argsort(stable=True)])

    def shown(self, data: View) -> View:
        """A cell for each symbol but the last, and a glyph for each distinct tally."""
        columns = self.symbols - 1
        counts = [self.counted(torch.from_numpy(part)) for part in self.recognised(data)]
        most = 1 + int(max(part.max() for part in counts))
        numbered = [(np.arange(columns) * most + part.numpy()) for part in counts]
        distinct = np.unique(np.concatenate([part.ravel() for part in numbered]))
        strokes = self.strokes(torch.from_numpy(distinct // most), torch.from_numpy(distinct % most))
        glyphs = (strokes.numpy() * 255).astype(np.uint8)[:, None]
        alphabet = "".join(chr(0x100 + i) for i in range(len(distinct)))
        layout = Layout(alphabet, glyphs, tuple((cell, 0) for cell in range(columns)), columns, glyphs.shape[2])
        inputs, answers = (np.searchsorted(distinct, part).astype(np.uint8) for part in numbered)
        return self.as_view(layout, inputs, answers)

    def finish(self, data: View) -> None:
        self.calculator.finish(self.inner(data)[1])
        self._shown = None

    def restore(self, weights: dict[str, Tensor], data: Callable[[], View]) -> None:
        new = {f"calculator.{name}": value for name, value in self.calculator.since_0_2().items()}
        super().restore(new | weights, data)

    def strokes(self, symbols: Tensor, counts: Tensor) -> Tensor:
        """Tallies of symbols (...) and counts (...): (..., symbols - 1 + MOST), the symbol one-hot, then strokes."""
        which = torch.nn.functional.one_hot(symbols, self.symbols - 1)
        room = torch.arange(MOST, device=counts.device)
        return torch.cat([which, room < counts[..., None]], -1).float()

    def counted(self, seen: Tensor) -> Tensor:
        """How often each symbol but the last occurs: (..., cells) -> (..., symbols - 1)."""
        return torch.stack([(seen == symbol).sum(-1) for symbol in range(self.symbols - 1)], -1)

    def forward(self, pictures: Tensor) -> Tensor:
        counts = self.counted(self.perceived(pictures).which)
        tallies = self.strokes(torch.arange(self.symbols - 1, device=counts.device).expand_as(counts), counts)
        answers = self.calculator(tallies)[..., self.symbols - 1 :].round().sum(-1)  # (batch, outputs, symbols - 1)
        ends = answers.cumsum(-1)
        places = torch.arange(len(self.places), device=ends.device)
        written = (places[:, None] >= ends[..., None, :]).sum(-1)  # the last symbol fills the rest
        return self.put(self.centres[written])

    def facts(self) -> dict[str, Any]:
        return self.calculator.facts()

    def described(self) -> str:
        return self.calculator.described()

    @property
    def exact(self) -> bool | None:
        return self.calculator.exact

    @property
    def quantised(self) -> bool:
        return self.calculator.quantised

    def certify(self, task: "Task", step: "Step") -> "Certificate":
        from visarith.learners.tally_certificate import certify

        return certify(self, task, step)

    def export(self) -> dict[str, Any]:
        return {"kind": "tally", "centres": tensor(self.centres), "calculator": self.calculator.export()}
