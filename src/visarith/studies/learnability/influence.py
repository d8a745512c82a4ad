"""How much each digit of the input matters to each digit of the answer."""

from dataclasses import dataclass

import numpy as np

from visarith.data.task import Task
from visarith.evaluation import wilson
from visarith.studies.learnability.question import answers, digits_of, some_operands, worths

ROWS = 1_000  # operands in the sample
ADDITIVE_ROWS = 200  # of additive numerals, which have more cells
NOTABLE = 0.01  # influence below this does not count for how far it reaches


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
    for operand in range(task.operation.operands):
        for place in range(places):
            changed, legal = np.zeros(before.shape[1]), 0
            of_rows = np.zeros(len(rows), bool)
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
