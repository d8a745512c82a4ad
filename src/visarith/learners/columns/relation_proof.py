"""The proof that a relation is right at every length: what a known column rule writes is right in every state."""

from collections.abc import Hashable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from visarith.errors import VisarithError
from visarith.learners.columns.asked import Asked, Column
from visarith.learners.columns.both_ways import Walks, walks
from visarith.learners.columns.cases_both_ways import Passes
from visarith.learners.columns.proof import MOST_PAIRS
from visarith.learners.columns.relation import ILLEGAL, Relation, relation_of
from visarith.notation.arabic import Arabic
from visarith.operations.column_rule import ColumnRule, Linear
from visarith.operations.known_rules import column_rule_of
from visarith.operations.operation import Operation


@lru_cache(maxsize=64)
def known_relation(operation: Operation, notation: Arabic) -> Relation:
    """The relation of an operation, and why it is right at every length, if a column rule from either side is known."""
    relation, asked = relation_of(operation, notation), Asked(operation, notation, "right")
    rules = [column_rule_of(operation, notation.base, way) for way in ("right", "left")]
    rule = next((each for each in rules if each is not None), None)
    if rule is None or not notation.padded:
        return relation
    return replace(relation, proved=rule.why if proves(rule, relation, asked) else "")


def proves(rule: ColumnRule, relation: Relation, asked: Asked) -> bool:
    """Return whether a rule, which is right for all legal operands, is right by the relation too; an error if not.

    No operands have two right answers, so rule and relation then agree wherever the relation takes operands for legal.
    That must be so for all operands, or be known: those of a sum of multiples are legal if nothing is carried in the
    end.
    """
    carried, passes = as_passes(rule, relation.columns, asked)
    found = walks(passes, relation)
    if len(found.wrong):
        raise VisarithError(
            f"the column rule of {asked.name} writes what is not its answer; correct the rule, or leave it out"
        )
    legal = relation.stops[found.places[:, 2]] != ILLEGAL
    return bool(legal.all()) or (_is_sum(rule) and _where_nothing_is_carried(found, carried, legal))


def _is_sum(rule: ColumnRule) -> bool:
    return isinstance(rule.step, Linear) and not any(rule.start)  # type: ignore[arg-type]


def _where_nothing_is_carried(found: Walks, carried: list[Hashable], legal: np.ndarray) -> bool:
    nothing = np.array([not any(each) for each in carried])  # type: ignore[arg-type]
    return bool((legal == nothing[found.places[:, 0]]).all())


def as_passes(rule: ColumnRule, columns: list[Column], asked: Asked) -> tuple[list[Hashable], Passes]:
    """The states of a rule, and the rule as two passes, of which one carries nothing."""
    states, following, answers = [rule.start], [], []
    for state in states:  # grows
        row, written = [], []
        for column in columns:
            digits, after = rule.step(column, state, asked.base)
            if after not in states:
                states.append(after)
            row.append([states.index(after)])
            written.append(digits)
        if len(states) > MOST_PAIRS:
            raise VisarithError(
                f"the column rule of {asked.name} has more than {MOST_PAIRS:,} states; correct the rule"
            )
        following.append(row)
        answers.append(written)
    drawn = np.array(answers)  # (states, columns, answers)
    nothing = [[[[0]] for _ in columns] for _ in states]
    if rule.way == "right":
        return states, Passes([0], [0], following, nothing, drawn[:, :, None], np.ones((*drawn.shape[:2], 1)), 1.0)
    back = [[list(each) for each in zip(*following, strict=True)]]  # by column and state
    drawn = drawn.transpose(1, 0, 2)[None]
    return states, Passes([0], [0], [[[0] for _ in columns]], back, drawn, np.ones(drawn.shape[:3]), 1.0)
