"""The same seed gives the same bits; elsewhere the run says what differs, and a change of results is noticed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import visarith as va
from conftest import Stop, dice, refusal, tiny
from counts import Tally, scaled
from sabotage import sabotaged
from trainings import outcome
from visarith.runs.store import Store
from visarith.training.recipe import COLUMNS, PAPER, RECIPES

WIDE = va.learner_config(hidden_layers=2, width=96)  # wide enough that two threads share a product
ALIGNED = va.learner_config("columns", path="aligned", scan="right", width=32)
CASES: dict[str, tuple[float, Any, Any]] = {
    "perceptron": (0.0, WIDE, replace(PAPER, epochs=2, batch=128)),
    "perceptron noisy": (0.3, WIDE, replace(PAPER, epochs=2, batch=128)),
    "columns": (0.0, ALIGNED, replace(COLUMNS, epochs=2, least_steps=0, attempts=1)),
}


def again(times: int, folder: Path, threads: int, cases: list[str]) -> Tally:
    """Train so often with the same seed, and compare."""
    tally = Tally()
    for name in cases:
        noise, learner, recipe = CASES[name]
        how = {"examples": 600, "test_pairs": 100, "threads": threads, "learner": learner, "recipe": recipe, "seed": 7}
        runs = [
            outcome(tiny(folder / f"{name} {threads} {number}", va.Task("add", digits=2, noise=noise), **how).path)
            for number in range(times)
        ]
        for number, run in enumerate(runs):
            tally.add(run != runs[0], f"{name}, {threads} threads, run {number}")
    return tally


@pytest.mark.parametrize("threads", [1, 2])
def test_a_seed_gives_the_same_bits(threads: int, tmp_path: Path) -> None:
    assert again(2, tmp_path, threads, ["perceptron noisy"]).failures == []


@pytest.mark.long
@pytest.mark.parametrize("threads", [1, 2])
def test_a_seed_gives_the_same_bits_twenty_times(threads: int, tmp_path: Path, counted) -> None:  # type: ignore[no-untyped-def]
    tally = again(scaled(20), tmp_path, threads, list(CASES))
    what = f"{threads} thread{'s' if threads > 1 else ''}"
    tally.reported(f"training with the same seed and {what}: same bits", counted)


def test_another_seed_or_a_shared_generator_is_noticed(tmp_path: Path) -> None:
    with sabotaged("generator state not saved"):
        assert again(2, tmp_path, 1, ["perceptron noisy"]).failures


ELSEWHERE = {
    "torch": lambda patch: patch.setattr(torch, "__version__", "2.0.0"),
    "numpy": lambda patch: patch.setattr(np, "__version__", "1.0.0"),
    "mkl": lambda patch: patch.setenv("MKL_CBWR", "COMPATIBLE"),
    "cpu": lambda patch: patch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "OLDER"),
}


@pytest.mark.parametrize("what", ELSEWHERE)
def test_a_run_that_goes_on_elsewhere_says_what_differs(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "run", watcher=Stop(epoch=2))
    ELSEWHERE[what](monkeypatch)
    assert f"was begun elsewhere ({what} is " in refusal(tiny, tmp_path / "run", resume=True)
    tiny(tmp_path / "run", resume=True, elsewhere="go-on")
    assert f"{what} is " in Store(tmp_path / "run").metrics()[2]["elsewhere"]


def test_a_run_that_was_begun_on_another_device_says_so(tmp_path: Path) -> None:
    """It used to fail where that device is not there."""
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "run", watcher=Stop(epoch=2))
    store = Store(tmp_path / "run")
    experiment, state = store.experiment(), store.state()
    assert state
    store.write_experiment(experiment | {"device": "cuda"})
    store.write_state(state)
    assert "was begun elsewhere (device is cpu and was cuda)" in refusal(tiny, store.path, resume=True)
    tiny(store.path, resume=True, elsewhere="go-on")
    assert store.metrics()[2]["elsewhere"] == "device is cpu and was cuda"


def test_what_was_killed_before_its_first_epoch_is_recorded_where_it_was_trained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "run", watcher=Stop(step=2))
    monkeypatch.setattr(torch, "__version__", "2.0.0")
    tiny(tmp_path / "run", resume=True)
    assert Store(tmp_path / "run").experiment()["versions"]["torch"] == "2.0.0"


# By how much the loss falls over three epochs (torch 2.13, one thread). A change that alters results alters these.
GOLDEN = {
    "paper": 0.0025102186,
    "columns": 0.30230465,
    "adam": 0.95491126,
    "entropy": 2.6979792,
    "slow": 0.44422837,
    "module": 1.3278169,
}


def fall(name: str, folder: Path, factor: float = 1.0) -> float:
    """By how much the loss falls with the recipe of this name, at a small size; the rate times a factor."""
    recipe = replace(RECIPES[name], epochs=3, least_steps=0, attempts=1, precision="f32", batch=32)
    learner: Any = ALIGNED if name == "columns" else va.learner_config(hidden_layers=2, width=16)
    if name == "module":
        net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(2 * 15 * 20, 15 * 20))
        for weight in net.parameters():
            torch.nn.init.uniform_(weight, -0.05, 0.05, generator=dice())
        learner = torch.nn.Sequential(*net, torch.nn.Sigmoid(), torch.nn.Unflatten(1, (1, 15, 20)))
    tiny(folder, recipe=replace(recipe, rate=factor * recipe.rate), learner=learner, examples=400)
    first, *_, last = (line["loss"] for line in Store(folder).metrics())
    return float(first - last)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_gives_what_it_gave(name: str, tmp_path: Path) -> None:
    assert fall(name, tmp_path / "run") == pytest.approx(GOLDEN[name], rel=1e-3)
    assert fall(name, tmp_path / "other", 1.2) != pytest.approx(GOLDEN[name], rel=1e-3)
