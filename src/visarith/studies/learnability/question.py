"""The question: an operation or expression at any length, and which input digits matter to which answer digit."""

from dataclasses import dataclass

import numpy as np

from visarith.data.task import Medium, Task
from visarith.errors import VisarithError, option, whole
from visarith.evaluation import wilson
from visarith.operations import OPERATIONS
from visarith.operations.expression import SLOW, Expression
from visarith.operations.operation import ENUMERABLE, INT64_SAFE
from visarith.randomness import rng

LISTED = 20_000  # operands that are listed to draw a few of them
ROWS = 1_000  # operands in the sample
ADDITIVE_ROWS = 200  # of additive numerals, which have more cells
NOTABLE = 0.01  # influence below this does not count for how far it reaches


@dataclass(frozen=True)
class Question:
    """An operation's name or an expression, and how numbers are written."""

    text: str
    notation: str = "arabic"
    base: int = 10
    digits: int = 7

    def __post_init__(self) -> None:
        whole("digits", self.digits, 1)
        task = self.task()
        if task.operation.answers != 1 or task.operation.signs:
            plain = [name for name, each in OPERATIONS.items() if each.answers == 1 and not each.signs]
            raise VisarithError(f"{self.text} has more than one answer or a sign; use one of {', '.join(plain)}")
        if task.notation.limit >= INT64_SAFE:
            raise VisarithError(
                f"{self.digits} digits are too many to look at; use fewer {option('digits')} (numbers below 2^62)"
            )

    @property
    def name(self) -> str:
        """The operation's name, or nothing for an expression."""
        return self.text if self.text in OPERATIONS else ""

    def task(self, digits: int | None = None, medium: Medium = "one-hot") -> Task:
        """The task at this length or another."""
        length = self.digits if digits is None else digits
        signed = bool(self.name and OPERATIONS[self.name].signs)
        look: Medium = "pictures" if signed else medium
        return Task(self.text, notation=self.notation, base=self.base, digits=length, medium=look)


def worths(task: Task) -> list[int]:
    """The worth of a digit at each place, units first, and last the smallest number that needs one place more.

    Roman numerals count as places: 1, 5, 10, 50 and so on.
    """
    if task.notation.additive:
        return [10 ** (i // 2) * (5 if i % 2 else 1) for i in range(2 * task.notation.digits + 1)]
    base = task.notation.base or len(task.notation.alphabet)
    return [base**i for i in range(task.notation.digits + 1)]


def digits_of(numbers: np.ndarray, worth: list[int]) -> np.ndarray:
    """(count,) -> (count, places), units first."""
    return np.stack([numbers % worth[i + 1] // worth[i] for i in range(len(worth) - 1)], axis=1)


def answers(task: Task, operands: np.ndarray) -> np.ndarray:
    """(count, operands) -> (count,); -1 where there is no answer or the operands are outside the range."""
    rule, domain = task.operation.rule, task.domain
    if isinstance(rule, Expression):
        found = rule.many(operands)
    else:
        found = np.array([rule(*row) for row in operands.tolist()], np.int64)
    legal = (operands >= 0).all(1) & (operands <= domain.largest).all(1) & (found >= 0) & (found <= task.notation.limit)
    if task.operation.descending:
        legal &= (np.diff(operands, axis=1) <= 0).all(1)
    return np.where(legal, found, -1).astype(np.int64)


def few(task: Task) -> bool:
    """Whether all operands can be tried."""
    rule = task.operation.rule
    slow = isinstance(rule, Expression) and rule.is_slow(task.domain.largest)
    return bool((task.domain.largest + 1) ** task.operation.operands <= (ENUMERABLE // SLOW if slow else ENUMERABLE))


def all_operands(task: Task) -> np.ndarray:
    """Every operand tuple that has an answer."""
    count = task.operation.operands
    rows = np.indices((task.domain.largest + 1,) * count).reshape(count, -1).T
    return np.ascontiguousarray(rows[answers(task, rows) >= 0])


def some_operands(task: Task, most: int, *, seed: int) -> tuple[np.ndarray, bool]:
    """At most `most` operand tuples, at random if there are more; and whether these are all."""
    every = all_operands(task) if task.domain.candidates <= LISTED and few(task) else None
    dice = rng(seed, "influence")
    if every is None:
        return task.domain.sample(most, rng=dice), False
    return (every, True) if len(every) <= most else (dice.permutation(every)[:most], False)


@dataclass(frozen=True, eq=False)
class Influence:
    """The share of legal changes of one input digit alone that change an answer digit; places from the right.

    For additive (Roman) numerals the inputs are cells, from the left, and the answer's digits how often each numeral is
    written.
    """

    shares: np.ndarray  # (operands, input places, answer places)
    exhaustive: bool
    within: float  # half the widest 95 % interval; 0 if exhaustive
    additive: bool

    def depends_on(self, place: int) -> int:
        """The number of input digits with any influence on this answer digit."""
        return int((self.shares[:, :, place] > 0).sum())

    def total(self, place: int) -> float:
        """The sum of all influences on this answer digit."""
        return float(self.shares[:, :, place].sum())

    def reach(self, place: int) -> int | None:
        """The largest distance in places of a notable influence; None for additive numerals, which have no places."""
        if self.additive:
            return None
        far = [abs(i - place) for i in range(self.shares.shape[1]) if self.shares[:, i, place].max() > NOTABLE]
        return max(far, default=0)


def influence(task: Task, *, seed: int = 0) -> Influence:
    """Change every input digit to every other value, in all operands or in a sample."""
    additive = task.notation.additive
    rows, all_of_them = some_operands(task, ADDITIVE_ROWS if additive else ROWS, seed=seed)
    worth = worths(task)
    before = digits_of(answers(task, rows), worth)
    places = task.notation.cells if additive else len(worth) - 1
    shares = np.zeros((task.operation.operands, places, before.shape[1]))
    fewest = len(rows)
    for operand, place in np.ndindex(shares.shape[:2]):
        changed, legal, of_rows = np.zeros(before.shape[1]), 0, np.zeros(len(rows), bool)
        for numbers in _changed(task, rows[:, operand], place, worth):
            other = rows.copy()
            other[:, operand] = numbers
            after = answers(task, other)
            fits = (after >= 0) & (numbers != rows[:, operand])
            changed += (digits_of(after, worth) != before)[fits].sum(0)
            legal += int(fits.sum())
            of_rows |= fits
        shares[operand, place] = changed / max(1, legal)
        fewest = min(fewest, int(of_rows.sum()) or fewest)
    low, high = wilson(0.5, max(1, fewest))  # the widest that an interval of so many operands can be
    return Influence(shares, all_of_them, 0.0 if all_of_them else (high - low) / 2, additive)


def _changed(task: Task, numbers: np.ndarray, place: int, worth: list[int]) -> list[np.ndarray]:
    """The numbers with one digit, or the symbol in one cell, changed to each other value; -1 if that is no number."""
    if not task.notation.additive:
        size = worth[1]
        digit = numbers // worth[place] % size
        return [numbers + ((digit + step) % size - digit) * worth[place] for step in range(1, size)]
    written = task.notation.write(numbers)
    found = []
    for symbol in range(len(task.notation.alphabet)):
        other = written.copy()
        other[:, place] = symbol
        found.append(np.array([-1 if n is None else n for n in task.notation.parse(other)], np.int64))
    return found
