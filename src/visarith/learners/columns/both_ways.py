"""Every case of a learner that walks from the right and back, found from the right.

The first pass comes from the right, so its state is known. The state of the second pass, which comes from the left, is
guessed: at first every one is possible, and each column that is read leftwards needs a state before it that leads to
the one after it. A number may end where the guess is the state with which the second pass starts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from visarith.learners.certificate import NoCertificateError
from visarith.learners.columns.cases_both_ways import Passes
from visarith.learners.columns.relation import ILLEGAL, RIGHT, WRONG, Relation
from visarith.learners.columns.witnesses import MORE_CELLS

MOST_STEPS = 5_000_000
Place = tuple[int, int, int]  # the states of the first pass, of the second one and of the relation, left of a column


@dataclass(frozen=True, eq=False)
class Walks:
    """All places between columns that can be reached from the right, and all steps from one to the next."""

    passes: Passes
    relation: Relation
    places: np.ndarray  # (places, 3)
    steps: np.ndarray  # (steps, 3): the place at the right of a column, the column, the place at its left
    first: np.ndarray  # (places,) the step by which each was reached first; -1: it is where walks start

    @cached_property
    def ends(self) -> np.ndarray:
        """At which places legal operands may end (places,)."""
        _, back, true = self.places.T
        return np.asarray(np.isin(back, self.passes.starts_back) & (self.relation.stops[true] != ILLEGAL))

    def before(self, some: np.ndarray) -> np.ndarray:
        """The places (places,) from which one step leads to some of these (places,)."""
        source, _, target = self.steps.T
        return np.bincount(source, some[target], len(self.places)) > 0

    @cached_property
    def occurring(self) -> np.ndarray:
        """The numbers of the steps that occur in legal operands."""
        leads = self.ends
        while (more := leads | self.before(leads)).sum() > leads.sum():
            leads = more
        return np.flatnonzero(leads[self.steps[:, 2]])

    @cached_property
    def wrong(self) -> np.ndarray:
        """The numbers of the steps after which operands may end with a wrong answer."""
        target = self.steps[:, 2]
        return np.flatnonzero(self.ends[target] & (self.relation.stops[self.places[target, 2]] == WRONG))

    @cached_property
    def cases(self) -> np.ndarray:
        """The states, column and state back of each step: (steps, 3)."""
        source, column, target = self.steps.T
        return np.stack([self.places[source, 0], column, self.places[target, 1]], 1)

    def word(self, place: int) -> list[int]:
        """The fewest columns, from the right, that lead to a place."""
        word: list[int] = []
        while (step := int(self.first[place])) >= 0:
            place, column, _ = self.steps[step].tolist()
            word.append(column)
        return word[::-1]

    def witnesses(self, cells: int) -> Iterator[list[int]]:
        """For each case that occurs the columns of legal operands from the right, in these cells or more if need be."""
        ends = [self.ends]  # after so many more columns, whether legal operands can end that pass this place
        for _ in range(cells + MORE_CELLS):
            ends.append(self.before(ends[-1]))
        _, chosen = np.unique(self.cases[self.occurring], axis=0, return_index=True)  # the first of each case
        bounds = np.searchsorted(self.steps[:, 0], np.arange(len(self.places) + 1))  # steps are sorted by place
        for source, column, place in self.steps[self.occurring[chosen]].tolist():
            word = [*self.word(source), column]
            least = max(0, cells - len(word))
            left = next((count for count in range(least, len(ends)) if ends[count][place]), None)
            if left is None:
                raise NoCertificateError("some cases occur in no operands that could be shown")
            for count in reversed(range(left)):
                after = self.steps[bounds[place] : bounds[place + 1]]
                _, column, place = after[ends[count][after[:, 2]].argmax()].tolist()
                word.append(column)
            yield word


def walks(passes: Passes, relation: Relation) -> Walks:
    """Search all places and steps; where a nearest state is not clear, both are followed."""
    states, columns, backs = passes.margins.shape
    if states * columns * backs * relation.states > MOST_STEPS:
        raise NoCertificateError(f"{states} and {backs} states of {columns:,} columns are too many to try")
    written = relation.number(passes.answers)
    before = _inverse(passes.following_back, backs)
    queue: list[Place] = [(state, back, 0) for state in passes.starts for back in range(backs)]
    index = {place: number for number, place in enumerate(queue)}
    first, steps = [-1] * len(queue), list[tuple[int, int, int]]()
    for number, (state, back, true) in enumerate(queue):  # grows
        for column in range(columns):
            for earlier in before[state][column][back]:
                after = int(relation.following[true, column, written[state, column, earlier]])
                for following in passes.following[state][column]:
                    place = following, earlier, after
                    if place not in index:
                        index[place] = len(queue)
                        queue.append(place)
                        first.append(len(steps))
                    steps.append((number, column, index[place]))
    return Walks(passes, relation, np.array(queue), np.array(steps).reshape(-1, 3), np.array(first))


def _inverse(following: list[list[list[list[int]]]], backs: int) -> list[list[list[list[int]]]]:
    """By state, column and state back: the states back from which that one may follow."""
    return [
        [[[back for back, after in enumerate(row) if which in after] for which in range(backs)] for row in rows]
        for rows in following
    ]


def check_counts(found: Walks) -> None:
    """Count the cases a second way: a case that was skipped would be a case that nobody has seen to be right.

    The first pass alone, walked over all legal operands, must see the same columns in the same states. And since no
    answer is wrong, each column and symbol that occurs in right answers must occur in each state of the relation.
    """
    relation, steps = found.relation, found.steps[found.occurring]
    legal = relation.leading_to(WRONG, RIGHT)
    queue, must = [(state, 0) for state in found.passes.starts], set()
    for state, true in queue:  # grows
        for column in np.flatnonzero(legal[relation.following[true, :, -1]]).tolist():  # whatever is written
            must.add((state, column))
            for following in found.passes.following[state][column]:
                if (pair := (following, int(relation.following[true, column, -1]))) not in queue:
                    queue.append(pair)
    visited = {(state, column) for state, column, _ in found.cases[found.occurring].tolist()}
    written = relation.number(found.passes.answers)[tuple(found.cases[found.occurring].T)]
    rows = found.places[steps[:, 0], 2], steps[:, 1], written
    of_truth, all_true = set(zip(*(row.tolist() for row in rows), strict=True)), relation.right_cases()
    if visited != must or of_truth != all_true:
        raise NoCertificateError(
            f"{len(visited & must)} of {len(must)} columns in states and {len(of_truth & all_true)} of {len(all_true)} "
            "transitions were visited"
        )
