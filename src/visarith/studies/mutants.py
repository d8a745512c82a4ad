"""Mutants of a quantised adder, each with a single fault, and all the pairs that each of them gets wrong.

A certificate is worth something if it refuses every mutant that errs. Whether one errs is found without the code of
certificates: all 1,000,000 pairs of up to three digits are tried, through a table of what the mutant draws and carries
for each column; a sample of the pairs is also shown as pictures.
"""

import copy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from visarith.data.task import Task
from visarith.data.view import intensities
from visarith.learners.columns.cases import read_cells, symbol_cells
from visarith.learners.columns.network import Columns
from visarith.learners.learner import Learner
from visarith.learners.vectors import found, nearest

BASE, DIGITS = 10, 3
BITS, FRACTION = 32, 23  # of a single-precision number: the sign, the exponent, and 23 of the fraction
KINDS = ("bit", "high-bit", "amount")  # of faults


def mutate(learner: Columns, kind: str, rng: np.random.Generator) -> tuple[Columns, str]:
    """Return a copy with one number changed that the learner uses, and what was changed.

    One of the 32 bits is flipped, or one of the 9 of sign and exponent ("high-bit"), or an amount of 0.001 to 1,000 is
    added or subtracted.
    """
    mutant = copy.deepcopy(learner)
    rows = {name: found(getattr(mutant, name)) for name in ("states", "glyphs")}
    used = {id(weight) for weight in mutant.trained_weights()}
    places: dict[str, Tensor] = {name: weight.data for name, weight in mutant.named_parameters() if id(weight) in used}
    places["starts"] = mutant.starts.data[:1]  # of the one pass that there is
    places |= {name: getattr(mutant, name)[: len(some)] for name, some in rows.items()}
    name = sorted(places)[int(rng.integers(len(places)))]
    numbers = places[name].view(-1)
    place = int(rng.integers(len(numbers)))
    before = float(numbers[place])
    if kind != "amount":
        bit = int(rng.integers(FRACTION if kind == "high-bit" else 0, BITS))
        whole = numbers[place : place + 1].view(torch.int32)
        whole ^= torch.tensor(-(2**31) if bit == BITS - 1 else 1 << bit, dtype=torch.int32, device=whole.device)
        return mutant, f"{name}[{place}], bit {bit}"
    numbers[place] = before + float(rng.choice([-1, 1]) * 10 ** rng.uniform(-3, 3))
    return mutant, f"{name}[{place}], {before:.4g} to {float(numbers[place]):.4g}"


@dataclass(frozen=True, eq=False)
class Truth:
    """Which pairs of up to three digits are right: (100, 100, 100), the column of the units first."""

    right: np.ndarray

    @property
    def wrong(self) -> int:
        return int((~self.right).sum())

    def sample(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Pairs (count, 2) and whether they are right; half of them are wrong ones, if there are any."""
        wrong, every = np.flatnonzero(~self.right), self.right.size
        half = count // 2 if len(wrong) else 0
        rows = np.concatenate([rng.choice(wrong, half) if half else wrong[:0], rng.integers(0, every, count - half)])
        columns = np.stack(np.unravel_index(rows, self.right.shape), 1)
        worth = BASE ** np.arange(DIGITS)
        return np.stack([(columns // BASE * worth).sum(1), (columns % BASE * worth).sum(1)], 1), self.right.flat[rows]


@torch.no_grad()
def truth(learner: Columns, task: Task) -> Truth:
    """Add all pairs of up to three digits by what the adder draws and carries for each column.

    A state of this table is one of the learner's with the true carry, 0 or 1.
    """
    states, glyphs = found(learner.states), found(learner.glyphs)
    symbols = symbol_cells(learner, task)
    symbols = glyphs[nearest(symbols, glyphs)[0]] if len(glyphs) else symbols
    seen = learner.seen(learner.meeting.table("aligned", symbols) + states[:, None])
    after = nearest(learner.hands[0](seen), states)[0].numpy()  # (states, columns)
    with np.errstate(all="ignore"):  # pixels that are not a number are unreadable
        drawn = read_cells(learner, task, learner.painter(seen).flatten(0, 1))[0].view(after.shape).numpy()
    sums = np.add.outer(np.arange(BASE), np.arange(BASE)).ravel() + np.arange(2)[:, None]  # (carries, columns)
    right = drawn[:, None] == sums % BASE  # (states, carries, columns)
    following = after[:, None] * 2 + sums // BASE
    right, following = right.reshape(-1, BASE**2), following.reshape(-1, BASE**2)
    start = 2 * int(nearest(learner.starts[:1], states)[0])
    ended = _rest(right[:, 0], following[:, 0], task.notation.cells - DIGITS)
    first = following[start]
    second, good = following[first], right[start][:, None] & right[first]
    return Truth(good[..., None] & right[second] & ended[following[second]])


def _rest(right: np.ndarray, following: np.ndarray, cells: int) -> np.ndarray:
    """Whether the cells to the left of both numbers are drawn right from each state: first the carry, then zeros."""
    good, state = np.ones(len(right), bool), np.arange(len(right))
    for _ in range(cells):
        good, state = good & right[state], following[state]
    return good


def shown(learner: Learner, task: Task, operands: np.ndarray) -> np.ndarray:
    """Which of these operands are answered right when they are shown as pictures."""
    written = task.write(operands)
    with np.errstate(all="ignore"):
        drawn = task.plain_answers(learner.drawn(intensities(task.layout.typeset(written.inputs))))
        read = task.legend.reader("templates").read(drawn[:, 0]).symbols
    return np.asarray((read == written.answers[:, 0]).all(1))
