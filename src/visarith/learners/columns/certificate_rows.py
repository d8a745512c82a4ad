"""The certificate of rows: every case of the one cell is tried, so every grid of such cells is right."""

import copy
import itertools

import numpy as np
import torch
from torch import Tensor

from visarith.data.task import Task
from visarith.learners.certificate import DECIDED, Certificate, NoCertificateError, Step, tried
from visarith.learners.columns import rows
from visarith.learners.columns.cases import compare, read_cells, symbol_cells
from visarith.learners.columns.network import Columns
from visarith.learners.vectors import finite, found, nearest
from visarith.notation.arabic import MOST_CELLS
from visarith.randomness import rng

SHORT, RANDOM = 100, 2_000  # all products of numbers below, and so many others, are tried as whole pictures
EXACTLY = 0.999  # the margin of a picture that is a glyph


def certify_rows(learner: Columns, task: Task, base: int, step: Step) -> Certificate:
    """Try every case of the cell in both drawings, and some whole products as pictures.

    The cell is given digits a and b, a digit w that is written and a digit c that is carried, and has to draw the two
    digits of a b + w + c. If every case is right, each cell of each grid is given digits and draws digits, so that the
    rows add up as on paper, at every length.
    """
    finite("weights", *learner.trained_weights(), learner.ground)
    carry_is_one_symbol(base)
    glyphs = found(learner.glyphs)
    finite("glyphs", glyphs)
    digits, alike = nearest(symbol_cells(learner, task), glyphs)
    if sorted(digits.tolist()) != list(range(len(glyphs))) or len(glyphs) != base or float(alike.min()) < EXACTLY:
        raise NoCertificateError("the glyphs that it was quantised to are not the digits")
    known = rows.cases(learner, glyphs)
    compare([known.margin], [rows.cases(copy.deepcopy(learner).double(), glyphs.double()).margin])
    right, margin = _right(learner, task, known, digits)
    count, wrong = right.numel(), int((~right).sum())
    if count != base**2 * (base + 1) ** 2:
        raise NoCertificateError(f"{count} cases were tried, not {base**2 * (base + 1) ** 2}")
    if wrong or not margin >= DECIDED:
        why = "some cases of the cell are wrong" if wrong else "some cases of the cell are too close to call"
        return Certificate(False, 0, False, count, wrong, margin, why, base)
    operands = _operands(task)
    wrong, least = tried(learner, task, operands, step)
    margin, pictures = min(margin, least), len(operands)
    if wrong or margin < DECIDED:
        why = "some products are answered wrong"
        return Certificate(False, 0, False, count, wrong, margin, why, base, pictures=pictures)
    why = "every case of the one cell is right in both drawings"
    domain = f"all numbers of any length in base {base}, written with leading zeros, whose product fits"
    rule = (
        "the grid of cells adds up a b + written + carried row by row, as on paper, and no carry exceeds one digit; "
        "every case is drawn from pixels by the weights, and a picture of a product looks its cases up"
    )
    return Certificate(True, MOST_CELLS, True, count, 0, margin, why, base, domain=domain, rule=rule, pictures=pictures)


def _right(learner: Columns, task: Task, known: rows.Cases, digits: Tensor) -> tuple[Tensor, float]:
    """Which cases are right, by what the glyphs mean, and the smallest margin of any of their drawings."""
    base, nothing = len(digits), torch.zeros(1, dtype=torch.long, device="cpu")
    numbers = torch.arange(base, device="cpu")
    given = torch.cat([nothing, digits + 1])  # 0: nothing is written or carried yet
    where = torch.meshgrid(digits, digits, given, given, indexing="ij")
    added = torch.cat([nothing, numbers])
    truth = (numbers[:, None] * numbers)[:, :, None, None] + added[:, None] + added
    right = (known.written[where] == digits[truth % base]) & (known.carried[where] == digits[truth // base])
    last = known.columns[where][..., 0, :]  # the cells that are drawn last at their place: nothing is carried to them
    read, sure = read_cells(learner, task, learner.painter(learner.seen(last)).flatten(0, -2))
    finite("margins", known.margin, sure)
    right[..., 0] &= read[:, 0].view(last.shape[:-1]) == truth[..., 0] % base
    return right, min(float(known.margin.min()), float(sure.min()))


def carry_is_one_symbol(base: int) -> None:
    """Check the lemma that product, what is written and what is carried never carry more than one digit."""
    most = base - 1  # the sum grows with each digit, so the largest digits give the largest carry
    if (carry := (most * most + most + most) // base) > most:
        raise NoCertificateError(f"a carry of {carry} is no digit of base {base}")


def _operands(task: Task) -> np.ndarray:
    """All pairs of short numbers, and random ones."""
    largest = task.domain.largest
    short = list(itertools.product(range(min(SHORT, largest + 1)), repeat=2))
    return np.concatenate([short, rng(0, "certificate").integers(0, largest + 1, (RANDOM, 2))])
