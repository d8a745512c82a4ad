"""Check a constructed network on all pairs or on hard and random ones, and save it as a run."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from visarith.data.task import TEST_PAIRS, Task
from visarith.errors import VisarithError, option, whole
from visarith.evaluation import Score
from visarith.learners.config import LearnerConfig
from visarith.learners.learner import Learner
from visarith.randomness import generator, rng
from visarith.runs.experiment import Experiment
from visarith.runs.judge import at_a_time, judge
from visarith.runs.learn import RUNS
from visarith.runs.run import Run, load
from visarith.runs.store import Store
from visarith.runs.train import finish, stopwatch

HALF_A_GREY = 1 / 510  # of 255 levels


@dataclass(frozen=True)
class Checked:
    """The number of pairs that were checked, and of answers with a wrong pixel."""

    checked: int
    wrong: int
    every_pair: bool
    seconds: float


def check(
    network: Learner, task: Task, pairs: int, *, seed: int = 0, step: Callable[[int], object] = lambda _: None
) -> Checked:
    """Draw the answers of `pairs` pairs; an answer is wrong if a pixel is off by half a grey level or more."""
    whole("pairs", pairs, 1)
    if task.corruption.changes_pixels:
        raise VisarithError("pixels cannot be checked with noise or displacement; use evaluate for the digit error")
    clock, checked, wrong = stopwatch(), 0, 0
    every = task.domain.candidates <= pairs
    unused = generator(seed, "nothing")  # there is no noise
    for rows in _batches(task, pairs, seed, every):
        examples = task.write(rows)
        answers = task.plain_answers(network.drawn(task.inputs(examples.inputs, unused)))
        truths = task.plain_answer_layout.typeset(examples.answers).astype(np.float32) / 255
        wrong += int((np.abs(answers - truths) >= HALF_A_GREY).reshape(len(rows), -1).any(1).sum())
        checked += len(rows)
        step(len(rows))
    return Checked(checked, wrong, every, clock().seconds)


def _batches(task: Task, pairs: int, seed: int, every: bool) -> Iterator[np.ndarray]:
    """Yield all operands, or `pairs` of them: the hard ones first, then random ones."""
    domain, size = task.domain, at_a_time(task.shape)
    dtype = np.int64 if domain.limit < 2**62 else object
    rows = domain.all() if every else hard(task)[:pairs]
    for start in range(0, len(rows), size):
        yield np.array(rows[start : start + size], dtype)
    left, source = 0 if every else pairs - len(rows), rng(seed, "check")
    while left > 0:
        drawn = domain.draw(min(size, left), rng=source)
        left -= len(drawn)
        if drawn:
            yield np.array(drawn, dtype)


def hard(task: Task) -> list[tuple[int, ...]]:
    """Return operands with carries and borrows of every length: 99...9 + 1, 10...0 - 1 and their neighbours."""
    domain, notation = task.domain, task.notation
    base = notation.base or 10
    most = domain.largest if task.operation.construction == "product" else domain.limit
    powers = [base**length for length in range(notation.digits + 1)]
    edges = {domain.largest, most, *(power + more for power in powers for more in (-2, -1, 0, 1))}
    numbers = sorted(edge for edge in edges if 0 <= edge <= most)
    small = [number for number in (0, 1, 2) if number <= most]
    pairs = [pair for edge in numbers for other in (*small, edge) for pair in ((edge, other), (other, edge))]
    rows = [(*pair, *[other] * (task.operation.operands - 2)) for pair in dict.fromkeys(pairs) for other in small[:1]]
    if task.operation.descending:
        rows = [row for row in rows if list(row) == sorted(row, reverse=True)]
    return [row for row in rows if domain.answers(row) is not None]


def noisy(network: Learner, task: Task, noise: float, *, seed: int = 0, pairs: int | None = None) -> Score:
    """Score the answers to noisy pictures by templates; the network is constructed for clean ones."""
    noisy_task = task.with_noise(noise)
    fresh = noisy_task.picture_set(noisy_task.fresh(min(pairs or TEST_PAIRS, _test_pairs(task)), seed=seed))
    score = judge(network, fresh, noisy_task.legend, seed=seed).score
    assert score is not None
    return score


def keep(
    task: Task, learner: LearnerConfig, *, seed: int = 0, out: Path | None = None, pairs: int | None = None
) -> Run:
    """Save a constructed network as a run, which is then evaluated and served like any other."""
    pairs = min(pairs or TEST_PAIRS, _test_pairs(task))
    experiment = Experiment(task, learner, seed=seed, examples=0, test_pairs=pairs, threads=torch.get_num_threads())
    store = Store(out or RUNS / experiment.name)
    if store.exists:
        raise VisarithError(f"{store.path} already holds a run; choose another {option('out')}")
    clock = stopwatch()
    network = learner.build(task)
    with store.lock():
        store.write_experiment(experiment.to_json())
        test = task.picture_set(task.fresh(pairs, seed=seed))
        result = judge(network, test, task.legend, seed=seed)
        finish(store, network, experiment, test, task.legend, result, result, clock())
    return load(store.path)


def _test_pairs(task: Task) -> int:
    return min(TEST_PAIRS, max(1, task.domain.candidates // 4))  # some candidates may have no answer
