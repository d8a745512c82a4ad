"""What is known of pictures before any is shown: their number, their size and, where it is given, their cells."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from visarith.errors import VisarithError, option


@dataclass(frozen=True, eq=False)
class PictureSpec:
    """What a learner is built from. Nothing here says what a symbol means.

    >>> PictureSpec(2, 1, (15, 60), (15, 60)).places is None
    True
    """

    inputs: int  # pictures that are shown
    outputs: int  # pictures that are to be drawn
    shape: tuple[int, int]  # height and width of an input
    answer_shape: tuple[int, int]
    clean: bool = True  # no noise and no displacement
    one_hot: bool = False  # whether some of the pictures are tables of symbols
    hidden_layers: int = 3  # of the paper's network for such pictures (Table 1)
    places: np.ndarray | None = None  # (cells, pixels) where the cells of an input stand, if that is known
    strips: tuple[int, int] | None = None  # the left edge and the width of the cells, if that is known
    symbols: int | None = None  # how many different symbols the cells show, if that is known
    sign: int | None = None  # which input shows the sign of the operation, if one does
    additive: bool = False  # whether a number is said by how often each symbol stands in it
    told: Mapping[str, Any] = field(default_factory=dict, repr=False)  # what only some learners may ask for

    def ask(self, what: str) -> Any:
        """Something that is told only to learners whose config names it in `told`."""
        if what not in self.told:
            raise VisarithError(f"this learner needs the {what}, which these pictures do not tell it; give it a task")
        return self.told[what]

    def of_one_size(self, learner: str) -> None:
        """Refuse answers of another size than the inputs, for learners that draw where they look."""
        if self.shape != self.answer_shape:
            raise VisarithError(
                f"{learner} draws answers as large as its inputs, and these are {self.answer_shape} for {self.shape}; "
                f"draw both in one size, or use {option('learner', 'perceptron')}"
            )

    @property
    def cells(self) -> np.ndarray:
        """Where the cells stand, for learners that cannot do without."""
        if self.places is None:
            use = option("learner", "perceptron")
            raise VisarithError(f"where the cells stand is not known of these pictures; use {use}")
        return self.places
