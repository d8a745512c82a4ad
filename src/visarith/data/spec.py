"""The specification of pictures from which a learner is built: their number, sizes and, if known, cells."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visarith.errors import VisarithError, option


@dataclass(frozen=True, eq=False)
class PictureSpec:
    """The number and sizes of pictures, and where their cells are. It does not tell what a symbol means.

    >>> PictureSpec(2, 1, (15, 60), (15, 60)).places is None
    True
    """

    inputs: int  # pictures that a learner sees
    outputs: int  # pictures that it draws
    shape: tuple[int, int]  # height and width of an input
    answer_shape: tuple[int, int]
    clean: bool = True  # without noise and displacement
    one_hot: bool = False  # whether inputs or answers are tables of symbols
    hidden_layers: int = 3  # of the paper's network for such pictures (Table 1)
    places: np.ndarray | None = None  # (cells, pixels) pixel indices of the cells of an input, if known
    strips: tuple[int, int] | None = None  # left edge and width of the cells, if known
    symbols: int | None = None  # number of different symbols, if known
    sign: int | None = None  # index of the input that shows the sign of the operation
    additive: bool = False  # whether the value of a number is the sum of its symbols
    told: Mapping[str, Any] = field(default_factory=dict, repr=False)  # facts for learners whose config names them

    def ask(self, what: str) -> Any:
        """Return a fact that is given only to learners whose config names it in `told`."""
        if what not in self.told:
            raise VisarithError(f"this learner needs the {what}, which these pictures do not tell it; give it a task")
        return self.told[what]

    def of_one_size(self, learner: str) -> None:
        """Refuse answers that are not as large as the inputs, for learners that need equal sizes."""
        if self.shape != self.answer_shape:
            raise VisarithError(
                f"{learner} needs answers as large as its inputs, but these are {self.answer_shape} and {self.shape}; "
                f"scale both to one size, or use {option('learner', 'perceptron')}"
            )

    @property
    def sizes(self) -> tuple[int, tuple[int, int], int, tuple[int, int]]:
        """The number and the size of inputs, and of answers."""
        return self.inputs, self.shape, self.outputs, self.answer_shape

    @property
    def cells(self) -> np.ndarray:
        """`places`, or an error if they are not known."""
        if self.places is None:
            use = option("learner", "perceptron")
            raise VisarithError(f"the cells of these pictures are not known; use {use}")
        return self.places
