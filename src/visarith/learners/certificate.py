"""Certificates: exhaustive tests of a learner, from pixels to pixels, and what they prove."""

import copy
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from visarith.data.view import intensities
from visarith.learners.vectors import NotFiniteError, finite
from visarith.operations.operation import INT64_SAFE
from visarith.randomness import generator

if TYPE_CHECKING:
    from visarith.data.task import Task
    from visarith.learners.learner import Learner

EXHAUSTIBLE = 1_000_000  # operands up to which all are tried as pictures
DECIDED = 0.02  # a smaller margin may be rounding: both states are followed, and the reading does not count
AT_A_TIME = 2_000
Step = Callable[[float], object]  # is called with the share of the cases that are tried, from 0 to 1
Watch = Callable[[str], AbstractContextManager[Step]]  # shows the progress of what is named


def silent(done: float) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class Certificate:
    """What was tried and what it proves."""

    certified: bool
    exact_up_to_digits: int
    every_length: bool
    enumerated: int
    wrong: int
    smallest_margin: float  # of any reading; 1: exactly a glyph, 0: half way to another
    why: str
    states: int = 0
    operands_up_to: int | None = None  # None: all numbers of that length
    control_failed: bool | None = None
    domain: str = ""  # the operands of which it speaks, in words
    rule: str = ""  # how the cases are known to be those of the operation, in words
    pictures: int = 0  # that were drawn by the whole learner and read


def none(why: str, domain: str = "") -> Certificate:
    """No certificate can be given."""
    return Certificate(False, 0, False, 0, 0, 0.0, why, domain=domain)


class NoCertificateError(Exception):
    """A certificate cannot be given; the text says why."""


def certify(learner: "Learner", task: "Task", watch: Watch = lambda _: nullcontext(silent)) -> Certificate:
    """Certify a learner, and a control with shuffled weights, which must fail."""
    if task.corruption.changes_pixels:
        return none("noise and displacement have no end of cases; train on clean pictures")
    with watch("certifying") as step:
        found = attempt(learner, task, step)
    if not found.certified:
        return found
    control = copy.deepcopy(learner)
    shuffle(control, seed=0)
    with watch("control") as step:
        return replace(found, control_failed=not attempt(control, task, step).certified)


@torch.no_grad()
def attempt(learner: "Learner", task: "Task", step: Step = silent) -> Certificate:
    """The learner's certificate without a control; none if anything that it rests on is refused."""
    same = copy.deepcopy(learner).cpu().eval()  # margins are compared on the CPU, whatever device it was trained on
    try:
        return same.certify(task, step)
    except (NoCertificateError, NotFiniteError) as error:
        return none(str(error))


def shuffle(learner: nn.Module, *, seed: int) -> None:
    """Put the weights of each layer in a random order."""
    dice = generator(seed, "shuffled weights")
    with torch.no_grad():
        buffers = [buffer for buffer in learner.buffers() if buffer.is_floating_point()]
        for weight in list(learner.parameters()) or buffers:  # a constructed network has buffers only
            order = torch.randperm(weight.numel(), generator=dice, device="cpu").to(weight.device)
            weight.copy_(weight.flatten()[order].view_as(weight))


def everything(learner: "Learner", task: "Task", why_not: str = "", step: Step = silent) -> Certificate:
    """Try all operands as pictures; if they are too many, refuse and say why no other proof is possible."""
    if task.domain.candidates > EXHAUSTIBLE:
        many = f"{task.domain.candidates:,} operands are too many, and only columns form a finite-state machine"
        return none(why_not or many)
    operands = np.array(task.domain.all(), np.int64 if task.domain.limit < INT64_SAFE else object)
    wrong, margin = tried(learner, task, operands, step)
    why = "all operands are right" if not wrong else "some operands are wrong"
    exact, largest = 0 if wrong else task.notation.digits, task.domain.largest
    domain = f"operands in 0..{largest:,}{in_order(task)}, in pictures of {task.notation.cells} cells"
    rule = "each answer is compared with that of the operation"
    count = len(operands)
    return Certificate(
        not wrong, exact, False, count, wrong, margin, why, 0, largest, domain=domain, rule=rule, pictures=count
    )


def tried(learner: "Learner", task: "Task", operands: np.ndarray, step: Step = silent) -> tuple[int, float]:
    """Show operands as pictures, read what is drawn, and return the number of wrong ones and the smallest margin."""
    reader, wrong, margin = task.legend.reader("templates"), 0, 1.0
    for start in range(0, len(operands), AT_A_TIME):
        some = task.write(operands[start : start + AT_A_TIME])
        drawn = task.plain_answers(learner.drawn(intensities(task.layout.typeset(some.inputs))))
        finite("pixels of answers", torch.from_numpy(drawn))
        readings = [reader.read(drawn[:, answer]) for answer in range(task.operation.answers)]
        right = [(each.symbols == some.answers[:, answer]).all(1) for answer, each in enumerate(readings)]
        wrong += int((~np.stack(right)).any(0).sum())
        margin = min(margin, *(float(each.confidence.min()) for each in readings))
        step((start + len(drawn)) / len(operands))
    return wrong, margin


def in_order(task: "Task") -> str:
    """Which operands are legal, in words that follow others."""
    return ", the larger first" if task.operation.descending else ""
