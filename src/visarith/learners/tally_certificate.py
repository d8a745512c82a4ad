"""The certificate of the tally: every count of every numeral in every state that can be reached."""

import copy
import itertools
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from visarith.data.task import Task
from visarith.learners.certificate import DECIDED, Certificate, NoCertificateError, Step, everything, tried
from visarith.learners.tally import Tally
from visarith.learners.vectors import finite, found, nearest, within
from visarith.operations import ADD

Pair = tuple[int, int]  # a state of the learner, and the true carry
ROUNDING = DECIDED / 2  # of strokes and margins, by which single and double precision may differ


def certify(learner: Tally, task: Task, step: Step) -> Certificate:
    """Try every count of a quantised adder; otherwise all operands."""
    columns, operation = learner.calculator, task.operation
    if operation.rule is not ADD.rule or operation.operands != 2 or not task.notation.additive:
        return everything(learner, task, f"no rule of {operation.name} for counts of numerals is known", step)
    if columns.scan != "right" or columns.path != "aligned" or not len(found(columns.states)):
        return everything(learner, task, "the carried states are not quantised, so the cases of add have no end", step)
    return counts_and_carries(learner, task)


@dataclass(frozen=True)
class Numeral:
    """A numeral; `most` of them are worth one of the next."""

    symbol: int  # in the order of the clusters
    most: int
    worth: int
    top: bool
    pairs: list[tuple[int, int]]  # how often it can occur in both operands

    def legal(self, carry: int) -> list[int]:
        """The indices of the pairs whose sum fits."""
        return [i for i, pair in enumerate(self.pairs) if not self.top or sum(pair) + carry < self.most]


def numerals(task: Task) -> list[Numeral]:
    """All numerals from the smallest on: five of a kind are the next, then two."""
    count, made = 2 * task.notation.digits, []
    for number in range(count):
        most, times = (2, 5) if number % 2 else (5, 1)
        worth = times * 10 ** (number // 2)
        counts = [each for each in range(most) if each * worth <= task.domain.largest]
        pairs = list(itertools.product(counts, counts))
        made.append(Numeral(count - 1 - number, most, worth, number == count - 1, pairs))
    return made


def counts_and_carries(learner: Tally, task: Task) -> Certificate:
    """Try every count of every numeral in every reachable state; the symbols that were found must be the numerals."""
    columns = learner.calculator
    finite("weights", *columns.trained_weights(), learner.centres, found(columns.states))
    if len(found(columns.glyphs)) or bool(columns.mean.any()):
        raise NoCertificateError("the tallies are changed before they are added")
    margin = _symbols_margin(learner, task)
    (starts,) = within(DECIDED, columns.starts[:1], found(columns.states))
    reached: dict[Pair, tuple[int, int]] = {(start, 0): (0, 0) for start in starts}  # and operands that lead there
    wrong, used, shown, carries = 0, set[int](), list[tuple[int, int]](), {0}
    for numeral in numerals(task):
        drawn, later = draw(learner, numeral), dict[Pair, tuple[int, int]]()
        if {carry for _, carry in reached} != carries:
            raise NoCertificateError("not every carry that occurs was reached")
        for (state, carry), (one, other) in reached.items():
            used.add(state)
            for index in numeral.legal(carry):
                left, right = numeral.pairs[index]
                carried, count = divmod(left + right + carry, numeral.most)
                operands = one + left * numeral.worth, other + right * numeral.worth
                wrong += drawn.counts[state, index] != count
                margin = min(margin, float(drawn.margins[state, index]))
                shown.append(operands)
                for following in drawn.following[state * len(numeral.pairs) + index]:
                    later.setdefault((following, carried), operands)
        carries = {(sum(numeral.pairs[i]) + carry) // numeral.most for carry in carries for i in numeral.legal(carry)}
        reached = later
    largest, enumerated = task.domain.largest, len(shown)
    domain = f"operands in 0..{largest:,}, in additive Roman numerals"
    if not wrong and margin >= DECIDED:
        wrong, least = tried(learner, task, np.array(shown))
        margin = min(margin, least)
    if wrong or margin < DECIDED:
        why = "some counts are wrong" if wrong else "some counts are too close to call"
        return Certificate(False, 0, False, enumerated, int(wrong), margin, why, len(used), largest, domain=domain)
    rule = "five of a numeral are one of the next, or two; symbols are counted and written by look-up, not by weights"
    why, digits = "every count of every numeral in every state that can be reached is right", task.notation.digits
    found_out = Certificate(True, digits, False, enumerated, 0, margin, why, len(used), largest)
    return replace(found_out, domain=domain, rule=rule, pictures=enumerated)


def _symbols_margin(learner: Tally, task: Task) -> float:
    """How clearly each numeral is recognised and drawn; refuse symbols that are not the numerals in their order."""
    last = learner.symbols - 1
    seen, sure = nearest(torch.from_numpy(task.layout.patterns).to(learner.device), learner.centres)
    told_apart = seen.tolist()
    if told_apart != [*reversed(range(last)), last]:  # the largest numeral comes first
        raise NoCertificateError("the symbols that were found are not the numerals in their order")
    centres = learner.put(learner.centres[:, None, None].expand(-1, learner.outputs, len(learner.places), -1))
    reading = task.legend.reader("templates").read(task.plain_answers(centres[:, 0].cpu().numpy()))
    if (reading.symbols[told_apart] != np.arange(learner.symbols)[:, None]).any():
        raise NoCertificateError("the symbols that were found are drawn as others")
    return min(float(sure.min()), float(reading.confidence.min()))


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is drawn for a numeral: (states, pairs) counts and margins, and the states that may follow."""

    counts: np.ndarray
    margins: np.ndarray  # of the stroke that is least clear; 1: drawn or not, 0: half
    following: list[list[int]]  # by state * pairs + pair


def draw(learner: Tally, numeral: Numeral) -> Drawn:
    """Draw the sum of every pair of counts in every state; refuse what rounding decides."""
    states = found(learner.calculator.states)
    strokes, carried = _strokes(learner, numeral)
    precise = _strokes(copy.deepcopy(learner).double(), numeral)
    sure = nearest(carried, states)[1], nearest(precise[1], states.double())[1]
    for one, other in ((strokes, precise[0]), sure):
        if not float((one - other).abs().max()) < ROUNDING:
            raise NoCertificateError("rounding decides what is drawn or carried: single and double precision differ")
    margins = ((strokes - 0.5).abs() * 2).min(-1).values
    return Drawn(strokes.round().sum(-1).numpy(), margins.numpy(), within(DECIDED, carried, states))


def _strokes(learner: Tally, numeral: Numeral) -> tuple[Tensor, Tensor]:
    """(states, pairs, strokes) in [0, 1], and what is carried (states, pairs, SUM)."""
    columns = learner.calculator
    counts = torch.tensor(sorted({one for one, _ in numeral.pairs}), device=learner.device)
    tallies = learner.strokes(torch.full_like(counts, numeral.symbol), counts).to(learner.centres.dtype)
    sums = columns.meeting.table("aligned", tallies)
    seen = columns.seen(sums + found(columns.states)[:, None])
    drawn, carried = torch.sigmoid(columns.painter(seen))[..., learner.symbols - 1 :], columns.hands[0](seen)
    finite("columns, strokes or carried states", sums, drawn, carried)
    return drawn, carried
