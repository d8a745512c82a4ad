"""The answer to a question: the pictures that a network is shown, the picture that it draws, and how that is read."""

import threading
import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from visarith.errors import VisarithError
from visarith.evaluation import percent
from visarith.learners.learner import Learner
from visarith.notation import Notation
from visarith.pictures.corruption import Corruption, permutation
from visarith.randomness import generator
from visarith.reading import Reader, Reading
from visarith.runs.judge import reader_for
from visarith.web.networks import Network, Networks
from visarith.web.pictures import Json, decoded, encoded, fitted, from_base64
from visarith.web.question import PictureJson, Question, ReadQuestion


@dataclass(frozen=True, eq=False)
class Inputs:
    """The two input pictures of a question, and the right answer to them."""

    clean: np.ndarray  # (2, height, width)
    seen: np.ndarray  # the same with noise and, on request, with permuted pixels
    order: np.ndarray | None  # the permutation of the pixels
    readings: tuple[str, str]  # of the clean pictures, by templates
    truth: np.ndarray | None  # (cells,) symbols of the right answer; None if unreadable or too large
    warning: str


def answer(question: Question, networks: Networks, files: list[bytes] | None = None) -> tuple[Json, np.ndarray]:
    """Return the answer as JSON, and its picture. `files` are the two PNG files of a form."""
    network = networks.find(question.op, question.learner)
    started = time.perf_counter()
    inputs = inputs_of(question, network, files)
    drawn, notation = draw(network, inputs), network.task.notation
    perceived = network.module.perceived(torch.from_numpy(np.ascontiguousarray(inputs.seen))[None])
    truth = inputs.truth if perceived is None or bool(perceived.legible) else None
    reading = _reading(network.templates.read(drawn[None]), "templates", notation, truth)
    response = {
        "op": question.op,
        "learner": network.learner,
        "network": network.name,
        "noise": question.noise,
        "seed": question.seed,
        "permuted": question.permuted,
        "inputs": [
            {"picture": encoded(picture), "reading": text}
            for picture, text in zip(inputs.seen, inputs.readings, strict=True)
        ],
        "answer": encoded(drawn),
        "reading": reading,
        "truth": None if inputs.truth is None else notation.text(inputs.truth),
        "correct": None if truth is None else all(cell["right"] for cell in reading["cells"]),
        "input_confidence": None if perceived is None else round(perceived.confidence(), 4),
        "unreadable": None if perceived is None else perceived.unreadable(),
        "warning": inputs.warning,
        "milliseconds": round(1000 * (time.perf_counter() - started), 2),
    }
    return response, drawn


def inputs_of(question: Question, network: Network, files: list[bytes] | None = None) -> Inputs:
    """Typeset the numbers of a question, or decode its pictures, then add noise and permute the pixels."""
    task = network.task
    if files or question.pictures:
        clean = _pictures(question, network, files or [])
        reading = network.templates.read(clean)
        readings = reading.texts[0], reading.texts[1]
        parsed = task.notation.parse(reading.symbols)
        numbers = None if None in parsed else (int(parsed[0] or 0), int(parsed[1] or 0))
    else:
        numbers = _numbers(question, network)
        symbols = task.symbols(np.array([numbers]))[0]
        clean = task.plain_layout.typeset(symbols).astype(np.float32) / 255
        readings = task.notation.text(symbols[0]), task.notation.text(symbols[1])
    answers = task.domain.answers(numbers) if numbers else None
    truth = task.notation.write(list(answers))[0] if answers else None
    noisy = Corruption(noise=question.noise).add_noise(torch.from_numpy(clean), generator(question.seed, "page noise"))
    seen, order = noisy.numpy(), permutation(task.plain_layout.pixels) if question.permuted else None
    if order is not None:
        seen = task.plain_layout.permuted(order).shuffled(seen)
    return Inputs(clean, seen, order, readings, truth, _warning(network, numbers, question))


def _numbers(question: Question, network: Network) -> tuple[int, int]:
    notation = network.task.notation
    for name, text in (("a", question.a), ("b", question.b)):
        if not text.strip():
            raise VisarithError(f"{name} is missing; give two numbers, or two pictures")
        if notation.place_base is not None and len(text.strip().lstrip("0")) > notation.cells:
            raise VisarithError(f"{name} has more than {notation.cells} digits; give a shorter number")
    a, b = notation.number(question.a.strip()), notation.number(question.b.strip())
    most = f"{notation.limit:,}, the largest number that a picture can show"
    for number in (a, b):
        if number > notation.limit:
            raise VisarithError(f"{number} is above {most}; give a smaller number")
    if network.task.domain.answers((a, b)) is None:
        sign = network.task.operation.sign
        if network.task.operation.descending and a < b:
            raise VisarithError(f"{a} {sign} {b} is negative, and numbers here are 0 or more; swap them")
        raise VisarithError(f"the answer to {a} {sign} {b} is above {most}; give smaller numbers")
    return a, b


def _pictures(question: Question, network: Network, files: list[bytes]) -> np.ndarray:
    layout = network.task.plain_layout
    given = [fitted(data, layout) for data in files] or [_picture(each, network) for each in question.pictures]
    if len(given) != 2:
        raise VisarithError(f"{len(given)} picture was given; give two, one for each number")
    return np.stack(given)


def _picture(picture: PictureJson, network: Network) -> np.ndarray:
    if bool(picture.pixels) == bool(picture.png):
        raise VisarithError("a picture has either pixels or a png; give one of them")
    if picture.png:
        return fitted(from_base64(picture.png), network.task.plain_layout)
    return decoded(picture.pixels, picture.height, picture.width, network.task.shape)


def _warning(network: Network, numbers: tuple[int, int] | None, question: Question) -> str:
    task = network.task
    if numbers and not task.domain.trained(numbers) and network.shipped is not None:
        outside = max(numbers) if max(numbers) > task.domain.largest else numbers[1]
        return f"{outside:,} is outside the range of the examples, 0 to {task.domain.largest:,}"
    trained = task.corruption.noise
    if question.noise and not trained and network.shipped is not None:
        return "this network was trained without noise"
    if trained and network.score is not None and not question.noise:
        error = percent(network.score.digit_error)
        return f"trained on pictures with noise {trained:g}, where {error} of its digits are wrong"
    return ""


@torch.inference_mode()
def draw(network: Network, inputs: Inputs) -> np.ndarray:
    """Return the answer picture, with its pixels in the usual order."""
    learner, pictures = network.module, torch.from_numpy(np.ascontiguousarray(inputs.seen))[None]
    permuted = _permuted(learner) if inputs.order is not None else None
    if inputs.order is not None and permuted is not None:
        drawn = permuted(pictures)[0, 0].numpy()
        return network.task.plain_answer_layout.permuted(inputs.order).plain(drawn)
    return np.asarray(learner(pictures)[0, 0].numpy())


@lru_cache(maxsize=16)
def _permuted(learner: Learner) -> Learner | None:
    return learner.permuted(permutation(learner.shape[0] * learner.shape[1]))


def read(question: ReadQuestion, networks: Networks) -> Json:
    """Return what Tesseract reads in an answer picture, and what templates read."""
    network = networks.find(question.op)
    notation, picture = network.task.notation, question.picture
    drawn = decoded(picture.pixels, picture.height, picture.width, network.task.answer_shape)
    truth = notation.write([notation.number(question.truth)])[0] if question.truth.strip() else None
    by_templates = _reading(network.templates.read(drawn[None]), "templates", notation, truth)
    return _reading(_tesseract(network).read(drawn[None]), "tesseract", notation, truth) | {"templates": by_templates}


def _reading(reading: Reading, reader: str, notation: Notation, truth: np.ndarray | None) -> Json:
    """Return the reading of one picture, cell by cell, as JSON. Without a truth, no cell is right or wrong."""
    cells: list[Json] = []
    for cell, symbol in enumerate(reading.symbols[0].tolist()):
        right = None if truth is None else bool(symbol == truth[cell])
        sure = round(float(reading.confidence[0, cell]), 4)
        cells.append({"symbol": notation.alphabet[symbol] if symbol >= 0 else "?", "confidence": sure, "right": right})
    least = round(float(reading.confidence[0].min()), 4)
    return {"reader": reader, "text": reading.texts[0], "confidence": least, "cells": cells}


_TESSERACTS: dict[str, Reader] = {}
_making = threading.Lock()


def _tesseract(network: Network) -> Reader:
    """Return the Tesseract engine of a notation, created at first use."""
    name = network.task.notation.name
    with _making:
        if name not in _TESSERACTS:
            _TESSERACTS[name] = reader_for(network.task.legend, "tesseract")
        return _TESSERACTS[name]
