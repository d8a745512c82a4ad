"""The networks of the page: pretrained runs, for each operation one that is built by hand, and runs of one's own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from visarith.data.task import Task
from visarith.errors import VisarithError
from visarith.evaluation import Score, percent
from visarith.learners import config_of, learner_config
from visarith.learners.learner import Learner
from visarith.pictures.layout import Layout
from visarith.reading import Reader
from visarith.runs.pretrained import Pretrained, pretrained
from visarith.runs.run import Run
from visarith.web.export import exported
from visarith.web.pictures import Json, to_base64

CONSTRUCTED = "constructed"
MOST_DIGITS = 60  # of a number; its products have twice as many


@dataclass(frozen=True)
class Op:
    """An operation of the page."""

    title: str
    operation: str
    notation: str
    example: tuple[str, str]


OPS = {
    "add": Op("Addition", "add", "arabic", ("1234567", "2345678")),
    "subtract": Op("Subtraction", "subtract", "arabic", ("7654321", "1234567")),
    "multiply": Op("Multiplication", "multiply", "arabic", ("1234", "2345")),
    "roman": Op("Roman addition", "add", "roman", ("MDCLXVI", "CCCXXXIII")),
}
RULES = ("add", "subtract", "multiply")  # that the browser knows
SIGNS = {"x": "×", "-": "−"}  # as the page writes them
TITLES = {  # in the order in which the page lists the learners
    "columns": "Columns",
    "tally": "Tally",
    "perceptron": "Perceptron",
    "perceptron-noise": "Perceptron, noise-trained",
    CONSTRUCTED: "Built by hand",
}
SHOWN_AS = {"tally": "columns", "long multiplication": "rows"}  # `Learner.thinks` that the page shows as another
INSTEAD = {"columns": "tally"}  # Roman numerals have a tally instead of columns


@dataclass(eq=False)
class Network:
    """One network of one operation, loaded at first use."""

    op: str
    learner: str
    name: str
    shipped: Pretrained | None = None  # None if it is constructed, or a run of one's own
    own: Run | None = None

    @cached_property
    def run(self) -> Run | None:
        return self.shipped.load() if self.shipped else self.own

    @cached_property
    def task(self) -> Task:
        return self.run.task if self.run else Task(OPS[self.op].operation, notation=OPS[self.op].notation)

    @cached_property
    def module(self) -> Learner:
        return self.run.learner if self.run else learner_config(CONSTRUCTED).build(self.task).eval()

    @property
    def score(self) -> Score | None:
        """The score of its run; None for a constructed network."""
        return self.run.score if self.run else None

    @cached_property
    def templates(self) -> Reader:
        return self.task.legend.reader("templates")

    @cached_property
    def exports(self) -> bool:
        """Whether it runs in a browser."""
        try:
            exported(self.task, self.module)
        except VisarithError:
            return False
        return True

    @property
    def lengthens(self) -> bool:
        """Whether it takes numbers of any length."""
        return self.run is not None and self.run.lengthens

    @property
    def layout_name(self) -> str:
        """Networks of the same name share a layout: the notation, with "-bit" for one-bit ink, or a run's own."""
        if self.own:
            return self.name
        return self.task.notation.name + ("" if self.task.typeface.ink == "smooth" else "-bit")

    def reaching(self, a: int, b: int) -> "Network":
        """Return the network for pictures in which these numbers and their answer have room, if it has them."""
        if not self.run or not self.lengthens:
            return self
        digits = self.run.digits_for(a, b)
        return self if digits == self.task.notation.digits else replace(self, shipped=None, own=self.run.at(digits))


class Networks:
    """All networks of the page by operation and learner, in the order in which the page lists them."""

    def __init__(self, runs: Sequence[Run] = ()) -> None:
        self.ops = dict(OPS)
        self.by_op: dict[str, dict[str, Network]] = {op: {} for op in OPS}
        for run in runs:
            self._add(run)
        for shipped in pretrained():
            op = self._op(shipped.operation, shipped.notation)
            if op:
                key = shipped.learner + ("-noise" if shipped.noise else "")
                key = shipped.name if key in self.by_op[op] else key
                self.by_op[op][key] = Network(op, key, shipped.name, shipped)
        for op, listed in self.by_op.items():
            if op in OPS:
                listed.setdefault(CONSTRUCTED, Network(op, CONSTRUCTED, f"constructed-{op}"))
            self.by_op[op] = dict(sorted(listed.items(), key=lambda item: _rank(item[1])))

    def _op(self, operation: str, notation: str) -> str:
        """Return the page's name of an operation, or "" if the page has none."""
        for name, op in self.ops.items():
            if (op.operation, op.notation) == (operation, notation):
                return name
        return ""

    def _add(self, run: Run) -> None:
        """Add a run of one's own, under its operation or a new one."""
        if not run.source.generates or run.task.medium != "pictures" or run.task.answer_medium != "pictures":
            raise VisarithError(f"{run.path} has no pictures of numbers; the page shows runs that have")
        task = run.task
        if (task.operation.operands, task.operation.answers) != (2, 1):
            raise VisarithError(
                f"{run.path} takes {task.operation.operands} numbers and gives {task.operation.answers}; "
                f"the page shows runs that take 2 and give 1"
            )
        op = self._op(task.operation.name, task.notation.name)
        if not op or (task.notation.base or 10) != 10:  # numbers of other bases mean something else
            op = f"own-{len(self.ops)}"
            self.ops[op] = Op(str(task.operation), task.operation.name, task.notation.name, ("", ""))
            self.by_op[op] = {}
        name = f"own-{run.path.name}"
        if name in self.by_op[op]:
            raise VisarithError(f"two runs are named {run.path.name}; rename one of their folders")
        self.by_op[op][name] = Network(op, name, name, own=run)

    def find(self, op: str, learner: str = "") -> Network:
        """Return the network of this operation and learner; without a learner, the first one."""
        if op not in self.by_op:
            raise VisarithError(f"op {op!r} is unknown; use one of {', '.join(self.by_op)}")
        listed = self.by_op[op]
        if INSTEAD.get(learner) in listed and learner not in listed:
            learner = INSTEAD[learner]
        learner = learner or next(iter(listed))
        if learner not in listed:
            raise VisarithError(f"learner {learner!r} is not available for {op}; use one of {', '.join(listed)}")
        return listed[learner]

    def all(self) -> list[Network]:
        return [network for listed in self.by_op.values() for network in listed.values()]


def _rank(network: Network) -> tuple[int, str]:
    if network.own:
        return -1, network.learner
    return list(TITLES).index(network.learner) if network.learner in TITLES else len(TITLES), network.learner


def offered(networks: Networks) -> Json:
    """Return everything that the page needs before the first question. This loads every network."""
    return {
        "operations": [_operation(op, networks) for op in networks.by_op],
        "networks": [_network(network) for network in networks.all()],
        "pages": {network.layout_name: _layout(network.task.plain_layout) for network in networks.all()},
    }


def _operation(op: str, networks: Networks) -> Json:
    about, task = networks.ops[op], networks.find(op).task
    return {
        "op": op,
        "title": about.title,
        "sign": SIGNS.get(task.operation.sign, task.operation.sign),
        "notation": about.notation,
        "rule": about.operation if about.operation in RULES else None,
        "learners": list(networks.by_op[op]),
    }


def _network(network: Network) -> Json:
    module, score, task, run = network.module, network.score, network.task, network.run
    title = f"Your run {network.own.path.name}" if network.own else TITLES.get(network.learner, network.learner)
    return {
        "op": network.op,
        "learner": network.learner,
        "name": network.name,
        "title": title,
        "noise": task.corruption.noise,
        "weights": module.weight_count,
        "examples": run.experiment.examples if run else 0,
        "digit_error": score.digit_error if score else 0.0,
        "number_error": score.number_error if score else 0.0,
        "tested": score.pairs if score else 0,
        "wrong": percent(score.digit_error) if score else "",
        "described": module.described(),
        "given": config_of(run.experiment.learner.name if run else CONSTRUCTED).given,
        "thinks": SHOWN_AS.get(module.thinks, module.thinks),
        "page": network.layout_name,
        "example": _example(network),
        "largest": str(task.domain.largest),
        "trained": run is not None,
        "lengthens": network.lengthens,
        "exports": network.exports,
        "command": network.shipped.command if network.shipped else "" if run else f"visarith construct {network.op}",
    }


def _example(network: Network) -> list[str]:
    """Return two numbers that it can calculate with."""
    if not network.own:
        return list(OPS[network.op].example)
    notation = network.task.notation
    numbers = network.task.domain.sample(1, rng=np.random.default_rng(0))[0].tolist()
    return [notation.text(row).lstrip("0") or "0" for row in notation.write(numbers)]


def _layout(layout: Layout) -> Json:
    _, high, wide = layout.glyphs.shape
    return {
        "alphabet": layout.alphabet,
        "cells": layout.cells,
        "height": layout.height,
        "width": layout.width,
        "glyph_height": high,
        "glyph_width": wide,
        "corners": [list(corner) for corner in layout.corners],
        "glyphs": [to_base64(glyph) for glyph in layout.glyphs],
    }
