"""The certificate of one network for several operations: that of each sign, all of which must hold."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from visarith.data.task import Task
from visarith.data.view import intensities
from visarith.learners.certificate import DECIDED, Certificate, NoCertificateError, Step, silent, tried
from visarith.learners.columns.cases import EXACTLY, symbol_cells
from visarith.learners.columns.network import Columns
from visarith.learners.vectors import NotFiniteError, finite
from visarith.operations.mixed import Mixed
from visarith.operations.operation import INT64_SAFE
from visarith.randomness import rng

RANDOM = 2_000  # pictures of operands and signs that are shown to the whole learner
Certify = Callable[[Columns, Task, Step], Certificate]  # for one operation


def certify_signs(learner: Columns, task: Task, certify: Certify, step: Step) -> Certificate:
    """Certify the learner of each sign for its operation, then show random pictures to the whole learner.

    A quantised learner recognises the sign, and then is the learner of that sign for two operands.
    """
    operation = task.operation
    if not isinstance(operation, Mixed):
        raise NoCertificateError(f"it was trained with signs, and {operation.name} has none")
    finite("weights or glyphs", *learner.trained_weights(), learner.ground, learner.signs.glyphs)
    numbers, margin = _recognised(learner, task)
    each: dict[str, Certificate] = {}
    for sign, part, number in zip(operation.signs, operation.parts, numbers, strict=True):
        own, plain = replace(task, operation=part), learner.for_sign(number)
        if not torch.equal(symbol_cells(learner, task), symbol_cells(plain, own)):
            raise NoCertificateError(f"digits look different without the sign {sign}")
        try:
            each[sign] = certify(plain, own, silent)
        except (NoCertificateError, NotFiniteError) as error:
            raise NoCertificateError(f"{sign}: {error}") from None
        step(len(each) / (len(numbers) + 1))
    made = _together(each, margin)
    if not made.certified:
        return made
    kind = np.int64 if task.domain.limit < INT64_SAFE else object
    operands = np.array(task.domain.draw(RANDOM, rng=rng(0, "certificate of signs")), kind)
    wrong, least = tried(learner, task, operands)
    made = replace(made, pictures=made.pictures + len(operands), smallest_margin=min(made.smallest_margin, least))
    if wrong or made.smallest_margin < DECIDED:
        why = "some pictures with a sign are answered wrong"
        return replace(made, certified=False, every_length=False, exact_up_to_digits=0, wrong=wrong, why=why)
    return made


def _recognised(learner: Columns, task: Task) -> tuple[list[int], float]:
    """The number of the sign that each picture of a sign is taken for, and the smallest margin; all must differ."""
    shown = task.symbols(np.array([[0, sign, 0] for sign in range(len(task.operation.signs))]))
    perceived = learner.perceived(intensities(task.layout.typeset(shown)))
    if perceived is None:
        raise NoCertificateError("it is not quantised to glyphs, so a sign may look like any other")
    numbers, margin = learner.seen_signs(perceived.which).tolist(), float(perceived.sure.min())
    if sorted(numbers) != list(range(len(learner.signs.each))) or margin < EXACTLY:
        raise NoCertificateError("the signs that it was trained with are not those of the operation")
    return numbers, margin


def _together(each: dict[str, Certificate], margin: float) -> Certificate:
    """All certificates as one: it holds if all hold."""
    parts = list(each.values())
    certified = all(part.certified for part in parts)
    failed = "; ".join(f"{sign}: {part.why}" for sign, part in each.items() if not part.certified)
    bounds = [part.operands_up_to for part in parts if part.operands_up_to is not None]
    return Certificate(
        certified,
        min(part.exact_up_to_digits for part in parts),
        all(part.every_length for part in parts),
        sum(part.enumerated for part in parts),
        sum(part.wrong for part in parts),
        min(margin, *(part.smallest_margin for part in parts)),
        failed or "every sign is recognised, and every case of each is right",
        max(part.states for part in parts),
        min(bounds, default=None),
        domain="; ".join(f"{sign}: {part.domain}" for sign, part in each.items() if part.domain),
        rule="; ".join(f"{sign}: {part.rule}" for sign, part in each.items() if part.rule),
        pictures=sum(part.pictures for part in parts),
    )
