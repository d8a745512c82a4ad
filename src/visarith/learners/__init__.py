"""Who learns: networks from pictures to pictures, built by name."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from torch import nn

from visarith.errors import VisarithError
from visarith.learners.columns import PATHS, SCANS, Columns
from visarith.learners.constructed import Constructed
from visarith.learners.convolutional import Convolutional
from visarith.learners.joined import Joined
from visarith.learners.perceptron import Activation, Perceptron
from visarith.learners.recurrent import Recurrent
from visarith.learners.symbols import Symbols
from visarith.learners.tally import Tally
from visarith.pictures.grid import Grid, find_grid
from visarith.task import Task

LEARNERS = ("perceptron", "columns", "tally", "convolutional", "recurrent", "symbols", "joined", "constructed")
CELLS = ("given", "found")
COLUMNED = ("columns", "tally")  # those in which columns hand on
LOOKED_AT = 500  # examples in which cells are looked for
MOST_WEIGHTS = 500_000_000  # two gigabytes, and as much again for each of gradient and momentum


@dataclass(frozen=True)
class LearnerSpec:
    """A learner as data: its name and its size. 0 means Table 1's depth for the task, and the learner's own width."""

    name: Literal[
        "perceptron", "columns", "tally", "convolutional", "recurrent", "symbols", "joined", "constructed"
    ] = "perceptron"
    hidden_layers: int = 0
    width: int = 0
    activation: Activation = "relu"
    path: str = ""  # of the column learner: which cells meet; found by trial unless it is said
    scan: str = ""  # and which way columns hand on
    cells: Literal["given", "found"] = "given"  # where they stand: told, or found by looking at pictures
    form: str = ""  # of the constructed network, whose gates are what `activation` says

    def resolved(self, task: Task) -> "LearnerSpec":
        """With the number of hidden layers and their width spelt out; what is constructed has the ones it needs."""
        if self.name == "constructed":
            return self
        depth, width = default_depth(self.name, task), default_width(self.name)
        return replace(self, hidden_layers=self.hidden_layers or depth, width=self.width or width)

    def build(self, task: Task) -> nn.Module:
        """The network for this task, its weights not yet drawn."""
        self._check_choices(task)
        spec = self.resolved(task)
        spec._check_size(task)
        return _BUILDERS[self.name](spec, task)

    def _check_choices(self, task: Task) -> None:
        if self.name not in LEARNERS:
            raise VisarithError(f"learner {self.name!r} is unknown; use one of {', '.join(LEARNERS)}")
        if self.activation != "relu" and self.name not in ("perceptron", "constructed"):
            raise VisarithError(f"activation {self.activation!r} is for the perceptron, not for {self.name}; use relu")
        if self.form and self.name != "constructed":
            raise VisarithError(f"form {self.form!r} is for the constructed network, not for {self.name}; leave it out")
        self._check_columns(task)
        if self.name != "perceptron" and "one-hot" in (task.medium, task.answer_medium):
            raise VisarithError(f"the learner {self.name} looks at pictures; leave --medium out or use perceptron")
        if self.name == "tally" and task.notation.name != "roman":
            raise VisarithError("the learner tally counts symbols, as Roman numerals allow; use columns for others")
        if self.name in ("symbols", "tally") and task.corruption.changes_pixels:
            raise VisarithError(f"the learner {self.name} clusters clean cells; leave noise and displacement out")

    def _check_columns(self, task: Task) -> None:
        for field, allowed in (("path", PATHS), ("scan", SCANS), ("cells", CELLS)):
            value = getattr(self, field)
            usual = value == type(self).__dataclass_fields__[field].default
            if not usual and self.name not in COLUMNED:
                raise VisarithError(f"{field} {value!r} is for the learner columns, not for {self.name}; leave it out")
            if not usual and value not in allowed:
                raise VisarithError(f"{field} {value!r} is unknown; use one of {', '.join(allowed)}")
        if self.cells == "found" and (self.name != "columns" or task.corruption.changes_pixels):
            raise VisarithError("cells are found by the learner columns, in clean pictures; leave --cells found out")

    def _check_size(self, task: Task) -> None:
        inputs = task.operation.operands * math.prod(task.shape)
        answers = task.operation.answers * math.prod(task.answer_shape)
        square = 8 * self.width if self.name == "recurrent" else self.width  # an LSTM has four gates, each with two
        weights = self.width * (inputs + answers + (self.hidden_layers - 1) * self.width + square)
        if weights > MOST_WEIGHTS and self.name not in COLUMNED:
            raise VisarithError(
                f"a {self.name} of {weights:,} weights is too large; use a smaller --width, --picture or depth"
            )


PAPER_LEARNER = LearnerSpec()


def columns_of(learner: nn.Module) -> Columns | None:
    """The columns in a learner, if it has any."""
    inner = learner.calculator if isinstance(learner, Tally) else learner
    return inner if isinstance(inner, Columns) else None


def default_depth(name: str, task: Task) -> int:
    """How many hidden layers a learner has unless it is said: what the perceptron has in Table 1, less what is given.

    The convolutions stand for its first layer; the clusters of `symbols` and the outer parts of `joined` for its first
    and last; the LSTM is one layer that is used many times.
    """
    depth = table_1_depth(task)
    fewer = {"columns": depth, "tally": depth, "convolutional": 1, "symbols": 2, "joined": 2}
    return 1 if name == "recurrent" else max(1, depth - fewer.get(name, 0))


def default_width(name: str) -> int:
    """How many units a hidden layer has unless it is said: the paper's, but few where one network serves every cell."""
    return 64 if name in COLUMNED else 256


def table_1_depth(task: Task) -> int:
    """The paper's number of hidden layers; one-hot lacks the first and the last of them (Sec. 5).

    Perception alone is what those two do: one hidden layer between pictures and one-hot.
    """
    if task.medium != task.answer_medium:
        return 1
    depth = 5 if task.operation.name in ("multiply", "any") or task.notation.name == "roman" else 3
    return depth - 2 if task.medium == "one-hot" else depth


def _perceptron(spec: LearnerSpec, task: Task) -> Perceptron:
    inputs, outputs = task.operation.operands, task.operation.answers
    size = {"hidden_layers": spec.hidden_layers, "width": spec.width}
    return Perceptron(inputs, outputs, task.shape, task.answer_shape, activation=spec.activation, **size)


def _columns(spec: LearnerSpec, task: Task) -> Columns:
    grid = _found(task) if spec.cells == "found" else None
    return Columns(
        task.operation.operands,
        task.operation.answers,
        task.shape,
        places=grid.places if grid else task.page.places,
        path=spec.path,
        scan=spec.scan,
        width=spec.width,
        sign=1 if task.operation.signs else None,
        grid=grid,
    )


def _found(task: Task) -> Grid:
    """Where the cells stand in pictures of this task: of some of its numbers, without which belong together."""
    some, _ = task.examples(min(LOOKED_AT, max(1, task.domain.candidates // 2)), 1, seed=0)
    both = [task.page.typeset(some.inputs), task.answer_page.typeset(some.answers)]
    return find_grid(np.concatenate(both, axis=1).reshape(-1, *task.shape))


def _tally(spec: LearnerSpec, task: Task) -> Tally:
    pictures = task.operation.operands, task.operation.answers, task.shape
    symbols, places = len(task.page.alphabet), task.page.places
    return Tally(*pictures, spec.path, spec.scan, places=places, symbols=symbols, width=spec.width)


def _convolutional(spec: LearnerSpec, task: Task) -> Convolutional:
    pictures = task.operation.operands, task.operation.answers, task.shape
    return Convolutional(*pictures, hidden_layers=spec.hidden_layers, width=spec.width)


def _recurrent(spec: LearnerSpec, task: Task) -> Recurrent:
    page = task.plain_page
    layout = {"left": page.corners[0][1], "pitch": page.glyphs.shape[2]}
    size = {"layers": spec.hidden_layers, "width": spec.width}
    return Recurrent(task.operation.operands, task.operation.answers, task.shape, **layout, **size)


def _symbols(spec: LearnerSpec, task: Task) -> Symbols:
    pictures = task.operation.operands, task.operation.answers, task.shape
    symbols, places = len(task.page.alphabet), task.page.places
    layers = spec.hidden_layers
    return Symbols(*pictures, places=places, symbols=symbols, hidden_layers=layers, width=spec.width)


def _constructed(spec: LearnerSpec, task: Task) -> Constructed:
    return Constructed(task, spec.activation, spec.form)


def _joined(spec: LearnerSpec, task: Task) -> Joined:
    inputs, outputs, width = task.operation.operands, task.operation.answers, spec.width
    table = task.page.cells, len(task.page.alphabet)
    return Joined(
        Perceptron(1, 1, task.shape, table, hidden_layers=1, width=width),
        Perceptron(inputs, outputs, table, hidden_layers=spec.hidden_layers, width=width),
        Perceptron(1, 1, table, task.shape, hidden_layers=1, width=width),
    )


_BUILDERS: dict[str, Callable[[LearnerSpec, Task], nn.Module]] = {
    "perceptron": _perceptron,
    "columns": _columns,
    "tally": _tally,
    "convolutional": _convolutional,
    "recurrent": _recurrent,
    "symbols": _symbols,
    "joined": _joined,
    "constructed": _constructed,
}
