"""The walk of a column learner, with every step kept."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from visarith.learners.columns.network import Columns, found
from visarith.learners.nearest import nearest


@dataclass(frozen=True, eq=False)
class Step:
    """One column on the way: what it is handed, what it sees with that, and what it hands on."""

    way: int  # 0 there, 1 back
    column: int  # from the left
    after: int | None  # the column that comes next, from the left; none after the last
    handed: Tensor
    seen: Tensor
    hands: Tensor


def met(columns: Columns, pictures: Tensor) -> Tensor:
    """What meets in each column, pictures (inputs, height, width) -> (cells, SUM)."""
    cells = (pictures[None] - columns.mean).flatten(2)[:, :, columns.places]
    if len(glyphs := found(columns.glyphs)):
        cells = glyphs[nearest(cells, glyphs)[0]]
    sums: Tensor = columns.meeting(cells, columns.paths)[0]
    return sums


def walk(columns: Columns, sums: Tensor) -> Iterator[Step]:
    """As `Columns.work` does it."""
    for way, side in enumerate(columns.ways):
        there, order = [], list(range(columns.cells))
        if side == "right":
            order.reverse()
        handed = columns.handed_on(columns.starts[way][None])[0]
        for column, after in zip(order, [*order[1:], None], strict=True):
            seen = columns.seen(sums[column] + handed)
            hands = columns.handed_on(columns.hands[way](seen)[None])[0]
            yield Step(way, column, after, handed, seen, hands)
            there.append(seen)
            handed = hands
        if way + 1 < len(columns.ways):
            if side == "right":
                there.reverse()
            sums = sums + columns.turn(torch.stack(there))


def state_of(columns: Columns, handed: Tensor) -> int | None:
    """Which state is handed on, once a learner is quantised."""
    states = found(columns.states)
    return int(nearest(handed[None], states)[0]) if len(states) else None
