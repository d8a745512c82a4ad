"""The certificate of the tally: every count of every numeral in every state that can be reached."""

import itertools
from typing import TYPE_CHECKING

import numpy as np
import torch

from visarith.data.task import Task
from visarith.learners.certificate import DECIDED, Certificate, everything, noisy, none
from visarith.learners.columns.certificate import near, why_not
from visarith.learners.columns.network import found
from visarith.operations import ADD

if TYPE_CHECKING:
    from visarith.learners.tally.network import Tally


def certify(learner: "Tally", task: Task) -> Certificate:
    """Addition, once the columns of its counts are quantised; otherwise all operands there are."""
    if refused := noisy(task):
        return refused
    added = task.operation.rule is ADD.rule and task.operation.operands == 2
    if added and len(found(learner.calculator.states)):
        return counts_and_carries(learner, task)
    return everything(learner, task, why_not(learner.calculator.scan, task))


def counts_and_carries(learner: "Tally", task: Task) -> Certificate:
    """Every count of every numeral in every state that can be reached; the symbols found must be the numerals."""
    columns, last = learner.calculator, learner.symbols - 1
    told_apart = learner.recognise(torch.from_numpy(task.layout.patterns).to(learner.device)).tolist()
    if told_apart != [*reversed(range(last)), last] or columns.scan != "right":  # the largest numeral comes first
        return none("the symbols that were found are not the numerals in their order")
    centres = learner.put(learner.centres[:, None, None].expand(-1, learner.outputs, len(learner.places), -1))
    reading = task.legend.reader("templates").read(task.plain_answers(centres[:, 0].cpu().numpy()))
    if (reading.symbols[told_apart] != np.arange(learner.symbols)[:, None]).any():
        return none("the symbols that were found are drawn as others")
    margin = float(reading.confidence.min())
    states = found(columns.states)
    reached = {(start, 0) for start in near(columns.starts[:1], states)[0]}
    enumerated, wrong, used = 0, 0, set[int]()
    for numeral in range(last):  # from the smallest on
        most, worth = (5, 1) if numeral % 2 == 0 else (2, 5)
        counts = [count for count in range(most) if count * worth * 10 ** (numeral // 2) <= task.domain.largest]
        pairs = list(itertools.product(counts, repeat=2))
        symbol = torch.full((len(counts),), last - 1 - numeral, device=learner.device)
        met = columns.meeting.table("aligned", learner.strokes(symbol, torch.tensor(counts, device=learner.device)))
        later = set[tuple[int, int]]()
        for state, carry in reached:
            seen = columns.seen(met + states[state])
            strokes = torch.sigmoid(columns.painter(seen))[:, last:]
            handed_on = near(columns.hands[0](seen), states)
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
