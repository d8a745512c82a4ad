"""Constructions by thresholds, after Sec. 6: digits of the answer as staircases of weighted sums of input digits.

A gate is on when a weighted sum of the inputs' one-hot digits exceeds a threshold. A digit that is a function of such a
sum is a staircase of it, and takes a gate for each step. The sums that are tried are a family, so that the counts are
upper bounds: a cleverer construction may need fewer gates.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from visarith.data.task import Task
from visarith.studies.learnability.question import all_operands, answers, digits_of, worths

RESIDUES = (1, *range(2, 14), 0)  # what high digits count modulo: 1 leaves them out, 0 takes them whole
LONGEST = 4_000_000  # of a staircase's range
GLANCE = 400  # operands for each value of a digit, on which most sums are ruled out
CHOSEN = "by "  # how the name of a choice begins
SHORT = 4  # times the base: no cheaper construction is searched for a staircase this short
LAYERS = {"staircase": 3, "choice": 4, "products": 4, "table": 3}  # as the paper counts: glyphs, gates, answer's glyphs


@dataclass(frozen=True)
class Stairs:
    """The construction of one digit: its gates and the sum that they are thresholds of."""

    gates: int
    what: str
    pairs: frozenset[tuple[int, int, int, int]] = frozenset()  # digits that are multiplied: operand, place, twice


@dataclass(frozen=True)
class Sum:
    """A weighted sum of input digits: of which numbers (with signs), and which of their digits."""

    kind: str  # window: the places from the lowest to this one, and those above modulo the residue
    signs: tuple[int, ...]
    residue: int = 0
    lowest: int = 0


@dataclass(frozen=True, eq=False)
class Rows:
    """Operands, and sums of their digits."""

    operands: np.ndarray
    worth: list[int]

    @cached_property
    def digits(self) -> np.ndarray:
        """(operands, count, places)"""
        return np.stack([digits_of(column, self.worth) for column in self.operands.T])

    def only(self, which: np.ndarray) -> "Rows":
        return Rows(self.operands[which], self.worth)

    def sum(self, place: int, made: Sum) -> np.ndarray:
        parts = [sign * self._part(place, made, operand) for operand, sign in enumerate(made.signs) if sign]
        return np.asarray(np.sum(parts, 0, np.int64))

    def _part(self, place: int, made: Sum, operand: int) -> np.ndarray:
        number, worth = self.operands[:, operand], self.worth
        if made.kind == "digit":
            return np.asarray(number % worth[made.lowest + 1] // worth[made.lowest])
        if made.kind == "digits":
            return np.asarray(self.digits[operand].sum(1))
        if made.kind == "residue":
            return self._modulo(operand, made.residue, 0, 1)
        above, low = worth[place + 1], number % worth[place + 1] // worth[made.lowest]
        if made.residue == 1:
            return np.asarray(low)
        if made.residue == 0:
            return np.asarray(number // worth[made.lowest])
        return np.asarray(self._modulo(operand, made.residue, place + 1, above) * (above // worth[made.lowest]) + low)

    def _modulo(self, operand: int, residue: int, first: int, unit: int) -> np.ndarray:
        """The digits from a place on, each times its worth modulo the residue."""
        weights = np.array(self.worth[first:-1], np.int64) // unit
        return np.asarray((self.digits[operand][:, first:] * weights % residue).sum(1))


class Searched:
    """All operands of a task, and the cheapest ways found to make each digit of the answer."""

    def __init__(self, task: Task, operands: np.ndarray) -> None:
        self.worth = worths(task)
        self.rows = Rows(operands, self.worth)
        self.count, self.places, self.base = operands.shape[1], len(self.worth) - 1, self.worth[1]
        self.answers = digits_of(answers(task, operands), self.worth)
        self.glances = [self._glance(place) for place in range(self.places)]

    def _glance(self, place: int) -> np.ndarray:
        """A few operands with each value of this digit of the answer."""
        order = np.random.default_rng(0).permutation(len(self.answers))
        digit = self.answers[order, place]
        return np.sort(np.concatenate([order[digit == value][:GLANCE] for value in np.unique(digit)]))

    def staircase(self, place: int, cases: np.ndarray | None = None) -> Stairs | None:
        """The shortest staircase of one sum, over all operands or over some cases of them."""
        best: Stairs | None = None
        glance, digit, rows = self.glances[place], self.answers[:, place], self.rows
        if cases is not None:
            glance, rows, digit = glance[cases[glance]], self.rows.only(cases), digit[cases]
        few, hint = self.rows.only(glance), self.answers[glance, place]
        for what, made in self._sums(place):
            least = _steps(few.sum(place, made), hint)
            if least is None or (best and least >= best.gates):
                continue
            steps = _steps(rows.sum(place, made), digit)
            if steps is not None:
                best = _cheaper(best, Stairs(steps, what))
        return best

    def choice(self, place: int) -> Stairs | None:
        """A staircase for each case: of a - b (below, at or above 0), or of an even and an odd a."""
        best: Stairs | None = None
        for what, cases in self._cases():
            each = [self.staircase(place, case) for case in cases if case.any()]
            found = [stairs for stairs in each if stairs]
            if len(found) == len(each):
                gates = 2 * sum(stairs.gates for stairs in found)  # each step, and each step in its case
                names = "; ".join(dict.fromkeys(stairs.what for stairs in found))
                best = _cheaper(best, Stairs(gates, f"{CHOSEN}{what}: {names}"))
        return best

    def _cases(self) -> Iterator[tuple[str, list[np.ndarray]]]:
        if self.count == 2:
            sign = np.sign(self.rows.operands[:, 0] - self.rows.operands[:, 1])
            yield "the sign of a - b", [sign == -1, sign == 0, sign == 1]
        if self.base % 2 == 0:
            odd = self.rows.operands[:, 0] % 2
            yield "whether a is odd", [odd == 0, odd == 1]

    def products(self, place: int) -> Stairs | None:
        """A staircase of products of two digits, summed as in long multiplication as far as this place."""
        best: Stairs | None = None
        factors = [(0, 0)] if self.count == 1 else [(0, 1), (0, 0), (1, 1)] if self.count == 2 else []
        for one, other in factors:
            total = np.zeros(len(self.answers), np.int64)
            pairs = []
            for i, j in itertools.product(range(self.places), repeat=2):
                if self.worth[i] * self.worth[j] < self.worth[place + 1]:
                    part = self.rows.digits[one][:, i] * self.rows.digits[other][:, j]
                    if part.any():
                        total += part * (self.worth[i] * self.worth[j])
                        pairs.append((one, i, other, j))
            steps = _steps(total, self.answers[:, place])
            if steps is not None:
                name = f"{'ab'[one]} x {'ab'[other]}, digit by digit"
                best = _cheaper(best, Stairs(steps, name, frozenset(pairs)))
        return best

    def pair_gates(self, pairs: set[tuple[int, int, int, int]]) -> int:
        """One gate for each pair of non-zero digits that is multiplied."""
        kinds = [[len(np.unique(self.rows.digits[o][:, i])) - 1 for i in range(self.places)] for o in range(self.count)]
        once = {tuple(sorted(((one, i), (other, j)))) for one, i, other, j in pairs}
        return sum(kinds[one][i] * kinds[other][j] for (one, i), (other, j) in once)

    def _sums(self, place: int) -> Iterator[tuple[str, Sum]]:
        """All sums of the family, with their names."""
        for signs in _signs(self.count):
            name = _called(signs)
            for residue in RESIDUES:
                for lowest in sorted({0, max(0, place - 1), place}, reverse=True):
                    made = Sum("window", signs, residue, lowest)
                    yield f"{name} {_window(place, made)}", made
                if residue > 1:
                    yield f"{name}, each digit's worth modulo {residue}", Sum("residue", signs, residue)
            yield f"the digits of {name}", Sum("digits", signs)
        for operand in range(self.count):
            signs = tuple(int(i == operand) for i in range(self.count))
            for other in range(self.places):
                yield f"the digit of {_called(signs)} at place {other}", Sum("digit", signs, 0, other)


def _signs(count: int) -> list[tuple[int, ...]]:
    if count == 2:
        return [(1, 0), (0, 1), (1, 1), (1, -1)]
    singles = [tuple(int(i == j) for j in range(count)) for i in range(count)]
    return singles if count == 1 else [*singles, (1,) * count]


def _window(place: int, made: Sum) -> str:
    """The digits in the sum, relative to the place of the answer's digit."""
    low = ["", "from the place below it", "from its place"][(made.lowest == place) + (made.lowest > 0)] if place else ""
    if made.residue == 1:
        return "at its place" if made.lowest == place else f"{low} up to its place".strip()
    if made.residue == 0:
        return f"{low} up" if low else "whole"
    return f"{low} up, above its place modulo {made.residue}".strip()


def _called(signs: tuple[int, ...]) -> str:
    return " ".join(
        f"{'- ' if sign < 0 else '+ '}{'abcdefgh'[i]}" for i, sign in enumerate(signs) if sign
    ).removeprefix("+ ")


def _steps(total: np.ndarray, digit: np.ndarray) -> int | None:
    """How often the digit changes along the sum; None if it is no function of it."""
    if not len(total):
        return 0
    low, high = int(total.min()), int(total.max())
    if high - low >= LONGEST:
        return None
    seen = np.full(high - low + 1, -1, np.int16)
    seen[total - low] = digit
    if (seen[total - low] != digit).any():
        return None
    return int(np.count_nonzero(np.diff(seen[seen >= 0])))


@dataclass(frozen=True)
class Construction:
    """The cost of one way at one length: all gates, those of the widest layer, those of each digit (units first)."""

    way: str
    gates: int
    widest: int
    places: tuple[Stairs, ...]


def constructions(task: Task, tables: list[int]) -> dict[str, Construction]:
    """The cost of each way that computes all digits of the answer; all operands are tried.

    Each way uses staircases where it can. `tables` is what each digit costs as a table of what it depends on.
    """
    operands = all_operands(task)
    searched = Searched(task, operands)
    single = [searched.staircase(place) for place in range(searched.places)]
    long = [place for place, stairs in enumerate(single) if not stairs or stairs.gates > SHORT * searched.base]
    rivals: dict[str, list[Stairs | None]] = {"staircase": single}
    for way, search in (("choice", searched.choice), ("products", searched.products)):
        rivals[way] = [_cheaper(s, search(place) if place in long else None) for place, s in enumerate(single)]
    table = [Stairs(min(gates, len(operands)), "a table of the digits that matter") for gates in tables]
    rivals["table"] = [_cheaper(*both) for both in zip(single, table, strict=True)]
    found = {}
    for way, stairs in rivals.items():
        every = tuple(each for each in stairs if each)
        if len(every) == len(stairs):
            found[way] = _construction(way, every, searched)
    return found


def _construction(way: str, places: tuple[Stairs, ...], searched: Searched) -> Construction:
    gates = sum(stairs.gates for stairs in places)
    widest = gates
    chosen = sum(stairs.gates for stairs in places if stairs.what.startswith(CHOSEN))
    if chosen:
        widest, gates = gates - chosen // 2 + 2, gates + 2  # half of them join; two more tell the cases
    if way == "products":
        pairs = searched.pair_gates({pair for stairs in places for pair in stairs.pairs})
        widest, gates = max(gates, pairs), gates + pairs
    return Construction(way, gates, widest, places)


def _cheaper(one: Stairs | None, other: Stairs | None) -> Stairs | None:
    return min((stairs for stairs in (one, other) if stairs), key=lambda stairs: stairs.gates, default=None)
