"""Witnesses: for every case of a certificate, operands that reach it, shown to the whole learner as pictures."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from visarith.data.task import Task
from visarith.learners.certificate import NoCertificateError, tried
from visarith.learners.columns.asked import at_length
from visarith.learners.columns.machine import Machine
from visarith.learners.columns.network import Columns
from visarith.operations.operation import INT64_SAFE

MORE_CELLS = 100  # that a case may need beyond those of the pictures


def try_all(learner: Columns, task: Task, machine: Machine, words: list[list[int]]) -> tuple[int, float]:
    """Complete words of columns to legal operands, show them, and return the wrong ones and the smallest margin."""
    full = completed(machine, words, task.notation.cells)
    return try_words(learner, task, np.array(machine.columns), machine.way, full)


def try_words(
    learner: Columns, task: Task, columns: np.ndarray, way: str, words: Iterable[list[int]]
) -> tuple[int, float]:
    """Show words of legal operands, by the index of their columns from this side; wrong ones and smallest margin."""
    by_length: dict[int, list[list[int]]] = {}
    for word in words:
        by_length.setdefault(len(word), []).append(word if way == "left" else word[::-1])
    found = [_tried(learner, task, columns[np.array(some)]) for some in by_length.values()]
    return sum(wrong for wrong, _ in found), min(margin for _, margin in found)


def completed(machine: Machine, words: list[list[int]], cells: int) -> Iterator[list[int]]:
    """Add columns to each word until its operands are legal and fill the cells, or more cells where they must."""
    ends = [machine.final]  # after so many more columns, whether legal operands can end that pass this state
    for _ in range(cells + MORE_CELLS):
        ends.append(((machine.following >= 0) & ends[-1][machine.following]).any(1))
    for word in words:
        state = 0
        for column in word:
            state = int(machine.following[state, column])
        least = max(0, cells - len(word))
        left = next((count for count in range(least, len(ends)) if ends[count][state]), None)
        if left is None:
            raise NoCertificateError("some cases occur in no operands that could be shown")
        full = list(word)
        for count in reversed(range(left)):
            after = machine.following[state]
            full.append(int(((after >= 0) & ends[count][after]).argmax()))
            state = int(after[full[-1]])
        yield full


def _tried(learner: Columns, task: Task, columns: np.ndarray) -> tuple[int, float]:
    """Show operands of one length, by their columns (count, length, operands), the first at the left."""
    symbols = columns.transpose(0, 2, 1)  # (count, operands, length)
    count, operands, length = symbols.shape
    if length != task.notation.cells:
        if not (task.lengthens and learner.lengthens):
            raise NoCertificateError(f"some cases need {length} digits, which these pictures cannot show")
        task = replace(task.at(length), operation=at_length(task.operation, length))
        longer = learner.lengthened(task.spec).eval()
        assert isinstance(longer, Columns)
        learner = longer
    numbers = task.notation.parse(symbols.reshape(-1, length))
    kind = np.int64 if task.domain.limit < INT64_SAFE else object
    return tried(learner, task, np.array(numbers, kind).reshape(count, operands))
