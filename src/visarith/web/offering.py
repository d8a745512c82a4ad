"""What the page offers: operations, networks, and how numbers look."""

import base64

from visarith.pictures.layout import Layout
from visarith.web.encoding import Json
from visarith.web.networks import OPS, Network, Networks


def offered(networks: Networks) -> Json:
    """Everything that the page needs before the first question."""
    pages: dict[str, Json] = {}
    for network in networks.all():
        if network.page not in pages:
            pages[network.page] = _page(network.task.plain_layout)
    return {
        "operations": [_operation(op, networks) for op in OPS],
        "networks": [_network(network) for network in networks.all()],
        "pages": pages,
        "tesseract": True,
    }


def _operation(op: str, networks: Networks) -> Json:
    about, task = OPS[op], networks.find(op).task
    return {
        "op": op,
        "title": about.title,
        "sign": {"x": "×", "-": "−"}.get(task.operation.sign, task.operation.sign),
        "notation": about.notation,
        "operation": about.operation,
        "largest": task.domain.largest,
        "limit": task.notation.limit,
        "example": list(about.example),
        "learners": list(networks.by_op[op]),
    }


def _network(network: Network) -> Json:
    score = network.score
    return {
        "op": network.op,
        "learner": network.learner,
        "name": network.name,
        "title": network.title,
        "noise": network.task.corruption.noise,
        "weights": network.weights,
        "digit_error": score.digit_error if score else 0.0,
        "number_error": score.number_error if score else 0.0,
        "described": network.described,
        "given": network.given,
        "thinks": network.thinks,
        "page": network.page,
        "command": network.shipped.command if network.shipped else f"visarith construct {network.op}",
    }


def _page(page: Layout) -> Json:
    _, high, wide = page.glyphs.shape
    return {
        "alphabet": page.alphabet,
        "cells": page.cells,
        "height": page.height,
        "width": page.width,
        "glyph_height": high,
        "glyph_width": wide,
        "corners": [list(corner) for corner in page.corners],
        "glyphs": [base64.b64encode(glyph.tobytes()).decode() for glyph in page.glyphs],
    }
