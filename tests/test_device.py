"""Every tensor is where it should be: on the device of the learner, or explicitly on the CPU.

There is no GPU here, so nothing was tried on one. What can be tried without: PyTorch's meta device, which refuses to
work with tensors of another one, and a watch on every call that makes a tensor without saying where.
"""

import json
import traceback
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode

import visarith
import visarith as va
from command_line import complaint, run
from conftest import FAST, dice, refusal
from visarith.training.loop import Training
from visarith.training.recipe import COLUMNS, Recipe

SOURCE = str(Path(visarith.__file__).parent)
MAKERS = {
    getattr(torch, name)
    for name in ("zeros", "ones", "full", "empty", "arange", "tensor", "rand", "randn", "randint", "randperm", "eye")
}
ADD, ROMAN = va.Task("add", digits=2), va.Task("add", notation="roman", digits=1)
DENSE = Recipe(shortcuts=False)
BY_COLUMNS = replace(COLUMNS, optimizer="sgd", rate=0.01)
ALIGNED = va.learner_config("columns", path="aligned", scan="right", width=8)
DIAGONAL = va.learner_config("columns", path="diagonal", scan="right-left", width=8)
CASES = {
    "perceptron": (ADD, va.learner_config(), Recipe()),
    "perceptron dense": (ADD, va.learner_config(), DENSE),
    "perceptron noisy": (va.Task("add", digits=2, noise=0.3), va.learner_config(), Recipe()),
    "perceptron displaced": (va.Task("add", digits=2, displacement=1), va.learner_config(), Recipe()),
    "convolutional": (ADD, va.learner_config("convolutional"), Recipe()),
    "recurrent": (ADD, va.learner_config("recurrent"), Recipe()),
    "symbols": (ROMAN, va.learner_config("symbols"), Recipe()),
    "columns": (ADD, ALIGNED, BY_COLUMNS),
    "columns dense": (ADD, ALIGNED, replace(BY_COLUMNS, shortcuts=False)),
    "columns diagonal": (ADD, DIAGONAL, BY_COLUMNS),
    "tally": (ROMAN, va.learner_config("tally", path="aligned", scan="right", width=8), BY_COLUMNS),
    "numerals": (ROMAN, va.learner_config("numerals", width=8), BY_COLUMNS),
    "numerals dense": (ROMAN, va.learner_config("numerals", width=8), replace(BY_COLUMNS, shortcuts=False)),
}


class Nowhere(TorchFunctionMode):
    """Notes every tensor that our code makes without saying on which device."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in MAKERS and (kwargs or {}).get("device") is None:
            caller = traceback.extract_stack(limit=2)[0]
            if caller.filename.startswith(SOURCE):
                self.found.add(f"{caller.filename}:{caller.lineno} {caller.line}")
        return func(*args, **(kwargs or {}))


def training(case: str, device: str) -> Training:
    task, learner, recipe = CASES[case]
    view = task.split(12, 4, seed=0)[0].view()
    network = learner.build(task)
    network.prepare(view, recipe, seed=0, tell=lambda _: None)
    made = Training(network, view, replace(recipe, batch=4, precision="f32"), seed=0, device=device)
    made.network.train()
    return made


@pytest.mark.parametrize("case", CASES)
def test_a_step_of_training_is_done_on_the_device(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "equal", lambda *_: False)  # the meta device has no values to compare
    made = training(case, "meta")
    loss = made.step(np.arange(4), dice())
    assert loss.device.type == "meta"
    assert {weight.device.type for weight in made.computation.trained()} == {"meta"}


def test_that_test_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    made = training("columns", "meta")
    forgotten = torch.zeros(tuple(made.computation.patterns.shape), device="cpu")  # type: ignore[union-attr, arg-type]
    monkeypatch.setattr(made.computation, "patterns", forgotten)
    with pytest.raises((RuntimeError, NotImplementedError)):
        made.step(np.arange(4), dice())


@pytest.mark.parametrize("case", CASES)
def test_no_tensor_is_made_without_saying_where(case: str) -> None:
    with Nowhere() as watch:
        made = training(case, "cpu")
        made.step(np.arange(4), dice())
        made.computation.sync()
        made.network.eval()
        task, *_ = CASES[case]
        made.network.drawn(torch.zeros(2, *made.network.mean.shape, device="cpu"))  # type: ignore[operator]
        task.inputs(task.symbols(np.zeros((2, task.operation.operands), np.int64)), dice())
    assert not watch.found


def test_constructing_says_where_too() -> None:
    with Nowhere() as watch:
        va.learner_config("constructed").build(ADD)
    assert not watch.found


def test_the_watch_finds_what_it_looks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_device.SOURCE", str(Path(__file__).parent))
    with Nowhere() as watch:
        torch.zeros(2)
        torch.zeros(2, device="cpu")
    assert len(watch.found) == 1


def test_a_callers_default_device_changes_nothing(tmp_path: Path) -> None:
    settings = {"recipe": FAST, "epochs": 1, "examples": 60, "test_pairs": 10, "threads": 1}
    plain = va.learn(ADD, out=tmp_path / "plain", **settings)  # type: ignore[arg-type]
    torch.set_default_device("meta")
    try:
        other = va.learn(ADD, out=tmp_path / "other", **settings)  # type: ignore[arg-type]
        assert va.load(other.path).score == other.score
    finally:
        torch.set_default_device(None)
    name = "weights.safetensors"
    assert (other.path / name).read_bytes() == (plain.path / name).read_bytes()


def test_the_device_is_recorded_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ("--digits", "2", "--examples", "50", "--test-pairs", "10", "--epochs", "1", "--threads", "1")
    code, out, _ = run(capsys, "train", "add", *few, "--device", "auto", "--out", tmp_path / "run", "--json")
    assert code == 0
    there = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    assert json.loads(out)["device"] == there
    assert json.loads((tmp_path / "run" / "experiment.json").read_text())["device"] == there
    if there == "cpu":
        assert complaint(capsys, "train", "add", "--device", "cuda") == (
            "device 'cuda' is not available; use --device cpu or auto"
        )
    assert refusal(va.learn, "add", device="tpu") == "device 'tpu' is unknown; use auto, cpu, cuda, mps"
