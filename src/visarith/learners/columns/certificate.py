"""Certificates of the column learner: a quantised one is a finite-state machine, and every state of it is tried."""

import itertools

import numpy as np
import torch
from torch import Tensor

from visarith.data.task import Task
from visarith.data.view import intensities
from visarith.errors import VisarithError
from visarith.learners.certificate import DECIDED, Certificate, Step, everything, none
from visarith.learners.columns import long
from visarith.learners.columns.network import Columns
from visarith.learners.vectors import found, nearest, within
from visarith.notation.arabic import MOST_CELLS
from visarith.operations import MULTIPLY, ColumnRule, column_rule_of

PAIRS = 10_000_000  # of operands, up to which long multiplication is tried on all of them
ROWS = 200_000  # pairs at a time
AT_A_TIME = 2_000  # pictures


def certify(learner: Columns, task: Task, step: Step) -> Certificate:
    """Try every column in every state, or both tables of long multiplication, or all operands."""
    base = task.notation.place_base
    if base is not None:
        product = task.operation.rule is MULTIPLY.rule
        if product and learner.path == "diagonal" and len(found(learner.glyphs)):
            return long_multiplication(learner, task, base, step)
        rule = column_rule_of(task.operation)
        if len(found(learner.states)) and rule and rule.way == learner.scan:
            return machine(learner, task, base, rule)
    return everything(learner, task, why_not(learner.scan, task), step)


def why_not(scan: str, task: Task) -> str:
    """Why there is no certificate by columns for this task, in one sentence."""
    name, rule = task.operation.name, column_rule_of(task.operation)
    if task.notation.place_base is None and not task.notation.additive:
        return "column rules are known for numbers with leading zeros only"
    if rule is None and task.operation.rule is not MULTIPLY.rule:
        return f"there is no column rule for {name}"
    if rule is not None and not task.notation.additive and rule.way != scan:
        return f"the column rule of {name} starts from the {rule.way}, and this learner from the {scan}"
    return f"the carried states are not quantised, so the cases of {name} have no end"


def machine(learner: Columns, task: Task, base: int, rule: ColumnRule) -> Certificate:
    """Try every column in every reachable pair of state and true carry; longer numbers only repeat these."""
    states, digits = found(learner.states), _digits(learner, task, base)
    if len(glyphs := found(learner.glyphs)):  # each cell is replaced by the nearest
        digits = glyphs[nearest(digits, glyphs)[0]]
    columns = learner.meeting.table("aligned", digits)
    seen = learner.seen(columns + states[:, None])  # (states, columns, ...)
    read, sure = _read(learner, task, learner.painter(seen).flatten(0, 1))
    after = within(DECIDED, learner.hands[0](seen), states)
    rows = list(itertools.product(range(base), repeat=len(learner.meeting.operands)))
    answers, margins = read.view(len(states), len(rows), -1).tolist(), sure.view(len(states), -1)
    tried, wrong, first_wrong, margin, length = set[tuple[int, int]](), 0, 0, 1.0, 0
    reached = {(start, rule.start) for start in within(DECIDED, learner.starts[:1], states)[0]}
    while reached:
        length += 1
        tried |= reached
        later = set[tuple[int, int]]()
        for state, carry in reached:
            margin = min(margin, float(margins[state].min()))
            for index, row in enumerate(rows):
                answer, carried = rule.step(row, carry, base)
                if tuple(answers[state][index]) != answer:
                    wrong, first_wrong = wrong + 1, first_wrong or length
                later |= {(following, carried) for following in after[state * len(rows) + index]}
        reached = later - tried
    used, enumerated = len({state for state, _ in tried}), len(tried) * len(rows)
    if wrong or margin < DECIDED:
        why = "some columns are wrong" if wrong else "some columns are too close to call"
        return Certificate(False, max(first_wrong - 1, 0), False, enumerated, wrong, margin, why, used)
    why = "every column in every state that can be reached is right"
    return Certificate(True, MOST_CELLS, True, enumerated, 0, margin, why, used)


def long_multiplication(learner: Columns, task: Task, base: int, step: Step) -> Certificate:
    """Try both tables of long multiplication, and every pair of operands if they are few enough."""
    glyphs = found(learner.glyphs)
    digits, alike = nearest(_digits(learner, task, base), glyphs)
    if sorted(digits.tolist()) != list(range(len(glyphs))) or len(glyphs) != base or float(alike.min()) < 0.999:
        return none("the glyphs that it was quantised to are not the digits")
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
        wrong += _wrong_products(tables, digits, task, step)
        enumerated += task.domain.candidates
    if wrong or margin < DECIDED:
        why = "some products or sums are wrong" if wrong else "some products or sums are too close to call"
        return Certificate(False, 0, False, enumerated, wrong, margin, why, len(glyphs))
    why = "every product and every sum of two digits is right"
    return Certificate(True, MOST_CELLS, True, enumerated, 0, margin, why, len(glyphs))


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


def _digits(learner: Columns, task: Task, base: int) -> Tensor:
    """The picture of each digit, which is the same in all cells: (base, pixels)."""
    symbols = np.repeat(np.arange(base)[:, None], task.notation.cells, 1)
    cells = intensities(task.layout.typeset(symbols)).to(learner.device).flatten(1)[:, learner.places]
    assert bool((cells == cells[:, :1]).all()), "glyphs stand alike in all cells"
    return cells[:, 0]


def _read(learner: Columns, task: Task, logits: Tensor) -> tuple[Tensor, Tensor]:
    """Read each painted cell in every place of a picture: (rows, answers) symbols, and the margin of each row."""
    reader, parts = task.legend.reader("templates"), []
    for start in range(0, len(logits), AT_A_TIME):
        some = logits[start : start + AT_A_TIME]
        pictures = torch.sigmoid(learner.assembled(some[:, None].expand(-1, learner.cells, -1)))
        plain = task.plain_answers(pictures.view(len(some), -1, *task.answer_shape).cpu().numpy())
        readings = [reader.read(plain[:, answer]) for answer in range(task.operation.answers)]
        alike = [np.where((r.symbols == r.symbols[:, :1]).all(1), r.symbols[:, 0], -1) for r in readings]
        parts.append((np.stack(alike, 1), np.stack([r.confidence.min(1) for r in readings], 1).min(1)))
    symbols, sure = (np.concatenate(part) for part in zip(*parts, strict=True))
    return torch.from_numpy(symbols).long(), torch.from_numpy(sure)
