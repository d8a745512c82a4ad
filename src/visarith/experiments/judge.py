"""Draw the answers of a learner, have them read, and score them."""

import math

import numpy as np
import torch
from torch import nn

from visarith.errors import VisarithError
from visarith.evaluation import Score, score
from visarith.randomness import generator
from visarith.reading import Reader, Reading
from visarith.reading.templates import Templates
from visarith.reading.tesseract import Tesseract
from visarith.task import Examples, Task


def judge(network: nn.Module, task: Task, examples: Examples, reader: str | Reader, *, seed: int) -> Score:
    """Draw the answers to these examples, corrupted as the task says, and let a reader score them."""
    judge_ = reader_for(reader, task) if isinstance(reader, str) else reader
    noise = generator(seed, "test noise")
    readings: list[list[Reading]] = [[] for _ in range(task.operation.answers)]
    size = at_a_time(task)
    for start in range(0, len(examples), size):
        pictures = predict(network, task, task.inputs(examples.inputs[start : start + size], noise))
        for answer, parts in enumerate(readings):
            parts.append(judge_.read(pictures[:, answer]))
    return score(judge_.name, [_joined(parts) for parts in readings], examples.answers, task.notation)


@torch.no_grad()
def predict(network: nn.Module, task: Task, pictures: torch.Tensor) -> np.ndarray:
    if not len(pictures):
        return np.zeros((0, task.operation.answers, *task.answer_shape), np.float32)
    size = at_a_time(task)
    parts: list[np.ndarray] = [network(pictures[i : i + size]).numpy() for i in range(0, len(pictures), size)]
    return task.answer_page.plain(np.concatenate(parts))


def at_a_time(task: Task) -> int:
    """How many examples are drawn together: fewer where pictures are large."""
    return max(1, min(2_000, 10_000_000 // math.prod(task.shape)))


def distance(network: nn.Module, task: Task, examples: Examples, *, seed: int) -> float | None:
    """How far answers that are read right are from clean pictures: root mean square over their pixels."""
    inputs = task.inputs(examples.inputs, generator(seed, "test noise"))
    answers = predict(network, task, inputs)
    clean = task.plain_answer_page.typeset(examples.answers) / 255
    reader = reader_for("templates", task)
    squares = []
    for answer in range(task.operation.answers):
        right = (reader.read(answers[:, answer]).symbols == examples.answers[:, answer]).all(1)
        squares.append(((answers[:, answer] - clean[:, answer])[right] ** 2).ravel())
    every = np.concatenate(squares)
    return float(every.mean() ** 0.5) if every.size else None


def _joined(parts: list[Reading]) -> Reading:
    return Reading(
        np.concatenate([part.symbols for part in parts]),
        np.concatenate([part.confidence for part in parts]),
        [text for part in parts for text in part.texts],
    )


def reader_for(name: str, task: Task) -> Reader:
    if name == "templates":
        return Templates(task.plain_answer_page, task.notation, doubt=task.answer_medium == "pictures")
    if name != "tesseract":
        raise VisarithError(f"reader {name!r} is unknown; use templates or tesseract")
    if task.answer_medium != "pictures":
        raise VisarithError("Tesseract reads pictures, and medium one-hot has none; leave Tesseract out")
    return Tesseract(task.notation, workers=torch.get_num_threads())


def shown(network: nn.Module, task: Task, test: Examples, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, answers and truths of three test examples: two as they come and, if there is one, a failure."""
    few = test[:2_000]
    inputs = task.inputs(few.inputs, generator(seed, "test noise"))
    answers = predict(network, task, inputs)
    reader = reader_for("templates", task)
    wrong = np.zeros(len(few), bool)
    for answer in range(task.operation.answers):
        wrong |= (reader.read(answers[:, answer]).symbols != few.answers[:, answer]).any(1)
    order = np.concatenate([np.flatnonzero(~wrong)[:2], np.flatnonzero(wrong), np.flatnonzero(~wrong)[2:]])[:3]
    truths = task.plain_answer_page.typeset(few.answers[order]) / 255
    return task.page.plain(inputs.numpy()[order]), answers[order], truths
