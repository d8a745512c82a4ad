"""Count the symbols, calculate with the counts, and write that many of each symbol; for additive numerals."""

import itertools
from typing import Any

import numpy as np
import torch
from torch import Tensor

from visarith.data.spec import PictureSpec
from visarith.data.task import Task
from visarith.data.view import View
from visarith.learners.certificate import DECIDED, Certificate, Step, everything, none
from visarith.learners.columns.certificate import why_not
from visarith.learners.columns.network import Columns
from visarith.learners.columns.training import EXAMPLES, quantise
from visarith.learners.export import tensor
from visarith.learners.symbols import Clusters
from visarith.learners.vectors import found, within
from visarith.operations import ADD
from visarith.pictures.layout import Layout

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
        self.calculator = Columns(tallies, path=path, scan=scan, width=width)

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
        quantise(self.calculator, self.inner(data.head(EXAMPLES))[1], glyphs=False)
        self._shown = None

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
    def quantised(self) -> bool:
        return self.calculator.quantised

    def certify(self, task: Task, step: Step) -> Certificate:
        """Try every count of a quantised adder; otherwise all operands."""
        added = task.operation.rule is ADD.rule and task.operation.operands == 2
        if added and len(found(self.calculator.states)):
            return counts_and_carries(self, task)
        return everything(self, task, why_not(self.calculator.scan, task), step)

    def export(self) -> dict[str, Any]:
        return {"kind": "tally", "centres": tensor(self.centres), "calculator": self.calculator.export()}


def counts_and_carries(learner: Tally, task: Task) -> Certificate:
    """Try every count of every numeral in every reachable state; the symbols that were found must be the numerals."""
    columns, last = learner.calculator, learner.symbols - 1
    told_apart = learner.recognise(torch.from_numpy(task.layout.patterns).to(learner.device)).tolist()
    if told_apart != [*reversed(range(last)), last] or columns.scan != "right":  # the largest numeral comes first
        return none("the symbols that were found are not the numerals in their order")
    centres = learner.put(learner.centres[:, None, None].expand(-1, learner.outputs, len(learner.places), -1))
    reading = task.legend.reader("templates").read(task.plain_answers(centres[:, 0].cpu().numpy()))
    if (reading.symbols[told_apart] != np.arange(learner.symbols)[:, None]).any():
        return none("the symbols that were found are drawn as others")
    margin = float(reading.confidence.min())
    states = found(columns.states)
    reached = {(start, 0) for start in within(DECIDED, columns.starts[:1], states)[0]}
    enumerated, wrong, used = 0, 0, set[int]()
    for numeral in range(last):  # from the smallest on
        most, worth = (5, 1) if numeral % 2 == 0 else (2, 5)
        counts = [count for count in range(most) if count * worth * 10 ** (numeral // 2) <= task.domain.largest]
        pairs = list(itertools.product(counts, repeat=2))
        symbol = torch.full((len(counts),), last - 1 - numeral, device=learner.device)
        sums = columns.meeting.table("aligned", learner.strokes(symbol, torch.tensor(counts, device=learner.device)))
        later = set[tuple[int, int]]()
        for state, carry in reached:
            seen = columns.seen(sums + states[state])
            strokes = torch.sigmoid(columns.painter(seen))[:, last:]
            after = within(DECIDED, columns.hands[0](seen), states)
            for index, (one, other) in enumerate(pairs):
                carried, count = divmod(one + other + carry, most)
                if carried and numeral == last - 1:
                    continue  # the sum does not fit, so these are not operands
                enumerated += 1
                wrong += int(strokes[index].round().sum()) != count
                margin = min(margin, float((strokes[index] - 0.5).abs().min() * 2))
                later |= {(following, carried) for following in after[index]}
        used |= {state for state, _ in reached}
        reached = later
    largest = task.domain.largest
    if wrong or margin < DECIDED:
        why = "some counts are wrong" if wrong else "some counts are too close to call"
        return Certificate(False, 0, False, enumerated, wrong, margin, why, len(used), largest)
    why = "every count of every numeral in every state that can be reached is right"
    return Certificate(True, task.notation.digits, False, enumerated, 0, margin, why, len(used), largest)
