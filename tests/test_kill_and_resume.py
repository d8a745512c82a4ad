"""A run that is killed and resumed, at any moment and as often as one likes, is the run that was never stopped."""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import Stop, tiny
from counts import Tally, scaled
from disk import Disk, kill_at
from forks import Forks
from sabotage import sabotaged
from trainings import CASES, kept_states, outcome, train
from visarith.cli.runs import _row
from visarith.learners import LEARNERS
from visarith.runs.store import Store
from visarith.runs.train import Watcher

SOME = ["own noisy", "columns", "folder"]  # in the short tests
ALL = list(CASES)


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    found = Forks()
    yield found
    found.close()


class Calm:
    """The runs that nobody kills, made when they are needed."""

    def __init__(self, folder: Path, forks: Forks) -> None:
        self.folder, self.forks = folder, forks
        self.found: dict[str, tuple[Any, Any, float]] = {}

    def of(self, name: str) -> tuple[Any, Any, float]:
        """What a case comes to, its states, and the seconds that it takes."""
        if name not in self.found:
            out, began = self.folder / f"{name} calm", time.monotonic()
            assert self.forks.run(train, name, out, keep=True) == 0
            self.found[name] = outcome(out), kept_states(out), time.monotonic() - began
        return self.found[name]


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory, forks: Forks) -> Calm:
    return Calm(tmp_path_factory.mktemp("calm"), forks)


def test_every_learner_that_learns_is_a_case() -> None:
    learn = {name for name, config in LEARNERS.items() if config.learns} - {"joined"}  # its parts are perceptrons
    assert {name.split()[0].replace("folder", "perceptron") for name in CASES} == learn


def killed_while_training(name: str, out: Path, sabotage: str, act: str, number: int) -> None:
    """In a process of its own: train, and be killed at the n-th writing call, before it or in its middle."""
    with sabotaged(sabotage), Disk(out, kill_at(number, torn=act == "torn")):
        train(name, out, keep=True)


def resumed(name: str, out: Path, sabotage: str = "") -> None:
    with sabotaged(sabotage):
        train(name, out, keep=True)


def differs(name: str, out: Path, calm: Calm) -> str:
    """What is not as in the calm run, or nothing."""
    expected, states, _ = calm.of(name)
    found, kept = outcome(out), kept_states(out)
    parts = [part for part in expected | found if expected.get(part) != found.get(part)]
    return ", ".join([*parts, *(f"state {epoch}" for epoch in kept if kept[epoch] != states[epoch])])


def check(name: str, out: Path, calm: Calm, forks: Forks, sabotage: str = "") -> str:
    """Resume a killed run, and return what went wrong."""
    if (out / "experiment.json").exists() and _row(out)["state"].startswith("damaged"):
        return f"{name}: {_row(out)['state']}"
    if forks.run(resumed, name, out, sabotage) != 0:
        return f"{name}: it cannot be resumed"
    what = differs(name, out, calm)
    shutil.rmtree(out)
    shutil.rmtree(out.with_name(f"{out.name}.states"))
    return f"{name}: other {what}" if what else ""


def random_kills(names: list[str], kills: int, calm: Calm, forks: Forks, sabotage: str = "") -> Tally:
    """Kill trainings at random moments, some of them several times, until so many kills have hit one."""
    dice, tally = np.random.default_rng(18), Tally()
    while tally.tried < kills:
        name = names[int(dice.integers(len(names)))]
        *_, seconds = calm.of(name)
        out, hits = calm.folder / f"{name} killed", 0
        for _ in range(int(dice.integers(1, 5))):
            pid = forks.start(resumed, name, out, sabotage)
            time.sleep(dice.uniform(0, seconds))
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            if (status := forks.wait()) != -signal.SIGKILL:
                assert status == 0 or sabotage
                break
            hits += 1
        wrong = check(name, out, calm, forks, sabotage)
        for hit in range(hits):
            tally.add(bool(wrong) and hit == hits - 1, wrong)
    return tally


def kills_inside_saves(names: list[str], kills: int, calm: Calm, forks: Forks, sabotage: str = "") -> Tally:
    """Kill trainings before, or in the middle of, a call that writes, renames, deletes or syncs."""
    dice, tally = np.random.default_rng(19), Tally()
    while tally.tried < kills:
        name, number = names[tally.tried % len(names)], int(dice.integers(1, 60))
        out, act = calm.folder / f"{name} killed in a save", ("before", "torn")[int(dice.integers(2))]
        if forks.run(killed_while_training, name, out, sabotage, act, number) == -signal.SIGKILL:
            wrong = check(name, out, calm, forks, sabotage)
            tally.add(bool(wrong), f"call {number}, {act}: {wrong}")
        shutil.rmtree(out, ignore_errors=True)
    return tally


def test_kills_at_random_moments(calm: Calm, forks: Forks) -> None:
    assert random_kills(SOME, 5, calm, forks).failures == []


@pytest.mark.long
def test_two_hundred_kills_at_random_moments(calm: Calm, forks: Forks, counted) -> None:  # type: ignore[no-untyped-def]
    tally = random_kills(ALL, scaled(200), calm, forks)
    tally.reported("SIGKILL of a training at a random moment, then resumed: same bits", counted)


def test_kills_inside_a_save(calm: Calm, forks: Forks) -> None:
    assert kills_inside_saves(SOME, 4, calm, forks).failures == []


@pytest.mark.long
def test_a_hundred_kills_inside_a_save(calm: Calm, forks: Forks, counted) -> None:  # type: ignore[no-untyped-def]
    tally = kills_inside_saves(ALL, scaled(100), calm, forks)
    tally.reported("SIGKILL inside a save, then resumed: same bits", counted)


@pytest.mark.parametrize("sabotage", ["generator state not saved", "optimizer state not saved"])
def test_a_checkpoint_that_forgets_is_noticed(sabotage: str, calm: Calm, forks: Forks) -> None:
    assert kills_inside_saves(["own noisy"], 3, calm, forks, sabotage).failures


def test_a_direct_write_is_noticed(calm: Calm, forks: Forks) -> None:
    """A kill in the middle of a write of the state leaves half of it."""
    name, torn = "own noisy", []
    for number in range(16, 22):
        out = calm.folder / f"{name} direct {number}"
        forks.run(killed_while_training, name, out, "direct write", "torn", number)
        torn.append(check(name, out, calm, forks, "direct write"))
    assert any("cannot be resumed" in wrong or "damaged" in wrong for wrong in torn)


@pytest.mark.parametrize("name", ["columns", "own"])
def test_a_run_that_is_stopped_after_its_last_epoch_is_scored_as_if_it_was_not(name: str, tmp_path: Path) -> None:
    """The column learner was scored with the jitter of its training then."""
    whole = outcome(train(name, tmp_path / "whole").path)
    with pytest.raises(KeyboardInterrupt):
        train(name, tmp_path / "run", watcher=Stop(epoch=len(whole["metrics"])))
    assert outcome(train(name, tmp_path / "run").path) == whole


# A checkpoint at every step


class Copied(Watcher):
    """Copies the folder of a run after each epoch."""

    def __init__(self, out: Path, to: Path) -> None:
        self.out, self.to = out, to

    def epoch(self, epoch: Any, _: object) -> None:
        shutil.copytree(self.out, self.to / str(epoch.number))


def steps_resumed(name: str, steps: int, places: list[int], folder: Path, sabotage: str = "") -> Tally:
    """A run of so many steps with a checkpoint after each, resumed from some of them."""
    case = CASES[name]
    whole = replace(case.recipe, epochs=steps, batch=100)
    how = {"examples": 100, "test_pairs": 20, "threads": 1, "learner": case.learner(), "recipe": whole}
    task, out, tally = case.source(folder), folder / "whole", Tally()
    with sabotaged(sabotage):
        tiny(out, task, watcher=Copied(out, folder), **how)
        assert [line["step"] for line in Store(out).metrics()] == list(range(1, steps + 1))
        for place in places:
            tiny(folder / str(place), task, resume=True, **how)
            tally.add(outcome(folder / str(place)) != outcome(out), f"{name}, from step {place}")
    return tally


@pytest.mark.parametrize("name", ["perceptron noisy", "own noisy"])
def test_a_run_goes_on_from_a_checkpoint(name: str, tmp_path: Path) -> None:
    assert steps_resumed(name, 10, [1, 9], tmp_path).failures == []


@pytest.mark.long
def test_a_run_goes_on_from_a_checkpoint_after_every_step(tmp_path: Path, counted) -> None:  # type: ignore[no-untyped-def]
    tally = Tally()
    for name in ("perceptron", "perceptron noisy", "recurrent", "own noisy"):
        (tmp_path / name).mkdir()
        found = steps_resumed(name, 60, list(range(1, scaled(60) + 1)), tmp_path / name)
        tally.tried, tally.failures = tally.tried + found.tried, tally.failures + found.failures
    tally.reported("a run of 60 steps, resumed from the checkpoint after each step: same bits", counted)


@pytest.mark.parametrize("sabotage", ["generator state not saved", "optimizer state not saved"])
def test_a_checkpoint_without_a_part_is_noticed(sabotage: str, tmp_path: Path) -> None:
    assert steps_resumed("perceptron noisy", 8, [4], tmp_path, sabotage).failures
