"""How the numbers of a task look: the layouts of inputs and answers, their sizes, and pictures with corruption."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal
from zlib import crc32

import numpy as np
import torch
from torch import Tensor

from visarith.data.spec import PictureSpec
from visarith.data.view import intensities
from visarith.notation import Notation
from visarith.operations import Operation
from visarith.pictures.corruption import Corruption, permutation
from visarith.pictures.layout import Layout, joined, one_hot_layout
from visarith.pictures.typeface import Typeface
from visarith.reading.legend import Legend

Medium = Literal["pictures", "one-hot"]


@dataclass(frozen=True, init=False, repr=False)
class Appearance:
    """The part of a task that turns numbers into pictures. `plain` means: before the pixels are permuted."""

    operation: Operation
    notation: Notation
    medium: Medium  # of the inputs
    answer_medium: Medium
    typeface: Typeface
    corruption: Corruption

    @cached_property
    def plain_layout(self) -> Layout:
        """The layout of the inputs as a person sees it."""
        return self._layout(self.medium, self.operation.signs + " " if self.operation.signs else "", fonts=True)

    @cached_property
    def plain_answer_layout(self) -> Layout:
        """The layout of the answers as a person sees it."""
        same = self.answer_medium == self.medium and not self.operation.signs and not self.typeface.fonts
        return self.plain_layout if same else self._layout(self.answer_medium)

    def _layout(self, medium: Medium, more: str = "", *, fonts: bool = False) -> Layout:
        alphabet, cells = self.notation.alphabet, self.notation.cells
        if medium == "one-hot":
            return one_hot_layout(alphabet, cells)
        shown = alphabet + "".join(symbol for symbol in more if symbol not in alphabet)
        typefaces = self.typeface.each if self.typeface.fonts else [self.typeface]
        return joined([typeface.layout(shown, cells) for typeface in (typefaces if fonts else typefaces[:1])])

    @cached_property
    def layout(self) -> Layout:
        """The layout of the inputs as the learner sees it."""
        return self._permuted(self.plain_layout)

    @cached_property
    def answer_layout(self) -> Layout:
        """The layout of the answers as the learner draws it."""
        same = self.plain_answer_layout is self.plain_layout
        return self.layout if same else self._permuted(self.plain_answer_layout)

    def _permuted(self, layout: Layout) -> Layout:
        return layout.permuted(permutation(layout.pixels)) if self.corruption.permutation else layout

    @property
    def has_pictures(self) -> bool:
        """Whether the inputs or the answers are drawn in a typeface."""
        return "pictures" in (self.medium, self.answer_medium)

    @property
    def lengthens(self) -> bool:
        """Whether longer numbers are shown by more cells of the same kind."""
        plain = self.medium == self.answer_medium == "pictures" and not self.corruption.permutation
        return plain and self.notation.lengthened(self.notation.digits) is not None

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

    @property
    def hidden_layers(self) -> int:
        """The paper's number of hidden layers; one-hot needs neither the first nor the last of them (Sec. 5).

        Those two alone remain between pictures and one-hot: one hidden layer.
        """
        if self.medium != self.answer_medium:
            return 1
        depth = max(self.operation.hidden_layers, self.notation.hidden_layers)
        return depth - 2 if self.medium == "one-hot" else depth

    @cached_property
    def spec(self) -> PictureSpec:
        """What a learner may know of the pictures before it sees any."""
        return PictureSpec(
            inputs=self.operation.operands,
            outputs=self.operation.answers,
            shape=self.shape,
            answer_shape=self.answer_shape,
            clean=not self.corruption.changes_pixels,
            one_hot="one-hot" in (self.medium, self.answer_medium),
            hidden_layers=self.hidden_layers,
            places=self.layout.places,
            strips=(self.plain_layout.corners[0][1], self.plain_layout.glyphs.shape[2]),
            symbols=len(self.layout.alphabet),
            sign=1 if self.operation.signs else None,
            additive=self.notation.additive,
            told={"task": self, "symbols": self.layout.alphabet},
        )

    @cached_property
    def legend(self) -> Legend:
        """How answers are read."""
        return Legend(self.notation, self.plain_answer_layout, pictures=self.answer_medium == "pictures")

    def symbols(self, operands: np.ndarray) -> np.ndarray:
        """Write operands as symbols, (count, operands) -> (count, operands, cells); a sign stands in the last cell.

        With a set of fonts, each picture has one of them, and its symbols are those of that font.
        """
        if self.typeface.fonts:
            fonts, symbols = len(self.typeface.each), len(self.plain_answer_layout.alphabet)
            rows = [
                [crc32(f"{row} {place}".encode()) % fonts for place in range(len(row))] for row in operands.tolist()
            ]
            written = self._written(operands)
            in_fonts: np.ndarray = (written + symbols * np.array(rows)[..., None]).astype(written.dtype)
            return in_fonts
        if not self.operation.signs:
            return self._written(operands)
        alphabet = self.plain_layout.alphabet
        written = self._written(np.where([False, True, False], 0, operands))
        signs = np.array([alphabet.index(sign) for sign in self.operation.signs], written.dtype)
        written[:, 1] = alphabet.index(" ")
        written[:, 1, -1] = signs[operands[:, 1].astype(np.int64)]
        return written

    def typeset(self, operands: Sequence[int]) -> np.ndarray:
        """Draw one example as a person sees it, without corruption: (operands, height, width) in [0, 1]."""
        symbols = self.symbols(np.array([operands], object))[0]
        pictures: np.ndarray = self.plain_layout.typeset(symbols).astype(np.float32) / 255
        return pictures

    def _written(self, numbers: np.ndarray) -> np.ndarray:
        return self.notation.write(numbers.ravel()).reshape(*numbers.shape, self.notation.cells)

    def inputs(self, symbols: np.ndarray, generator: torch.Generator) -> Tensor:
        """Draw what a learner sees, with corruption: (batch, operands, cells) -> (batch, operands, height, width)."""
        first = self.corruption.permuted_first
        layout = self.layout if first else self.plain_layout
        pictures = self.corruption.displace(intensities(layout.typeset(symbols)), generator)
        return self.corruption.add_noise(pictures if first else self._permute(pictures), generator)

    def targets(self, symbols: np.ndarray, generator: torch.Generator) -> Tensor:
        """Draw what a learner has to draw: permuted and noisy as the inputs are, but never displaced."""
        return self.corruption.add_noise(intensities(self.answer_layout.typeset(symbols)), generator)

    def mean_inputs(self, symbols: np.ndarray) -> Tensor:
        """Return the mean picture of each input, over all examples, displacements and noise."""
        first = self.corruption.permuted_first
        layout = self.layout if first else self.plain_layout
        expected = self.corruption.expected
        blank = float(expected(np.zeros(1))[0])  # what displacement lets in
        mean = torch.from_numpy(layout.mean(symbols, expected)) - blank
        mean = self.corruption.displaced_mean(mean) + blank
        return mean if first else self._permute(mean)

    def _permute(self, pictures: Tensor) -> Tensor:
        order = self.layout.order
        return pictures if order is None else pictures.flatten(-2)[..., torch.from_numpy(order)].view(pictures.shape)

    def plain_answers(self, pictures: np.ndarray) -> np.ndarray:
        """Undo the permutation of answers."""
        return self.answer_layout.plain(pictures)

    def plain_inputs(self, pictures: np.ndarray) -> np.ndarray:
        """Undo the permutation of inputs."""
        return self.layout.plain(pictures)

    def shown_inputs(self, pictures: np.ndarray) -> np.ndarray:
        """Permute plain inputs as the learner sees them."""
        return self.layout.shuffled(pictures)
