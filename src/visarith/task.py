"""A task: operation x notation x medium, and the examples of it; training and test pairs never meet."""

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from visarith.errors import VisarithError, whole
from visarith.notation import Notation
from visarith.notation.arabic import Arabic
from visarith.notation.roman import Roman
from visarith.operations import OPERATIONS, Domain, Operation
from visarith.pictures.corruption import Corruption, permutation
from visarith.pictures.page import Page, one_hot_page
from visarith.pictures.typeface import Typeface
from visarith.randomness import rng

Medium = Literal["pictures", "one-hot"]


@dataclass(frozen=True, eq=False)
class Examples:
    """Operands and their answers as symbols; they become pixels a batch at a time."""

    operands: np.ndarray  # (count, operands) numbers
    inputs: np.ndarray  # (count, operands, cells) symbols
    answers: np.ndarray  # (count, answers, cells) symbols

    def __len__(self) -> int:
        return len(self.operands)

    def __getitem__(self, rows: slice) -> "Examples":
        return Examples(self.operands[rows], self.inputs[rows], self.answers[rows])


@dataclass(frozen=True, init=False)
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
        notation: str | Notation = "arabic",
        digits: int | None = None,
        base: int = 10,
        padded: bool = True,
        medium: Medium = "pictures",
        answer_medium: Medium | None = None,
        typeface: Typeface | None = None,
        noise: float = 0.0,
        displacement: int = 0,
        permutation: bool = False,
        permuted_first: bool = False,
    ) -> None:
        if permuted_first and not (permutation and displacement):
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
            raise VisarithError(f"{operation.name} shows its sign as a picture; leave --medium out")
        if "one-hot" in (medium, answer_medium) and (noise or displacement or permutation):
            raise VisarithError(
                "noise, displacement and permutation are done to pictures, and medium one-hot has none; leave them out"
            )
        fields = {
            "operation": operation,
            "notation": _notation(notation, operation.digits if digits is None else digits, base, padded),
            "medium": medium,
            "answer_medium": answer_medium,
            "typeface": typeface or Typeface(),
            "corruption": Corruption(noise, displacement, permutation, permuted_first),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def with_noise(self, noise: float) -> "Task":
        """The same task at another level of noise."""
        return self._but(noise=noise)

    def at(self, digits: int) -> "Task":
        """The same task with longer or shorter numbers, in cells of the same size."""
        if not isinstance(self.notation, Arabic) or self.medium != "pictures" or self.corruption.permutation:
            raise VisarithError("other lengths are for Arabic numerals in pictures whose pixels are not permuted")
        notation = replace(self.notation, cells=digits)
        pitch, margin = divmod(self.shape[1], self.notation.cells)
        width = pitch * digits + min(margin, digits - 1)
        return self._but(notation=notation, typeface=replace(self.typeface, width=width))

    def _but(self, **changes: Any) -> "Task":
        same = {
            "notation": self.notation,
            "medium": self.medium,
            "answer_medium": self.answer_medium,
            "typeface": self.typeface,
            **asdict(self.corruption),
        }
        return Task(self.operation, **(same | changes))

    @cached_property
    def domain(self) -> Domain:
        return self.operation.domain(self.notation.limit)

    @cached_property
    def plain_page(self) -> Page:
        """The page of the inputs as a person sees it."""
        return self._page(self.medium, self.operation.signs + " " if self.operation.signs else "")

    @cached_property
    def plain_answer_page(self) -> Page:
        """The page of the answers as a person sees it."""
        same = self.answer_medium == self.medium and not self.operation.signs
        return self.plain_page if same else self._page(self.answer_medium)

    def _page(self, medium: Medium, more: str = "") -> Page:
        if medium == "one-hot":
            return one_hot_page(self.notation.alphabet, self.notation.cells)
        alphabet = self.notation.alphabet
        return self.typeface.page(alphabet + "".join(s for s in more if s not in alphabet), self.notation.cells)

    @cached_property
    def page(self) -> Page:
        """The page of the inputs as the learner sees it: with its pixels permuted, if they are."""
        return self._permuted(self.plain_page)

    @cached_property
    def answer_page(self) -> Page:
        """The page of the answers as the learner draws it."""
        return self.page if self.plain_answer_page is self.plain_page else self._permuted(self.plain_answer_page)

    def _permuted(self, page: Page) -> Page:
        return page.permuted(permutation(page.pixels)) if self.corruption.permutation else page

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
        alphabet = self.plain_page.alphabet
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
            pictures = self.corruption.displace(intensities(self.page.typeset(symbols)), generator)
        else:
            pictures = self._permute(self.corruption.displace(intensities(self.plain_page.typeset(symbols)), generator))
        return self.corruption.add_noise(pictures, generator)

    def targets(self, symbols: np.ndarray, generator: torch.Generator) -> Tensor:
        """What a learner is to draw: noisy and permuted as the inputs are, but never displaced."""
        return self.corruption.add_noise(intensities(self.answer_page.typeset(symbols)), generator)

    def mean_inputs(self, examples: Examples) -> Tensor:
        """The mean input picture of each operand: (operands, height, width)."""
        if self.corruption.permuted_first:
            return self.corruption.displaced_mean(torch.from_numpy(self.page.mean(examples.inputs)))
        return self._permute(self.corruption.displaced_mean(torch.from_numpy(self.plain_page.mean(examples.inputs))))

    def mean_targets(self, examples: Examples) -> Tensor:
        """The mean target picture of each answer: (answers, height, width)."""
        return torch.from_numpy(self.answer_page.mean(examples.answers))

    def _permute(self, pictures: Tensor) -> Tensor:
        order = self.page.order
        if order is None:
            return pictures
        return pictures.flatten(-2)[..., torch.from_numpy(order)].view(pictures.shape)


def _notation(notation: str | Notation, digits: int, base: int, padded: bool) -> Notation:
    if isinstance(notation, Arabic | Roman):
        return notation
    if notation == "arabic":
        return Arabic(digits, base, padded)
    if notation != "roman":
        raise VisarithError(f"notation {notation!r} is unknown; use arabic or roman")
    if base != 10 or not padded:
        raise VisarithError("Roman numerals have no base and no leading zeros; leave --base and --unpadded out")
    return Roman(digits)


def intensities(pictures: np.ndarray) -> Tensor:
    """8-bit pictures as intensities in [0, 1]."""
    return torch.from_numpy(pictures).float().div_(255)
