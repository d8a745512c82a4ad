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


def none(why: str) -> Certificate:
    """No certificate can be given."""
    return Certificate(False, 0, False, 0, 0, 0.0, why)


def certify(learner: "Learner", task: "Task", watch: Watch = lambda _: nullcontext(silent)) -> Certificate:
    """Certify a learner, and a control with shuffled weights, which must fail."""
    if task.corruption.changes_pixels:
        return none("noise and displacement have no end of cases; train on clean pictures")
    with torch.no_grad():
        control = copy.deepcopy(learner).cpu()  # margins are compared on the CPU, whatever device it was trained on
        with watch("certifying") as step:
            tried = control.certify(task, step)
        if not tried.certified:
            return tried
        shuffle(control, seed=0)
        with watch("control") as step:
            return replace(tried, control_failed=not control.certify(task, step).certified)


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
    reader, wrong, margin = task.legend.reader("templates"), 0, 1.0
    for start in range(0, len(operands), AT_A_TIME):
        some = task.write(operands[start : start + AT_A_TIME])
        drawn = task.plain_answers(learner.drawn(intensities(task.layout.typeset(some.inputs))))
        for answer in range(task.operation.answers):
            reading = reader.read(drawn[:, answer])
            wrong += int((reading.symbols != some.answers[:, answer]).any(1).sum())
            margin = min(margin, float(reading.confidence.min()))
        step((start + len(drawn)) / len(operands))
    why = "all operands are right" if not wrong else "some operands are wrong"
    exact = 0 if wrong else task.notation.digits
    return Certificate(not wrong, exact, False, len(operands), wrong, margin, why, 0, task.domain.largest)
