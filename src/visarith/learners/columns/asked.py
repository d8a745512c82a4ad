"""An operation asked in symbols, column by column, at any length."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from visarith.notation.arabic import Arabic
from visarith.operations.expression import Expression, Largest
from visarith.operations.operation import INT64_SAFE, Domain, Operation

Column = tuple[int, ...]  # the symbols of all operands, or of all answers, at one place
Word = tuple[Column, ...]  # columns in the order of the scan
LONGEST_TEST = 3


def at_length(operation: Operation, digits: int) -> Operation:
    """Return the operation for numbers of another length; only expressions with `digits` depend on it."""
    rule = operation.rule
    if not isinstance(rule, Expression):
        return operation
    longer = Expression(rule.tree, replace(rule.places, digits=digits))
    return replace(operation, rule=longer, largest=Largest(longer), digits=digits)


class Asked:
    """Answers of an operation, in symbols of Arabic numerals; columns come from the side `way`, left or right."""

    def __init__(self, operation: Operation, notation: Arabic, way: str) -> None:
        self.operation, self.base, self.padded, self.way = operation, notation.base, notation.padded, way
        self.blank = notation.base  # the index of the blank symbol, if there is one
        self.symbols = len(notation.alphabet)
        self.domain = lru_cache(maxsize=None)(self._domain)

    @property
    def name(self) -> str:
        """The name of the operation, or the text of its expression."""
        rule = self.operation.rule
        return rule.tree.text if isinstance(rule, Expression) else self.operation.name

    @cached_property
    def columns(self) -> list[Column]:
        """Every column, the last operand's symbol changing fastest."""
        return list(itertools.product(range(self.symbols), repeat=self.operation.operands))

    @property
    def way_on(self) -> str:
        """The side at which the columns end."""
        return "left" if self.way == "right" else "right"

    def notation(self, length: int) -> Arabic:
        return Arabic(length, self.base, self.padded)

    def _domain(self, length: int) -> Domain:
        return at_length(self.operation, length).domain(self.base**length - 1)

    def __call__(self, word: Word) -> Word | None:
        """Return the columns of the answers; None if these are not legal operands."""
        if not word:
            return ()
        lines = [self._turned(line) for line in zip(*word, strict=True)]
        numbers = [self._number(line) for line in lines]
        read = [number for number in numbers if number is not None]
        answers = self.answers(read, len(word)) if len(read) == len(numbers) else None
        if answers is None:
            return None
        return tuple(zip(*(self._turned(self._written(each, len(word))) for each in answers), strict=True))

    def answers(self, numbers: list[int], length: int) -> tuple[int, ...] | None:
        """Return the answers to these numbers in so many cells; None if they are not legal operands."""
        if self.operation.descending and any(one < other for one, other in itertools.pairwise(numbers)):
            return None
        return self.domain(length).answers(numbers)

    def many(self, operands: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
        """Return which of many operands (count, operands), in legal order, have answers, and these; else 0."""
        domain = self.domain(length)
        rule, count = domain.operation.rule, self.operation.answers
        if isinstance(rule, Expression) and domain.limit < INT64_SAFE:
            found = rule.many(operands)
            values: np.ndarray | None = found[:, None]
        else:
            values = _quickly(rule, operands, count)
        if values is None:
            nothing = (-1,) * count
            rows = [self.answers(row, length) or nothing for row in operands.tolist()]
            values = np.array(rows, operands.dtype).reshape(len(operands), count)
        legal = np.all((values >= 0) & (values <= domain.limit), axis=1)
        return legal, np.where(legal[:, None], values, 0)

    def _turned(self, line: Column) -> Column:
        """From the order of the scan to that of reading, or back."""
        return line[::-1] if self.way == "right" else line

    def _number(self, line: Column) -> int | None:
        """Read a line of symbols, the highest place first; None if no number is written so."""
        if not self.padded:
            start = next((place for place, symbol in enumerate(line) if symbol != self.blank), len(line))
            line = line[start:]
            if not line or self.blank in line or (line[0] == 0 and (len(line) > 1)):
                return None
        number = 0
        for digit in line:
            number = number * self.base + digit
        return number

    def _written(self, number: int, length: int) -> Column:
        line = []
        for place in range(length):
            line.append(number % self.base if number or self.padded or not place else self.blank)
            number //= self.base
        return tuple(reversed(line))

    def tests(self, each: int = 12) -> list[Word]:
        """Return words that may follow others: operands that stop, that go on and that are random."""
        rng, words = np.random.default_rng(0), list[Word]([()])
        kinds = ("zeros", "digits", "number", *(() if self.padded else ("blanks",)))
        for length in range(1, LONGEST_TEST + 1):
            for chosen in itertools.product(kinds, repeat=self.operation.operands):
                for _ in range(max(1, each // len(kinds) ** (self.operation.operands - 1))):
                    lines = [self._turned(self._line(kind, length, rng)) for kind in chosen]
                    words.append(tuple(zip(*lines, strict=True)))
        return list(dict.fromkeys(words))

    def _line(self, kind: str, length: int, rng: np.random.Generator) -> Column:
        if kind == "zeros":
            return (0,) * length
        if kind == "blanks":
            return (self.blank,) * length
        if kind == "number":
            return self._written(int(rng.integers(self.base ** int(rng.integers(1, length + 1)))), length)
        return tuple(rng.integers(0, self.base, length).tolist())


def _quickly(rule: Callable[..., Any], operands: np.ndarray, count: int) -> np.ndarray | None:
    """Return the answers of a rule that gives small whole numbers for all of these.

    Otherwise None: `Domain.answers` then tells operands without an answer from errors of the rule.
    """
    try:
        values = np.array([rule(*row) for row in operands.tolist()])
    except Exception:
        return None
    fits = values.size == len(operands) * count and values.dtype.kind == "i"
    return values.reshape(len(operands), count) if fits else None
