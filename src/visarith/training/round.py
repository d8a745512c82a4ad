"""Rounds: the parts of training, which the learner plans."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Round:
    """A part of training with its own rate; most learners have one."""

    epochs: int
    steps: int  # of an epoch
    rate: float
    clip: float = math.inf  # the largest norm of the gradient
    stage: int = 0  # what is trained; the learner knows what it means
    attempt: int = 1
    fresh: bool = False  # start from new weights
    often: tuple[int, ...] = ()  # examples that make up half of each batch
