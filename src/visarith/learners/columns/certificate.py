"""Certificates of the column learner: a quantised one is a finite machine, and is tried in all of its states."""

import itertools

import numpy as np
import torch
from torch import Tensor

from visarith.data.task import Task
from visarith.data.view import intensities
from visarith.errors import VisarithError
from visarith.learners.certificate import DECIDED, Certificate, everything, noisy, none
from visarith.learners.columns import long
from visarith.learners.columns.network import Columns, found
from visarith.learners.nearest import nearest
from visarith.notation.arabic import MOST_CELLS
from visarith.operations import MULTIPLY, ColumnRule, column_rule_of

PAIRS = 10_000_000  # that long multiplication is tried on one by one, beside its steps
ROWS = 200_000  # at a time
AT_A_TIME = 2_000  # pictures


def certify(learner: Columns, task: Task) -> Certificate:
    """Every column in every state, or both tables of long multiplication, or all operands there are."""
    if refused := noisy(task):
        return refused
    if task.notation.place_base is not None:
        product = task.operation.rule is MULTIPLY.rule
        if product and learner.path == "diagonal" and len(found(learner.glyphs)):
            return long_multiplication(learner, task)
        rule = column_rule_of(task.operation)
        if len(found(learner.states)) and rule and rule.way == learner.scan:
            return machine(learner, task, rule)
    return everything(learner, task, why_not(learner.scan, task))


def why_not(scan: str, task: Task) -> str:
    """Why columns give no certificate of this task, in one sentence."""
    name, rule = task.operation.name, column_rule_of(task.operation)
    if task.notation.place_base is None and not task.notation.additive:
        return "what a column does is written down here for numbers with leading zeros only"
    if rule is None and task.operation.rule is not MULTIPLY.rule:
        return f"what {name} does in a column is not written down here"
    if rule is not None and not task.notation.additive and rule.way != scan:
        return f"{name} is written down here from the {rule.way}, and this learner starts from the {scan}"
    return f"what columns hand on is not quantised to few states, so that there is no end of cases for {name}"


def machine(learner: Columns, task: Task, rule: ColumnRule) -> Certificate:
    """Every column in every state that can be reached, beside the true carry: longer numbers only repeat them."""
    base, count = _base(task), len(learner.meeting.operands)
    states, digits = found(learner.states), _digits(learner, task)
    if len(glyphs := found(learner.glyphs)):  # a cell is taken for one of them
        digits = glyphs[nearest(digits, glyphs)[0]]
    columns = learner.meeting.table("aligned", digits)
    seen = learner.seen(columns + states[:, None])  # (states, columns, ...)
    read, sure = _read(learner, task, learner.painter(seen).flatten(0, 1))
    handed = near(learner.hands[0](seen), states)
    rows = list(itertools.product(range(base), repeat=count))
    answers, margins = read.view(len(states), len(rows), -1).tolist(), sure.view(len(states), -1)
    tried, wrong, first_wrong, margin, length = set[tuple[int, int]](), 0, 0, 1.0, 0
    reached = {(start, rule.start) for start in near(learner.starts[:1], states)[0]}
    while reached:
        length += 1
        tried |= reached
        later = set[tuple[int, int]]()
        for state, carry in reached:
            margin = min(margin, float(margins[state].min()))
            for index, row in enumerate(rows):
                answer, after = rule.step(row, carry, base)
                if tuple(answers[state][index]) != answer:
                    wrong, first_wrong = wrong + 1, first_wrong or length
                later |= {(following, after) for following in handed[state * len(rows) + index]}
        reached = later - tried
    used, enumerated = len({state for state, _ in tried}), len(tried) * len(rows)
    if wrong or margin < DECIDED:
        why = "some columns are wrong" if wrong else "some columns are too close to call"
        return Certificate(False, max(first_wrong - 1, 0), False, enumerated, wrong, margin, why, used)
    why = "every column in every state that can be reached is right"
    return Certificate(True, MOST_CELLS, True, enumerated, 0, margin, why, used)


def long_multiplication(learner: Columns, task: Task) -> Certificate:
    """Both tables of long multiplication, and then every pair of operands, if there are not too many."""
    base, glyphs = _base(task), found(learner.glyphs)
    digits, alike = nearest(_digits(learner, task), glyphs)
    if sorted(digits.tolist()) != list(range(len(glyphs))) or len(glyphs) != base or float(alike.min()) < 0.999:
        return none("the glyphs that it has quantised to are not the digits")
    try:
        tables = long.tables(learner, glyphs)
    except VisarithError as error:
        return none(str(error))
    one, other = torch.meshgrid(*[torch.arange(base, device="cpu")] * 2, indexing="ij")
    wrong, margin = int(tables.nothing != digits[0]), 1.0
    for drawn, truth in ((tables.products, one * other), (tables.sums, one + other)):
        order = digits[one], digits[other]  # by what the glyphs mean
        read, sure = _read(learner, task, drawn.cells[order].flatten(0, 1))
        right = (read.view(base, base) == truth % base) & (drawn.written[order] == digits[truth % base])
        right &= drawn.carried[order] == digits[truth // base]
        wrong += int((~right).sum())
        margin = min(margin, drawn.margin, float(sure.min()))
    enumerated = 2 * base * base
    if task.domain.candidates <= PAIRS:
        wrong += _wrong_products(tables, digits, task)
        enumerated += task.domain.candidates
    if wrong or margin < DECIDED:
        why = "some products or sums are wrong" if wrong else "some products or sums are too close to call"
        return Certificate(False, 0, False, enumerated, wrong, margin, why, len(glyphs))
    why = "every product and every sum of two digits is right"
    return Certificate(True, MOST_CELLS, True, enumerated, 0, margin, why, len(glyphs))


def _wrong_products(tables: long.Tables, digits: Tensor, task: Task) -> int:
    numbers = torch.arange(task.domain.largest + 1, device="cpu")
    written = torch.from_numpy(task.notation.write(numbers.numpy())).long()
    wrong, each = 0, max(1, ROWS // len(numbers))
    for start in range(0, len(numbers), each):
        left, right = torch.meshgrid(numbers[start : start + each], numbers, indexing="ij")
        seen = digits[torch.stack([written[left.flatten()], written[right.flatten()]], 1)]
        products = torch.from_numpy(task.notation.write((left * right).flatten().numpy())).long()
        wrong += int((long.work_out(tables, seen)[0] != digits[products]).any(1).sum())
    return wrong


def near(vectors: Tensor, states: Tensor) -> list[list[int]]:
    """For each vector the states that it may be taken for: the nearest, and any so near that rounding decides."""
    squares = torch.cdist(vectors.flatten(0, -2), states).square()
    least, which = squares.min(1)
    apart = torch.cdist(states, states).square()[which]
    return [row.nonzero().flatten().tolist() for row in squares - least[:, None] <= DECIDED * apart]


def _base(task: Task) -> int:
    base = task.notation.place_base
    assert base is not None
    return base


def _digits(learner: Columns, task: Task) -> Tensor:
    """How each digit looks in a cell, the same in all of them: (base, pixels)."""
    symbols = np.repeat(np.arange(_base(task))[:, None], task.notation.cells, 1)
    cells = intensities(task.layout.typeset(symbols)).to(learner.device).flatten(1)[:, learner.places]
    assert bool((cells == cells[:, :1]).all()), "glyphs stand alike in all cells"
    return cells[:, 0]


def _read(learner: Columns, task: Task, logits: Tensor) -> tuple[Tensor, Tensor]:
    """Put each painted cell into every place of a picture, and read it there: (rows, answers), and how surely."""
    reader, parts = task.legend.reader("templates"), []
    for start in range(0, len(logits), AT_A_TIME):
        some = logits[start : start + AT_A_TIME]
        pictures = torch.sigmoid(learner.layout(some[:, None].expand(-1, learner.cells, -1)))
        plain = task.plain_answers(pictures.view(len(some), -1, *task.answer_shape).cpu().numpy())
        readings = [reader.read(plain[:, answer]) for answer in range(task.operation.answers)]
        alike = [np.where((r.symbols == r.symbols[:, :1]).all(1), r.symbols[:, 0], -1) for r in readings]
        parts.append((np.stack(alike, 1), np.stack([r.confidence.min(1) for r in readings], 1).min(1)))
    symbols, sure = (np.concatenate(part) for part in zip(*parts, strict=True))
    return torch.from_numpy(symbols).long(), torch.from_numpy(sure)
