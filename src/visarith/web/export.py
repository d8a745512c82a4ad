"""What a browser needs of a run: its weights, its glyphs and where they stand, as JSON for `static/networks.js`."""

import base64
from typing import Any

import numpy as np
from torch import Tensor, nn

from visarith.errors import VisarithError
from visarith.learners.columns import Columns, found
from visarith.learners.constructed import Constructed
from visarith.learners.gates import Gates, Weights
from visarith.learners.perceptron import Perceptron
from visarith.learners.tally import Tally
from visarith.notation import Notation
from visarith.notation.arabic import Arabic
from visarith.pictures.page import Page
from visarith.task import Task

LARGEST = 2**53  # whole numbers that a browser holds


def exported(task: Task, learner: nn.Module) -> dict[str, Any]:
    """How the numbers of a task look, and a network for it, in the smallest numbers that lose nothing."""
    if task.medium != "pictures" or task.answer_medium != "pictures" or task.corruption.permutation:
        raise VisarithError(f"this network to {task.operation.name} does not look at plain pictures, as the page does")
    other = task.plain_answer_page is not task.plain_page
    return {
        "notation": _notation(task.notation),
        "page": _page(task.plain_page),
        "answer_page": _page(task.plain_answer_page) if other else None,
        "network": network(learner),
    }


def network(learner: nn.Module) -> dict[str, Any]:
    """The weights of a learner by their part in it."""
    if isinstance(learner, Perceptron):
        return _perceptron(learner)
    if isinstance(learner, Columns):
        return _columns(learner)
    if isinstance(learner, Tally):
        return {"kind": "tally", "centres": tensor(learner.centres), "calculator": _columns(learner.calculator)}
    if isinstance(learner, Constructed):
        return _constructed(learner)
    raise VisarithError(f"a {type(learner).__name__.lower()} does not run in browsers yet; leave it out of the page")


def tensor(values: Tensor | np.ndarray) -> dict[str, Any]:
    """Numbers as base64, of half the length where that loses nothing."""
    array = values.detach().numpy() if isinstance(values, Tensor) else values
    kind = {"i": "int32", "u": "uint8"}.get(array.dtype.kind, str(array.dtype))
    for smaller in ("float16", "float32"):
        if array.dtype.kind == "f" and _holds(array, smaller):
            kind = smaller
            break
    little = np.ascontiguousarray(array).astype(np.dtype(kind).newbyteorder("<"))
    return {"kind": kind, "shape": list(array.shape), "data": base64.b64encode(little.tobytes()).decode()}


def _holds(array: np.ndarray, kind: str) -> bool:
    with np.errstate(over="ignore"):
        return bool(np.array_equal(array.astype(kind).astype(array.dtype), array))


def _notation(notation: Notation) -> dict[str, Any]:
    if notation.limit >= LARGEST or (isinstance(notation, Arabic) and not notation.padded):
        raise VisarithError(f"numbers of {notation.digits} digits, or without zeros before them, are not for the page")
    return {
        "name": notation.name,
        "cells": notation.cells,
        "digits": notation.digits,
        "alphabet": notation.alphabet,
        "base": notation.base if isinstance(notation, Arabic) else 10,
        "limit": notation.limit,
    }


def _page(page: Page) -> dict[str, Any]:
    _, _, pitch = page.glyphs.shape
    return {
        "alphabet": page.alphabet,
        "cells": page.cells,
        "height": page.height,
        "width": page.width,
        "pitch": pitch,
        "left": page.corners[0][1],
        "glyphs": tensor(page.glyphs.reshape(len(page.alphabet), -1)),
    }


def _layers(modules: list[nn.Linear]) -> list[dict[str, Any]]:
    return [{"weight": tensor(layer.weight), "bias": tensor(layer.bias)} for layer in modules]


def _sequence(module: nn.Module) -> list[dict[str, Any]]:
    return _layers([layer for layer in module.children() if isinstance(layer, nn.Linear)])


def _mean(mean: Tensor) -> dict[str, Any] | None:
    return tensor(mean.flatten(1)) if bool(mean.any()) else None


def _perceptron(learner: Perceptron) -> dict[str, Any]:
    return {
        "kind": "perceptron",
        "outputs": learner.outputs,
        "activation": "sigmoid" if isinstance(learner.activation, nn.Sigmoid) else "relu",
        "mean": _mean(learner.mean),
        "layers": _layers(learner.linear()),
    }


def _columns(learner: Columns) -> dict[str, Any]:
    """Only what the chosen path and scan use."""
    ways = len(learner.ways)
    states, glyphs = found(learner.states), found(learner.glyphs)
    grid = learner.grid
    return {
        "kind": "columns",
        "outputs": learner.outputs,
        "paths": learner.paths,
        "ways": learner.ways,
        "sign": learner.meeting.sign,
        "grid": grid
        and {
            "left": grid.left,
            "pitch": grid.pitch,
            "cells": grid.cells,
            "height": grid.shape[0],
            "width": grid.shape[1],
        },
        "mean": _mean(learner.mean),
        "ground": tensor(learner.ground[None]),
        "states": tensor(states) if len(states) else None,
        "glyphs": tensor(glyphs) if len(glyphs) else None,
        "reader": _sequence(learner.meeting.reader),
        "meet": {path: _sequence(learner.meeting.meet[path]) for path in learner.paths},
        "hands": [_sequence(hand) for hand in learner.hands[:ways]],
        "starts": tensor(learner.starts[:ways]),
        "turn": _sequence(learner.turn) if ways > 1 else None,
        "painter": _sequence(learner.painter),
    }


def _constructed(learner: Constructed) -> dict[str, Any]:
    return {
        "kind": "constructed",
        "steepness": _steepness(learner),
        "reads": learner.reads,
        "templates": tensor(learner.templates),
        "offsets": tensor(learner.offsets),
        "glyphs": tensor(learner.glyphs),
        "layers": [
            {"sums": _weights(sums), **_gates(gates)} for sums, gates in zip(learner.sums, learner.gates, strict=True)
        ],
        "draws": _weights(learner.draws),
    }


def _steepness(learner: Constructed) -> int | None:
    """Of its sigmoids, or none where gates are two ReLUs."""
    gates = learner.gates[0]
    assert isinstance(gates, Gates)
    return gates.steepness if learner.gate == "sigmoid" else None


def _gates(gates: nn.Module) -> dict[str, Any]:
    assert isinstance(gates, Gates)
    return {"which": tensor(gates.which), "thresholds": tensor(gates.thresholds)}


def _weights(sums: nn.Module) -> dict[str, Any]:
    assert isinstance(sums, Weights)
    stored = {"rows": sums.rows, "columns": sums.columns, "values": sums.values, "constants": sums.constants}
    return {name: tensor(each) for name, each in stored.items()}
