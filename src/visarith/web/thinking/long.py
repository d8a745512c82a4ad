"""Long multiplication as quantised columns do it: a row for each digit of the second number, a frame a column."""

import numpy as np
import torch

from visarith.learners.columns.long import tables
from visarith.learners.columns.network import Columns, found
from visarith.learners.nearest import nearest
from visarith.web.encoding import Json, encoded
from visarith.web.networks import Network
from visarith.web.showing import Shown


@torch.no_grad()
def worked_out(columns: Columns, network: Network, given: Shown) -> Json:
    """As `learners/columns/long.py` works it out, with every step kept."""
    page = network.task.plain_answer_layout
    glyphs = found(columns.glyphs)
    pictures = torch.from_numpy(np.ascontiguousarray(given.seen))[None] - columns.mean
    seen = nearest(pictures.flatten(2)[:, :, columns.places], glyphs)[0][0]
    names = [page.alphabet[i] for i in nearest(glyphs, torch.from_numpy(page.patterns))[0].tolist()]
    known = tables(columns, glyphs)
    left, right = seen.flip(1).tolist()
    written, frames = [known.nothing] * columns.cells, []
    for row in range(_length(right, known.nothing)):
        carry = known.nothing
        for column in range(row, columns.cells):
            if column - row >= _length(left, known.nothing) and carry == known.nothing:
                break
            pair = left[column - row], right[row]
            first = int(known.products.written[pair]), written[column]
            second = int(known.sums.written[first]), carry
            tens = int(known.sums.written[int(known.products.carried[pair]), int(known.sums.carried[first])])
            handed, carry = carry, int(known.sums.written[tens, int(known.sums.carried[second])])
            written[column] = int(known.sums.written[second])
            painted = torch.sigmoid(known.sums.cells[second])
            _, sure = nearest(painted[None], glyphs)
            frames.append(
                {
                    "row": row,
                    "column": columns.cells - 1 - column,
                    "label": "",
                    "above": [names[pair[0]], names[pair[1]]],
                    "handed": _glyph(names, handed),
                    "hands": _glyph(names, carry),
                    "painted": encoded(painted.view(page.height, -1).numpy()),
                    "symbol": names[written[column]],
                    "confidence": round(min(float(sure), 1.0), 4),
                    "line": "".join(names[glyph] for glyph in reversed(written)),
                }
            )
    return {
        "kind": "columns",
        "from": "right",
        "columns": columns.cells,
        "states": len(names),
        "note": columns.described(),
        "frames": frames,
    }


def _length(digits: list[int], nothing: int) -> int:
    """How many digits there are, the right one first, without leading zeros; one at least."""
    return max([place + 1 for place, digit in enumerate(digits) if digit != nothing], default=1)


def _glyph(names: list[str], glyph: int) -> Json:
    return {"state": glyph, "vector": [], "alone": names[glyph]}
