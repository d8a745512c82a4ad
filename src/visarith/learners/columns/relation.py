"""The relation of an operation: an automaton that reads operands and an answer from the right, and says if it is right.

A digit of abs(a - b) depends on digits on both sides, so no machine from one side can write it. An automaton from the
right can still check it: while the digits further to the left are unknown, several answers may turn out right, and it
remembers all that matters of the one it reads. It is derived from answers only, as in `machine.py`: after some columns,
the answers to words that may follow tell one state from another.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from visarith.learners.columns.asked import Asked, Column, Word
from visarith.learners.columns.machine import (
    MOST_COLUMNS,
    MOST_QUESTIONS,
    MOST_STATES,
    ROUNDS,
    DifferenceError,
    NoMachineError,
    compared,
)
from visarith.notation.arabic import Arabic
from visarith.operations.operation import Operation

ILLEGAL, WRONG, RIGHT = range(3)  # what is known of a word if it stops: its operands are not legal, or the answer is
Known = tuple[Word | int, ...]  # of each test: what must be written from there on, or ILLEGAL or WRONG


@dataclass(frozen=True, eq=False)
class Relation:
    """States, what follows after a column and what is written in it, and what a word is that stops; state 0 is first.

    What is written has a number, the last answer's symbol counting fastest; the last number is for anything else.
    """

    columns: list[Column]
    following: np.ndarray  # (states, columns, what is written)
    stops: np.ndarray  # (states,) ILLEGAL, WRONG or RIGHT
    symbols: int
    compared_digits: int = 0  # up to which all operands were compared with the operation
    compared: int = 0  # operands, random ones included
    proved: str = ""  # why a column rule, which the relation equals, is right at every length; empty if none is known

    @property
    def states(self) -> int:
        return len(self.following)

    def number(self, written: np.ndarray) -> np.ndarray:
        """The number of what is written (..., answers); -1, which is the last one, if a symbol is unreadable."""
        strides = self.symbols ** np.arange(written.shape[-1] - 1, -1, -1)
        return np.where((written < 0).any(-1), -1, (written * strides).sum(-1))

    def differs(self, codes: np.ndarray, legal: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """Return for which words this is not what is true of them: (count, length) columns and numbers."""
        state = np.zeros(len(codes), np.int64)
        for column, written in zip(codes.T, self.number(truth).T, strict=True):
            state = self.following[state, column, written]
        return np.asarray(self.stops[state] != np.where(legal, RIGHT, ILLEGAL))

    def leading_to(self, *stops: int) -> np.ndarray:
        """From which states (states,) some word, or none, leads to such a stop."""
        found = np.isin(self.stops, stops)
        while (more := found | found[self.following].any((1, 2))).sum() > found.sum():
            found = more
        return found

    def right_cases(self) -> set[tuple[int, int, int]]:
        """Every state, column and what is written there that occur in right answers."""
        leads, queue, cases = self.leading_to(RIGHT), [0], set()
        for state in queue:  # grows
            for column, written in np.argwhere(leads[self.following[state]]).tolist():
                cases.add((state, column, written))
                if (after := int(self.following[state, column, written])) not in queue:
                    queue.append(after)
        return cases


@lru_cache(maxsize=64)
def relation_of(operation: Operation, notation: Arabic) -> Relation:
    """Derive the relation and compare it with the operation; NoMachineError if there is none."""
    asked = Asked(operation, notation, "right")
    if asked.symbols**operation.operands > MOST_COLUMNS:
        raise NoMachineError(f"{asked.name} has more than {MOST_COLUMNS:,} different columns, too many to try")
    tests = asked.tests()
    for _ in range(ROUNDS):
        relation = derive(asked, tests)
        try:
            check_function(relation)
            digits, count = compared(asked, relation.columns, relation.differs)
        except DifferenceError as found:
            tests = list(dict.fromkeys([*tests, *(found.word[start:] for start in range(1, len(found.word)))]))
            continue
        return replace(relation, compared_digits=digits, compared=count)
    raise NoMachineError(f"no automaton that checks {asked.name} was found in {ROUNDS} rounds")


def derive(asked: Asked, tests: list[Word]) -> Relation:
    """Derive the smallest automaton that these tests tell of; the first test is to stop."""
    written = asked.symbols**asked.operation.answers
    first: Known = tuple(ILLEGAL if answer is None else answer for answer in map(asked, tests))
    states, words = {first: 0}, list[tuple[Word, Word]]([((), ())])
    following = []
    for word, answer in words:  # grows
        if len(words) > MOST_STATES:
            raise NoMachineError(
                f"{asked.name} has no finite automaton that checks it column by column: it has more than {MOST_STATES} "
                "states"
            )
        if len(words) * len(asked.columns) * max(len(tests), written) > MOST_QUESTIONS:
            raise NoMachineError(
                f"the automaton that checks {asked.name} has too many cases: more than {len(words)} states of "
                f"{len(asked.columns):,} columns"
            )
        table = np.zeros((len(asked.columns), written + 1), np.int32)
        for index, column in enumerate(asked.columns):
            known = _after(asked, (*word, column), answer, tests)
            for drawn, each in known.items():
                if each not in states:
                    states[each] = len(words)
                    words.append(((*word, column), (*answer, drawn)))
            anything = (-1,) * asked.operation.answers
            table[index] = states[known.pop(anything)]
            for drawn, each in known.items():
                table[index, _number(drawn, asked.symbols)] = states[each]
        following.append(table)
    stops = [RIGHT if known[0] == () else known[0] for known in states]
    return Relation(asked.columns, np.stack(following), np.array(stops), asked.symbols)


def _after(asked: Asked, word: Word, answer: Word, tests: list[Word]) -> dict[Column, Known]:
    """What is known after a word, by what is written in its last column; -1 stands for what is never right there."""
    found = [asked(word + test) for test in tests]
    before = len(answer)
    right = [None if each is None or each[:before] != answer else each[before] for each in found]
    anything = (-1,) * asked.operation.answers
    return {
        drawn: tuple(
            ILLEGAL if each is None else each[before + 1 :] if drawn == last else WRONG
            for each, last in zip(found, right, strict=True)
        )
        for drawn in dict.fromkeys([anything, *(each for each in right if each is not None)])
    }


def _number(written: Column, symbols: int) -> int:
    number = 0
    for symbol in written:
        number = number * symbols + symbol
    return number


def check_function(relation: Relation) -> None:
    """Check that no operands of any length have two right answers; DifferenceError with such operands otherwise."""
    leads = relation.leading_to(RIGHT)
    start = 0, 0, False  # the states after two answers, and whether these differ
    words: dict[tuple[int, int, bool], Word] = {start: ()}
    queue = [start]
    for one, other, differ in queue:  # grows
        if differ and relation.stops[one] == relation.stops[other] == RIGHT:
            raise DifferenceError(words[one, other, differ])
        for index, column in enumerate(relation.columns):
            one_next, other_next = relation.following[one, index], relation.following[other, index]
            for first in np.flatnonzero(leads[one_next]).tolist():
                for second in np.flatnonzero(leads[other_next]).tolist():
                    low, high = sorted((int(one_next[first]), int(other_next[second])))
                    there = low, high, differ or first != second
                    if there not in words:
                        words[there] = (*words[one, other, differ], column)
                        queue.append(there)
