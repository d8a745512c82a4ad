"""The column learner: one small network for all cells, and a state that is carried from column to column."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from visarith.errors import VisarithError, option
from visarith.learners.config import WIDTH_HELP, LearnerConfig, setting

if TYPE_CHECKING:
    from visarith.data.spec import PictureSpec
    from visarith.learners.columns.network import Columns

PATHS = ("aligned", "diagonal", "both")
SCANS = ("right", "left", "right-left")
CELLS = ("given", "found")


@dataclass(frozen=True)
class WalkConfig(LearnerConfig):
    """The options of learners that scan columns."""

    width: int = setting(0, WIDTH_HELP)
    path: str = setting("", "which cells are combined in a column (default: found by trial)", PATHS)
    scan: str = setting("", "the side from which columns are scanned (default: found by trial)", SCANS)

    recipe = "columns"
    usual: ClassVar[dict[str, Any]] = {"width": 64}

    def resolved(self, spec: "PictureSpec") -> Self:  # noqa: ARG002
        return replace(self, width=self.width or self.usual["width"])

    def described(self) -> str:
        return f"{self.width} wide {self.name}"


@dataclass(frozen=True)
class Config(WalkConfig):
    """The options of the column learner."""

    cells: str = setting(
        "", "whether the places of cells are given or found in the pictures (default: given where known)", CELLS
    )

    name = "columns"
    rank = 0
    usual: ClassVar[dict[str, Any]] = {"width": 64, "cells": "given"}
    given = (
        "where the cells stand (or this is found); that the cells at the same place form a column (aligned) or that "
        "all pairs whose places add up do (diagonal); and that a state is carried from column to column, from the "
        "right, from the left or in both directions. Path and scan are found by trial or given. After training, the "
        "procedure of long multiplication, but not its tables. For several operations, which picture shows the sign. "
        "Not given: the symbols, what they mean, the base, the operation, what is carried."
    )

    def check(self, spec: "PictureSpec") -> None:
        super().check(spec)
        spec.of_one_size(self.name)
        if self.cells == "found" and not spec.clean:
            raise VisarithError(
                f"cells are found in clean pictures only, and these are noisy; leave {option('cells', 'found')} out"
            )
        if self.cells == "given" and spec.places is None:
            raise VisarithError(
                f"the places of cells are not known for these pictures; leave {option('cells', 'given')} out"
            )

    def resolved(self, spec: "PictureSpec") -> Self:
        return replace(super().resolved(spec), cells=self.cells or ("found" if spec.places is None else "given"))

    def network(self, spec: "PictureSpec") -> "Columns":
        from visarith.learners.columns.network import Columns

        places = None if self.cells == "found" else spec.cells
        pictures = spec.inputs, spec.outputs, spec.shape
        return Columns(*pictures, places=places, path=self.path, scan=self.scan, width=self.width, sign=spec.sign)
