"""All that a finite machine can do, tried through its real weights and read in its real pixels."""

import itertools
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from visarith.errors import VisarithError
from visarith.experiments.column_rules import ColumnRule
from visarith.experiments.judge import at_a_time, predict, reader_for
from visarith.learners import long
from visarith.learners.columns import Columns, found
from visarith.learners.nearest import nearest
from visarith.learners.tally import Tally
from visarith.notation.arabic import MOST_CELLS, Arabic
from visarith.operations.operation import INT64_SAFE
from visarith.task import Task, intensities

PAIRS = 10_000_000  # that long multiplication is tried on one by one, beside its steps
ROWS = 200_000  # at a time
DECIDED = 0.02  # a margin below which rounding might decide: both states are followed, and no reading is believed


@dataclass(frozen=True)
class Certificate:
    """What was tried, and what follows from it."""

    certified: bool
    exact_up_to_digits: int
    every_length: bool
    enumerated: int
    wrong: int
    smallest_margin: float  # of any reading; 1: exactly a glyph, 0: half way to another
    why: str
    states: int = 0
    operands_up_to: int | None = None  # None: whatever pictures of that length can show
    control_failed: bool | None = None


def none(why: str) -> Certificate:
    """No certificate can be given."""
    return Certificate(False, 0, False, 0, 0, 0.0, why)


def machine(learner: Columns, task: Task, rule: ColumnRule) -> Certificate:
    """Every column in every state that can be reached, beside the true carry: longer numbers only repeat them."""
    base, count = _base(task), len(learner.meeting.operands)
    states, digits = found(learner.states), _digits(learner, task)
    if len(glyphs := found(learner.glyphs)):  # a cell is taken for one of them
        digits = glyphs[nearest(digits, glyphs)[0]]
    columns = learner.meeting.table("aligned", digits)
    seen = learner.seen(columns + states[:, None])  # (states, columns, ...)
    read, sure = _read(learner, task, learner.painter(seen).flatten(0, 1))
    handed = _near(learner.hands[0](seen), states)
    rows = list(itertools.product(range(base), repeat=count))
    answers, margins = read.view(len(states), len(rows), -1).tolist(), sure.view(len(states), -1)
    tried, wrong, first_wrong, margin, length = set[tuple[int, int]](), 0, 0, 1.0, 0
    reached = {(start, rule.start) for start in _near(learner.starts[:1], states)[0]}
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
        return none("the glyphs that it has settled on are not the digits")
    try:
        tables = long.tables(learner, glyphs)
    except VisarithError as error:
        return none(str(error))
    one, other = torch.meshgrid(torch.arange(base), torch.arange(base), indexing="ij")
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
    numbers = torch.arange(task.domain.largest + 1)
    written = torch.from_numpy(task.notation.write(numbers.numpy())).long()
    wrong, each = 0, max(1, ROWS // len(numbers))
    for start in range(0, len(numbers), each):
        left, right = torch.meshgrid(numbers[start : start + each], numbers, indexing="ij")
        seen = digits[torch.stack([written[left.flatten()], written[right.flatten()]], 1)]
        products = torch.from_numpy(task.notation.write((left * right).flatten().numpy())).long()
        wrong += int((long.work_out(tables, seen)[0] != digits[products]).any(1).sum())
    return wrong


def tallies(learner: Tally, task: Task) -> Certificate:
    """Every count of every numeral in every state that can be reached; the symbols found must be the numerals."""
    columns, last = learner.calculator, learner.symbols - 1
    told_apart = learner.recognise(torch.from_numpy(task.page.patterns)).tolist()
    if told_apart != [*reversed(range(last)), last] or columns.scan != "right":  # the largest numeral comes first
        return none("the symbols that were found are not the numerals in their order")
    centres = learner.put(learner.centres[:, None, None].expand(-1, learner.outputs, len(learner.places), -1))
    reading = reader_for("templates", task).read(task.answer_page.plain(centres[:, 0].numpy()))
    if (reading.symbols[told_apart] != np.arange(learner.symbols)[:, None]).any():
        return none("the symbols that were found are drawn as others")
    margin = float(reading.confidence.min())
    states = found(columns.states)
    reached = {(start, 0) for start in _near(columns.starts[:1], states)[0]}
    enumerated, wrong, used = 0, 0, set[int]()
    for numeral in range(last):  # from the smallest on
        most, worth = (5, 1) if numeral % 2 == 0 else (2, 5)
        counts = [count for count in range(most) if count * worth * 10 ** (numeral // 2) <= task.domain.largest]
        pairs = list(itertools.product(counts, repeat=2))
        symbol = torch.full((len(counts),), last - 1 - numeral)
        met = columns.meeting.table("aligned", learner.strokes(symbol, torch.tensor(counts)))
        later = set[tuple[int, int]]()
        for state, carry in reached:
            seen = columns.seen(met + states[state])
            strokes = torch.sigmoid(columns.painter(seen))[:, last:]
            handed_on = _near(columns.hands[0](seen), states)
            for index, (one, other) in enumerate(pairs):
                carried, count = divmod(one + other + carry, most)
                if carried and numeral == last - 1:
                    continue  # the sum has no room: not among the operands
                enumerated += 1
                wrong += int(strokes[index].round().sum()) != count
                margin = min(margin, float((strokes[index] - 0.5).abs().min() * 2))
                later |= {(following, carried) for following in handed_on[index]}
        used |= {state for state, _ in reached}
        reached = later
    largest = task.domain.largest
    if wrong or margin < DECIDED:
        why = "some counts are wrong" if wrong else "some counts are too close to call"
        return Certificate(False, 0, False, enumerated, wrong, margin, why, len(used), largest)
    why = "every count of every numeral in every state that can be reached is right"
    return Certificate(True, task.notation.digits, False, enumerated, 0, margin, why, len(used), largest)


def everything(learner: nn.Module, task: Task) -> Certificate:
    """All operands there are, as pictures."""
    operands = np.array(task.domain.all(), np.int64 if task.domain.limit < INT64_SAFE else object)
    reader, wrong, margin = reader_for("templates", task), 0, 1.0
    for start in range(0, len(operands), at_a_time(task)):
        some = task.write(operands[start : start + at_a_time(task)])
        drawn = predict(learner, task, intensities(task.page.typeset(some.inputs)))
        for answer in range(task.operation.answers):
            reading = reader.read(drawn[:, answer])
            right = (reading.symbols == some.answers[:, answer]).all(1)
            wrong += int((~right).sum())
            margin = min(margin, float(reading.confidence.min()))
    why = "all operands are right" if not wrong else "some operands are wrong"
    exact = 0 if wrong else task.notation.digits
    return Certificate(not wrong, exact, False, len(operands), wrong, margin, why, 0, task.domain.largest)


def _near(vectors: Tensor, states: Tensor) -> list[list[int]]:
    """For each vector the states that it may be taken for: the nearest, and any so near that rounding decides."""
    squares = torch.cdist(vectors.flatten(0, -2), states).square()
    least, which = squares.min(1)
    apart = torch.cdist(states, states).square()[which]
    return [row.nonzero().flatten().tolist() for row in squares - least[:, None] <= DECIDED * apart]


def _base(task: Task) -> int:
    assert isinstance(task.notation, Arabic)
    return task.notation.base


def _digits(learner: Columns, task: Task) -> Tensor:
    """How each digit looks in a cell, the same in all of them: (base, pixels)."""
    symbols = np.repeat(np.arange(_base(task))[:, None], task.notation.cells, 1)
    cells = intensities(task.page.typeset(symbols)).flatten(1)[:, learner.places]
    assert bool((cells == cells[:, :1]).all()), "glyphs stand alike in all cells"
    return cells[:, 0]


def _read(learner: Columns, task: Task, logits: Tensor) -> tuple[Tensor, Tensor]:
    """Put each painted cell into every place of a picture, and read it there: (rows, answers), and how surely."""
    reader, parts = reader_for("templates", task), []
    for start in range(0, len(logits), at_a_time(task)):
        some = logits[start : start + at_a_time(task)]
        pictures = torch.sigmoid(learner.page(some[:, None].expand(-1, learner.cells, -1)))
        plain = task.answer_page.plain(pictures.view(len(some), -1, *task.answer_shape).numpy())
        readings = [reader.read(plain[:, answer]) for answer in range(task.operation.answers)]
        alike = [np.where((r.symbols == r.symbols[:, :1]).all(1), r.symbols[:, 0], -1) for r in readings]
        parts.append((np.stack(alike, 1), np.stack([r.confidence.min(1) for r in readings], 1).min(1)))
    symbols, sure = (np.concatenate(part) for part in zip(*parts, strict=True))
    return torch.from_numpy(symbols).long(), torch.from_numpy(sure)
