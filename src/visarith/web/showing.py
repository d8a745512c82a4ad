"""From a question to what a network is shown: numbers are typeset, pictures fitted, noise added, pixels permuted."""

from dataclasses import dataclass

import numpy as np
import torch

from visarith.errors import VisarithError
from visarith.evaluation import percent
from visarith.pictures.corruption import Corruption, permutation
from visarith.randomness import generator
from visarith.web.encoding import decoded, from_base64
from visarith.web.fitting import fitted
from visarith.web.networks import Network
from visarith.web.question import PictureJson, Question


@dataclass(frozen=True, eq=False)
class Shown:
    """Two pictures: as they were given, and as the network sees them."""

    clean: np.ndarray  # (2, height, width)
    seen: np.ndarray  # with noise and, if asked, permuted
    order: np.ndarray | None  # of pixels
    readings: tuple[str, str]  # of the clean ones, by templates
    numbers: tuple[int, int] | None
    truth: np.ndarray | None  # (cells,) symbols
    warning: str


def shown(question: Question, network: Network, files: list[bytes] | None = None) -> Shown:
    """What this question shows; files are PNGs that came beside it."""
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
    return Shown(clean, seen, order, readings, numbers, truth, _warning(network, numbers, question))


def _numbers(question: Question, network: Network) -> tuple[int, int]:
    notation = network.task.notation
    for name, text in (("a", question.a), ("b", question.b)):
        if not text.strip():
            raise VisarithError(f"{name} is missing; give two numbers, or two pictures")
        if notation.place_base is not None and len(text.strip().lstrip("0")) > notation.cells:
            raise VisarithError(f"{name} has more than {notation.cells} digits; give a shorter number")
    numbers = notation.number(question.a.strip()), notation.number(question.b.strip())
    for number in numbers:
        if number > notation.limit:
            raise VisarithError(f"{number} is above {notation.limit:,}, the largest that a picture can show")
    if network.task.domain.answers(numbers) is None:
        raise VisarithError(_no_answer(network, *numbers))
    return numbers


def _no_answer(network: Network, a: int, b: int) -> str:
    sign, limit = network.task.operation.sign, network.task.notation.limit
    if network.task.operation.descending and a < b:
        return f"{a} {sign} {b} is negative, and numbers here are 0 or more; swap them"
    return f"the answer to {a} {sign} {b} is above {limit:,}, the largest that a picture can show"


def _pictures(question: Question, network: Network, files: list[bytes]) -> np.ndarray:
    page = network.task.plain_layout
    given = [fitted(data, page) for data in files] if files else [_one(each, network) for each in question.pictures]
    if len(given) != 2:
        raise VisarithError(f"{len(given)} picture was given; give two, one for each number")
    return np.stack(given)


def _one(picture: PictureJson, network: Network) -> np.ndarray:
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
        return "this network has never seen noise"
    if trained and network.score is not None and not question.noise:
        error = percent(network.score.digit_error)
        return f"trained on pictures with noise {trained:g}, where {error} of its digits are wrong"
    return ""
