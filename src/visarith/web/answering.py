"""The API's answer to a question: the pictures that a network is shown, the picture that it draws, and its reading."""

import threading
import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from visarith.errors import VisarithError
from visarith.learners.learner import Learner
from visarith.notation import Notation
from visarith.pictures.corruption import Corruption, permutation
from visarith.randomness import generator
from visarith.reading import UNREADABLE, Reader, Reading
from visarith.runs.judge import reader_for
from visarith.web.models import Answer, Cell, Input, PixelsJson, Read
from visarith.web.models import Reading as ReadingJson
from visarith.web.networks import MOST_DIGITS, Network, Networks
from visarith.web.pictures import decoded, encoded, fitted, from_base64
from visarith.web.question import PictureJson, Question, ReadQuestion

LEGIBLE = (
    0.5  # below this confidence no truth is derived from a cell: three quarters of one digit, a quarter of another
)


@dataclass(frozen=True, eq=False)
class Inputs:
    """The two input pictures of a question, and the right answer to them."""

    clean: np.ndarray  # (2, height, width)
    seen: np.ndarray  # the same with noise and, on request, with permuted pixels
    order: np.ndarray | None  # the permutation of the pixels
    reading: Reading  # of the clean pictures, by templates
    truth: np.ndarray | None  # (cells,) symbols of the right answer; None if unreadable or too large
    warning: str

    @property
    def legible(self) -> np.ndarray:
        """The symbols that are read in each input (2, cells), UNREADABLE where that is not sure."""
        return np.where(self.reading.confidence >= LEGIBLE, self.reading.symbols, UNREADABLE)


def answer(question: Question, networks: Networks, files: list[bytes] | None = None) -> tuple[Answer, np.ndarray]:
    """Return the answer, and its picture. `files` are the two picture files of a form."""
    network = networks.find(question.op, question.learner)
    started = time.perf_counter()
    network, inputs = inputs_of(question, network, files)
    drawn, notation = draw(network, inputs), network.task.notation
    unreadable, sure = _legibility(network, inputs)
    clear = not any(unreadable) and bool((inputs.reading.confidence >= LEGIBLE).all())
    truth = inputs.truth if clear else None
    reading = _reading(network.templates.read(drawn[None]), "templates", notation, truth)
    right = [cell.right for cell in reading.cells]
    response = Answer(
        op=question.op,
        learner=network.learner,
        network=network.name,
        noise=question.noise,
        seed=question.seed,
        permuted=question.permuted,
        inputs=[
            Input(picture=PixelsJson(**encoded(picture)), reading=notation.text(symbols))
            for picture, symbols in zip(inputs.seen, inputs.legible, strict=True)
        ],
        answer=PixelsJson(**encoded(drawn)),
        reading=reading,
        truth=None if truth is None else notation.text(truth),
        correct=None if truth is None else all(right),
        input_confidence=round(sure, 4),
        unreadable=unreadable,
        warning=inputs.warning,
        milliseconds=round(1000 * (time.perf_counter() - started), 2),
    )
    return response, drawn


def _legibility(network: Network, inputs: Inputs) -> tuple[list[list[int]], float]:
    """Return the cells of each input that cannot be read, and how sure the least sure cell is.

    Learners that look at cells say so themselves; for others it is what templates read in the clean picture.
    """
    perceived = network.module.perceived(torch.from_numpy(np.ascontiguousarray(inputs.seen))[None])
    if perceived is not None:
        return perceived.unreadable(), perceived.confidence()
    sure = inputs.reading.confidence
    return [np.flatnonzero(row < LEGIBLE).tolist() for row in sure], float(sure.min())


def inputs_of(question: Question, network: Network, files: list[bytes] | None) -> tuple[Network, Inputs]:
    """Typeset the numbers of a question, or decode its pictures, then add noise and permute the pixels.

    Numbers that are longer than those of training get a longer network, if there is one.
    """
    numbers: tuple[int, int] | None
    if files or question.pictures:
        clean = _pictures(question, network, files or [])
        reading = network.templates.read(clean)
        parsed = network.task.notation.parse(reading.symbols)
        numbers = None if None in parsed else (int(parsed[0] or 0), int(parsed[1] or 0))
    else:
        numbers, network = _numbers(question, network)
        clean = network.task.typeset(numbers)
        reading = network.templates.read(clean)
    task = network.task
    answers = task.domain.answers(numbers) if numbers else None
    truth = task.notation.write(list(answers))[0] if answers else None
    noisy = Corruption(noise=question.noise).add_noise(torch.from_numpy(clean), generator(question.seed, "page noise"))
    seen, order = noisy.numpy(), permutation(task.plain_layout.pixels) if question.permuted else None
    if order is not None:
        seen = task.plain_layout.permuted(order).shuffled(seen)
    return network, Inputs(clean, seen, order, reading, truth, _warning(network, numbers, question))


def _numbers(question: Question, network: Network) -> tuple[tuple[int, int], Network]:
    notation = network.task.notation
    for name, text in (("a", question.a), ("b", question.b)):
        digits = len(text.strip().lstrip("0"))
        if not text.strip():
            raise VisarithError(f"{name} is missing; give two numbers, or two pictures")
        if network.lengthens and digits > MOST_DIGITS:
            raise VisarithError(f"{name} has {digits} digits; give up to {MOST_DIGITS}")
        if not network.lengthens and notation.place_base is not None and digits > notation.cells:
            raise VisarithError(
                f"{name} has {digits} digits, and this network sees {notation.cells}; give a shorter one"
            )
    a, b = notation.number(question.a.strip()), notation.number(question.b.strip())
    if network.task.operation.descending and a < b:
        sign = network.task.operation.sign
        raise VisarithError(f"{a} {sign} {b} is negative, and numbers here are 0 or more; swap them")
    network = network.reaching(a, b)
    most = f"{network.task.notation.limit:,}, the largest number that this network's pictures can show"
    for number in (a, b):
        if number > network.task.notation.limit:
            raise VisarithError(f"{number} is above {most}; give a smaller number")
    if network.task.domain.answers((a, b)) is None:
        raise VisarithError(
            f"the answer to {a} {network.task.operation.sign} {b} is above {most}; give smaller numbers"
        )
    return (a, b), network


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
    if network.run is None:
        return ""
    if numbers and not network.lengthens and not task.domain.trained(numbers):
        outside = max(numbers) if max(numbers) > task.domain.largest else numbers[1]
        if task.notation.additive:
            return (
                f"{outside:,} is above {task.domain.largest:,}: numerals that no example had as input, and no "
                f"certificate; expect wrong answers"
            )
        return f"{outside:,} is outside the range of the examples, 0 to {task.domain.largest:,}"
    trained = task.corruption.noise
    if question.noise and not trained:
        return "this network was trained without noise"
    if trained and not question.noise:
        return f"this network was trained on pictures with noise {trained:g}; these have none"
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


def read(question: ReadQuestion, networks: Networks) -> Read:
    """Return what Tesseract reads in an answer picture, and what templates read."""
    network, picture = networks.find(question.op, question.learner), question.picture
    notation = network.task.notation
    drawn = decoded(picture.pixels, picture.height, picture.width, network.task.answer_shape)
    truth = _truth(question.truth, notation)
    by_templates = _reading(network.templates.read(drawn[None]), "templates", notation, truth)
    by_tesseract = _reading(_tesseract(network).read(drawn[None]), "tesseract", notation, truth)
    return Read(**by_tesseract.model_dump(), templates=by_templates)


def _truth(text: str, notation: Notation) -> np.ndarray | None:
    """Return the symbols of the number that an answer picture should show, if one is given."""
    if not text.strip():
        return None
    number = notation.number(text)
    if number > notation.limit:
        raise VisarithError(f"truth {number} is above {notation.limit:,}, the largest number that the picture can show")
    return np.asarray(notation.write([number])[0])


def _reading(reading: Reading, reader: str, notation: Notation, truth: np.ndarray | None) -> ReadingJson:
    """Return the reading of one picture, cell by cell. Without a truth, no cell is right or wrong."""
    cells: list[Cell] = []
    for cell, symbol in enumerate(reading.symbols[0].tolist()):
        right = None if truth is None else bool(symbol == truth[cell])
        sure = round(float(reading.confidence[0, cell]), 4)
        cells.append(Cell(symbol=notation.alphabet[symbol] if symbol >= 0 else "?", confidence=sure, right=right))
    least = round(float(reading.confidence[0].min()), 4)
    return ReadingJson(reader=reader, text=reading.texts[0], confidence=least, cells=cells)


_TESSERACTS: dict[str, Reader] = {}
_making = threading.Lock()


def _tesseract(network: Network) -> Reader:
    """Return the Tesseract engine of a notation, created at first use."""
    name = network.layout_name
    with _making:
        if name not in _TESSERACTS:
            _TESSERACTS[name] = reader_for(network.task.legend, "tesseract")
        return _TESSERACTS[name]
