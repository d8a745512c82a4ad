"""Certificates of the column learner: a quantised one is a finite-state machine, and every state of it is tried."""

import numpy as np

from visarith.data.task import Task
from visarith.learners.certificate import DECIDED, Certificate, NoCertificateError, Step, everything, in_order
from visarith.learners.columns.cases import Cases, cases
from visarith.learners.columns.certificate_both_ways import certify_both_ways
from visarith.learners.columns.certificate_rows import certify_rows
from visarith.learners.columns.certificate_signs import certify_signs
from visarith.learners.columns.machine import RANDOM_DIGITS, Machine, NoMachineError, machine_of
from visarith.learners.columns.network import Columns
from visarith.learners.columns.relation import Relation
from visarith.learners.columns.relation_proof import known_relation
from visarith.learners.columns.witnesses import try_all
from visarith.learners.vectors import found
from visarith.notation.arabic import MOST_CELLS, Arabic
from visarith.operations import MULTIPLY

Pair = tuple[int, int]  # a state of the learner, and one of the operation's machine


def certify(learner: Columns, task: Task, step: Step) -> Certificate:
    """Try every column in every state, or every case of rows, or all operands."""
    notation = task.notation
    if learner.path == "signs" and learner.quantised:
        return certify_signs(learner, task, certify, step)
    product = task.operation.rule is MULTIPLY.rule and notation.place_base is not None
    if product and learner.path == "rows" and len(found(learner.glyphs)):
        return certify_rows(learner, task, notation.place_base or 0, step)
    try:
        truth = column_machine(learner, task)
    except NoMachineError as error:
        return everything(learner, task, str(error), step)
    if isinstance(truth, Relation):
        return certify_both_ways(learner, task, truth, domain(task, truth))
    return machine(learner, task, truth)


def column_machine(learner: Columns, task: Task) -> Machine | Relation:
    """What the learner must equal, on one way or on both; NoMachineError says why there is none."""
    notation = task.notation
    if not isinstance(notation, Arabic):
        raise NoMachineError("columns are known of Arabic numerals only")
    if learner.path == "rows" and not len(found(learner.glyphs)):
        raise NoMachineError("what rows draw is not rounded to glyphs, so that the cases of a cell have no end")
    if task.operation.signs or learner.path != "aligned":
        raise NoMachineError(f"{task.operation.name} was learned on the path {learner.path}, which has no columns")
    both = len(learner.ways) > 1
    truth = known_relation(task.operation, notation) if both else machine_of(task.operation, notation, learner.scan)
    if not len(found(learner.states)) or (both and not len(found(learner.states_back))):
        raise NoMachineError(f"the carried states are not quantised, so the cases of {task.operation.name} have no end")
    return truth


def machine(learner: Columns, task: Task, truth: Machine) -> Certificate:
    """Try every column in every pair of states that can be reached; longer numbers only repeat these."""
    tables = cases(learner, task)
    words = reached(tables, truth)
    margin, enumerated, wrong, first_wrong, shown = tables.input_margin, 0, 0, 0, []
    for (state, true), word in words.items():
        (columns,) = np.nonzero(truth.following[true] >= 0)
        differ = (tables.answers[state] != truth.answers[true]).any(1)[columns]
        enumerated, wrong = enumerated + len(columns), wrong + int(differ.sum())
        first_wrong = first_wrong or (len(word) + 1 if differ.any() else 0)
        margin = min(margin, float(tables.margins[state, columns].min()))
        shown += [[*word, column] for column in columns.tolist()]
    _check_counts(words, truth, len(shown))
    used = len({state for state, _ in words})
    if wrong or margin < DECIDED:
        why = "some columns are wrong" if wrong else "some columns are too close to call"
        return Certificate(False, max(first_wrong - 1, 0), False, enumerated, wrong, margin, why, used)
    wrong, least = try_all(learner, task, truth, shown)
    margin = min(margin, least)
    if wrong or margin < DECIDED:
        why = "some pictures that show every case are answered wrong"
        return Certificate(False, 0, False, enumerated, wrong, margin, why, used, pictures=len(shown))
    exact = MOST_CELLS if truth.proved else truth.compared_digits
    words_of = domain(task, truth), rule(truth)
    why = "every column in every state that can be reached is right"
    return Certificate(
        True, exact, bool(truth.proved), enumerated, 0, margin, why, used, None, None, *words_of, pictures=len(shown)
    )


def reached(tables: Cases, truth: Machine) -> dict[Pair, list[int]]:
    """Every pair of states that can be reached, with the shortest word of columns that leads there."""
    words: dict[Pair, list[int]] = {(start, 0): [] for start in tables.starts}
    queue = list(words)
    for state, true in queue:  # grows
        word = words[state, true]
        for column in np.flatnonzero(truth.following[true] >= 0).tolist():
            for following in tables.following[state][column]:
                pair = following, int(truth.following[true, column])
                if pair not in words:
                    words[pair] = [*word, column]
                    queue.append(pair)
    return words


def _check_counts(words: dict[Pair, list[int]], truth: Machine, visited: int) -> None:
    """Count the cases a second way: a case that was skipped would be a case that nobody has seen to be right."""
    of_each = (truth.following >= 0).sum(1)
    must = sum(int(of_each[true]) for _, true in words)
    of_truth = sum(int(of_each[true]) for true in {true for _, true in words})
    if visited != must or of_truth != truth.cases:
        raise NoCertificateError(f"{visited} of {must} cases and {of_truth} of {truth.cases} transitions were visited")


def domain(task: Task, truth: Machine | Relation) -> str:
    """The operands of which the certificate speaks."""
    assert isinstance(task.notation, Arabic)
    length = "any length" if truth.proved else f"up to {truth.compared_digits} digits"
    zeros = "with" if task.notation.padded else "without"
    return (
        f"all numbers of {length} in base {task.notation.base}, written {zeros} leading zeros{in_order(task)}, "
        "whose answers fit the cells"
    )


def rule(truth: Machine) -> str:
    """How the machine is known to be that of the operation."""
    compared = (
        f"column machine of {truth.states} states from the {truth.way}, derived from answers; equal to the operation "
        f"on all operands of up to {truth.compared_digits} digits and on random ones of up to {RANDOM_DIGITS}, "
        f"{truth.compared:,} in all"
    )
    if truth.proved:
        return f"{compared}; and at every length, since {truth.proved}, and the machine does the same in every state"
    return f"{compared}; the learner equals the machine at every length"
