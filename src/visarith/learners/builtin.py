"""What each built-in learner is given, and its options. Nothing here needs PyTorch; networks are imported when made."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from visarith.errors import VisarithError, option
from visarith.learners.columns import PATHS, SCANS
from visarith.learners.config import WIDTH_HELP, ClusteredConfig, LayeredConfig, LearnerConfig, setting
from visarith.learners.constructed import FORMS
from visarith.operations import OPERATIONS

if TYPE_CHECKING:
    from visarith.data.spec import PictureSpec
    from visarith.data.task import Task
    from visarith.learners.constructed.network import Constructed
    from visarith.learners.learner import Learner


@dataclass(frozen=True)
class PerceptronConfig(LayeredConfig):
    """The paper's learner: a fully connected network from the pixels of the inputs to the pixels of the answer."""

    activation: str = setting("relu", "activation function of hidden units (default relu)", ("relu", "sigmoid"))

    name = "perceptron"
    rank = 2
    unsaid = True
    given = "the size and number of the pictures, nothing else; the order of pixels makes no difference to it."

    def check(self, spec: "PictureSpec") -> None:
        """Every picture set is accepted, one-hot ones too."""

    def network(self, spec: "PictureSpec") -> "Learner":
        from visarith.learners.perceptron import Perceptron

        pictures = spec.inputs, spec.outputs, spec.shape, spec.answer_shape
        return Perceptron(*pictures, hidden_layers=self.hidden_layers, width=self.width, activation=self.activation)


@dataclass(frozen=True)
class ScanningConfig(LearnerConfig):
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
class ColumnsConfig(ScanningConfig):
    """One small network for all cells, and a state that is carried from column to column."""

    cells: str = setting(
        "",
        "whether the places of cells are given or found in the pictures (default: given where known)",
        ("given", "found"),
    )

    name = "columns"
    rank = 0
    usual: ClassVar[dict[str, Any]] = {"width": 64, "cells": "given"}
    given = (
        "where the cells stand (or this is found); that the cells at the same place form a column (aligned) or that "
        "all pairs whose places add up do (diagonal); and that a state is carried from column to column, from the "
        "right, from the left or in both directions. For rows, how the cells of a grid of all pairs are wired: row by "
        "row, each reads what is written at its place and what is carried to it, and draws both anew. Path and scan "
        "are found by trial or given. For several operations, which picture shows the sign, and "
        "that each sign has a path of its own. "
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

    def network(self, spec: "PictureSpec") -> "Learner":
        from visarith.learners.columns.network import Columns

        seen = replace(spec, places=None) if self.cells == "found" else spec
        return Columns(seen, path=self.path, scan=self.scan, width=self.width)


@dataclass(frozen=True)
class TallyConfig(ClusteredConfig, ScanningConfig):
    """Count the symbols, calculate with the counts, and write that many of each symbol; for additive numerals."""

    name = "tally"
    rank = 1
    given = (
        "where the cells stand, how many symbols there are, that the count of each symbol determines a picture, that "
        "all pictures show the symbols in the same order, and that the last symbol fills the rest."
    )

    def check(self, spec: "PictureSpec") -> None:
        super().check(spec)
        if not spec.additive:
            raise VisarithError(
                "the learner tally is for Roman numerals, whose symbols can be counted; use columns for other notations"
            )

    def network(self, spec: "PictureSpec") -> "Learner":
        from visarith.learners.tally import Tally

        return Tally(spec, self.symbols(spec), path=self.path, scan=self.scan, width=self.width)


@dataclass(frozen=True)
class NumeralsConfig(LearnerConfig):
    """Sum the cells by learned attention, carry from symbol to symbol, write cell by cell; for additive numerals."""

    width: int = setting(0, WIDTH_HELP)

    name = "numerals"
    recipe = "columns"
    usual: ClassVar[dict[str, Any]] = {"width": 64}
    given = (
        "where the cells stand, and how they are wired: there is a column for each distinct cell of the training "
        "pictures, in the order in which pictures show them; every cell is added to the columns by learned attention, "
        "and one without ink adds nothing; "
        "a state is carried from the last column to the first; the answer is written from the left, each cell is one "
        "of the distinct cells, and what was written is added to the columns like the operands. Not given: how many "
        "symbols there are, their order, what a cell adds to a column, what is carried, and which cell is written "
        "next. That blank cells add nothing says which symbol may fill the rest."
    )

    def check(self, spec: "PictureSpec") -> None:
        super().check(spec)
        if not spec.clean:
            raise VisarithError(
                f"the learner {self.name} finds its symbols in clean cells, and these are not; "
                "leave noise and displacement out"
            )
        if not spec.additive:
            raise VisarithError(
                f"the learner {self.name} is for Roman numerals, where the order of cells says nothing; use columns "
                "for other notations"
            )

    def resolved(self, spec: "PictureSpec") -> Self:  # noqa: ARG002
        return replace(self, width=self.width or self.usual["width"])

    def described(self) -> str:
        return f"{self.width} wide {self.name}"

    def network(self, spec: "PictureSpec") -> "Learner":
        from visarith.learners.numerals import Numerals

        return Numerals(spec, width=self.width)


@dataclass(frozen=True)
class ConvolutionalConfig(LayeredConfig):
    """Two convolutions below a perceptron."""

    name = "convolutional"
    given = "which pixels are neighbours."
    fewer = 1  # the convolutions replace the first layer

    def network(self, spec: "PictureSpec") -> "Learner":
        from visarith.learners.convolutional import Convolutional

        return Convolutional(spec, hidden_layers=self.hidden_layers, width=self.width)


@dataclass(frozen=True)
class RecurrentConfig(LayeredConfig):
    """The LSTM that the paper expects to be better at multiplication (Sec. 5)."""

    name = "recurrent"
    given = "the vertical strips that the cells stand in, and that they are read from right to left."
    squares = 8  # an LSTM has four gates, each with two matrices

    def check(self, spec: "PictureSpec") -> None:
        super().check(spec)
        spec.of_one_size(self.name)

    def depth(self, spec: "PictureSpec") -> int:  # noqa: ARG002
        return 1  # it is applied to every strip

    def network(self, spec: "PictureSpec") -> "Learner":
        from visarith.learners.recurrent import Recurrent

        return Recurrent(spec, hidden_layers=self.hidden_layers, width=self.width)


@dataclass(frozen=True)
class SymbolsConfig(ClusteredConfig, LayeredConfig):
    """Cluster the cells without labels, calculate with the clusters, and draw their centres (Sec. 5)."""

    name = "symbols"
    given = "where the cells stand and how many symbols there are; not which symbol a cell shows."
    fewer = 2  # the clusters replace the first and the last layer

    def network(self, spec: "PictureSpec") -> "Learner":
        from visarith.learners.symbols import Symbols

        return Symbols(spec, self.symbols(spec), hidden_layers=self.hidden_layers, width=self.width)


@dataclass(frozen=True)
class JoinedConfig(ClusteredConfig, LayeredConfig):
    """Perceive, calculate, draw: three perceptrons in a row, each trained separately (Sec. 5)."""

    name = "joined"
    given = "the symbols. Its three parts are trained separately, on one-hot tables of symbols."
    learns = False
    made_by = "visarith reproduce trains its parts separately and joins them"
    told = ("symbols",)
    fewer = 2  # perceiving and drawing replace the first and the last layer

    def network(self, spec: "PictureSpec") -> "Learner":
        from visarith.learners.symbols import Joined

        return Joined(spec, hidden_layers=self.hidden_layers, width=self.width)

    def joined(self, task: "Task", *parts: "Learner") -> "Learner":
        network = self.build(task)
        for mine, part in zip(network.children(), parts, strict=True):  # perceive, calculate, draw
            mine.load_state_dict(part.state_dict())
        return network


@dataclass(frozen=True)
class ConstructedConfig(LearnerConfig):
    """A network whose weights are set by hand, from the pictures of the symbols (Sec. 6); nothing is learned."""

    activation: str = setting(
        "relu", "what a gate is made of: two ReLUs or a steep sigmoid (default relu)", ("relu", "sigmoid")
    )
    form: str = setting(
        "", "the paper's circuit, fewest gates or small weights (default thresholds; carries for long numbers)", FORMS
    )

    name = "constructed"
    given = "everything. It shows that such weights exist (Sec. 6), not that they can be learned."
    learns = False
    made_by = "its weights are set by hand by visarith construct"
    told = ("task",)

    def check(self, spec: "PictureSpec") -> None:
        task: Task = spec.ask("task")
        name, notation = task.operation.name, task.notation
        if not task.operation.construction:
            possible = [name for name, operation in OPERATIONS.items() if operation.construction]
            raise VisarithError(f"there is no construction for {name}; use one of {', '.join(possible)}")
        if spec.one_hot:
            raise VisarithError(f"constructions are for pictures, not for one-hot inputs; leave {option('medium')} out")
        if notation.additive and task.operation.construction != "sum":
            raise VisarithError(f"there is no construction for {name} of Roman numerals; use add or Arabic numerals")
        if not notation.additive and notation.place_base is None:
            unpadded = option("padded", False, flag="unpadded")
            raise VisarithError(f"constructions are for numbers with leading zeros; leave {unpadded} out")

    def network(self, spec: "PictureSpec") -> "Constructed":
        from visarith.learners.constructed.network import Constructed

        return Constructed(spec.ask("task"), self.activation, self.form)  # type: ignore[arg-type]
