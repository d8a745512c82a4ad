"""A task: operation x notation x medium, and the examples of it; training and test pairs never meet."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from visarith.errors import VisarithError, whole
from visarith.notation import Arabic
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
    notation: Arabic
    medium: Medium
    typeface: Typeface
    corruption: Corruption

    def __init__(
        self,
        operation: str | Operation,
        *,
        digits: int | None = None,
        base: int = 10,
        padded: bool = True,
        medium: Medium = "pictures",
        typeface: Typeface | None = None,
        noise: float = 0.0,
        displacement: int = 0,
        permutation: bool = False,
    ) -> None:
        if isinstance(operation, str):
            if operation not in OPERATIONS:
                raise VisarithError(f"operation {operation!r} is unknown; use one of {', '.join(OPERATIONS)}")
            operation = OPERATIONS[operation]
        if not isinstance(operation, Operation) or not isinstance(typeface, Typeface | None):
            raise VisarithError(f"Task({operation!r}, typeface={typeface!r}) takes an Operation and a Typeface")
        if medium not in ("pictures", "one-hot"):
            raise VisarithError(f"medium {medium!r} is unknown; use pictures or one-hot")
        if medium == "one-hot" and (noise or displacement or permutation):
            raise VisarithError(
                "noise, displacement and permutation are done to pictures, and medium one-hot has none; leave them out"
            )
        fields = {
            "operation": operation,
            "notation": Arabic(operation.digits if digits is None else digits, base, padded),
            "medium": medium,
            "typeface": typeface or Typeface(),
            "corruption": Corruption(noise, displacement, permutation),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def with_noise(self, noise: float) -> "Task":
        """The same task at another level of noise."""
        return Task(
            self.operation,
            digits=self.notation.cells,
            base=self.notation.base,
            padded=self.notation.padded,
            medium=self.medium,
            typeface=self.typeface,
            noise=noise,
            displacement=self.corruption.displacement,
            permutation=self.corruption.permutation,
        )

    @cached_property
    def domain(self) -> Domain:
        return self.operation.domain(self.notation.limit)

    @cached_property
    def plain_page(self) -> Page:
        """The page as a person sees it."""
        if self.medium == "one-hot":
            return one_hot_page(self.notation.alphabet, self.notation.cells)
        return self.typeface.page(self.notation.alphabet, self.notation.cells)

    @cached_property
    def page(self) -> Page:
        """The page as the learner sees it: with its pixels permuted, if they are."""
        page = self.plain_page
        return page.permuted(permutation(page.pixels)) if self.corruption.permutation else page

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of a picture."""
        return self.page.height, self.page.width

    def examples(self, train: int, test: int, *, seed: int) -> tuple[Examples, Examples]:
        """Training and test examples; all pairs are distinct, so none is in both."""
        whole("examples", train, 1)
        whole("test pairs", test, 1)
        operands = self.domain.sample(train + test, rng=rng(seed, "examples"))
        return self.write(operands[:train]), self.write(operands[train:])

    def fresh(self, count: int, *, seed: int, exclude: np.ndarray) -> Examples:
        """Examples that are not among the operands `exclude`."""
        whole("pairs", count, 1)
        return self.write(self.domain.sample(count, rng=rng(seed, "fresh"), exclude=exclude))

    def write(self, operands: np.ndarray) -> Examples:
        """Write operands and their answers as symbols."""
        answers = np.array([self.domain.check(row) for row in operands.tolist()], dtype=operands.dtype)
        return Examples(operands, self._symbols(operands), self._symbols(answers))

    def _symbols(self, numbers: np.ndarray) -> np.ndarray:
        return self.notation.write(numbers.ravel()).reshape(*numbers.shape, self.notation.cells)

    def inputs(self, symbols: np.ndarray, generator: torch.Generator) -> Tensor:
        """What a learner is shown: (batch, operands, cells) -> (batch, operands, height, width), corrupted."""
        pictures = self.corruption.displace(intensities(self.plain_page.typeset(symbols)), generator)
        return self.corruption.add_noise(self._permute(pictures), generator)

    def targets(self, symbols: np.ndarray, generator: torch.Generator) -> Tensor:
        """What a learner is to draw: noisy and permuted as the inputs are, but never displaced."""
        return self.corruption.add_noise(intensities(self.page.typeset(symbols)), generator)

    def mean_inputs(self, examples: Examples) -> Tensor:
        """The mean input picture of each operand: (operands, height, width)."""
        return self._permute(self.corruption.displaced_mean(self._mean(examples.inputs)))

    def mean_targets(self, examples: Examples) -> Tensor:
        """The mean target picture of each answer: (answers, height, width)."""
        return self._permute(self._mean(examples.answers))

    def _mean(self, symbols: np.ndarray) -> Tensor:
        """(count, pictures, cells) symbols to mean pictures (pictures, height, width), by counting symbols."""
        page = self.plain_page
        mean = np.zeros((symbols.shape[1], page.pixels))
        for picture in range(symbols.shape[1]):
            for cell in range(page.cells):
                counts = np.bincount(symbols[:, picture, cell], minlength=len(page.alphabet))
                mean[picture, page.places[cell]] = counts / len(symbols) @ page.patterns
        return torch.from_numpy(mean.reshape(-1, *self.shape)).float()

    def _permute(self, pictures: Tensor) -> Tensor:
        order = self.page.order
        if order is None:
            return pictures
        return pictures.flatten(-2)[..., torch.from_numpy(order)].view(pictures.shape)


def intensities(pictures: np.ndarray) -> Tensor:
    """8-bit pictures as intensities in [0, 1]."""
    return torch.from_numpy(pictures).float().div_(255)
