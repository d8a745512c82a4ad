"""Views: pictures a batch at a time, with their means and codebook, but without text or symbols."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import NoReturn, Self

import numpy as np
import torch
from torch import Tensor

from visarith.data.spec import PictureSpec
from visarith.errors import VisarithError, option
from visarith.pictures.codebook import Cells, Codebook, Coded, Grid
from visarith.randomness import generator

AT_A_TIME = 20_000  # pictures


class Pixels(ABC):
    """A source of pictures: arrays, or symbols that are typeset on demand."""

    spec: PictureSpec

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def shown(self, rows: np.ndarray) -> np.ndarray:
        """Return the inputs without noise, 8 bits a pixel, permuted as the learner sees them."""

    @abstractmethod
    def drawn(self, rows: np.ndarray) -> np.ndarray:
        """Return the answers in the same way."""

    @abstractmethod
    def means(self) -> tuple[Tensor, Tensor]:
        """Return the mean picture of each input and of each answer."""

    @abstractmethod
    def codebook(self) -> Codebook | None: ...

    @abstractmethod
    def take(self, rows: np.ndarray) -> "Pixels": ...

    def inputs(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:  # noqa: ARG002
        """Return the inputs (rows, inputs, height, width) in [0, 1], with corruption."""
        return intensities(self.shown(rows))

    def targets(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:  # noqa: ARG002
        """Return the answers (rows, outputs, height, width), with noise."""
        return intensities(self.drawn(rows))


class Typeset(Pixels):
    """Pictures that are typeset from the codes of a codebook."""

    def __init__(self, spec: PictureSpec, book: Codebook) -> None:
        self.spec, self.book = spec, book

    def __len__(self) -> int:
        return len(self.book.inputs.codes)

    def shown(self, rows: np.ndarray) -> np.ndarray:
        return self.book.inputs.pictures(rows)

    def drawn(self, rows: np.ndarray) -> np.ndarray:
        return self.book.answers.pictures(rows)

    def means(self) -> tuple[Tensor, Tensor]:
        return torch.from_numpy(self.book.inputs.mean()), torch.from_numpy(self.book.answers.mean())

    def codebook(self) -> Codebook | None:
        return self.book

    def take(self, rows: np.ndarray) -> Pixels:
        return Typeset(self.spec, self.book.take(rows))


class View:
    """A picture set without text and symbols: all that a learner sees."""

    def __init__(self, pixels: Pixels) -> None:
        self._pixels = pixels

    def __len__(self) -> int:
        return len(self._pixels)

    @cached_property
    def spec(self) -> PictureSpec:
        """The specification of the pictures, without the facts for some learners only."""
        return replace(self._pixels.spec, told={})

    @cached_property
    def codebook(self) -> Codebook | None:
        """The distinct cells, or None unless the pictures consist of cells that repeat exactly.

        Cells are numbered by their pixels, so that the number does not tell the symbol.
        """
        book = self._pixels.codebook()
        return book and book.nameless()

    @cached_property
    def _means(self) -> tuple[Tensor, Tensor]:
        return self._pixels.means()

    @property
    def mean_inputs(self) -> Tensor:
        """(inputs, height, width)"""
        return self._means[0]

    @property
    def mean_targets(self) -> Tensor:
        """(outputs, height, width)"""
        return self._means[1]

    def batch(self, rows: np.ndarray, noise: torch.Generator) -> tuple[Tensor, Tensor]:
        """Return inputs and targets of these rows, with noise from this generator."""
        return self.inputs(rows, noise), self._pixels.targets(rows, noise)

    def inputs(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        """Return the inputs of these rows."""
        return self._pixels.inputs(rows, noise)

    def fixed(self, rows: np.ndarray, seed: int) -> tuple[Tensor, Tensor]:
        """Return inputs and targets with noise that depends on the seed and the row only.

        The noise of all rows would not fit into memory, so it is drawn again each time.
        """
        if self.spec.clean:
            return self.batch(rows, generator(seed, "no noise"))
        pairs = [self.batch(rows[i : i + 1], generator(seed, "fixed noise", int(rows[i]))) for i in range(len(rows))]
        return torch.cat([shown for shown, _ in pairs]), torch.cat([drawn for _, drawn in pairs])

    def raw(self, rows: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
        """Return inputs and answers of these rows, 8 bits a pixel; an error if the pictures are noisy."""
        if not self.spec.clean:
            raise VisarithError("a learner sees noisy pictures, not the clean ones behind them; use batch")
        rows = np.arange(len(self))[rows]
        return self._pixels.shown(rows), self._pixels.drawn(rows)

    def batches(self, count: int | None = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield `raw` of the first `count` examples, or of all, a batch at a time."""
        total, size = min(len(self), count or len(self)), max(1, AT_A_TIME // (self.spec.inputs + self.spec.outputs))
        for start in range(0, total, size):
            yield self.raw(slice(start, min(start + size, total)))

    def head(self, count: int) -> "View":
        """Return the first examples."""
        return self if count >= len(self) else self.take(np.arange(count))

    def take(self, rows: np.ndarray) -> "View":
        """Return these examples."""
        return View(self._pixels.take(rows))

    def coded(self, grid: Grid) -> "View":
        """Return the same pictures with the codebook of this grid for inputs and answers."""
        cells = Cells(grid)
        shown = cells.encode(inputs for inputs, _ in self.batches())
        drawn = cells.encode(answers for _, answers in self.batches())
        coded = View.of_codes(self.spec, Coded(cells.layout, shown), Coded(cells.layout, drawn))
        for ours, theirs in zip(coded.batches(), self.batches(), strict=True):
            if not all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)):
                raise VisarithError(
                    f"some ink is outside the cells of {grid.pitch} pixels that were found; use the same margin "
                    f"in all pictures, or use {option('learner', 'perceptron')}"
                )
        return coded

    @classmethod
    def of_codes(cls, spec: PictureSpec, inputs: Coded, answers: Coded) -> Self:
        """Return a view of pictures that are typeset from codes, for a learner that trains a part of itself."""
        return cls(Typeset(spec, Codebook(inputs, answers)))

    @property
    def truth(self) -> NoReturn:
        """An error: learners see pixels only."""
        raise VisarithError("a learner sees pixels only; use the picture set for scoring")

    text = operands = symbols = task = legend = truth

    def __repr__(self) -> str:
        spec = self.spec
        shown, drawn = " x ".join(map(str, spec.shape)), " x ".join(map(str, spec.answer_shape))
        return f"{type(self).__name__}({len(self):,} examples: {spec.inputs} of {shown} -> {spec.outputs} of {drawn})"


def intensities(pictures: np.ndarray) -> Tensor:
    """Return 8-bit pictures as intensities in [0, 1]; floats stay as they are."""
    if pictures.dtype != np.uint8:
        return torch.from_numpy(np.ascontiguousarray(pictures, dtype=np.float32))
    return torch.from_numpy(pictures).float().div_(255)
