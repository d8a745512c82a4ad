"""Controls of certificates that can fail: mutants with a single fault, and transitions withheld from training.

`mutants` changes one number of the pretrained adder; the certificate must refuse every mutant that errs on any pair of
up to three digits. `withheld` trains an adder on examples in which some digits never meet with some carry, and tests it
on pairs in which they do.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from visarith.data.task import Task
from visarith.learners import learner_config
from visarith.learners.certificate import attempt
from visarith.randomness import rng
from visarith.runs.pretrained import find
from visarith.studies.catalogue import QUICK_EPOCHS, QUICK_SIZE, QUICK_TEST_PAIRS
from visarith.studies.mutants import KINDS, mutate, shown, truth
from visarith.studies.study import Context, Found, Job, Study
from visarith.training.loop import Training, guest
from visarith.training.recipe import COLUMNS

if TYPE_CHECKING:
    from visarith.learners.columns.network import Columns

MUTANTS, QUICK_MUTANTS, MUTANT_SEED = 1_000, 10, 0  # of each kind
SHOWN = 20  # pairs of each mutant that are also shown as pictures
COUNTED = ("erring", "erring_refused", "erring_certified", "harmless_refused", "shown", "shown_otherwise")
WITHHELD = ((7, 8, 1), (2, 7, 1), (6, 6, 0), (0, 9, 1))  # two digits, in either order, and the carry into them
EXAMPLES, EPOCHS, TESTED = 20_000, 40, 10_000


def _jobs(seeds: Sequence[int], quick: bool) -> list[Job]:
    count, jobs = QUICK_MUTANTS if quick else MUTANTS, []
    for kind in KINDS:
        asked = {"kind": kind, "mutants": count, "shown": SHOWN, "seed": MUTANT_SEED}
        work = partial(_mutants, kind, MUTANT_SEED, count)
        jobs.append(Job(STUDY.name, f"mutants-{kind}", asked, work, 120, keys=("kind", "mutants", *COUNTED)))
    sizes = (QUICK_SIZE, QUICK_EPOCHS, QUICK_TEST_PAIRS) if quick else (EXAMPLES, EPOCHS, TESTED)
    for seed in seeds:
        asked = {"withheld": [list(case) for case in WITHHELD], "sizes": list(sizes), "seed": seed}
        keys = ("seed", "examples", "left_out", "pairs", "wrong", "usual_pairs", "usual_wrong", "each")
        work = partial(_withheld, seed, *sizes)
        jobs.append(Job(STUDY.name, "withheld", asked, work, 60, seed, keys=keys))
    return jobs


STUDY = Study("certificates", "Controls of certificates: mutants, and transitions withheld from training", _jobs)


def _mutants(kind: str, seed: int, count: int, context: Context) -> Found:
    """Mutants that err and that do not, and what the certificate says of them."""
    run = find("add", learner="columns").load()
    learner, task, dice = cast("Columns", run.learner), run.task, rng(seed, f"mutants by {kind}")
    counts, missed = dict.fromkeys(COUNTED, 0), list[str]()
    with guest(context.threads):
        for number in range(count):
            context.progress(number / count, f"mutant {number + 1} of {count}")
            mutant, fault = mutate(learner, kind, dice)
            found = truth(mutant, task)
            pairs, expected = found.sample(SHOWN, dice)
            seen = shown(mutant, task, pairs)
            errs = bool(found.wrong) or not seen.all()
            certified = attempt(mutant, task).certified
            counts["shown"] += len(pairs)
            counts["shown_otherwise"] += int((seen != expected).sum())
            counts["erring"] += errs
            counts["erring_refused"] += errs and not certified
            counts["erring_certified"] += errs and certified
            counts["harmless_refused"] += not errs and not certified
            missed += [fault] if errs and certified else []
    return {"kind": kind, "mutants": count, **counts, "missed": missed}


def occurring(operands: np.ndarray) -> np.ndarray:
    """Which withheld cases occur in any column of these sums: (count, 2) -> (count, cases).

    >>> occurring(np.array([[75, 85], [66, 60], [9, 0], [99, 1]])).any(1)
    array([ True,  True, False,  True])
    """
    one, other = operands.T
    carry, found = np.zeros_like(one), np.zeros((len(one), len(WITHHELD)), bool)
    while one.any() or other.any():
        digits = np.sort(np.stack([one % 10, other % 10]), axis=0)
        for number, case in enumerate(WITHHELD):
            found[:, number] |= (digits[0] == case[0]) & (digits[1] == case[1]) & (carry == case[2])
        carry = (digits.sum(0) + carry) // 10
        one, other = one // 10, other // 10
    return found


def _withheld(seed: int, examples: int, epochs: int, pairs: int, context: Context) -> Found:
    """Train without the withheld cases; test on pairs that have them, and on pairs that have not."""
    task, recipe = Task("add"), replace(COLUMNS, epochs=epochs, least_steps=0, attempts=1)
    every, fresh = task.split(examples, 10 * pairs, seed=seed)
    train = every.take(np.flatnonzero(~occurring(every.operands).any(1)))
    cases = occurring(fresh.operands)
    held, usual = (np.flatnonzero(cases.any(1) == there)[:pairs] for there in (True, False))
    with guest(context.threads):
        network = learner_config("columns", path="aligned", scan="right").build(task)
        view = train.view()
        network.prepare(view, recipe, seed=seed, tell=lambda line: context.progress(0.0, line))
        for epoch in Training(network, view, recipe, seed=seed).epochs():
            context.progress(0.9 * epoch.number / epochs, f"epoch {epoch.number} of {epochs}")
        network.finish(view)
        right, usual_right = (shown(network, task, fresh.operands[rows]) for rows in (held, usual))
        certificate = attempt(network, task)
    alone = cases[held] & (cases[held].sum(1) == 1)[:, None]  # pairs in which only this one occurs
    return {
        "seed": seed,
        "examples": len(train),
        "left_out": len(every) - len(train),
        "pairs": len(held),
        "wrong": int((~right).sum()),
        "usual_pairs": len(usual),
        "usual_wrong": int((~usual_right).sum()),
        "each": [[int((some & ~right).sum()), int(some.sum())] for some in alone.T],  # wrong, pairs
        "settled": network.quantised,
        "certified": certificate.certified,
        "why": certificate.why,
    }
