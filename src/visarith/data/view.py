"""What a learner is handed: pictures a batch at a time, their means and their codebook, and no truth."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import NoReturn, Protocol, Self

import numpy as np
import torch
from torch import Tensor

from visarith.data.spec import PictureSpec
from visarith.errors import VisarithError, option
from visarith.pictures.codebook import Cells, Codebook, Coded
from visarith.pictures.grid import Grid
from visarith.randomness import generator

AT_A_TIME = 20_000  # pictures


class Pixels(Protocol):
    """Where pictures come from: arrays, or symbols that are typeset when they are asked for."""

    @property
    def spec(self) -> PictureSpec: ...

    def __len__(self) -> int: ...

    def inputs(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        """(rows, inputs, height, width) in [0, 1], corrupted if the source says so."""
        ...

    def targets(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        """(rows, outputs, height, width), what is to be drawn."""
        ...

    def raw(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Inputs and answers without noise, 8 bits a pixel, in the order of pixels that the learner sees."""
        ...

    def means(self) -> tuple[Tensor, Tensor]:
        """The mean picture of each input and of each answer."""
        ...

    def codebook(self) -> Codebook | None: ...

    def take(self, rows: np.ndarray) -> "Pixels": ...


class View:
    """A picture set without its truth: what a learner is shown, and all that it is shown."""

    def __init__(self, pixels: Pixels) -> None:
        self._pixels = pixels

    def __len__(self) -> int:
        return len(self._pixels)

    @cached_property
    def spec(self) -> PictureSpec:
        """What is known of the pictures, without what is told to some learners only."""
        return replace(self._pixels.spec, told={})

    @cached_property
    def codebook(self) -> Codebook | None:
        """The distinct cells, where pictures are cells that repeat exactly; None where they are not.

        Cells are numbered by how they look, so that no number says what a cell means.
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
        """Inputs and targets of these rows, with fresh noise where there is noise."""
        return self.inputs(rows, noise), self._pixels.targets(rows, noise)

    def inputs(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:
        """The inputs of these rows alone."""
        return self._pixels.inputs(rows, noise)

    def fixed(self, rows: np.ndarray, seed: int) -> tuple[Tensor, Tensor]:
        """The same with the noise that belongs to each row: too large to keep, it is drawn again."""
        if self.spec.clean:
            return self.batch(rows, generator(seed, "no noise"))
        pairs = [self.batch(rows[i : i + 1], generator(seed, "fixed noise", int(rows[i]))) for i in range(len(rows))]
        return torch.cat([shown for shown, _ in pairs]), torch.cat([drawn for _, drawn in pairs])

    def raw(self, rows: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
        """Inputs and answers of these rows, 8 bits a pixel, where they are clean; noise cannot be taken away."""
        if not self.spec.clean:
            raise VisarithError("a learner is shown noisy pictures, not the clean ones behind them")
        return self._pixels.raw(np.arange(len(self))[rows])

    def batches(self, count: int | None = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """The first pictures, or all of them, a batch at a time, as `raw` gives them."""
        total, size = min(len(self), count or len(self)), max(1, AT_A_TIME // (self.spec.inputs + self.spec.outputs))
        for start in range(0, total, size):
            yield self.raw(slice(start, min(start + size, total)))

    def head(self, count: int) -> "View":
        """The first examples."""
        return self if count >= len(self) else View(self._pixels.take(np.arange(count)))

    def coded(self, grid: Grid) -> "View":
        """The same pictures with the codebook of another grid, which inputs and answers share."""
        cells = Cells(grid)
        shown = cells.encode(inputs for inputs, _ in self.batches())
        drawn = cells.encode(answers for _, answers in self.batches())
        coded = View.of_codes(self.spec, Coded(cells.layout, shown), Coded(cells.layout, drawn))
        for ours, theirs in zip(coded.batches(), self.batches(), strict=True):
            if not all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True)):
                raise VisarithError(
                    f"some ink stands outside the cells of {grid.pitch} pixels that were found; leave the same margin "
                    f"around all pictures, or use {option('learner', 'perceptron')}"
                )
        return coded

    @classmethod
    def of_codes(cls, spec: PictureSpec, inputs: Coded, answers: Coded) -> Self:
        """Pictures that are typeset from codes: what a learner makes for a part of itself."""
        return cls(FromCodes(spec, Codebook(inputs, answers)))

    @property
    def truth(self) -> NoReturn:
        """Refused: learners see pixels."""
        raise VisarithError("a learner is shown pixels, not what they say; the truth is for scoring only")

    text = operands = symbols = task = legend = truth

    def __repr__(self) -> str:
        spec = self.spec
        shown, drawn = " x ".join(map(str, spec.shape)), " x ".join(map(str, spec.answer_shape))
        return f"{type(self).__name__}({len(self):,} examples: {spec.inputs} of {shown} -> {spec.outputs} of {drawn})"


class FromCodes:
    """Pictures that are typeset from the codes of a codebook when they are asked for."""

    def __init__(self, spec: PictureSpec, book: Codebook) -> None:
        self._spec, self.book = spec, book

    @property
    def spec(self) -> PictureSpec:
        return self._spec

    def __len__(self) -> int:
        return len(self.book.inputs.codes)

    def inputs(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:  # noqa: ARG002
        return intensities(self.raw(rows)[0])

    def targets(self, rows: np.ndarray, noise: torch.Generator) -> Tensor:  # noqa: ARG002
        return intensities(self.raw(rows)[1])

    def raw(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        shown, drawn = self.book.inputs, self.book.answers
        return shown.layout.typeset(shown.codes[rows]), drawn.layout.typeset(drawn.codes[rows])

    def means(self) -> tuple[Tensor, Tensor]:
        shown, drawn = self.book.inputs, self.book.answers
        return torch.from_numpy(shown.layout.mean(shown.codes)), torch.from_numpy(drawn.layout.mean(drawn.codes))

    def codebook(self) -> Codebook:
        return self.book

    def take(self, rows: np.ndarray) -> "FromCodes":
        return FromCodes(self._spec, self.book.take(rows))


def intensities(pictures: np.ndarray) -> Tensor:
    """8-bit pictures as intensities in [0, 1]; floats are taken as they are."""
    if pictures.dtype != np.uint8:
        return torch.from_numpy(np.ascontiguousarray(pictures, dtype=np.float32))
    return torch.from_numpy(pictures).float().div_(255)
