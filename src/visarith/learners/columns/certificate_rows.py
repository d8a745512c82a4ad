"""The certificate of rows: every case of the one cell is tried, so that every grid of such cells is right."""

import itertools

import numpy as np
import torch
from torch import Tensor

from visarith.data.task import Task
from visarith.data.view import intensities
from visarith.learners.certificate import DECIDED, Certificate, Step, none
from visarith.learners.columns.network import Columns
from visarith.learners.columns.reading import digit_cells, read_cells
from visarith.learners.columns.rows import Cases, cases
from visarith.learners.vectors import found, nearest
from visarith.notation.arabic import MOST_CELLS
from visarith.randomness import rng

SHORT, RANDOM = 10_000, 2_000  # products that are tried as whole pictures
AT_A_TIME = 2_000


def certify_rows(learner: Columns, task: Task, base: int, step: Step) -> Certificate:
    """Try every case of the cell in both drawings, and some whole products as pictures.

    The cell is given digits a and b, a digit w that is written and a digit c that is carried, and has to draw the two
    digits of a b + w + c. These are two, since (n - 1)(n - 1) + 2(n - 1) < n n in base n. So if all cases are right,
    each cell of each grid gets digits and draws digits, and the rows add up as on paper, at every length.
    """
    glyphs = found(learner.glyphs)
    digits, alike = nearest(digit_cells(learner, task, base), glyphs)
    if len(glyphs) != base or sorted(digits.tolist()) != list(range(base)) or not bool((alike > 0.999).all()):
        return none("the glyphs that it was quantised to are not the digits")
    known = cases(learner, glyphs)
    finite = bool(known.margin.isfinite().all()) and bool(known.columns.isfinite().all())
    numbers = torch.arange(base, device="cpu")
    nothing = torch.zeros(1, dtype=torch.long, device="cpu")
    written = torch.cat([nothing, digits + 1])  # the number of a case: 0 for nothing yet
    where = torch.meshgrid(digits, digits, written, written, indexing="ij")
    added = torch.cat([nothing, numbers])
    truth = (numbers[:, None] * numbers)[:, :, None, None] + added[:, None] + added
    assert int(truth.max()) < base**2, "a carry is one digit"
    right = (known.written[where] == digits[truth % base]) & (known.carried[where] == digits[truth // base])
    last = learner.painter(learner.seen(known.columns[where][..., 0, :]))  # drawn last at its place: nothing is carried
    read, sure = read_cells(learner, task, last.flatten(0, -2))
    right[..., 0] &= (read.view(truth[..., 0].shape) == truth[..., 0] % base) & (sure > 0).view(truth[..., 0].shape)
    wrong, margin = int((~right).sum()), min(float(known.margin.min()), float(sure.min()))
    tried = right.numel()
    assert tried == base**2 * (base + 1) ** 2
    if wrong or not finite or not margin >= DECIDED:
        why = "some cases of the cell are wrong" if wrong or not finite else "some cases are too close to call"
        return Certificate(False, 0, False, tried, wrong, margin, why, base)
    pictures, missed = _wrong_pictures(learner, task, base, step)
    if missed:
        return Certificate(False, 0, False, tried + pictures, missed, margin, "some products are wrong", base)
    why = (
        f"every case of the one cell is right in both drawings, and so are {pictures:,} whole products, as pictures; "
        "between cells, each drawing is taken for its nearest glyph"
    )
    return Certificate(True, MOST_CELLS, True, tried + pictures, 0, margin, why, base)


def _wrong_pictures(learner: Columns, task: Task, base: int, step: Step) -> tuple[int, int]:
    """Draw products of short and of random numbers from their pictures: how many there are, and how many are wrong."""
    short = min(int(SHORT**0.5), base**2, task.domain.largest + 1)
    rows = list(itertools.product(range(short), repeat=2))
    rows += [tuple(row) for row in rng(0, "certificate").integers(0, task.domain.largest + 1, (RANDOM, 2)).tolist()]
    reader, wrong = task.legend.reader("templates"), 0
    for start in range(0, len(rows), AT_A_TIME):
        some = task.write(np.array(rows[start : start + AT_A_TIME]))
        drawn = task.plain_answers(learner.drawn(intensities(task.layout.typeset(some.inputs))))
        wrong += int((reader.read(drawn[:, 0]).symbols != some.answers[:, 0]).any(1).sum())
        step(min(1.0, (start + AT_A_TIME) / len(rows)))
    return len(rows), wrong
