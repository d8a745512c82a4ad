"""Tasks: an operation, a notation and a medium, with training and test examples that share no operands."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from visarith.data.appearance import Appearance
from visarith.data.appearance import Medium as Medium
from visarith.data.split import split, with_mirrors
from visarith.errors import VisarithError, option, whole
from visarith.notation import NOTATIONS, Notation, as_notation
from visarith.operations import Domain, Operation
from visarith.operations.compact import mapped
from visarith.operations.expression import named, try_out
from visarith.pictures.corruption import Corruption
from visarith.pictures.typeface import Typeface
from visarith.randomness import rng

if TYPE_CHECKING:
    from visarith.data.task_set import TaskSet

EXAMPLES, TEST_PAIRS = 150_000, 30_000  # the paper's (Sec. 3.1)
MOST_BYTES = 8 * 2**30  # of examples; the same limit as for picture files (data/folder.py)
BYTES_A_PAIR = 250  # a tuple of operands in a list and in a set, which keeps pairs distinct
BYTES_A_NUMBER, NUMERAL_BITS = 28, 6  # a Python integer, and what each numeral of base 36 adds to it


@dataclass(frozen=True, eq=False)
class Examples:
    """Operands, and the symbols of operands and answers; pictures are drawn from them a batch at a time."""

    operands: np.ndarray  # (count, operands) numbers
    inputs: np.ndarray  # (count, operands, cells) symbols
    answers: np.ndarray  # (count, answers, cells) symbols

    def __len__(self) -> int:
        return len(self.operands)

    def __getitem__(self, rows: slice | np.ndarray) -> "Examples":
        return Examples(self.operands[rows], self.inputs[rows], self.answers[rows])


@dataclass(frozen=True, init=False, repr=False)
class Task(Appearance):
    """An operation to learn, and how its numbers look; an operation may be given as an expression in a and b.

    >>> Task("add").shape, Task("a + 2*b", digits=3).domain.largest
    ((15, 60), 333)
    """

    generates = True  # fresh examples can be drawn
    readable = True  # the text of the answers is known
    fingerprint = ""  # of picture files, which a task has not

    def __init__(
        self,
        operation: str | Operation,  # a name, an expression or an operation
        *,
        notation: Any = "arabic",  # a name, or an object with write, parse, alphabet and cells
        digits: int | None = None,
        base: int | None = None,
        padded: bool | None = None,
        medium: Medium = "pictures",
        answer_medium: Medium | None = None,
        typeface: Typeface | None = None,
        corruption: Corruption | None = None,
        noise: float | None = None,
        clipped: bool | None = None,
        displacement: int | None = None,
        permutation: bool | None = None,
        permuted_first: bool | None = None,
    ) -> None:
        """`noise` to `permuted_first` override the fields of `corruption`, so that `replace(task, ...)` works."""
        given: dict[str, Any] = {"noise": noise, "displacement": displacement, "permutation": permutation}
        given |= {"clipped": clipped, "permuted_first": permuted_first}
        given = {name: value for name, value in given.items() if value is not None}
        corruption = replace(corruption or Corruption(), **given)
        given_as_text = isinstance(operation, str)
        if isinstance(operation, str):
            operation = named(operation)
        if not isinstance(operation, Operation) or not isinstance(typeface, Typeface | None):
            raise VisarithError(f"Task({operation!r}, typeface={typeface!r}) takes an Operation and a Typeface")
        answer_medium = medium if answer_medium is None else answer_medium
        for each in (medium, answer_medium):
            if each not in ("pictures", "one-hot"):
                raise VisarithError(f"medium {each!r} is unknown; use pictures or one-hot")
        if operation.signs and (medium != "pictures" or (typeface and typeface.fonts)):
            wrong = option("medium") if medium != "pictures" else option("fonts")
            raise VisarithError(f"{operation} shows its sign as a picture; leave {wrong} out")
        if "one-hot" in (medium, answer_medium) and corruption != Corruption():
            raise VisarithError(
                "noise, displacement and permutation are for pictures, not for medium one-hot; leave them out"
            )
        written = _notation(notation, operation).changed(digits, base, padded)
        operation = operation.placed(written.base or 10, written.digits)
        if given_as_text:
            try_out(operation, written.limit)
        fields = {
            "operation": operation,
            "notation": written,
            "medium": medium,
            "answer_medium": answer_medium,
            "typeface": typeface or Typeface(),
            "corruption": corruption,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def with_noise(self, noise: float) -> "Task":
        """Return the same task with another standard deviation of the noise."""
        clipped = self.corruption.clipped and noise > 0
        return replace(self, corruption=replace(self.corruption, noise=noise, clipped=clipped))

    def at(self, digits: int) -> "Task":
        """Return the same task with numbers of other lengths, in cells of the same size."""
        notation = self.notation.lengthened(digits)
        if notation is None or self.medium != "pictures" or self.corruption.permutation:
            raise VisarithError("numbers of other lengths need Arabic numerals in pictures that are not permuted")
        pitch, margin = divmod(self.shape[1], self.notation.cells)
        width = pitch * digits + min(margin, digits - 1)
        return replace(self, notation=notation, typeface=replace(self.typeface, width=width))

    @cached_property
    def domain(self) -> Domain:
        return self.operation.domain(self.notation.limit)

    def sizes(
        self,
        examples: int | None = None,
        test_pairs: int | None = None,
        *,
        seed: int = 0,  # noqa: ARG002
    ) -> tuple[int, int]:
        """Return the numbers of training examples and test pairs; None stands for the paper's 150,000 and 30,000.

        If the domain has fewer pairs than that, five sixths of all pairs are for training and one sixth for testing.
        """
        self._check_count("examples", examples or EXAMPLES)
        self._check_count("test pairs", test_pairs or TEST_PAIRS)
        if examples and test_pairs:
            return examples, test_pairs
        there = self.domain.count(2 * (EXAMPLES + TEST_PAIRS))
        if there < 2:
            raise self.domain.too_few(2, there)
        if (examples or EXAMPLES) + (test_pairs or TEST_PAIRS) <= there:
            return examples or EXAMPLES, test_pairs or TEST_PAIRS
        if examples:
            if examples >= there:
                raise self.domain.too_few(max(examples, there + 1), there)
            return examples, min(TEST_PAIRS, there - examples)
        test = test_pairs or max(1, min(TEST_PAIRS, there // 6))
        return max(1, min(EXAMPLES, there - test)), test

    def split(
        self, examples: int | None = None, test_pairs: int | None = None, *, seed: int
    ) -> "tuple[TaskSet, TaskSet]":
        """Return training and test examples as picture sets."""
        train, test = self.examples(*self.sizes(examples, test_pairs), seed=seed)
        return self.picture_set(train), self.picture_set(test)

    def picture_set(self, examples: Examples) -> "TaskSet":
        """Return the picture set of these examples."""
        from visarith.data.task_set import TaskSet

        return TaskSet(self, examples)

    @property
    def task(self) -> "Task":
        """The task itself; picture sets, which share this interface, raise an error."""
        return self

    @property
    def label(self) -> str:
        """A name for folders, which names every setting that is not the default."""
        notation, corruption, usual = self.notation, self.corruption, Task(self.operation)
        media = self.medium if self.medium == self.answer_medium else f"{self.medium}-to-{self.answer_medium}"
        parts = [
            self.operation.name,
            notation.name if notation.name != usual.notation.name else "",
            media if media != "pictures" else "",
            f"{notation.digits}digits" if notation.digits != self.operation.digits else "",
            *notation.labels(),
            f"noise{corruption.noise:g}" if corruption.noise else "",
            "clipped" if corruption.clipped else "",
            f"displaced{corruption.displacement}" if corruption.displacement else "",
            "permuted" if corruption.permutation else "",
            "first" if corruption.permuted_first else "",
            "bit" if self.typeface.ink == "bit" else "",
            "typeface" if replace(self.typeface, ink=Typeface().ink) != Typeface() else "",
        ]
        return "-".join(filter(None, parts))

    def to_json(self) -> dict[str, Any]:
        """Return what a run stores of its task (data/stored.py)."""
        from visarith.data.stored import task_to_json

        return task_to_json(self)

    def __repr__(self) -> str:
        known = f"{str(self.operation)!r}, notation={self.notation.name!r}, digits={self.notation.digits}"
        media = {"medium": self.medium, "answer_medium": self.answer_medium}
        other = {name: value for name, value in media.items() if value != "pictures"}
        usual = vars(Corruption())
        other |= {name: value for name, value in vars(self.corruption).items() if value != usual[name]}
        return f"Task({', '.join([known, *(f'{name}={value!r}' for name, value in other.items())])})"

    def _repr_html_(self) -> str:
        rows = self.domain.sample(min(3, self.domain.count(3)), rng=rng(0, "shown"))
        return self.picture_set(self.write(rows))._repr_html_()

    def examples(self, train: int, test: int, *, seed: int) -> tuple[Examples, Examples]:
        """Draw training and test examples; no operands are in both, nor (b, a) in one and (a, b) in the other."""
        self._check_count("examples", train)
        self._check_count("test pairs", test)
        shown, tested = split(self.domain, train, test, seed=seed)
        return self.write(shown), self.write(tested)

    def fresh(self, count: int, *, seed: int, exclude: np.ndarray | None = None) -> Examples:
        """Draw distinct examples whose operands are not in `exclude`, in any order that has the same answer."""
        self._check_count("pairs", count)
        taken = None if exclude is None else with_mirrors(self.domain, exclude)
        return self.write(self.domain.sample(count, rng=rng(seed, "fresh"), exclude=taken))

    def _check_count(self, what: str, count: int) -> None:
        """Refuse a number of examples that is not positive, or more than fit into memory."""
        operation, cells = self.operation, self.notation.cells
        number = BYTES_A_NUMBER + cells * NUMERAL_BITS // 8
        each = BYTES_A_PAIR + operation.operands * number + (operation.operands + operation.answers) * cells
        if whole(what, count, 1) * each > MOST_BYTES:
            raise VisarithError(
                f"{what} {count} are too many: they need {count * each / 2**30:,.0f} GiB of memory; "
                f"use {MOST_BYTES // each} or less"
            )

    def write(self, operands: np.ndarray) -> Examples:
        """Write operands and their answers as symbols."""

        def answered(rows: np.ndarray) -> np.ndarray:
            return self._written(np.array([self.domain.check(row) for row in rows.tolist()], dtype=rows.dtype))

        return Examples(operands, mapped(self.symbols, operands), mapped(answered, operands))


def _notation(notation: Any, operation: Operation) -> Notation:
    """Return a notation by its name, with the digits of the operation; wrap a notation of the user."""
    if not isinstance(notation, str):
        return as_notation(notation)
    if notation not in NOTATIONS:
        raise VisarithError(f"notation {notation!r} is unknown; use {' or '.join(NOTATIONS)}")
    return NOTATIONS[notation]().changed(operation.digits)
