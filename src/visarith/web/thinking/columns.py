"""What is handed from column to column, one frame a column."""

import numpy as np
import torch
from torch import Tensor

from visarith.learners.columns.network import Columns, found
from visarith.learners.nearest import nearest
from visarith.web.encoding import Json, encoded
from visarith.web.networks import Network
from visarith.web.showing import Shown
from visarith.web.thinking.walk import met, state_of, walk

CLEAR = 0.5  # how sure a drawing must be for what is handed on to be called after it


@torch.no_grad()
def walked(columns: Columns, network: Network, given: Shown) -> Json:
    """The walk of a column learner over two pictures."""
    page = network.task.plain_layout
    patterns = torch.from_numpy(network.task.plain_answer_layout.patterns)
    zeros = page.typeset(np.zeros((2, page.cells), np.int64)).astype(np.float32) / 255
    empty = met(columns, torch.from_numpy(zeros))
    above = network.templates.read(given.clean).symbols
    line, frames = [" "] * columns.cells, []

    def said(handed: Tensor, column: int | None) -> Json:
        """Which state, its numbers, and what it draws in a column of zeros, if there is a next column."""
        vector = [round(value, 3) for value in handed.tolist()]
        if column is None:
            return {"state": state_of(columns, handed), "vector": vector, "alone": None}
        drawn = torch.sigmoid(columns.painter(columns.seen(empty[column] + handed)))
        alone, sure = nearest(drawn[None], patterns)
        name = page.alphabet[int(alone)] if float(sure) > CLEAR else None
        return {"state": state_of(columns, handed), "vector": vector, "alone": name}

    for step in walk(columns, met(columns, torch.from_numpy(np.ascontiguousarray(given.seen)))):
        painted = torch.sigmoid(columns.painter(step.seen))
        which, sure = nearest(painted[None], patterns)
        line[step.column] = page.alphabet[int(which)]
        frames.append(
            {
                "row": step.way,
                "column": step.column,
                "label": "",
                "above": [page.alphabet[s] if s >= 0 else "?" for s in above[:, step.column].tolist()],
                "handed": said(step.handed, step.column),
                "hands": said(step.hands, step.after),
                "painted": encoded(painted.view(page.height, -1).numpy()),
                "symbol": line[step.column],
                "confidence": round(min(float(sure), 1.0), 4),
                "line": "".join(line),
            }
        )
    return {
        "kind": "columns",
        "from": columns.ways[-1],
        "columns": columns.cells,
        "states": len(found(columns.states)) or None,
        "note": columns.described(),
        "frames": frames,
    }
