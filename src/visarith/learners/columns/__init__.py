"""The column learner: cells that are read alike meet in columns, and each column hands something on to the next."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from visarith.errors import VisarithError, option
from visarith.learners.config import WIDTH_HELP, LearnerConfig, setting

if TYPE_CHECKING:
    from visarith.data.spec import PictureSpec
    from visarith.learners.columns.network import Columns

PATHS = ("aligned", "diagonal", "both")
SCANS = ("right", "left", "right-left")


@dataclass(frozen=True)
class WalkConfig(LearnerConfig):
    """The options of learners in which columns hand on."""

    width: int = setting(0, WIDTH_HELP)
    path: str = setting("", "which cells meet in columns (default: found)", PATHS)
    scan: str = setting("", "where columns hand on from (default: found)", SCANS)

    recipe = "columns"
    usual: ClassVar[dict[str, Any]] = {"width": 64}

    def resolved(self, spec: "PictureSpec") -> Self:  # noqa: ARG002
        return replace(self, width=self.width or self.usual["width"])

    def described(self) -> str:
        return f"{self.width} wide {self.name}"


@dataclass(frozen=True)
class Config(WalkConfig):
    """The options of the column learner."""

    cells: str = setting("", "whether it is told where cells stand (default: given, if known)", ("given", "found"))

    name = "columns"
    rank = 0
    usual: ClassVar[dict[str, Any]] = {"width": 64, "cells": "given"}
    given = (
        "where the cells stand (or that is found), that they meet in columns, those at the same place (aligned) or "
        "each with each, summed where their places add up (diagonal), and that columns hand something on, from the "
        "right, from the left or there and back; which of these is found by trial or said. After training, the "
        "procedure of long multiplication, but not its tables. For several operations, which picture shows the sign. "
        "Not given: the symbols, what they mean, the base, the operation, what is carried."
    )

    def check(self, spec: "PictureSpec") -> None:
        super().check(spec)
        spec.of_one_size(self.name)
        if self.cells == "found" and not spec.clean:
            raise VisarithError(
                f"cells are found by the learner columns, in clean pictures; leave {option('cells', 'found')} out"
            )
        if self.cells == "given" and spec.places is None:
            raise VisarithError(
                f"where cells stand is not known of these pictures; leave {option('cells', 'given')} out"
            )

    def resolved(self, spec: "PictureSpec") -> Self:
        return replace(super().resolved(spec), cells=self.cells or ("found" if spec.places is None else "given"))

    def network(self, spec: "PictureSpec") -> "Columns":
        from visarith.learners.columns.network import Columns

        places = None if self.cells == "found" else spec.cells
        pictures = spec.inputs, spec.outputs, spec.shape
        return Columns(*pictures, places=places, path=self.path, scan=self.scan, width=self.width, sign=spec.sign)
