"""A task: operation x notation x medium, and the examples of it; training and test pairs never meet."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from torch import Tensor

from visarith.data.spec import PictureSpec
from visarith.data.view import intensities
from visarith.errors import VisarithError, option, whole
from visarith.notation import NOTATIONS, Notation, as_notation
from visarith.operations import OPERATIONS, Domain, Operation
from visarith.pictures.corruption import Corruption, permutation
from visarith.pictures.layout import Layout, one_hot_layout
from visarith.pictures.typeface import Typeface
from visarith.randomness import rng
from visarith.reading.legend import Legend

if TYPE_CHECKING:
    from visarith.data.task_set import TaskSet

Medium = Literal["pictures", "one-hot"]
EXAMPLES, TEST_PAIRS = 150_000, 30_000  # the paper's (Sec. 3.1)


@dataclass(frozen=True, eq=False)
class Examples:
    """Operands and their answers as symbols; they become pixels a batch at a time."""

    operands: np.ndarray  # (count, operands) numbers
    inputs: np.ndarray  # (count, operands, cells) symbols
    answers: np.ndarray  # (count, answers, cells) symbols

    def __len__(self) -> int:
        return len(self.operands)

    def __getitem__(self, rows: slice | np.ndarray) -> "Examples":
        return Examples(self.operands[rows], self.inputs[rows], self.answers[rows])


@dataclass(frozen=True, init=False, repr=False)
class Task:
    """What is to be learned, and what it looks like.

    >>> Task("add").shape
    (15, 60)
    """

    operation: Operation
    notation: Notation
    medium: Medium  # of the inputs
    answer_medium: Medium
    typeface: Typeface
    corruption: Corruption

    def __init__(
        self,
        operation: str | Operation,
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
        displacement: int | None = None,
        permutation: bool | None = None,
        permuted_first: bool | None = None,
    ) -> None:
        """`noise` to `permuted_first` are parts of `corruption` and win over it, so that `replace(task, ...)` works."""
        done: dict[str, Any] = {"noise": noise, "displacement": displacement, "permutation": permutation}
        done["permuted_first"] = permuted_first
        corruption = replace(
            corruption or Corruption(), **{key: value for key, value in done.items() if value is not None}
        )
        if corruption.permuted_first and not (corruption.permutation and corruption.displacement):
            raise VisarithError("permuted_first is the order of a permutation and a displacement; give both")
        if isinstance(operation, str):
            if operation not in OPERATIONS:
                raise VisarithError(f"operation {operation!r} is unknown; use one of {', '.join(OPERATIONS)}")
            operation = OPERATIONS[operation]
        if not isinstance(operation, Operation) or not isinstance(typeface, Typeface | None):
            raise VisarithError(f"Task({operation!r}, typeface={typeface!r}) takes an Operation and a Typeface")
        answer_medium = medium if answer_medium is None else answer_medium
        for each in (medium, answer_medium):
            if each not in ("pictures", "one-hot"):
                raise VisarithError(f"medium {each!r} is unknown; use pictures or one-hot")
        if operation.signs and medium != "pictures":
            raise VisarithError(f"{operation.name} shows its sign as a picture; leave {option('medium')} out")
        if "one-hot" in (medium, answer_medium) and corruption != Corruption():
            raise VisarithError(
                "noise, displacement and permutation are done to pictures, and medium one-hot has none; leave them out"
            )
        fields = {
            "operation": operation,
            "notation": _notation(notation, operation).changed(digits, base, padded),
            "medium": medium,
            "answer_medium": answer_medium,
            "typeface": typeface or Typeface(),
            "corruption": corruption,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def with_noise(self, noise: float) -> "Task":
        """The same task at another level of noise."""
        return replace(self, corruption=replace(self.corruption, noise=noise))

    def at(self, digits: int) -> "Task":
        """The same task with longer or shorter numbers, in cells of the same size."""
        notation = self.notation.lengthened(digits)
        if notation is None or self.medium != "pictures" or self.corruption.permutation:
            raise VisarithError("other lengths are for Arabic numerals in pictures whose pixels are not permuted")
        pitch, margin = divmod(self.shape[1], self.notation.cells)
        width = pitch * digits + min(margin, digits - 1)
        return replace(self, notation=notation, typeface=replace(self.typeface, width=width))

    @cached_property
    def domain(self) -> Domain:
        return self.operation.domain(self.notation.limit)

    @cached_property
    def plain_layout(self) -> Layout:
        """The layout of the inputs as a person sees it."""
        return self._page(self.medium, self.operation.signs + " " if self.operation.signs else "")

    @cached_property
    def plain_answer_layout(self) -> Layout:
        """The layout of the answers as a person sees it."""
        same = self.answer_medium == self.medium and not self.operation.signs
        return self.plain_layout if same else self._page(self.answer_medium)

    def _page(self, medium: Medium, more: str = "") -> Layout:
        if medium == "one-hot":
            return one_hot_layout(self.notation.alphabet, self.notation.cells)
        alphabet = self.notation.alphabet
        return self.typeface.layout(alphabet + "".join(s for s in more if s not in alphabet), self.notation.cells)

    @cached_property
    def layout(self) -> Layout:
        """The layout of the inputs as the learner sees it: with its pixels permuted, if they are."""
        return self._permuted(self.plain_layout)

    @cached_property
    def answer_layout(self) -> Layout:
        """The layout of the answers as the learner draws it."""
        return (
            self.layout if self.plain_answer_layout is self.plain_layout else self._permuted(self.plain_answer_layout)
        )

    def _permuted(self, layout: Layout) -> Layout:
        return layout.permuted(permutation(layout.pixels)) if self.corruption.permutation else layout

    @property
    def has_pictures(self) -> bool:
        """Whether any side of the task is drawn in a typeface."""
        return "pictures" in (self.medium, self.answer_medium)

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of an input picture."""
        return self._shape(self.medium)

    @property
    def answer_shape(self) -> tuple[int, int]:
        """Height and width of an answer picture."""
        return self._shape(self.answer_medium)

    def _shape(self, medium: Medium) -> tuple[int, int]:
        cells = self.notation.cells
        return self.typeface.size(cells) if medium == "pictures" else (cells, len(self.notation.alphabet))

    @cached_property
    def spec(self) -> PictureSpec:
        """What a learner may know of the pictures before it is shown any."""
        plain = self.plain_layout
        return PictureSpec(
            inputs=self.operation.operands,
            outputs=self.operation.answers,
            shape=self.shape,
            answer_shape=self.answer_shape,
            clean=not self.corruption.changes_pixels,
            one_hot="one-hot" in (self.medium, self.answer_medium),
            hidden_layers=self.hidden_layers,
            places=self.layout.places,
            strips=(plain.corners[0][1], plain.glyphs.shape[2]),
            symbols=len(self.layout.alphabet),
            sign=1 if self.operation.signs else None,
            additive=self.notation.additive,
            told={"task": self, "symbols": self.layout.alphabet},
        )

    @property
    def hidden_layers(self) -> int:
        """The paper's number of hidden layers; one-hot lacks the first and the last of them (Sec. 5).

        Perception alone is what those two do: one hidden layer between pictures and one-hot.
        """
        if self.medium != self.answer_medium:
            return 1
        depth = max(self.operation.hidden_layers, self.notation.hidden_layers)
        return depth - 2 if self.medium == "one-hot" else depth

    @cached_property
    def legend(self) -> Legend:
        """How answers are read."""
        return Legend(self.notation, self.plain_answer_layout, pictures=self.answer_medium == "pictures")

    def sizes(
        self,
        examples: int | None = None,
        test_pairs: int | None = None,
        *,
        seed: int = 0,  # noqa: ARG002
    ) -> tuple[int, int]:
        """How many examples there are to train and to test on; what is not asked for is as many as the domain has.

        The paper's 150,000 and 30,000 where there are enough, otherwise five parts and one part of all there are.
        """
        there = self.domain.count(2 * (EXAMPLES + TEST_PAIRS))
        wanted = (examples or EXAMPLES) + (test_pairs or TEST_PAIRS)
        if (examples and test_pairs) or wanted <= there:
            return examples or EXAMPLES, test_pairs or TEST_PAIRS
        if examples:
            if examples >= there:
                raise self.domain.too_few(examples + 1, there)
            return examples, min(TEST_PAIRS, there - examples)
        test = test_pairs or max(1, min(TEST_PAIRS, there // 6))
        return max(1, min(EXAMPLES, there - test)), test

    def split(
        self, examples: int | None = None, test_pairs: int | None = None, *, seed: int
    ) -> "tuple[TaskSet, TaskSet]":
        """Training and test examples as picture sets."""
        train, test = self.examples(*self.sizes(examples, test_pairs), seed=seed)
        return self.picture_set(train), self.picture_set(test)

    def picture_set(self, examples: Examples) -> "TaskSet":
        """What these examples look like."""
        from visarith.data.task_set import TaskSet

        return TaskSet(self, examples)

    generates = True  # there are always fresh examples
    readable = True  # what answers say is known
    fingerprint = ""  # of pictures: a task makes its own

    @property
    def lengthens(self) -> bool:
        """Whether numbers of other lengths are more of the same cells."""
        plain = self.medium == self.answer_medium == "pictures" and not self.corruption.permutation
        return plain and self.notation.lengthened(self.notation.digits) is not None

    @property
    def task(self) -> "Task":
        """Itself: what a run asks for that needs more than pictures."""
        return self

    @property
    def label(self) -> str:
        """A name for folders, which says how this task differs from the operation's own."""
        notation, corruption, usual = self.notation, self.corruption, Task(self.operation)
        media = self.medium if self.medium == self.answer_medium else f"{self.medium}-to-{self.answer_medium}"
        parts = [
            self.operation.name,
            notation.name if notation.name != usual.notation.name else "",
            media if media != "pictures" else "",
            f"{notation.digits}digits" if notation.digits != self.operation.digits else "",
            *notation.labels(),
            f"noise{corruption.noise:g}" if corruption.noise else "",
            f"displaced{corruption.displacement}" if corruption.displacement else "",
            "permuted" if corruption.permutation else "",
            "first" if corruption.permuted_first else "",
            "bit" if self.typeface.ink == "bit" else "",
            "typeface" if replace(self.typeface, ink=Typeface().ink) != Typeface() else "",
        ]
        return "-".join(filter(None, parts))

    def to_json(self) -> dict[str, Any]:
        """All that is stored of a task with a run (data/stored.py)."""
        from visarith.data.stored import task_to_json

        return task_to_json(self)

    def plain_answers(self, pictures: np.ndarray) -> np.ndarray:
        """Answers in a learner's order of pixels, as a person sees them."""
        return self.answer_layout.plain(pictures)

    def plain_inputs(self, pictures: np.ndarray) -> np.ndarray:
        """Inputs in a learner's order of pixels, as a person sees them."""
        return self.layout.plain(pictures)

    def shown_inputs(self, pictures: np.ndarray) -> np.ndarray:
        """Inputs as a person sees them, in a learner's order of pixels."""
        return self.layout.shuffled(pictures)

    def __repr__(self) -> str:
        known = f"{self.operation.name!r}, notation={self.notation.name!r}, digits={self.notation.digits}"
        media = {"medium": self.medium, "answer_medium": self.answer_medium}
        other = {name: value for name, value in media.items() if value != "pictures"}
        usual = vars(Corruption())
        other |= {name: value for name, value in vars(self.corruption).items() if value != usual[name]}
        return f"Task({', '.join([known, *(f'{name}={value!r}' for name, value in other.items())])})"

    def _repr_html_(self) -> str:
        rows = self.domain.sample(min(3, self.domain.count(3)), rng=rng(0, "shown"))
        return self.picture_set(self.write(rows))._repr_html_()

    def examples(self, train: int, test: int, *, seed: int) -> tuple[Examples, Examples]:
        """Training and test examples; all pairs are distinct, so none is in both."""
        whole("examples", train, 1)
        whole("test pairs", test, 1)
        operands = self.domain.sample(train + test, rng=rng(seed, "examples"))
        return self.write(operands[:train]), self.write(operands[train:])

    def fresh(self, count: int, *, seed: int, exclude: np.ndarray | None = None) -> Examples:
        """Distinct examples that are not among the operands `exclude`."""
        whole("pairs", count, 1)
        return self.write(self.domain.sample(count, rng=rng(seed, "fresh"), exclude=exclude))

    def write(self, operands: np.ndarray) -> Examples:
        """Write operands and their answers as symbols."""
        answers = np.array([self.domain.check(row) for row in operands.tolist()], dtype=operands.dtype)
        return Examples(operands, self.symbols(operands), self._symbols(answers))

    def symbols(self, operands: np.ndarray) -> np.ndarray:
        """How operands are written, (count, operands) -> (count, operands, cells); a sign stands in the last cell."""
        if not self.operation.signs:
            return self._symbols(operands)
        alphabet = self.plain_layout.alphabet
        written = self._symbols(np.where([False, True, False], 0, operands))
        signs = np.array([alphabet.index(sign) for sign in self.operation.signs], written.dtype)
        written[:, 1] = alphabet.index(" ")
        written[:, 1, -1] = signs[operands[:, 1].astype(np.int64)]
        return written

    def _symbols(self, numbers: np.ndarray) -> np.ndarray:
        return self.notation.write(numbers.ravel()).reshape(*numbers.shape, self.notation.cells)

    def inputs(self, symbols: np.ndarray, generator: torch.Generator) -> Tensor:
        """What a learner is shown: (batch, operands, cells) -> (batch, operands, height, width), corrupted."""
        if self.corruption.permuted_first:
            pictures = self.corruption.displace(intensities(self.layout.typeset(symbols)), generator)
        else:
            pictures = self._permute(
                self.corruption.displace(intensities(self.plain_layout.typeset(symbols)), generator)
            )
        return self.corruption.add_noise(pictures, generator)

    def targets(self, symbols: np.ndarray, generator: torch.Generator) -> Tensor:
        """What a learner is to draw: noisy and permuted as the inputs are, but never displaced."""
        return self.corruption.add_noise(intensities(self.answer_layout.typeset(symbols)), generator)

    def _permute(self, pictures: Tensor) -> Tensor:
        order = self.layout.order
        if order is None:
            return pictures
        return pictures.flatten(-2)[..., torch.from_numpy(order)].view(pictures.shape)


def _notation(notation: Any, operation: Operation) -> Notation:
    """A notation by its name, for numbers as long as the operation's, or one of a user's."""
    if not isinstance(notation, str):
        return as_notation(notation)
    if notation not in NOTATIONS:
        raise VisarithError(f"notation {notation!r} is unknown; use {' or '.join(NOTATIONS)}")
    return NOTATIONS[notation]().changed(operation.digits)
