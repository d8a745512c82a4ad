"""A quantised column learner that walks from the right and back, as tables: what it draws and carries in every case.

A case is a column, the state that the first pass carries into it from the right, and the state that the second pass
carries into it from the left.
"""

import copy
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from visarith.data.task import Task
from visarith.learners.certificate import DECIDED, NoCertificateError
from visarith.learners.columns.cases import check_finite, compare, read_cells, recognised, symbol_cells
from visarith.learners.columns.network import Columns
from visarith.learners.vectors import finite, found, nearest, within

MOST_CASES = 200_000
Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Passes:
    """What is drawn, read and carried; columns are in the order of `PairNetwork.table`."""

    starts: list[int]  # the states before the first column; two, if the margin between them decides nothing
    starts_back: list[int]  # the same of the second pass
    following: list[list[list[int]]]  # by state and column: the states that may follow
    following_back: list[list[list[list[int]]]]  # by state, column and state back: the states back that may follow
    answers: np.ndarray  # (states, columns, states back, answers) symbols; -1: unreadable
    margins: np.ndarray  # (states, columns, states back) of the readings
    input_margin: float  # with which every symbol of the inputs is recognised


@torch.no_grad()
def passes(learner: Columns, task: Task) -> Passes:
    """Compute all cases from the pixels of every symbol; refuse what is not finite or depends on rounding."""
    check_finite(learner, learner.states, learner.states_back, learner.glyphs)
    symbols = symbol_cells(learner, task)
    counts = len(found(learner.states)), len(symbols) ** task.operation.operands, len(found(learner.states_back))
    if np.prod(counts) > MOST_CASES:
        raise NoCertificateError(f"{np.prod(counts):,} cases of columns and states are too many to try")
    usual, precise = _tables(learner, symbols), _tables(copy.deepcopy(learner).double(), symbols.double())
    compare(usual.decisive(), precise.decisive())
    read, sure = read_cells(learner, task, usual.drawn.flatten(0, 2))
    (starts,), (starts_back,) = (
        within(DECIDED, learner.starts[number : number + 1], states)
        for number, states in enumerate((usual.states, usual.states_back))
    )
    following = _shaped(within(DECIDED, usual.carried, usual.states), counts[1])
    back = _shaped(within(DECIDED, usual.carried_back, usual.states_back), counts[2])
    return Passes(
        starts,
        starts_back,
        following,
        _shaped(back, counts[1]),
        read.view(*counts, -1).numpy(),
        sure.view(counts).numpy(),
        float(usual.alike.min()),
    )


def _shaped(rows: list[Item], length: int) -> list[list[Item]]:
    return [rows[start : start + length] for start in range(0, len(rows), length)]


@dataclass(frozen=True, eq=False)
class _Tables:
    states: Tensor
    states_back: Tensor
    drawn: Tensor  # (states, columns, states back, outputs x pixels) logits
    carried: Tensor  # (states, columns, SUM), before it is replaced by the nearest state
    carried_back: Tensor  # (states, columns, states back, SUM), the same
    alike: Tensor  # (symbols,) how clearly each is recognised

    def decisive(self) -> list[Tensor]:
        """What must not depend on rounding."""
        margins = nearest(self.carried, self.states)[1], nearest(self.carried_back, self.states_back)[1]
        return [torch.sigmoid(self.drawn), *margins, self.alike]


def _tables(learner: Columns, symbols: Tensor) -> _Tables:
    states, back = found(learner.states), found(learner.states_back)
    cells, alike = recognised(learner, symbols)
    columns = learner.meeting.table("aligned", cells)
    seen = learner.seen(columns + states[:, None])  # (states, columns, 3 x SUM)
    columns = columns + learner.turn(seen)
    seen_back = learner.seen(columns[:, :, None] + back)
    carried, carried_back = learner.hands[0](seen), learner.hands[1](seen_back)
    made = _Tables(states, back, learner.painter(seen_back), carried, carried_back, alike)
    finite("columns, drawings or carried states", columns, seen, seen_back, made.drawn, carried, carried_back, alike)
    return made
