"""The rounds of training: what a column learner plans, when it tries again, and that stopping changes nothing."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import visarith as va
from conftest import SMALL, Stop
from visarith.learners.checked import TRIAL
from visarith.learners.columns.network import Columns
from visarith.learners.columns.rounds import CLIP, more_rounds, rounds
from visarith.learners.columns.scan import ALL_WEIGHTS, READ_AGAIN
from visarith.learners.columns.trials import LEARNED
from visarith.runs.folder import METRICS
from visarith.training.attempts import GENTLE, OFTEN
from visarith.training.loop import Training
from visarith.training.recipe import COLUMNS, PAPER
from visarith.training.round import Round

ALIGNED, IN_ROWS = SimpleNamespace(plans_rows=False), SimpleNamespace(plans_rows=True)
HALVE = va.Task("halve", digits=2)


class Some:
    """As many training examples, with so many distinct cells."""

    def __init__(self, count: int, patterns: int = 10) -> None:
        self.count = count
        self.codebook = SimpleNamespace(inputs=SimpleNamespace(layout=SimpleNamespace(patterns=range(patterns))))

    def __len__(self) -> int:
        return self.count


def planned(columns: object, data: Some) -> list[Round]:
    return rounds(columns, data, COLUMNS)  # type: ignore[arg-type]


def following(
    before: list[Round], failing: int | None, *, in_rows: bool = False, hopeless: bool = False, count: int = 1_000
) -> tuple[list[Round], list[str]]:
    """What follows these rounds if so many of the examples fail (the last ones), and what is said."""
    numbers = None if failing is None else np.arange(count - failing, count)
    learner: Any = va.learner_config("columns", path="aligned", scan="right").build(va.Task("add", digits=2))
    learner.plans_rows, learner.wrong_examples, learner.hopeless = in_rows, lambda _: numbers, lambda _: hopeless
    said: list[str] = []
    data: Any = Some(count)
    return more_rounds(learner, data, COLUMNS, before, said.append), said


# The plan


@pytest.mark.parametrize(
    ("examples", "patterns", "steps"),
    [
        (150_000, 10, 586),  # 150,000 / 256
        (300, 10, 500),  # 3,000 steps in 6 epochs
        (300, 36, 1_500),  # three times as many symbols as usual
        (150_000, 36, 1_500),
    ],
)
def test_the_first_attempt_shows_each_example_and_takes_enough_steps(examples: int, patterns: int, steps: int) -> None:
    assert planned(ALIGNED, Some(examples, patterns)) == [Round(6, steps, 3e-3)]


def test_pictures_whose_cells_do_not_repeat_are_each_shown_once_in_an_epoch() -> None:
    data = Some(1_000)
    data.codebook = None  # type: ignore[assignment]
    assert planned(ALIGNED, data) == [Round(6, 4, 3e-3)]


def test_rows_train_diagonals_for_longer_and_then_learn_to_read_again() -> None:
    diagonals, again = planned(IN_ROWS, Some(300))
    assert diagonals == Round(9, 500, 3e-3)
    assert again == Round(1, 540, 3e-3, clip=CLIP, stage=READ_AGAIN)  # 12 % of 4,500 steps


def test_a_network_asks_for_the_rounds_of_its_path() -> None:
    for operation, path, stages in (("add", "aligned", [0]), ("multiply", "rows", [0, READ_AGAIN])):
        task = va.Task(operation, digits=2)
        network = va.learner_config("columns", path=path, scan="right").build(task)
        training = Training(network, task.split(50, 1, seed=0)[0].view(), COLUMNS, seed=0)
        assert [each.stage for each in training.rounds] == stages
        assert isinstance(network, Columns)
        assert network.path == ("aligned" if path == "aligned" else "diagonal")  # rows start from diagonals


# What follows


FIRST = Round(6, 500, 3e-3)
DIAGONALS, READ = Round(9, 500, 3e-3), Round(1, 540, 3e-3, clip=CLIP, stage=READ_AGAIN)
ALL = Round(1, 540, 5e-4, clip=CLIP, stage=ALL_WEIGHTS)


def wrong(count: int, attempt: int) -> str:
    return f"{count} of 1,000 training examples are wrong or not clear (attempt {attempt})"


@pytest.mark.parametrize("failing", [0, None])
def test_nothing_follows_when_no_example_fails_or_none_can_be_checked(failing: int | None) -> None:
    assert following([FIRST], failing) == ([], [])
    assert following([DIAGONALS, READ], failing, in_rows=True) == ([], [])


def test_rows_that_fail_when_they_read_again_train_all_weights() -> None:
    assert following([DIAGONALS, READ], 3, in_rows=True) == ([ALL], [wrong(3, 1)])


def test_rows_that_fail_with_all_weights_start_from_new_ones() -> None:
    before = [DIAGONALS, READ, ALL]
    again = [replace(DIAGONALS, attempt=2, fresh=True), replace(READ, attempt=2)]
    more, said = following(before, 3, in_rows=True)
    assert more == again
    assert said == [wrong(3, 1), "attempt 2 of at most 4: from new weights"]
    third, _ = following([*before, *again, replace(ALL, attempt=2)], 3, in_rows=True)
    assert third == [replace(each, attempt=3) for each in again]


def test_other_columns_go_on_with_what_fails_then_start_anew_then_go_on() -> None:
    second, said = following([FIRST], 3)
    assert second == [Round(3, 500, GENTLE * 3e-3, attempt=2, often=(997, 998, 999))]
    assert said == [wrong(3, 1), "attempt 2 of at most 4: goes on, with the failing examples more often"]
    third, said = following([FIRST, *second], 2)
    assert third == [Round(9, 500, 3e-3, attempt=3, fresh=True)]
    assert said == [wrong(2, 2), "attempt 3 of at most 4: from new weights"]
    fourth, _ = following([FIRST, *second, *third], 1)
    assert fourth == [Round(5, 500, GENTLE * 3e-3, attempt=4, often=(999,))]
    assert following([FIRST, *second, *third, *fourth], 1) == ([], [wrong(1, 4)])


def test_examples_are_shown_more_often_only_if_few_fail() -> None:
    assert following([FIRST], 249)[0][0].often == tuple(range(751, 1_000))
    assert following([FIRST], 250)[0][0].often == ()
    assert len(following([FIRST], 24_000, count=100_000)[0][0].often) == OFTEN


def test_the_hopeless_and_those_whose_attempts_ran_out_stop() -> None:
    assert following([FIRST], 900, hopeless=True) == ([], [wrong(900, 1)])
    assert following([DIAGONALS, READ], 900, in_rows=True, hopeless=True)[0] == [ALL]  # the attempt is ended first
    last = [replace(each, attempt=4) for each in (DIAGONALS, READ, ALL)]
    assert following(last, 1, in_rows=True) == ([], [wrong(1, 4)])


@pytest.mark.parametrize(
    ("trial", "best", "hopeless"),
    [(LEARNED, 51, True), (LEARNED / 2, 51, False), (LEARNED, 50, False), (-1, 99, False)],
)
def test_hopeless_is_what_no_trial_learned_and_no_attempt_half_learned(trial: float, best: int, hopeless: bool) -> None:
    network = va.learner_config("columns", path="aligned", scan="right").build(HALVE)
    assert isinstance(network, Columns)
    network.record[TRIAL] = trial
    network._best = {"record": torch.tensor([best, 100, 1, trial])}
    assert network.hopeless(100) is hopeless


# In the loop


def test_examples_that_fail_make_up_half_of_each_batch() -> None:
    task, batches = va.Task("add", digits=2), list[np.ndarray]()
    recipe, view = replace(PAPER, batch=32), task.split(100, 1, seed=0)[0].view()
    training = Training(SMALL.build(task), view, recipe, seed=0, rounds=[Round(2, 7, 0.1, often=(3, 5, 98))])

    def noted(rows: np.ndarray, noise: torch.Generator, step: Callable[..., torch.Tensor] = training.step) -> object:
        batches.append(rows)
        return step(rows, noise)

    training.step = noted  # type: ignore[method-assign, assignment]
    list(training.epochs())
    assert len(batches) == 14
    for rows in batches:
        assert len(rows) == 32
        assert set(rows[16:]) == {3, 5, 98}  # with 16 draws none is missed here
        assert len(set(rows[:16]) - {3, 5, 98}) > 8
    shown = np.concatenate([rows[:16] for rows in batches])
    assert len(set(shown)) > 80  # the other half is of all examples


def test_a_round_has_its_rate_its_weights_and_its_gradients_bound() -> None:
    task, recipe = va.Task("add", digits=2), replace(PAPER, batch=32, momentum=0.0, schedule="constant")
    view = task.split(64, 1, seed=0)[0].view()
    plan = [Round(1, 2, 0.1), Round(1, 1, 0.5, clip=0.01), Round(1, 1, 1e-9, attempt=2, fresh=True)]
    network = SMALL.build(task)
    training = Training(network, view, replace(recipe, shortcuts=False), seed=0, rounds=plan)
    start = _flat(network)
    after = [_flat(network) for _ in training.epochs()]
    assert float((after[1] - after[0]).norm()) == pytest.approx(0.5 * 0.01, rel=1e-3)
    assert float((after[2] - start).norm()) > 1  # other weights than those of the first attempt
    other = Training(SMALL.build(task), view, recipe, seed=0, rounds=[replace(plan[2], epochs=1)])
    assert torch.allclose(_flat(other.network), after[2], atol=1e-6)  # drawn by the seed and the attempt


def _flat(network: torch.nn.Module) -> torch.Tensor:
    return torch.cat([weight.detach().flatten().clone() for weight in network.parameters()])


class Told(Stop):
    """Notes what the learner says."""

    def __init__(self, step: int = -1, epoch: int = -1) -> None:
        super().__init__(step, epoch)
        self.said: list[str] = []

    def tell(self, line: str) -> None:
        self.said.append(line)


@pytest.mark.parametrize(
    ("task", "path", "attempts", "epochs", "stops"),
    [
        # attempts of 10, 5, 15 and 8 epochs; the last goes on with `often`
        (va.Task("copy", digits=2), "aligned", 4, 10, [(-1, 10), (-1, 12), (7, -1), (-1, 30), (-1, 33)]),
        # two attempts of 12 epochs of diagonals, one of reading again and one of all weights
        (
            va.Task("multiply", digits=6, base=2),
            "rows",
            2,
            8,
            [(-1, 12), (3, -1), (-1, 13), (-1, 14), (-1, 16), (-1, 27)],
        ),
    ],
    ids=["aligned", "rows"],
)
def test_a_training_that_is_stopped_in_every_round_ends_with_the_same_bits(
    task: va.Task, path: str, attempts: int, epochs: int, stops: list[tuple[int, int]], tmp_path: Path
) -> None:
    spec = va.learner_config("columns", path=path, scan="right", width=16)
    recipe = replace(COLUMNS, epochs=epochs, least_steps=0, attempts=attempts, batch=8, rate=1e-2, jitter=0.0)

    def learn(out: str, watcher: Told) -> va.Run:
        few = {"examples": 40, "test_pairs": 10, "threads": 1}
        return va.learn(task, spec, recipe, 5000, out=tmp_path / out, resume=True, watcher=watcher, **few)

    told = Told()
    whole = learn("whole", told)
    assert whole.facts["attempts"] == attempts
    failed = [int(line.split()[0]) for line in told.said if "training examples" in line]
    assert whole.facts["wrong_examples"] <= min(failed) < 40  # some examples were learned
    assert len(set(failed)) > 1  # and attempts differ
    for step, epoch in stops:
        with pytest.raises(KeyboardInterrupt):
            learn("stopped", Told(step, epoch))
    resumed = learn("stopped", Told())
    assert resumed.facts == whole.facts
    for name, weight in whole.learner.state_dict().items():
        torch.testing.assert_close(resumed.learner.state_dict()[name], weight, rtol=0, atol=0, equal_nan=True)
    curves = [
        [(line["epoch"], line["step"], line["loss"]) for line in map(json.loads, file.read_text().splitlines())]
        for file in (tmp_path / "whole" / METRICS, tmp_path / "stopped" / METRICS)
    ]
    assert curves[0] == curves[1]
