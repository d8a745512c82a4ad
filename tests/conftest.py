"""What many tests share: Python's own answers, and one small run that has really learned to add."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import visarith as va
from stored_results import keep
from visarith.learners.config import LearnerConfig
from visarith.learners.perceptron import Perceptron
from visarith.operations import Domain
from visarith.runs.train import Watcher
from visarith.studies.catalogue import CATALOGUE
from visarith.studies.results import Results
from visarith.training.loop import Epoch, Training
from visarith.training.recipe import COLUMNS, PAPER, Recipe

torch.set_num_threads(1)  # what is small is faster so, and far faster where others compute too

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
BRIEFLY = replace(COLUMNS, epochs=5, least_steps=500, attempts=1)  # for columns on small tasks
ENOUGH = {"recipe": BRIEFLY, "examples": 4_000, "test_pairs": 500, "threads": 1}


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


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """Two-digit addition, learned from 2,125 of the 2,500 pairs."""
    return va.learn(
        va.Task("add", digits=2),
        learner=va.learner_config(hidden_layers=2, width=128),
        recipe=QUICK,
        examples=2125,
        test_pairs=375,
        threads=1,
        out=tmp_path_factory.mktemp("runs") / "add",
    )


@pytest.fixture(scope="session")
def adder(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """Addition of four digits, learned in seconds and quantised."""
    spec = va.learner_config("columns", path="aligned", scan="right")
    return va.learn(va.Task("add", digits=4), spec, out=tmp_path_factory.mktemp("runs") / "add", **ENOUGH)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def roman(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """Roman numerals up to 999."""
    task = va.Task("add", notation="roman", digits=3)
    return va.learn(task, "tally", out=tmp_path_factory.mktemp("runs") / "roman", **ENOUGH)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def multiplier(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """Products in base 4, from 3,000 of 4,096 pairs."""
    spec, recipe = va.learner_config("columns", path="rows", scan="right"), replace(BRIEFLY, least_steps=1_000)
    task, out = va.Task("multiply", digits=6, base=4), tmp_path_factory.mktemp("runs") / "multiply"
    return va.learn(task, spec, recipe, examples=3_000, test_pairs=1_000, threads=1, out=out)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that forgets to say where things go leaves nothing behind."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def stored(tmp_path: Path) -> Results:
    """A result for every entry, all at 1 % but for multiplication."""
    results = Results(tmp_path / "results")
    for entry in CATALOGUE:
        keep(results, entry.name, 0.6 if "multiply" in entry.name else 0.01)
    return results
