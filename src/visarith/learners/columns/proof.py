"""The proof that a column machine is right at every length: it is compared with a column rule in every state."""

from typing import TYPE_CHECKING, Any

from visarith.errors import VisarithError
from visarith.learners.columns.asked import Asked, Column
from visarith.operations.column_rule import ColumnRule, Linear

if TYPE_CHECKING:
    from visarith.learners.columns.machine import Machine

MOST_PAIRS = 10_000  # of states of a machine and of a column rule
AFTER = {  # how a number may be written from the right on: by what stands last, then by the next symbol
    "nothing": {"0": "only 0", "digit": "digit"},
    "only 0": {"0": "0", "digit": "digit", "blank": "blank"},
    "0": {"0": "0", "digit": "digit"},
    "digit": {"0": "0", "digit": "digit", "blank": "blank"},
    "blank": {"blank": "blank"},
}
Written = tuple[str, ...]  # what stands last in each operand, or in each answer


def proves(rule: ColumnRule, machine: "Machine", asked: Asked) -> bool:
    """Return whether every column in every pair of states of machine and rule is written alike; an error if not.

    Then they agree at every length. Where some columns never occur, that rests on the comparison, and proves nothing.
    """
    if (machine.following < 0).any():
        return False
    pairs = [(0, rule.start)]
    reached = set(pairs)
    for state, carried in pairs:  # grows
        for index, column in enumerate(machine.columns):
            written, after = rule.step(column, carried, asked.base)
            if written != tuple(machine.answers[state, index].tolist()):
                raise VisarithError(
                    f"the column rule of {asked.name} writes {written} for the column {column} after "
                    f"{carried}, which is not its answer; correct the rule, or leave it out"
                )
            if len(reached) > MOST_PAIRS:
                raise VisarithError(
                    f"the column rule of {asked.name} has more than {MOST_PAIRS:,} states; correct the rule"
                )
            if (pair := (int(machine.following[state, index]), after)) not in reached:
                reached.add(pair)
                pairs.append(pair)
    return True


def proves_unpadded(rule: ColumnRule, machine: "Machine", asked: Asked) -> bool:
    """Return whether the machine writes what a linear rule without a constant writes, with blanks for leading zeros.

    Such a rule has legal operands exactly where nothing is carried in the end. Every column that the writing of the
    operands allows must lead on, each digit must be that of the rule, and each answer must be written as numbers are.
    """
    if not isinstance(rule.step, Linear) or any(rule.start):  # type: ignore[arg-type]
        return False
    operands, answers = ("nothing",) * asked.operation.operands, ("nothing",) * asked.operation.answers
    queue: list[tuple[int, Any, Written, Written]] = [(0, rule.start, operands, answers)]
    reached = set(queue)
    for state, carried, shown, drawn in queue:  # grows
        for index, column in enumerate(machine.columns):
            shown_next = _after(shown, column, asked)
            if (shown_next is None) != (machine.following[state, index] < 0):
                return False
            if shown_next is None:
                continue
            symbols = tuple(machine.answers[state, index].tolist())
            digits, carried_next = rule.step(_digits(column, asked), carried, asked.base)
            drawn_next = _after(drawn, symbols, asked)
            if drawn_next is None or digits != _digits(symbols, asked):
                return False
            after = int(machine.following[state, index])
            ends = "0" not in shown_next and carried_next == rule.start
            if ends and ("0" in drawn_next or not machine.final[after]):
                return False
            if (there := (after, carried_next, shown_next, drawn_next)) not in reached:
                reached.add(there)
                queue.append(there)
    return True


def _after(written: Written, column: Column, asked: Asked) -> Written | None:
    """What stands last after one more column; None if no number is written so."""
    kinds = ["blank" if symbol == asked.blank else "digit" if symbol else "0" for symbol in column]
    found = [AFTER[last].get(kind) for last, kind in zip(written, kinds, strict=True)]
    known = tuple(last for last in found if last is not None)
    return known if len(known) == len(found) else None


def _digits(column: Column, asked: Asked) -> Column:
    """The digits of a column, 0 for a blank."""
    return tuple(0 if symbol == asked.blank else symbol for symbol in column)
