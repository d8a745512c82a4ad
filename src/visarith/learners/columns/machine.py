"""The column machine of an operation: a finite-state machine that writes a digit of the answer for each column.

It is derived from answers only. After some columns, the answers to a set of words that may follow tell one state from
another (Myhill and Nerode). The machine is then compared with the operation; where they differ, the rest of that word
joins the set, as in Angluin's algorithm, and the machine is derived again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from visarith.learners.columns.asked import Asked, Column, Word
from visarith.learners.columns.proof import proves, proves_unpadded
from visarith.notation.arabic import Arabic
from visarith.operations.known_rules import column_rule_of
from visarith.operations.operation import INT64_SAFE, Operation

MOST_STATES = 100
MOST_COLUMNS = 50_000  # such as those of three operands in base 36
MOST_QUESTIONS = 3_000_000
ROUNDS = 20
COMPARED = 1_000_000  # operands up to which all of a length are compared
RANDOM, RANDOM_DIGITS = 2_000, 40  # random operands that are compared, and their largest length


class NoMachineError(LookupError):
    """An operation has no finite column machine from this side; the text says why."""


@dataclass(frozen=True, eq=False)
class Machine:
    """States, what follows and what is written; a column that occurs in no legal operands leads to state -1."""

    way: str  # the side at which the columns start
    columns: list[Column]
    following: np.ndarray  # (states, columns)
    answers: np.ndarray  # (states, columns, answers) symbols
    final: np.ndarray  # (states,) whether legal operands may end here
    compared_digits: int = 0  # up to which all operands were compared with the operation
    compared: int = 0  # operands, random ones included
    proved: str = ""  # why a column rule, which the machine equals, is right at every length; empty if none is known

    @property
    def states(self) -> int:
        return len(self.following)

    @property
    def cases(self) -> int:
        """The columns in states that can occur; state 0 is the first."""
        return int((self.following >= 0).sum())

    def differs(self, codes: np.ndarray, legal: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """Return for which words, of true answers (count, length, answers), the machine says something else."""
        accepted, written = self.run(codes)
        return np.asarray((accepted != legal) | (legal & (written != truth).any((1, 2))))

    def run(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(count, length) columns by index, in the order of the scan -> legal or not, (count, length, answers)."""
        state = np.zeros(len(codes), np.int64)
        written = []
        for column in codes.T:
            written.append(self.answers[state, column])
            state = np.where(state < 0, -1, self.following[state, column])
        return (state >= 0) & self.final[state], np.stack(written, 1)


@lru_cache(maxsize=64)
def machine_of(operation: Operation, notation: Arabic, way: str) -> Machine:
    """Derive the machine and compare it with the operation; NoMachineError if there is none."""
    asked = Asked(operation, notation, way)
    if operation.signs:
        raise NoMachineError(f"{asked.name} shows a sign, which is no column")
    if asked.symbols**operation.operands > MOST_COLUMNS:
        raise NoMachineError(f"{asked.name} has more than {MOST_COLUMNS:,} different columns, too many to try")
    tests = asked.tests()
    for _ in range(ROUNDS):
        machine = derive(asked, tests)
        try:
            digits, count = compared(asked, machine.columns, machine.differs)
        except DifferenceError as found:
            tests = list(dict.fromkeys([*tests, *(found.word[start:] for start in range(1, len(found.word)))]))
            continue
        machine = replace(machine, compared_digits=digits, compared=count)
        rule = column_rule_of(operation, notation.base, way)
        if rule is None:
            return machine
        known = proves(rule, machine, asked) if notation.padded else proves_unpadded(rule, machine, asked)
        return replace(machine, proved=rule.why if known else "")
    raise NoMachineError(f"no column machine of {asked.name} was found in {ROUNDS} rounds")


def derive(asked: Asked, tests: list[Word]) -> Machine:
    """Derive the smallest machine that these tests tell of."""
    states = {_after(asked, (), tests)[1]: 0}
    words: list[Word] = [()]
    following, answers = [], []
    for word in words:  # grows
        if len(words) > MOST_STATES:
            raise NoMachineError(
                f"{asked.name} has no finite column machine from the {asked.way}: it has more than {MOST_STATES} states"
            )
        if len(words) * len(asked.columns) * len(tests) > MOST_QUESTIONS:
            raise NoMachineError(
                f"the column machine of {asked.name} has too many cases: more than {len(words)} states of "
                f"{len(asked.columns):,} columns"
            )
        row, written = [], []
        for column in asked.columns:
            drawn, known = _after(asked, (*word, column), tests)
            if len(drawn) > 1:
                raise NoMachineError(
                    f"{asked.name} has no column machine from the {asked.way}: a digit of the answer depends on digits "
                    f"further to the {asked.way_on}"
                )
            if drawn and known not in states:
                states[known] = len(words)
                words.append((*word, column))
            row.append(states[known] if drawn else -1)
            written.append(next(iter(drawn), (-1,) * asked.operation.answers))
        following.append(row)
        answers.append(written)
    final = [known[0] is not None for known in states]  # the first test is to stop
    return Machine(asked.way, asked.columns, np.array(following), np.array(answers), np.array(final))


def _after(asked: Asked, word: Word, tests: list[Word]) -> tuple[set[Column], tuple[Word | None, ...]]:
    """Return what is written in the last column of a word, whatever follows; and what is written in what follows."""
    found = [asked(word + test) for test in tests]
    last = {answer[len(word) - 1] for answer in found if answer is not None} if word else set()
    return last, tuple(None if answer is None else answer[len(word) :] for answer in found)


class DifferenceError(Exception):
    """The machine and the operation differ for a word."""

    def __init__(self, word: Word) -> None:
        super().__init__(word)
        self.word = word


Differs = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def compared(asked: Asked, columns: list[Column], differs: Differs) -> tuple[int, int]:
    """Compare with the operation on all operands of few digits, and on random ones of up to 40 digits.

    `differs` is given words by the index of their columns, whether they are legal, and the true answers, in the order
    of the scan. Returns up to how many digits all operands were compared, and the number of all operands.
    """
    count, digits, many = asked.operation.operands, 1, 0
    while asked.base ** (count * (digits + 1)) <= COMPARED:
        digits += 1
    rng = np.random.default_rng(0)
    lengths = np.arange(digits + 1, max(digits + 2, RANDOM_DIGITS + 1))
    for length in reversed(lengths.tolist()):  # the longest first: they tell soonest what has no machine
        kind = np.int64 if asked.base**length < INT64_SAFE else object
        some = -(-RANDOM // (2 * len(lengths)))
        drawn = [*asked.domain(length).draw(some, rng=rng), *_extreme(some, length, asked, rng)]
        many += _same(differs, columns, asked, np.array(drawn, kind).reshape(-1, count), length)
    for length in range(1, digits + 1):
        numbers = np.indices((asked.base**length,) * count).reshape(count, -1).T
        many += _same(differs, columns, asked, numbers, length)
    return digits, many


def _extreme(some: int, length: int, asked: Asked, rng: np.random.Generator) -> list[list[int]]:
    """Operands of the smallest and largest digits, in which carries go far."""
    choices = [0, 1, asked.base - 1]
    count = asked.operation.operands
    digits = rng.choice(choices, (some, count, length)).tolist()
    rows = [[sum(d * asked.base**place for place, d in enumerate(line)) for line in row] for row in digits]
    return [sorted(row, reverse=True) for row in rows] if asked.operation.descending else rows


def _same(differs: Differs, columns: list[Column], asked: Asked, numbers: np.ndarray, length: int) -> int:
    """Compare on these numbers in so many cells; return how many are legal."""
    notation, (rows, count) = asked.notation(length), numbers.shape
    symbols = notation.write(numbers.ravel()).reshape(rows, count, length).astype(np.int64)
    strides = asked.symbols ** np.arange(count - 1, -1, -1)
    codes = (symbols * strides[:, None]).sum(1)
    if asked.operation.descending:
        ordered = (numbers[:, :-1] >= numbers[:, 1:]).all(1)
        numbers, codes = numbers[ordered], codes[ordered]
    legal, answers = asked.many(numbers, length)
    truth = notation.write(answers.ravel()).reshape(*answers.shape, length).transpose(0, 2, 1).astype(np.int64)
    if asked.way == "right":
        codes, truth = codes[:, ::-1], truth[:, ::-1]
    if (found := differs(codes, legal, truth)).any():
        raise DifferenceError(tuple(columns[code] for code in codes[found.argmax()]))
    return int(legal.sum())
