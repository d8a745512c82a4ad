"""The certificate of long multiplication: both tables, and all pairs of operands if they are few enough."""

import torch
from torch import Tensor

from visarith.data.task import Task
from visarith.errors import VisarithError
from visarith.learners.certificate import DECIDED, Certificate, NoCertificateError, Step
from visarith.learners.columns import long
from visarith.learners.columns.cases import read_cells, symbol_cells
from visarith.learners.columns.network import Columns
from visarith.learners.vectors import finite, found, nearest
from visarith.notation.arabic import MOST_CELLS

PAIRS = 10_000_000  # of operands, up to which long multiplication is tried on all of them
ROWS = 200_000  # pairs at a time


def long_multiplication(learner: Columns, task: Task, base: int, step: Step) -> Certificate:
    """Try both tables of long multiplication, and every pair of operands if they are few enough."""
    finite("weights", *learner.trained_weights())
    carry_is_one_symbol(base)
    glyphs = found(learner.glyphs)
    digits, alike = nearest(symbol_cells(learner, task), glyphs)
    if sorted(digits.tolist()) != list(range(len(glyphs))) or len(glyphs) != base or float(alike.min()) < 0.999:
        raise NoCertificateError("the glyphs that it was quantised to are not the digits")
    try:
        tables = long.tables(learner, glyphs)
    except VisarithError as error:
        raise NoCertificateError(str(error)) from None
    one, other = torch.meshgrid(*[torch.arange(base, device="cpu")] * 2, indexing="ij")
    wrong, margin = int(tables.nothing != digits[0]), 1.0
    for drawn, truth in ((tables.products, one * other), (tables.sums, one + other)):
        finite("drawn cells", drawn.cells, torch.tensor(drawn.margin, device="cpu"))
        order = digits[one], digits[other]  # by what the glyphs mean
        read, sure = read_cells(learner, task, drawn.cells[order].flatten(0, 1))
        right = (read.view(base, base) == truth % base) & (drawn.written[order] == digits[truth % base])
        right &= drawn.carried[order] == digits[truth // base]
        wrong += int((~right).sum())
        margin = min(margin, drawn.margin, float(sure.min()))
    enumerated = 2 * base * base
    if task.domain.candidates <= PAIRS:
        wrong += _wrong_products(tables, digits, task, step)
        enumerated += task.domain.candidates
    if wrong or margin < DECIDED:
        why = "some products or sums are wrong" if wrong else "some products or sums are too close to call"
        return Certificate(False, 0, False, enumerated, wrong, margin, why, len(glyphs))
    why = "every product and every sum of two digits is right"
    domain = f"all numbers of any length in base {base}, written with leading zeros, whose product fits"
    rule = (
        "long multiplication row by row, a procedure that is given; both tables come from drawings, and pairs of "
        "operands are then looked up in them; no carry exceeds one digit"
    )
    return Certificate(True, MOST_CELLS, True, enumerated, 0, margin, why, len(glyphs), domain=domain, rule=rule)


def carry_is_one_symbol(base: int) -> None:
    """Check the lemma that product, what is written and what is carried never carry more than one digit."""
    most = base - 1  # the sum grows with each digit, so the largest digits give the largest carry
    if (carry := (most * most + most + most) // base) > most:
        raise NoCertificateError(f"a carry of {carry} is no digit of base {base}")


def _wrong_products(tables: long.Tables, digits: Tensor, task: Task, step: Step) -> int:
    """How many pairs of operands long multiplication gets wrong."""
    numbers = torch.arange(task.domain.largest + 1, device="cpu")
    written = torch.from_numpy(task.notation.write(numbers.numpy())).long()
    wrong, each = 0, max(1, ROWS // len(numbers))
    for start in range(0, len(numbers), each):
        left, right = torch.meshgrid(numbers[start : start + each], numbers, indexing="ij")
        seen = digits[torch.stack([written[left.flatten()], written[right.flatten()]], 1)]
        products = torch.from_numpy(task.notation.write((left * right).flatten().numpy())).long()
        wrong += int((long.work_out(tables, seen)[0] != digits[products]).any(1).sum())
        step(min(1.0, (start + each) / len(numbers)))
    return wrong
