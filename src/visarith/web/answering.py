"""The answer to a question: the picture that a network draws, what is read in it, and what is true."""

import threading
import time
from functools import lru_cache

import numpy as np
import torch

from visarith.learners.learner import Learner
from visarith.notation import Notation
from visarith.pictures.corruption import permutation
from visarith.reading import Reader, Reading
from visarith.runs.judge import reader_for
from visarith.web.encoding import Json, decoded, encoded
from visarith.web.networks import Network, Networks
from visarith.web.question import Question, ReadQuestion
from visarith.web.showing import Shown, shown


def answer(question: Question, networks: Networks, files: list[bytes] | None = None) -> tuple[Json, np.ndarray]:
    """The answer as JSON, and its picture."""
    network = networks.find(question.op, question.learner)
    started = time.perf_counter()
    given = shown(question, network, files)
    drawn = draw(network, given)
    reading = as_json(network.templates.read(drawn[None]), "templates", network.task.notation, given.truth)
    said: Json = {
        "op": question.op,
        "learner": network.learner,
        "network": network.name,
        "noise": question.noise,
        "seed": question.seed,
        "permuted": question.permuted,
        "inputs": [
            {"picture": encoded(picture), "reading": text}
            for picture, text in zip(given.seen, given.readings, strict=True)
        ],
        "answer": encoded(drawn),
        "reading": reading,
        "truth": None if given.truth is None else network.task.notation.text(given.truth),
        "correct": None if given.truth is None else all(cell["right"] for cell in _cells(reading)),
        "warning": given.warning,
        "milliseconds": round(1000 * (time.perf_counter() - started), 2),
    }
    return said, drawn


def _cells(reading: Json) -> list[Json]:
    cells = reading["cells"]
    assert isinstance(cells, list)
    return cells


@torch.inference_mode()
def draw(network: Network, given: Shown) -> np.ndarray:
    """The answer picture in the order of pixels that eyes know."""
    learner, pictures = network.module, torch.from_numpy(np.ascontiguousarray(given.seen))[None]
    other = _permuted(learner) if given.order is not None else None
    if given.order is not None and other is not None:
        drawn = other(pictures)[0, 0].numpy()
        return network.task.plain_answer_layout.permuted(given.order).plain(drawn)
    return np.asarray(learner(pictures)[0, 0].numpy())


@lru_cache(maxsize=16)
def _permuted(learner: Learner) -> Learner | None:
    return learner.permuted(permutation(learner.shape[0] * learner.shape[1]))


def as_json(reading: Reading, reader: str, notation: Notation, truth: np.ndarray | None) -> Json:
    """What was read in one picture, cell by cell, and whether it is true."""
    cells: list[Json] = []
    for cell, symbol in enumerate(reading.symbols[0].tolist()):
        right = None if truth is None else bool(symbol == truth[cell])
        sure = round(float(reading.confidence[0, cell]), 4)
        cells.append({"symbol": notation.alphabet[symbol] if symbol >= 0 else "?", "confidence": sure, "right": right})
    least = round(float(reading.confidence[0].min()), 4)
    return {"reader": reader, "text": reading.texts[0], "confidence": least, "cells": cells}


def read(question: ReadQuestion, networks: Networks) -> Json:
    """What Tesseract reads in an answer picture, and beside it what templates read."""
    network = networks.find(question.op)
    notation, picture = network.task.notation, question.picture
    drawn = decoded(picture.pixels, picture.height, picture.width, network.task.answer_shape)
    truth = notation.write([notation.number(question.truth)])[0] if question.truth.strip() else None
    by_templates = as_json(network.templates.read(drawn[None]), "templates", notation, truth)
    return as_json(_tesseract(network).read(drawn[None]), "tesseract", notation, truth) | {"templates": by_templates}


_TESSERACTS: dict[str, Reader] = {}
_making = threading.Lock()


def _tesseract(network: Network) -> Reader:
    """One engine a notation, made when it is first needed."""
    name = network.task.notation.name
    with _making:
        if name not in _TESSERACTS:
            _TESSERACTS[name] = reader_for(network.task.legend, "tesseract")
        return _TESSERACTS[name]
