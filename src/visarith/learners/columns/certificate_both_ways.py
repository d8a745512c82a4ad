"""The certificate of a column learner that walks from the right and back: every case that occurs is tried."""

import numpy as np

from visarith.data.task import Task
from visarith.learners.certificate import DECIDED, Certificate
from visarith.learners.columns.both_ways import check_counts, walks
from visarith.learners.columns.cases_both_ways import passes
from visarith.learners.columns.machine import RANDOM_DIGITS
from visarith.learners.columns.network import Columns
from visarith.learners.columns.relation import Relation
from visarith.learners.columns.witnesses import try_words
from visarith.notation.arabic import MOST_CELLS


def certify_both_ways(learner: Columns, task: Task, truth: Relation, domain: str) -> Certificate:
    """Try every column between every two states that can meet there; longer numbers only repeat these."""
    tables = passes(learner, task)
    found = walks(tables, truth)
    cases = np.unique(found.cases[found.occurring], axis=0)
    states, _, back = (np.unique(each) for each in cases.T)
    used, enumerated = len(states) + len(back), len(cases)
    margin = min([tables.input_margin, *tables.margins[tuple(cases.T)].tolist()])
    if wrong := len(found.wrong):
        exact = min(len(found.word(place)) for place in found.steps[found.wrong, 0].tolist())
        wrong = len(np.unique(found.cases[found.wrong], axis=0))
        return Certificate(False, exact, False, enumerated, wrong, margin, "some columns are wrong", used)
    if margin < DECIDED:
        return Certificate(False, 0, False, enumerated, 0, margin, "some columns are too close to call", used)
    check_counts(found)
    shown = list(found.witnesses(task.notation.cells))
    wrong, least = try_words(learner, task, np.array(truth.columns), "right", shown)
    margin = min(margin, least)
    if wrong or margin < DECIDED:
        why = "some pictures that show every case are answered wrong"
        return Certificate(False, 0, False, enumerated, wrong, margin, why, used, pictures=len(shown))
    exact = MOST_CELLS if truth.proved else truth.compared_digits
    return Certificate(
        True,
        exact,
        bool(truth.proved),
        enumerated,
        0,
        margin,
        "every column between every two states that can meet there is right",
        used,
        domain=domain,
        rule=rule(truth),
        pictures=len(shown),
    )


def rule(truth: Relation) -> str:
    """How the automaton is known to be that of the operation."""
    known = (
        f"automaton of {truth.states} states that checks answers from the right, derived from answers; no operands "
        f"have two right answers; equal to the operation on all operands of up to {truth.compared_digits} digits and "
        f"on random ones of up to {RANDOM_DIGITS}, {truth.compared:,} in all"
    )
    if truth.proved:
        return f"{known}; and at every length, since {truth.proved}, and the automaton finds that right in every state"
    return f"{known}; the learner equals the automaton at every length"
