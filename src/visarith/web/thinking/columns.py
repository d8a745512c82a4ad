"""The steps of a column learner: one frame for each column, or for each symbol of a tally.

A frame shows the state that a column receives, what the column draws, and the state that it passes to the next one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from visarith.learners.columns.network import Columns
from visarith.learners.columns.rows import Cases, cases
from visarith.learners.tally import Tally
from visarith.learners.vectors import found, nearest
from visarith.web.answering import Inputs
from visarith.web.networks import Network
from visarith.web.pictures import Json, encoded

CLEAR = 0.5  # how confidently a state must draw a symbol to be named after it


@torch.no_grad()
def columns_steps(columns: Columns, network: Network, inputs: Inputs) -> Json:
    """Return the steps of a column learner over two pictures."""
    layout = network.task.plain_layout
    patterns = torch.from_numpy(network.task.plain_answer_layout.patterns)
    zeros = layout.typeset(np.zeros((2, layout.cells), np.int64)).astype(np.float32) / 255
    empty = _column_sums(columns, torch.from_numpy(zeros))
    above = network.templates.read(inputs.clean).symbols
    line, frames = [" "] * columns.cells, []

    def state_json(state: Tensor, column: int | None) -> Json:
        """Name a state by what it draws in a column of zeros, if there is a next column."""
        if column is None:
            return _state(columns, state, None)
        drawn = torch.sigmoid(columns.painter(columns.seen(empty[column] + state)))
        symbol, sure = nearest(drawn[None], patterns)
        return _state(columns, state, layout.alphabet[int(symbol)] if float(sure) > CLEAR else None)

    for step in _steps(columns, _column_sums(columns, torch.from_numpy(np.ascontiguousarray(inputs.seen)))):
        painted = torch.sigmoid(columns.painter(step.seen))
        symbol, sure = nearest(painted[None], patterns)
        line[step.column] = layout.alphabet[int(symbol)]
        frames.append(
            {
                "row": step.pass_number,
                "column": step.column,
                "label": "",
                "above": [layout.alphabet[s] if s >= 0 else "?" for s in above[:, step.column].tolist()],
                "handed": state_json(step.state_in, step.column),
                "hands": state_json(step.state_out, step.following),
                "painted": encoded(painted.view(layout.height, -1).numpy()),
                "symbol": line[step.column],
                "confidence": round(min(float(sure), 1.0), 4),
                "line": "".join(line),
            }
        )
    states = len(found(columns.states)) or None
    return _thoughts(columns, columns.ways[-1], states, columns.described(), frames)


@torch.no_grad()
def tally_steps(tally: Tally, network: Network, inputs: Inputs) -> Json:
    """Return how often each symbol occurs, how often it is written, and the state passed to the next symbol."""
    layout, columns = network.task.plain_layout, tally.calculator
    pictures = torch.from_numpy(np.ascontiguousarray(inputs.seen))[None]
    counts = tally.counted(tally.perceived(pictures).which)[0]  # (inputs, symbols - 1)
    names = [layout.alphabet[i] for i in nearest(tally.centres, torch.from_numpy(layout.patterns))[0].tolist()]
    empty = _column_sums(columns, _tallies(tally, torch.zeros_like(counts)))
    line, frames = [""] * columns.cells, []

    def strokes(seen: Tensor) -> Tensor:
        return torch.sigmoid(columns.painter(seen))[tally.symbols - 1 :]

    def state_json(state: Tensor, column: int | None) -> Json:
        """Name a state by the number of strokes that it draws in the next column, where nothing was counted."""
        alone = None if column is None else str(int(strokes(columns.seen(empty[column] + state)).round().sum()))
        return _state(columns, state, alone)

    for step in _steps(columns, _column_sums(columns, _tallies(tally, counts))):
        drawn = strokes(step.seen)
        amount = int(drawn.round().sum())
        line[step.column] = names[step.column] * amount
        frames.append(
            {
                "row": step.pass_number,
                "column": step.column,
                "label": names[step.column],
                "above": [str(count) for count in counts[:, step.column].tolist()],
                "handed": state_json(step.state_in, step.column),
                "hands": state_json(step.state_out, step.following),
                "painted": encoded(drawn[None].numpy()),
                "symbol": str(amount),
                "confidence": round(float((2 * drawn - 1).abs().min()), 4),
                "line": "".join(line),
            }
        )
    states = len(found(columns.states)) or None
    return _thoughts(columns, columns.ways[-1], states, "symbols are counted; " + columns.described(), frames)


def _tallies(tally: Tally, counts: Tensor) -> Tensor:
    """Return counts (inputs, symbols - 1) as pictures of strokes, the calculator's input."""
    return tally.strokes(torch.arange(tally.symbols - 1, device=counts.device).expand_as(counts), counts)


@torch.no_grad()
def long_multiplication_steps(columns: Columns, network: Network, inputs: Inputs) -> Json:
    """Return the steps of `learners/columns/rows.py`: a row for each digit of the second number, a frame a cell."""
    layout = network.task.plain_answer_layout
    glyphs = found(columns.glyphs)
    perceived = columns.perceived(torch.from_numpy(np.ascontiguousarray(inputs.seen))[None])
    assert perceived, "long multiplication is for learners with glyphs"
    seen = perceived.which[0]
    names = [layout.alphabet[i] for i in nearest(glyphs, torch.from_numpy(layout.patterns))[0].tolist()]
    known, written, frames = cases(columns, glyphs), [0] * columns.cells, []

    def drawn_json(number: int) -> Json:
        """A glyph by its number plus 1; 0 is nothing."""
        return {
            "state": number - 1 if number else None,
            "vector": [],
            "alone": names[number - 1] if number else "nothing",
        }

    for row, place, case in _telling(known, *seen.flip(1).tolist()):
        written[place] = int(known.written[case]) + 1
        painted = torch.sigmoid(columns.painter(columns.seen(known.columns[case])))
        _, sure = nearest(painted[None], glyphs)
        frames.append(
            {
                "row": row,
                "column": columns.cells - 1 - place,
                "label": "",
                "above": [names[case[0]], names[case[1]]],
                "handed": drawn_json(case[3]),
                "hands": drawn_json(int(known.carried[case]) + 1),
                "painted": encoded(painted.view(layout.height, -1).numpy()),
                "symbol": names[written[place] - 1],
                "confidence": round(min(float(sure), 1.0), 4),
                "line": "".join(names[number - 1] if number else " " for number in reversed(written)),
            }
        )
    return _thoughts(columns, "right", len(names), columns.described(), frames)


def _telling(known: Cases, left: list[int], right: list[int]) -> list[tuple[int, int, tuple[int, int, int, int]]]:
    """Return row, place and case of each cell, without those at the end of a row that change nothing."""
    written, blank = [0] * len(left), 0
    kept: list[tuple[int, int, tuple[int, int, int, int]]] = []
    for row, other in enumerate(right):
        carried, line = 0, []
        for place in range(row, len(left)):
            case = left[place - row], other, written[place], carried
            written[place], carried = int(known.written[case]) + 1, int(known.carried[case]) + 1
            line.append((row, place, case))
        blank = blank or written[-1]  # what stands in front of short numbers
        changed = [at for at, (_, place, case) in enumerate(line) if written[place] != (case[2] or blank)]
        last = changed[-1] + 1 if changed else 0
        kept += line[: last or int(row == 0 and not kept)]
    return kept


def _thoughts(columns: Columns, side: str, states: int | None, note: str, frames: list[Json]) -> Json:
    about = {"kind": "columns", "from": side, "columns": columns.cells, "states": states}
    return about | {"note": note, "frames": frames}


def _state(columns: Columns, state: Tensor, alone: str | None) -> Json:
    """Return a state as JSON: its number if the learner is quantised, its vector, and what it draws alone."""
    states = found(columns.states)
    number = int(nearest(state[None], states)[0]) if len(states) else None
    return {"state": number, "vector": [round(value, 3) for value in state.tolist()], "alone": alone}


def _column_sums(columns: Columns, pictures: Tensor) -> Tensor:
    """Return the output of the pair network for each column: (inputs, height, width) -> (cells, SUM)."""
    if perceived := columns.perceived(pictures[None]):
        cells = found(columns.glyphs)[perceived.which]
    else:
        cells = (pictures[None] - columns.mean).flatten(2)[:, :, columns.places]
    sums: Tensor = columns.meeting(cells, columns.paths)[0]
    return sums


@dataclass(frozen=True, eq=False)
class _Step:
    """One column of a pass over all columns."""

    pass_number: int  # 1 in the second pass of a scan in both directions, otherwise 0
    column: int  # from the left
    following: int | None  # the next column of the pass; None after the last
    state_in: Tensor
    seen: Tensor  # the features of the column and of the state that it receives
    state_out: Tensor


def _steps(columns: Columns, sums: Tensor) -> Iterator[_Step]:
    """Yield the steps of `Columns.walk`, column by column."""
    for number, side in enumerate(columns.ways):
        features, order = [], list(range(columns.cells))
        if side == "right":
            order.reverse()
        state = columns.carried(columns.starts[number][None], number)[0]
        for column, following in zip(order, [*order[1:], None], strict=True):
            seen = columns.seen(sums[column] + state)
            state_out = columns.carried(columns.hands[number](seen)[None], number)[0]
            yield _Step(number, column, following, state, seen, state_out)
            features.append(seen)
            state = state_out
        if number + 1 < len(columns.ways):
            if side == "right":
                features.reverse()
            sums = sums + columns.turn(torch.stack(features))
