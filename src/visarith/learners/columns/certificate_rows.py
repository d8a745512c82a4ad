"""The certificate of rows: every case of the one cell is tried, so every grid of such cells is right."""

import copy
import itertools

import numpy as np
import torch
from torch import Tensor

from visarith.data.task import Task
from visarith.learners.certificate import DECIDED, Certificate, NoCertificateError, Step, tried
from visarith.learners.columns import rows
from visarith.learners.columns.cases import EXACTLY, compare, read_cells, symbol_cells
from visarith.learners.columns.network import Columns
from visarith.learners.vectors import finite, found, nearest
from visarith.notation.arabic import MOST_CELLS
from visarith.randomness import rng

SHORT, RANDOM = 100, 2_000  # all products of numbers below, and so many others, are tried as whole pictures


def certify_rows(learner: Columns, task: Task, base: int, step: Step) -> Certificate:
    """Try every case of the cell in both drawings, and some whole products as pictures.

    The cell is given digits a and b, a digit w that is written and a digit c that is carried, and has to draw the two
    digits of a b + w + c. In the row of b no carry exceeds b, since (n - 1) b + (n - 1) + b < n (b + 1) in base n, so
    not every carry can occur in every row. If every case that can occur is right, each cell of each grid is given
    digits and draws digits, and the rows add up as on paper, at every length.
    """
    finite("weights", *learner.trained_weights(), learner.ground)
    glyphs = found(learner.glyphs)
    finite("glyphs", glyphs)
    digits, alike = nearest(symbol_cells(learner, task), glyphs)
    if sorted(digits.tolist()) != list(range(len(glyphs))) or len(glyphs) != base or float(alike.min()) < EXACTLY:
        raise NoCertificateError("the glyphs that it was quantised to are not the digits")
    known = rows.cases(learner, glyphs)
    compare([known.margin], [rows.cases(copy.deepcopy(learner).double(), glyphs.double()).margin])
    reached = _reached(known, digits)
    right, margin = _right(learner, task, known, digits, reached)
    count, wrong = base * (base + 1) * int(reached.sum()), int((~right).sum())
    if wrong or not margin >= DECIDED:
        why = "some cases of the cell are wrong" if wrong else "some cases of the cell are too close to call"
        return Certificate(False, 0, False, count, wrong, margin, why, base)
    must = base * (base + 1) * sum(carry + 2 for carry in range(base))  # with b: nothing, or a carry of 0 to b
    if count != must:
        raise NoCertificateError(f"{count} cases can occur, not {must}")
    operands = _operands(task)
    wrong, least = tried(learner, task, operands, step)
    margin, pictures = min(margin, least), len(operands)
    if wrong or margin < DECIDED:
        why = "some products are answered wrong"
        return Certificate(False, 0, False, count, wrong, margin, why, base, pictures=pictures)
    why = "every case of the one cell that can occur is right in both drawings"
    domain = f"all numbers of any length in base {base}, written with leading zeros, whose product fits"
    rule = (
        "the grid of cells adds up a b + written + carried row by row, as on paper, and no carry exceeds b; "
        "every case is drawn from pixels by the weights, and a picture of a product looks its cases up"
    )
    return Certificate(True, MOST_CELLS, True, count, 0, margin, why, base, domain=domain, rule=rule, pictures=pictures)


def _reached(known: rows.Cases, digits: Tensor) -> Tensor:
    """Which carries can occur in the row of each digit, whatever is written: (digits, nothing and all digits)."""
    base = len(digits)
    given = torch.cat([torch.zeros(1, dtype=torch.long, device="cpu"), digits + 1])
    meaning = torch.empty_like(digits)
    meaning[digits] = torch.arange(base, device="cpu")
    carried = meaning[known.carried[digits[:, None], digits]][..., given]  # (a, b, written, carried)
    reached = torch.zeros(base, base + 1, dtype=torch.bool, device="cpu")
    reached[:, 0] = True
    while True:
        before = reached.clone()
        for row in range(base):
            reached[row, 1 + carried[:, row][..., before[row]].flatten()] = True
        if bool((before == reached).all()):
            return reached


def _right(learner: Columns, task: Task, known: rows.Cases, digits: Tensor, reached: Tensor) -> tuple[Tensor, float]:
    """Which of the cases that can occur are right, by what the glyphs mean, and the smallest margin of a drawing."""
    base, nothing = len(digits), torch.zeros(1, dtype=torch.long, device="cpu")
    numbers = torch.arange(base, device="cpu")
    given = torch.cat([nothing, digits + 1])  # 0: nothing is written or carried yet
    where = torch.meshgrid(digits, digits, given, given, indexing="ij")
    added = torch.cat([nothing, numbers])
    truth = (numbers[:, None] * numbers)[:, :, None, None] + added[:, None] + added
    right = (known.written[where] == digits[truth % base]) & (known.carried[where] == digits[truth // base])
    last = known.columns[where][..., 0, :]  # the cells that are drawn last at their place: nothing is carried to them
    read, sure = read_cells(learner, task, learner.painter(learner.seen(last)).flatten(0, -2))
    right[..., 0] &= read[:, 0].view(last.shape[:-1]) == truth[..., 0] % base
    occur = reached[:, None].expand_as(right)
    finite("margins", known.margin, sure)
    return right[occur], min(float(known.margin[where][occur].min()), float(sure.min()))


def _operands(task: Task) -> np.ndarray:
    """All pairs of short numbers, and random ones."""
    largest = task.domain.largest
    short = list(itertools.product(range(min(SHORT, largest + 1)), repeat=2))
    return np.concatenate([short, rng(0, "certificate").integers(0, largest + 1, (RANDOM, 2))])
