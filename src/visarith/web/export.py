"""A network, and the notation and layouts of its task, as JSON for the networks in the browser."""

from typing import Any

from visarith.data.task import Task
from visarith.errors import VisarithError
from visarith.learners.export import tensor
from visarith.learners.learner import Learner
from visarith.notation import Notation
from visarith.pictures.layout import Layout


def exported(task: Task, learner: Learner) -> dict[str, Any]:
    """Return a network, and the notation and layouts of its task, as JSON for `static/networks.js`.

    Numbers are stored in the smallest type that loses nothing.
    """
    if task.medium != "pictures" or task.answer_medium != "pictures" or task.corruption.permutation:
        raise VisarithError(
            f"this network for {task.operation.name} does not take plain pictures, which the page needs; "
            f"export one without one-hot media and permutation"
        )
    if task.typeface.fonts:
        raise VisarithError("a network of several fonts does not run in a browser; export one of a single font")
    other = task.plain_answer_layout is not task.plain_layout
    return {
        "notation": _notation(task.notation),
        "page": _layout(task.plain_layout),
        "answer_page": _layout(task.plain_answer_layout) if other else None,
        "network": learner.export(),
    }


def _notation(notation: Notation) -> dict[str, Any]:
    if notation.place_base is None and not notation.additive:
        raise VisarithError("numbers without leading zeros cannot be exported; use padded numbers")
    return {
        "name": notation.name,
        "cells": notation.cells,
        "digits": notation.digits,
        "alphabet": notation.alphabet,
        "base": notation.base or 10,
        "limit": str(notation.limit),  # JavaScript's own numbers end at 2^53
    }


def _layout(layout: Layout) -> dict[str, Any]:
    _, _, pitch = layout.glyphs.shape
    return {
        "alphabet": layout.alphabet,
        "cells": layout.cells,
        "height": layout.height,
        "width": layout.width,
        "pitch": pitch,
        "left": layout.corners[0][1],
        "glyphs": tensor(layout.glyphs.reshape(len(layout.alphabet), -1)),
    }
