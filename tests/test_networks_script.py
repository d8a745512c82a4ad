"""The networks in JavaScript draw and read what those in Python do."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import visarith as va
import visarith.web
from browser import Browser, browser, packed, unpacked
from conftest import dice, refusal
from visarith.experiments.judge import predict, reader_for
from visarith.learners.columns import Columns
from visarith.task import Task
from visarith.web.bundle import bundle
from visarith.web.export import exported

SCRIPTS = Path(visarith.web.__file__).parent / "static"
PAIRS = 200
COMPUTE = """(stored, packed, count) => {
    const { Run } = visarithModules["networks.js"];
    const floats = (text) => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
    const run = new Run(JSON.parse(stored));
    const all = floats(packed), operands = all.length / count / run.page.pixels;
    const drawn = [], readings = [];
    for (let i = 0; i < count; i++) {
        const own = Array.from({ length: operands }, (_, j) =>
            all.subarray((i * operands + j) * run.page.pixels, (i * operands + j + 1) * run.page.pixels));
        for (const picture of run.predict(own)) {
            drawn.push(...picture);
            readings.push(run.read(picture));
        }
    }
    const bytes = new Uint8Array(Float32Array.from(drawn).buffer);
    let text = "";
    for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
    return [btoa(text), readings];
}"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A page with nothing but the networks."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "networks.js").write_text(bundle(SCRIPTS, ["networks.js"]))
    (folder / "index.html").write_text('<!doctype html><title>bare</title><script src="networks.js"></script>')
    with browser() as opened:
        opened.open(folder / "index.html")
        yield opened
        assert not opened.complaints


def compare(bare: Browser, task: Task, learner: nn.Module, noise: float = 0.0, pairs: int = PAIRS) -> None:
    """Draw and read the answers to as many pairs on both sides."""
    some = task.write(task.domain.sample(pairs, rng=np.random.default_rng(7)))
    pictures = task.plain_page.typeset(some.inputs).astype(np.float32) / 255
    pictures += noise * np.random.default_rng(8).standard_normal(pictures.shape, np.float32)
    expected = predict(learner, task, torch.from_numpy(pictures))
    text, readings = bare.run(COMPUTE, json.dumps(exported(task, learner)), packed(pictures), pairs)
    assert np.abs(unpacked(text, *expected.shape) - expected).max() < 1e-3
    read = reader_for("templates", task).read(expected.reshape(-1, *task.answer_shape))
    assert [each["text"] for each in readings] == read.texts
    assert [each["symbols"] for each in readings] == read.symbols.tolist()
    assert np.abs(np.array([each["confidence"] for each in readings]) - read.confidence).max() < 1e-3


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_perceptron(bare: Browser, small_run: va.Run, noise: float) -> None:
    compare(bare, small_run.task, small_run.learner, noise)


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_settled_columns(bare: Browser, adder: va.Run, noise: float) -> None:
    assert adder.chosen()["settled"]
    compare(bare, adder.task, adder.learner, noise)


def test_long_multiplication(bare: Browser, multiplier: va.Run) -> None:
    assert multiplier.chosen()["settled"]
    compare(bare, multiplier.task, multiplier.learner)


def test_tally(bare: Browser, roman: va.Run) -> None:
    compare(bare, roman.task, roman.learner)


@pytest.mark.parametrize(
    ("operation", "path", "scan"),
    [
        ("subtract", "aligned", "left"),
        ("add-three", "aligned", "right-left"),
        ("add-subtract", "diagonal", "right"),
        ("any", "both", "right-left"),
    ],
)
def test_columns_as_they_are_before_settling(bare: Browser, operation: str, path: str, scan: str) -> None:
    task = va.Task(operation, digits=3)
    network = va.LearnerSpec("columns", path=path, scan=scan).build(task)
    assert isinstance(network, Columns)
    network.initialise("he", "lecun", dice())
    for weights in [network.mean, network.ground, network.starts, *(hand[-1].weight for hand in network.hands)]:
        torch.nn.init.normal_(weights, std=0.2, generator=dice(1))
    compare(bare, task, network)


def test_cells_that_were_found(bare: Browser) -> None:
    task = va.Task("add", digits=3, typeface=va.Typeface(width=36))
    network = va.LearnerSpec("columns", path="aligned", scan="right", cells="found").build(task)
    assert isinstance(network, Columns)
    network.initialise("he", "lecun", dice())
    compare(bare, task, network)


def test_perceptron_of_sigmoids(bare: Browser) -> None:
    task = va.Task("add", digits=3)
    network = va.LearnerSpec(hidden_layers=2, width=30, activation="sigmoid").build(task)
    torch.nn.init.normal_(network.mean, std=0.2, generator=dice())
    compare(bare, task, network.half().float())


@pytest.mark.parametrize(
    ("operation", "notation", "options"),
    [
        ("add", "arabic", {}),
        ("subtract", "arabic", {}),
        ("subtract", "arabic", {"activation": "sigmoid", "form": "carries"}),
        ("multiply", "arabic", {"form": "fewest"}),
        ("add", "roman", {}),
    ],
)
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_constructed(bare: Browser, operation: str, notation: str, options: dict[str, str], noise: float) -> None:
    task = va.Task(operation, notation=notation, digits=4)
    compare(bare, task, va.LearnerSpec("constructed", **options).build(task), noise)


def test_what_browsers_do_not_run_is_refused() -> None:
    task = va.Task("add", digits=2)
    assert "convolutional" in refusal(exported, task, va.LearnerSpec("convolutional", width=8).build(task))
    task = va.Task("add", digits=2, permutation=True)
    assert "plain pictures" in refusal(exported, task, va.LearnerSpec(width=8).build(task))
    task = va.Task("add", digits=20)
    assert "20 digits" in refusal(exported, task, va.LearnerSpec("columns").build(task))
