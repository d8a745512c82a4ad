"""What a browser needs of a run: its weights, its glyphs and where they stand, as JSON for `static/networks.js`."""

from typing import Any

from visarith.data.task import Task
from visarith.errors import VisarithError
from visarith.learners.export import tensor
from visarith.learners.learner import Learner
from visarith.notation import Notation
from visarith.pictures.layout import Layout

LARGEST = 2**53  # whole numbers that a browser holds


def exported(task: Task, learner: Learner) -> dict[str, Any]:
    """How the numbers of a task look, and a network for it, in the smallest numbers that lose nothing."""
    if task.medium != "pictures" or task.answer_medium != "pictures" or task.corruption.permutation:
        raise VisarithError(f"this network to {task.operation.name} does not look at plain pictures, as the page does")
    other = task.plain_answer_layout is not task.plain_layout
    return {
        "notation": _notation(task.notation),
        "page": _page(task.plain_layout),
        "answer_page": _page(task.plain_answer_layout) if other else None,
        "network": learner.export(),
    }


def _notation(notation: Notation) -> dict[str, Any]:
    if notation.limit >= LARGEST or (notation.place_base is None and not notation.additive):
        raise VisarithError(f"numbers of {notation.digits} digits, or without zeros before them, are not for the page")
    return {
        "name": notation.name,
        "cells": notation.cells,
        "digits": notation.digits,
        "alphabet": notation.alphabet,
        "base": notation.base or 10,
        "limit": notation.limit,
    }


def _page(page: Layout) -> dict[str, Any]:
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
