"""What many tests share: Python's own answers, and one small run that has really learned to add."""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import visarith as va
from browser import Browser, browser
from counts import Counts
from stored_results import keep_seeds
from visarith.files import lock_file
from visarith.learners.config import LearnerConfig
from visarith.learners.perceptron import Perceptron
from visarith.operations import Domain
from visarith.runs.store import Store
from visarith.runs.train import Watcher
from visarith.studies.catalogue import CATALOGUE
from visarith.studies.results import Results
from visarith.training.loop import Epoch, Training
from visarith.training.recipe import COLUMNS, PAPER, Recipe
from visarith.web import STATIC
from visarith.web.bundle import bundle

torch.set_num_threads(1)  # what is small is faster so, and far faster where others compute too


def pytest_configure(config: pytest.Config) -> None:
    """Long runs write down what they tried."""
    if config.option.markexpr == "long" and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Counts(config))


PARTNERS = {"0": "0", "1": "7", "2": "5", "3": "6", "4": "9", "5": "8", "6": "1", "7": "4", "8": "3", "9": "2"}
PYTHON = {  # what each built-in operation answers
    "add": lambda a, b: (a + b,),
    "subtract": lambda a, b: (a - b,),
    "multiply": lambda a, b: (a * b,),
    "halve": lambda a: (a // 2,),
    "add-three": lambda a, b, c: (a + b + c,),
    "add-subtract": lambda a, b: (a + b, a - b),
    "associate": lambda a: (int("".join(PARTNERS[digit] for digit in str(a))),),
    "copy": lambda a: (a,),
}
DESCENDING = {"subtract", "add-subtract"}
FAST = replace(PAPER, optimizer="adam", rate=1e-3, schedule="cosine")  # learns small clean tasks in seconds
QUICK = replace(FAST, batch=32, rate=2e-3, epochs=30)
SMALL = va.learner_config(hidden_layers=2, width=24)
TINY = va.learner_config(hidden_layers=1, width=16)
SOON = replace(QUICK, epochs=3)
BRIEFLY = replace(COLUMNS, jitter=0.0, epochs=5, least_steps=500, attempts=1)  # too few steps for jitter
HARDLY = replace(COLUMNS, epochs=2, least_steps=0, attempts=1)  # for columns that need not learn
ENOUGH: dict[str, Any] = {"recipe": BRIEFLY, "examples": 4_000, "test_pairs": 500}


def sample(domain: Domain, count: int, seed: int = 0, **options: np.ndarray) -> np.ndarray:
    return domain.sample(count, rng=np.random.default_rng(seed), **options)


def dice(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def refusal(call: Callable[..., object], *arguments: object, **options: object) -> str:
    """What the one-line error says that a call must end with."""
    with pytest.raises(va.VisarithError) as caught:
        call(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def train(task: va.Task, recipe: Recipe, *, examples: int = 160, learner: LearnerConfig = SMALL) -> Perceptron:
    network = learner.build(task)
    assert isinstance(network, Perceptron)
    some, _ = task.split(examples, 1, seed=3)
    list(Training(network, some.view(), recipe, seed=3).epochs())
    return network


def tiny(out: str | Path, task: va.Task | None = None, **options: object) -> va.Run:
    """A run of moments: two-digit addition unless another task is given."""
    settings = {"examples": 200, "test_pairs": 50, "threads": 1} | options
    task = task or va.Task("add", digits=2)
    return va.learn(task, settings.pop("learner", TINY), settings.pop("recipe", SOON), out=out, **settings)  # type: ignore[arg-type]


class Stop(Watcher):
    """Kills a run as Ctrl-C would, at a step or at the end of an epoch."""

    def __init__(self, step: int = -1, epoch: int = -1) -> None:
        self.steps_left, self.epoch_to_stop = step, epoch

    def step(self) -> None:
        self.steps_left -= 1
        if self.steps_left == 0:
            raise KeyboardInterrupt

    def epoch(self, epoch: Epoch, _: object) -> None:
        if epoch.number == self.epoch_to_stop:
            raise KeyboardInterrupt


def learned_once(
    factory: pytest.TempPathFactory, name: str, task: va.Task, learner: LearnerConfig, **how: Any
) -> va.Run:
    """A run that is trained by the first process of pytest-xdist that needs it, and loaded by the others."""
    folder = factory.getbasetemp() / "runs"
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = factory.getbasetemp().parent / "runs"  # that of all processes
    folder.mkdir(exist_ok=True)
    with (folder / f"{name}.lock").open("wb") as lock:
        while True:
            try:
                lock_file(lock)
                return va.learn(task, learner, out=folder / name, resume=True, threads=1, **how)
            except BlockingIOError:  # another process trains it
                time.sleep(0.2)


def resign(folder: Path) -> None:
    """Write the checksums of a finished run anew, as somebody would who changed its files on purpose."""
    Store(folder).write_score({**json.loads((folder / "score.json").read_text()), "files": {}})


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """Two-digit addition, learned from 2,125 of the 2,500 pairs."""
    task, spec = va.Task("add", digits=2), va.learner_config(hidden_layers=2, width=128)
    return learned_once(tmp_path_factory, "small", task, spec, recipe=QUICK, examples=2125, test_pairs=375)


@pytest.fixture(scope="session")
def adder(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """Addition of four digits, learned in seconds and quantised."""
    spec = va.learner_config("columns", path="aligned", scan="right")
    return learned_once(tmp_path_factory, "add", va.Task("add", digits=4), spec, **ENOUGH)


@pytest.fixture(scope="session")
def roman(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """Roman numerals up to 999."""
    task, spec = va.Task("add", notation="roman", digits=3), va.learner_config("tally", path="aligned", scan="right")
    return learned_once(tmp_path_factory, "roman", task, spec, **ENOUGH)


@pytest.fixture(scope="session")
def multiplier(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """Products in base 4, from 3,000 of 4,096 pairs."""
    task, few = va.Task("multiply", digits=6, base=4), {"examples": 3_000, "test_pairs": 1_000}
    spec = va.learner_config("columns", path="rows", scan="right", width=32)
    recipe = replace(BRIEFLY, least_steps=1_000, batch=64)
    return learned_once(tmp_path_factory, "multiply", task, spec, recipe=recipe, seed=5000, **few)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A page with nothing but the networks."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "networks.js").write_text(bundle(STATIC, ["networks.js"]))
    (folder / "index.html").write_text('<!doctype html><title>bare</title><script src="networks.js"></script>')
    with browser() as opened:
        opened.open(folder / "index.html")
        yield opened
        assert not opened.complaints


@pytest.fixture
def short_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns still try every path and scan, but for a few steps."""
    monkeypatch.setattr("visarith.learners.columns.trials.STEPS", 8)


@pytest.fixture
def counted(request: pytest.FixtureRequest) -> Callable[[str, int, int], None]:
    """Call it with what was tried, how often, and how often it failed; a long run writes docs/reliability.md."""
    return lambda name, tried, failed: request.node.user_properties.append(("counted", (name, tried, failed)))


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that forgets to say where things go leaves nothing behind."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def stored_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three seeds of every entry, all at 1 % but for multiplication."""
    results = Results(tmp_path_factory.mktemp("stored"))
    for entry in CATALOGUE:
        keep_seeds(results, entry.name, 0.6 if "multiply" in entry.name else 0.01)
    return results.folder


@pytest.fixture
def stored(stored_once: Path, tmp_path: Path) -> Results:
    """A copy of these results, to be changed."""
    return Results(shutil.copytree(stored_once, tmp_path / "results"))
