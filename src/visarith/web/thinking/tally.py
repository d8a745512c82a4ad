"""What a tally hands from symbol to symbol, one frame a symbol."""

import numpy as np
import torch
from torch import Tensor

from visarith.learners.columns.network import found
from visarith.learners.nearest import nearest
from visarith.learners.tally.network import Tally
from visarith.web.encoding import Json, encoded
from visarith.web.networks import Network
from visarith.web.showing import Shown
from visarith.web.thinking.walk import met, state_of, walk


@torch.no_grad()
def counted(tally: Tally, network: Network, given: Shown) -> Json:
    """How often each symbol stands in the pictures, what is made of it, and what is carried to the next symbol."""
    page, columns = network.task.plain_layout, tally.calculator
    pictures = torch.from_numpy(np.ascontiguousarray(given.seen))[None]
    counts = tally.counted(tally.recognise(tally.cells_of(pictures)))[0]  # (inputs, symbols - 1)
    names = [page.alphabet[i] for i in nearest(tally.centres, torch.from_numpy(page.patterns))[0].tolist()]
    empty = met(columns, _tallies(tally, torch.zeros_like(counts)))
    line, frames = [""] * columns.cells, []

    def strokes(seen: Tensor) -> Tensor:
        return torch.sigmoid(columns.painter(seen))[tally.symbols - 1 :]

    def said(handed: Tensor, column: int | None) -> Json:
        """Which state, its numbers, and how many strokes it draws in the next column, where nothing was counted."""
        vector = [round(value, 3) for value in handed.tolist()]
        alone = None if column is None else str(int(strokes(columns.seen(empty[column] + handed)).round().sum()))
        return {"state": state_of(columns, handed), "vector": vector, "alone": alone}

    for step in walk(columns, met(columns, _tallies(tally, counts))):
        drawn = strokes(step.seen)
        amount = int(drawn.round().sum())
        line[step.column] = names[step.column] * amount
        frames.append(
            {
                "row": step.way,
                "column": step.column,
                "label": names[step.column],
                "above": [str(count) for count in counts[:, step.column].tolist()],
                "handed": said(step.handed, step.column),
                "hands": said(step.hands, step.after),
                "painted": encoded(drawn[None].numpy()),
                "symbol": str(amount),
                "confidence": round(float((2 * drawn - 1).abs().min()), 4),
                "line": "".join(line),
            }
        )
    return {
        "kind": "columns",
        "from": columns.ways[-1],
        "columns": columns.cells,
        "states": len(found(columns.states)) or None,
        "note": "symbols are counted; " + columns.described(),
        "frames": frames,
    }


def _tallies(tally: Tally, counts: Tensor) -> Tensor:
    """Counts (inputs, symbols - 1) as the calculator sees them."""
    return tally.strokes(torch.arange(tally.symbols - 1, device=counts.device).expand_as(counts), counts)
