"""Study `rules`: rules given as expressions, and which of them the column learner learns at its defaults.

For each rule: wrong numbers on held-out operands, what the learner found, its certificate, and from where in the
operands each digit of the answer depends, which says which scans can compute it at all.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from visarith.data.task import Task
from visarith.learners import learner_config
from visarith.learners.certificate import certify
from visarith.runs.learn import learn
from visarith.runs.run import Run
from visarith.studies.catalogue import QUICK_SIZE, QUICK_TEST_PAIRS, SIZE, TEST_PAIRS, quickly
from visarith.studies.experiments import place_of
from visarith.studies.learnability.question import Influence, influence
from visarith.studies.study import Context, Found, Job, Study
from visarith.training.recipe import Recipe, named


@dataclass(frozen=True)
class Rule:
    """An expression, and what makes it hard for columns, as an explanation; empty if nothing is known to."""

    expression: str
    obstacle: str = ""
    base: int = 10

    def task(self) -> Task:
        return Task(self.expression, base=self.base)


RULES = {
    "distance": Rule(
        "abs(a - b)", "which number is larger is known at the left end, and the borrow comes from the right"
    ),
    "digit-sum": Rule("digit_sum(a)", "the carried state must tell as many sums as there are, 64 at seven digits"),
    "reverse": Rule("reverse(a)", "the first digit goes to the last place, so that all digits must be carried"),
    "third": Rule("a // 3"),
    "seventh": Rule("a // 7"),
    "maximum": Rule("max(a, b)"),
    "greater": Rule("a > b", "the last cell must know the whole comparison, and the others that they are not the last"),
    "weighted-sum": Rule("a + 2*b"),
    "add-modulo-997": Rule("(a + b) % 997", "the carried state must tell 997 rests"),
    "divisor": Rule(
        "gcd(a, b)", "no finite state is known to be enough for it: Euclid's algorithm divides long numbers many times"
    ),
    "exclusive-or": Rule("a ^ b", base=16),
    "complement": Rule("base**digits - 1 - a"),
}
LEARNER = learner_config("columns")
COST = 130.0
QUICK_RULES = ("weighted-sum", "exclusive-or", "complement")  # the others take all trials of paths and scans
SCORES = ("examples", "pairs", "wrong", "digit_error", "train_digit_error", "core_seconds")
KEYS = ("expression", "base", "digits", *SCORES, "facts", "certificate", "needs", "takes")


def _jobs(seeds: Sequence[int], quick: bool) -> list[Job]:
    jobs, sizes = [], [QUICK_SIZE, QUICK_TEST_PAIRS] if quick else [SIZE, TEST_PAIRS]
    recipe = _recipe(quick).asked()
    for seed in seeds:
        for name, rule in RULES.items():
            if quick and name not in QUICK_RULES:
                continue
            asked = {"expression": rule.expression, "base": rule.base, "seed": seed, "sizes": sizes, "recipe": recipe}
            jobs.append(Job(STUDY.name, name, asked, partial(_measure, name, asked), COST, seed, keys=KEYS))
    return jobs


STUDY = Study("rules", "Rules given as expressions, learned by columns", _jobs, long=True)


def _recipe(quick: bool) -> Recipe:
    recipe = named(LEARNER.recipe)
    return quickly(recipe) if quick else recipe


def _measure(name: str, asked: Found, context: Context) -> Found:
    """Train columns at their defaults, score them, and ask for a certificate."""
    examples, test_pairs = asked["sizes"]
    run = learn(
        RULES[name].task(),
        LEARNER,
        _recipe(context.quick),
        asked["seed"],
        examples=examples,
        test_pairs=test_pairs,
        **place_of(STUDY.name, name, asked, context),
    )
    return measured(run)


def measured(run: Run) -> Found:
    """What the table says of a run, as JSON."""
    task, score = run.task, run.score
    assert score is not None
    found = influence(task)
    return {
        "expression": str(task.operation),
        "base": task.notation.base,
        "digits": task.notation.digits,
        "examples": run.experiment.examples,
        "pairs": score.pairs,
        "wrong": round(score.number_error * score.pairs),
        "digit_error": score.digit_error,
        "train_digit_error": run.train_digit_error,
        "facts": run.facts,
        "certificate": asdict(certify(run.learner, task)),
        "needs": needed_scan(found),
        "takes": round(max(found.total(place) for place in range(found.shares.shape[2])), 2),
        "core_seconds": run.core_seconds,
    }


def needed_scan(found: Influence) -> str:
    """The scan that brings each digit of the answer all the digits on which it depends.

    A scan from the right brings the digits at the right, one from the left those at the left, and one from the right
    and back brings both.
    """
    depends = (found.shares > 0).any(0)  # (input places, answer places), units first
    from_left, from_right = bool(np.tril(depends, -1).any()), bool(np.triu(depends, 1).any())
    if from_left and from_right:
        return "right-left"
    return "left" if from_left else "right" if from_right else "any"
