"""Operations on whole numbers, and their legal operands."""

import hashlib
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterable
from collections.abc import Sequence as Several
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from visarith.errors import VisarithError, option, whole
from visarith.operations.column_rule import ColumnRule
from visarith.operations.compact import Keys, mapped

ENUMERABLE = 1_000_000  # candidates that may be listed one by one
INT64_SAFE = 2**62
MOST_BITS_WRITTEN = 14_000  # of a number that Python writes in base 10
Rows = list[tuple[int, ...]]


def _all(limit: int) -> int:
    return limit


@dataclass(frozen=True)
class Sequence:
    """A sequence of numbers in which each is computed from the last, for closed loops."""

    name: str
    start: tuple[int, ...] | Callable[[int], int]  # the first numbers, or one given the largest that fits a picture
    beside: str | int | None = None  # the other operand: "previous", "random" (a small number), a fixed number or none
    growth: float = 1.0  # the factor from one number to the next, which decides how many digits are needed
    steps: int = 1_000


@dataclass(frozen=True)
class Operation:
    """A rule from whole numbers to whole numbers, with its properties; only name and rule are required.

    >>> Operation("max", max, digits=2).domain(99).answers((7, 12))
    (12,)
    """

    name: str
    rule: Callable[..., int | Several[int]]
    _: KW_ONLY
    operands: int = 2
    answers: int = 1
    digits: int = 7
    sign: str = ""
    aliases: str = ""  # other signs for the same operation
    largest: Callable[[int], int] = _all  # the largest operand, given the largest number that fits a picture
    descending: bool = False  # each operand is at least as large as the next
    hidden_layers: int = 3  # of the paper's network for it, on pictures (Table 1)
    column_rule: ColumnRule | None = None  # if one is known that holds at every length
    sequences: tuple[Sequence, ...] = ()
    lengths: tuple[int, ...] = ()  # digits at which learners for any length are tested
    hard: Callable[[int, int, int], Rows] | None = None  # (largest number, largest operand, base) -> hard operands
    construction: str = ""  # kind of the constructed network: sum, difference or product

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9][\w -]{0,39}", str(self.name)):
            raise VisarithError(f"{self.name!r} is not a name of an operation; use up to 40 letters and digits")
        if not callable(self.rule):
            raise VisarithError(f"the rule of {self.name}, {self.rule!r}, is not a function; use one such as max")
        for field in ("operands", "answers", "digits"):
            whole(field, getattr(self, field), 1)

    def __str__(self) -> str:
        return self.name

    def placed(self, base: int, digits: int) -> "Operation":  # noqa: ARG002
        """Return the operation for numbers of this base and length, on which an expression may depend."""
        return self

    @property
    def signs(self) -> str:
        """The signs that the second picture may show; none unless the operation is a mixed one."""
        return ""

    def domain(self, limit: int) -> "Domain":
        """Return the legal operands if no number may exceed `limit`."""
        return Domain(self, limit)


@dataclass(frozen=True)
class Domain:
    """The operands of an operation whose answers are in 0..limit, so that they fit a picture."""

    operation: Operation
    limit: int

    @cached_property
    def largest(self) -> int:
        largest = self.operation.largest(self.limit)
        if largest > self.limit:
            raise VisarithError(
                f"{self.operation} takes numbers up to {largest}, which pictures up to {self.limit} cannot show; "
                f"use more {option('digits')}"
            )
        return largest

    def answers(self, operands: Several[int]) -> tuple[int, ...] | None:
        """Return the answers of the rule, or None if there is none in 0..limit."""
        try:
            result = self.operation.rule(*operands)
        except ArithmeticError:  # such as a division by zero
            return None
        except Exception as error:
            raise VisarithError(f"the rule of {self.operation} fails for {tuple(operands)}: {error}") from error
        results = tuple(result) if isinstance(result, Several) else (result,)
        if (count := len(results)) != self.operation.answers:
            raise VisarithError(f"the rule of {self.operation} gives {count} answers; say answers={count}")
        try:
            whole = tuple(operator.index(value) for value in results)
        except TypeError:
            raise VisarithError(
                f"the rule of {self.operation} gives {result!r} for {tuple(operands)}; give whole numbers"
            ) from None
        return whole if all(0 <= value <= self.limit for value in whole) else None

    def check(self, operands: Several[int]) -> tuple[int, ...]:
        """Return the answers, or raise an error that names the wrong operand.

        All operands that fit a picture are accepted; `trained` tells whether examples are drawn from their range.
        """
        name = self.operation
        if len(operands) != self.operation.operands:
            raise VisarithError(f"{name} takes {self.operation.operands} numbers, not {len(operands)}")
        for value in operands:
            if not hasattr(value, "__index__"):
                raise VisarithError(f"{value!r} is not a whole number; {name} takes numbers in 0..{self.largest}")
            if not 0 <= value <= self.limit:
                longer = f"use more {option('digits')} for longer numbers"
                remedy = "numbers are whole and not negative" if value < 0 else longer
                raise VisarithError(f"{value} is outside {name}'s range 0..{self.largest}; {remedy}")
        if self.operation.descending and list(operands) != sorted(operands, reverse=True):
            raise VisarithError(f"{_listed(operands)} are the wrong way round for {name}; put the larger number first")
        answers = self.answers(operands)
        if answers is None:
            which = f"numbers in 0..{self.largest}" if self.largest < self.limit else "other numbers"
            no_answer = f"{name} of {_listed(operands)} has no answer in 0..{self.limit}"
            raise VisarithError(f"{no_answer}; use {which}, or more {option('digits')}")
        return answers

    def trained(self, operands: Several[int]) -> bool:
        """Return whether examples are drawn from the range of these operands."""
        return all(value <= self.largest for value in operands)

    def fingerprint(self) -> str:
        """Return a hash of the answers to 64 random operands; it tells one rule from another."""
        rows = self._uniform(64, np.random.default_rng(64))
        said: list[Any] = [(row, self.answers(row)) for row in rows]
        if self.limit.bit_length() > MOST_BITS_WRITTEN:
            said = [tuple(each and [f"{number:x}" for number in each] for each in line) for line in said]
        return hashlib.sha256(repr(said).encode()).hexdigest()

    @property
    def candidates(self) -> int:
        """The number of operand tuples, whether or not they have an answer."""
        count = self.operation.operands
        if self.operation.descending:
            return math.comb(self.largest + count, count)
        return int((self.largest + 1) ** count)

    def count(self, enough: int) -> int:
        """Return the number of legal operand tuples; `candidates`, without counting, if that is at least `enough`."""
        return self.candidates if self.candidates >= min(enough, ENUMERABLE) else len(self.all())

    def sample(self, count: int, *, rng: np.random.Generator, exclude: np.ndarray | None = None) -> np.ndarray:
        """Draw `count` distinct legal operand tuples that are not in `exclude`: (count, operands)."""
        if self.candidates > ENUMERABLE and self._compact:
            return self._drawn_compactly(count, rng, exclude)
        taken = set() if exclude is None else set(map(tuple, exclude.tolist()))
        if self.candidates > ENUMERABLE and self.candidates - len(taken) < count:
            raise self.too_few(count, self.candidates, len(taken))
        crowded = self.candidates < 4 * (count + len(taken))  # most random draws would be repeats
        listed = crowded and self.candidates <= ENUMERABLE
        rows = self._listed(count, rng, taken) if listed else self._drawn(count, rng, taken)
        dtype = np.int64 if self.limit < INT64_SAFE else object
        return np.array(rows, dtype=dtype).reshape(count, self.operation.operands)

    def orders(self, row: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
        """Return the operands in every order."""
        return itertools.permutations(row)

    def mirrors(self, row: tuple[int, ...]) -> set[tuple[int, ...]]:
        """Return the other orders of these operands that have the same answer, such as (b, a) of a sum a + b."""
        others = set(self.orders(row)) - {row}
        return {other for other in others if self.answers(other) == self.answers(row)}

    def draw(self, count: int, *, rng: np.random.Generator) -> list[tuple[int, ...]]:
        """Draw legal operands quickly: up to `count` of them, with repeats."""
        return [row for row in self._uniform(count, rng) if self.answers(row) is not None]

    def all(self) -> list[tuple[int, ...]]:
        """List every legal operand tuple."""
        count, numbers = self.operation.operands, range(self.largest, -1, -1)
        rows: Iterable[tuple[int, ...]] = itertools.product(numbers, repeat=count)
        if self.operation.descending:
            rows = itertools.combinations_with_replacement(numbers, count)
        return [row for row in rows if self.answers(row) is not None]

    def _listed(self, count: int, rng: np.random.Generator, taken: set[tuple[int, ...]]) -> list[tuple[int, ...]]:
        legal = self.all()
        free = [row for row in legal if row not in taken]
        if len(free) < count:
            raise self.too_few(count, len(legal), len(legal) - len(free))
        return [free[i] for i in rng.permutation(len(free))[:count]]

    @property
    def _compact(self) -> bool:
        """Whether rows are numbers below 2^62 each, and are drawn one number like the other."""
        plain = type(self)._uniform is Domain._uniform
        return plain and self.largest < INT64_SAFE and Keys.fit(self.limit, self.operation.operands)

    def known(self, rows: np.ndarray | None = None) -> Keys:
        """Return these rows as a set, if `Keys` fit."""
        found = Keys(self.limit, self.operation.operands)
        return found if rows is None else found.with_rows(rows)

    def _drawn_compactly(self, count: int, rng: np.random.Generator, exclude: np.ndarray | None) -> np.ndarray:
        """As `_drawn`, the same rows."""
        seen, found, there = self.known(exclude), [np.zeros((0, self.operation.operands), np.int64)], 0
        if self.candidates - len(seen) < count:
            raise self.too_few(count, self.candidates, len(seen))
        while there < count:
            rows = self._numbers(max(1024, count - there), rng)
            drawn = len(rows)
            rows = rows[seen.fresh(rows)]
            rows = rows[mapped(self._legal, rows)]
            seen, there = seen.with_rows(rows), there + len(rows)
            found.append(rows)
            if len(rows) < drawn // 1000:
                raise self._too_rare(there, count)
        return np.concatenate(found)[:count]

    def _legal(self, rows: np.ndarray) -> np.ndarray:
        return np.array([self.answers(row) is not None for row in rows.tolist()], bool)

    def _numbers(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """Draw rows of numbers below 2^62: (count, operands)."""
        rows = rng.integers(0, self.largest, (count, self.operation.operands), endpoint=True)
        return -np.sort(-rows, axis=1) if self.operation.descending else rows

    def _drawn(self, count: int, rng: np.random.Generator, taken: set[tuple[int, ...]]) -> list[tuple[int, ...]]:
        rows: list[tuple[int, ...]] = []
        seen = set(taken)
        while len(rows) < count:
            before, drawn = len(rows), max(1024, count - len(rows))
            for row in self._uniform(drawn, rng):
                if row not in seen and self.answers(row) is not None:
                    seen.add(row)
                    rows.append(row)
            if len(rows) - before < drawn // 1000:
                if self.candidates <= ENUMERABLE:
                    return self._listed(count, rng, taken)
                raise self._too_rare(len(rows), count)
        return rows[:count]

    def _uniform(self, count: int, rng: np.random.Generator) -> Iterable[tuple[int, ...]]:
        if self.largest < INT64_SAFE:
            return map(tuple, self._numbers(count, rng).tolist())
        numbers = [[_below(self.largest + 1, rng) for _ in range(self.operation.operands)] for _ in range(count)]
        if self.operation.descending:
            return (tuple(sorted(row, reverse=True)) for row in numbers)
        return map(tuple, numbers)

    def _too_rare(self, there: int, asked: int) -> VisarithError:
        return VisarithError(
            f"only {there} of {asked} operands were found for {self.operation} with answers in "
            f"0..{self.limit}; ask for fewer or use more {option('digits')}"
        )

    def too_few(self, asked: int, most: int, taken: int = 0) -> VisarithError:
        """Return the error for more operands than there are."""
        kept = f", {taken} of them already used" if taken else ""
        return VisarithError(
            f"{asked} different operands were asked of {self.operation}, but there are at most {most} "
            f"(0..{self.largest} each{kept}); ask for fewer or use more {option('digits')}"
        )


def _below(bound: int, rng: np.random.Generator) -> int:
    """Draw a uniform whole number below a bound of any size."""
    number, bits = bound, bound.bit_length()
    while number >= bound:
        number = int.from_bytes(rng.bytes((bits + 7) // 8), "big") >> (-bits % 8)
    return number


def _listed(operands: Several[int]) -> str:
    """The operands as text, which takes longer than most rules."""
    return " and ".join(map(str, operands))
