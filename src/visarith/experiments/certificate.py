"""Certificates: a settled column learner is a finite machine, so that all it can ever do is tried, pixels to pixels."""

import copy
from dataclasses import replace

import torch
from torch import nn

from visarith.experiments.column_rules import rule_of
from visarith.experiments.enumeration import Certificate, everything, long_multiplication, machine, none, tallies
from visarith.experiments.run import Run
from visarith.learners.columns import Columns, found
from visarith.learners.tally import Tally
from visarith.notation.arabic import Arabic
from visarith.operations import ADD, MULTIPLY
from visarith.randomness import generator
from visarith.task import Task

EXHAUSTIBLE = 1_000_000  # operands that are all tried as pictures


def certify(run: Run) -> Certificate:
    """Try everything that the run can do, and the same with its weights shuffled, which must fail."""
    learner, task = run.learner, run.task
    tried = _tried(learner, task)
    if not tried.certified:
        return tried
    control = copy.deepcopy(learner)
    shuffle(control, seed=0)
    return replace(tried, control_failed=not _tried(control, task).certified)


def shuffle(learner: nn.Module, *, seed: int) -> None:
    """Put the weights of each layer in a random order."""
    dice = generator(seed, "shuffled weights")
    with torch.no_grad():
        for weight in learner.parameters():
            weight.copy_(weight.flatten()[torch.randperm(weight.numel(), generator=dice)].view_as(weight))


@torch.no_grad()
def _tried(learner: nn.Module, task: Task) -> Certificate:
    clean = not task.corruption.changes_pixels
    added = task.operation.rule is ADD.rule and task.operation.operands == 2
    if clean and added and isinstance(learner, Tally) and len(found(learner.calculator.states)):
        return tallies(learner, task)
    positional = isinstance(task.notation, Arabic) and task.notation.padded
    if clean and positional and isinstance(learner, Columns):
        if task.operation.rule is MULTIPLY.rule and learner.path == "diagonal" and len(found(learner.glyphs)):
            return long_multiplication(learner, task)
        rule = rule_of(task.operation)
        if len(found(learner.states)) and rule and rule.way == learner.scan:
            return machine(learner, task, rule)
    if clean and task.domain.candidates <= EXHAUSTIBLE:
        return everything(learner, task)
    return none(_why_not(learner, task))


def _why_not(learner: nn.Module, task: Task) -> str:
    """In one sentence."""
    name = task.operation.name
    if task.corruption.changes_pixels:
        return "noise and displacement have no end of cases; train on clean pictures"
    if not isinstance(learner, Columns | Tally):
        return f"a network without columns is no finite machine, and {task.domain.candidates:,} operands are too many"
    if isinstance(task.notation, Arabic) and not task.notation.padded:
        return "what a column does is written down here for numbers with leading zeros only"
    rule = rule_of(task.operation)
    if rule is None and task.operation.rule is not MULTIPLY.rule:
        return f"what {name} does in a column is not written down here"
    if rule is not None and isinstance(learner, Columns) and rule.way != learner.scan:
        return f"{name} is written down here from the {rule.way}, and this learner starts from the {learner.scan}"
    return f"what columns hand on has not settled into few states, so that there is no end of cases for {name}"
