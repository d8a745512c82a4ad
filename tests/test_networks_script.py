"""The networks in JavaScript draw and read what those in Python do."""

import json

import pytest
import torch

import visarith as va
from browser import Browser, difference
from conftest import dice, refusal
from visarith.data.task import Task
from visarith.learners.columns.network import Columns
from visarith.learners.columns.signs import sign_patterns
from visarith.learners.learner import Learner
from visarith.web.export import exported

PAIRS = 200
OPEN = """(stored) => { window.compared = new visarithModules["networks.js"].Run(JSON.parse(stored)); }"""


def compare(bare: Browser, task: Task, learner: Learner, noise: float = 0.0) -> None:
    """Draw and read the answers to as many pairs on both sides."""
    bare.run(OPEN, json.dumps(exported(task, learner)))
    assert difference(bare, task, learner, pairs=PAIRS, noise=noise) < 1e-3


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_perceptron(bare: Browser, small_run: va.Run, noise: float) -> None:
    compare(bare, small_run.task, small_run.learner, noise)


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_quantised_columns(bare: Browser, adder: va.Run, noise: float) -> None:
    assert adder.learner.quantised
    compare(bare, adder.task, adder.learner, noise)


LONGER = """(digits) => { window.compared = window.compared.at(digits); }"""


@pytest.mark.parametrize("which", ["adder", "multiplier"])
def test_longer_numbers_than_those_of_training(bare: Browser, request: pytest.FixtureRequest, which: str) -> None:
    run = request.getfixturevalue(which)
    longer = run.at(20)  # beyond what JavaScript's own numbers hold
    bare.run(OPEN, json.dumps(exported(run.task, run.learner)))
    bare.run(LONGER, 20)
    assert difference(bare, longer.task, longer.learner, pairs=4) < 1e-3
    bare.run(OPEN, json.dumps(exported(longer.task, longer.learner)))
    assert difference(bare, longer.task, longer.learner, pairs=2) < 1e-3


def test_long_multiplication(bare: Browser, multiplier: va.Run) -> None:
    assert multiplier.learner.quantised
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
def test_columns_as_they_are_before_quantising(bare: Browser, operation: str, path: str, scan: str) -> None:
    task = va.Task(operation, digits=3)
    network = va.learner_config("columns", path=path, scan=scan).build(task)
    assert isinstance(network, Columns)
    network.initialise("he", "lecun", dice())
    for weights in [network.mean, network.ground, network.starts, *(hand[-1].weight for hand in network.hands)]:
        torch.nn.init.normal_(weights, std=0.2, generator=dice(1))
    compare(bare, task, network)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_signs_with_paths_of_their_own(bare: Browser, noise: float) -> None:
    task = va.Task("any", digits=3)
    network = va.learner_config("columns", width=16).build(task)
    assert isinstance(network, Columns)
    book = task.split(300, 1, seed=0)[0].view().codebook
    assert book is not None
    cells = sign_patterns(book, 1)
    assert cells is not None
    network.signs.set(torch.from_numpy(cells), ["aligned", "rows", "aligned"])
    network.choose("signs", "right")
    network.initialise("he", "lecun", dice())
    for weights in [network.starts, network.again.empty, network.states[:5], network.hands[0][-1].weight]:
        torch.nn.init.normal_(weights, std=0.2, generator=dice(1))
    assert "only if it is quantised" in refusal(exported, task, network.unquantised())
    network.glyphs[:10] = network.operand_patterns(book)
    compare(bare, task, network.eval(), noise)


def test_cells_that_were_found(bare: Browser) -> None:
    task = va.Task("add", digits=3, typeface=va.Typeface(width=36))
    network = va.learner_config("columns", path="aligned", scan="right", cells="found").build(task)
    assert isinstance(network, Columns)
    network.look_for_cells(task.split(500, 1, seed=0)[0].view())
    assert network.grid
    network.initialise("he", "lecun", dice())
    compare(bare, task, network)


def test_perceptron_of_sigmoids(bare: Browser) -> None:
    task = va.Task("add", digits=3)
    network = va.learner_config(hidden_layers=2, width=30, activation="sigmoid").build(task)
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
    compare(bare, task, va.learner_config("constructed", **options).build(task), noise)


def test_what_browsers_do_not_run_is_refused() -> None:
    task = va.Task("add", digits=2)
    assert "convolutional" in refusal(exported, task, va.learner_config("convolutional", width=8).build(task))
    task = va.Task("add", digits=2, typeface=va.Typeface(fonts="twenty"))
    assert "several fonts" in refusal(exported, task, va.learner_config("columns").build(task))
    task = va.Task("add", digits=2, permutation=True)
    assert "plain pictures" in refusal(exported, task, va.learner_config(width=8).build(task))
