"""The networks of the page: the pretrained ones, and for each operation one whose weights are set by hand."""

from dataclasses import dataclass
from functools import cached_property

from visarith.data.task import Task
from visarith.errors import VisarithError
from visarith.evaluation import Score
from visarith.learners import config_of, learner_config
from visarith.learners.learner import Learner
from visarith.pictures.layout import Layout
from visarith.reading import Reader
from visarith.runs.pretrained import Pretrained, pretrained
from visarith.runs.run import Run
from visarith.web.pictures import Json, to_base64

CONSTRUCTED = "constructed"


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
SIGNS = {"x": "×", "-": "−"}  # as the page writes them
TITLES = {  # in the order in which the page lists the learners
    "columns": "Columns",
    "tally": "Tally",
    "perceptron": "Perceptron",
    "perceptron-noise": "Perceptron, noise-trained",
    CONSTRUCTED: "Built by hand",
}
SHOWN_AS = {"tally": "columns", "long multiplication": "columns"}  # `Learner.thinks` that the page shows as columns
INSTEAD = {"columns": "tally"}  # Roman numerals have a tally instead of columns


@dataclass(eq=False)
class Network:
    """One network of one operation, loaded at first use."""

    op: str
    learner: str
    name: str
    shipped: Pretrained | None  # None if it is constructed

    @cached_property
    def run(self) -> Run | None:
        return self.shipped.load() if self.shipped else None

    @cached_property
    def task(self) -> Task:
        return self.run.task if self.run else Task(OPS[self.op].operation, notation=OPS[self.op].notation)

    @cached_property
    def module(self) -> Learner:
        return self.run.learner if self.run else learner_config(CONSTRUCTED).build(self.task).eval()

    @property
    def score(self) -> Score | None:
        """The score of the pretrained run; None for a constructed network."""
        return self.run.score if self.run else None

    @cached_property
    def templates(self) -> Reader:
        return self.task.legend.reader("templates")

    @property
    def layout_name(self) -> str:
        """The notation, with "-bit" for one-bit ink: networks of the same name share a layout."""
        return self.task.notation.name + ("" if self.task.typeface.ink == "smooth" else "-bit")


class Networks:
    """All networks of the page by operation and learner, in the order in which the page lists them."""

    def __init__(self) -> None:
        self.by_op: dict[str, dict[str, Network]] = {op: {} for op in OPS}
        for shipped in pretrained():
            op = _op(shipped)
            if op:
                key = shipped.learner + ("-noise" if shipped.noise else "")
                key = shipped.name if key in self.by_op[op] else key
                self.by_op[op][key] = Network(op, key, shipped.name, shipped)
        for op, offered in self.by_op.items():
            offered.setdefault(CONSTRUCTED, Network(op, CONSTRUCTED, f"constructed-{op}", None))
            self.by_op[op] = dict(sorted(offered.items(), key=lambda item: _rank(item[0])))

    def find(self, op: str, learner: str = "") -> Network:
        """Return the network of this operation and learner; without a learner, the first one."""
        if op not in OPS:
            raise VisarithError(f"op {op!r} is unknown; use one of {', '.join(OPS)}")
        offered = self.by_op[op]
        if INSTEAD.get(learner) in offered and learner not in offered:
            learner = INSTEAD[learner]
        learner = learner or next(iter(offered))
        if learner not in offered:
            raise VisarithError(f"learner {learner!r} is not available for {op}; use one of {', '.join(offered)}")
        return offered[learner]

    def all(self) -> list[Network]:
        return [network for offered in self.by_op.values() for network in offered.values()]


def _op(shipped: Pretrained) -> str:
    """Return the page's operation that a pretrained network computes, or "" if the page has none."""
    for name, op in OPS.items():
        if (op.operation, op.notation) == (shipped.operation, shipped.notation):
            return name
    return ""


def _rank(learner: str) -> tuple[int, str]:
    return list(TITLES).index(learner) if learner in TITLES else len(TITLES), learner


def offered(networks: Networks) -> Json:
    """Return everything that the page needs before the first question. This loads every network."""
    return {
        "operations": [_operation(op, networks) for op in OPS],
        "networks": [_network(network) for network in networks.all()],
        "pages": {network.layout_name: _layout(network.task.plain_layout) for network in networks.all()},
        "tesseract": True,
    }


def _operation(op: str, networks: Networks) -> Json:
    about, task = OPS[op], networks.find(op).task
    return {
        "op": op,
        "title": about.title,
        "sign": SIGNS.get(task.operation.sign, task.operation.sign),
        "notation": about.notation,
        "operation": about.operation,
        "largest": task.domain.largest,
        "limit": task.notation.limit,
        "example": list(about.example),
        "learners": list(networks.by_op[op]),
    }


def _network(network: Network) -> Json:
    module, score, shipped = network.module, network.score, network.shipped
    return {
        "op": network.op,
        "learner": network.learner,
        "name": network.name,
        "title": TITLES.get(network.learner, network.learner.capitalize()),
        "noise": network.task.corruption.noise,
        "weights": module.weight_count,
        "digit_error": score.digit_error if score else 0.0,
        "number_error": score.number_error if score else 0.0,
        "described": module.described(),
        "given": config_of(shipped.learner if shipped else CONSTRUCTED).given,
        "thinks": SHOWN_AS.get(module.thinks, module.thinks),
        "page": network.layout_name,
        "command": shipped.command if shipped else f"visarith construct {network.op}",
    }


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
