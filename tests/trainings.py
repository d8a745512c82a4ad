"""Short trainings of every learner, clean and noisy, of pictures in a folder and by an own module, to be killed."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

import visarith as va
from conftest import HARDLY, SOON, TINY
from visarith.learners.config import LearnerConfig
from visarith.pictures.png import save_png
from visarith.runs.run import Run
from visarith.runs.state import unpacked
from visarith.runs.store import Store
from visarith.runs.train import Watcher
from visarith.training.loop import Epoch
from visarith.training.recipe import Recipe

TIMES = ("seconds", "core_seconds")
BOTH = ("", " noisy")
CELLS = {"path": "aligned", "scan": "right", "width": 8}
TWICE = replace(HARDLY, attempts=2)  # and another attempt, which the learner asks for


@dataclass(frozen=True)
class Case:
    """What is learned, by whom and how."""

    source: Callable[[Path], Any]  # from the folder in which the run is
    learner: Callable[[], LearnerConfig | nn.Module]
    recipe: Recipe = SOON


def own_module() -> nn.Module:
    """With dropout, which draws random numbers, and with normalisation, which keeps more than weights."""
    torch.manual_seed(0)
    parts = nn.Flatten(), nn.Linear(2 * 15 * 20, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Dropout(0.5)
    return nn.Sequential(*parts, nn.Linear(12, 15 * 20), nn.Sigmoid(), nn.Unflatten(1, (1, 15, 20)))


def pictures(folder: Path, count: int = 80) -> va.PictureSet:
    """Sums of one digit as PNG files with a manifest, which are made once."""
    folder /= "pictures"
    if folder.exists():
        return va.PictureSet.from_folder(folder)
    folder.mkdir()
    task = va.Task("add", digits=1)
    lines = ["input_1,input_2,answer,text"]
    for number in range(count):
        a, b = number % 10 // 2, number // 10 % 5
        for name, value in (("a", a), ("b", b), ("c", a + b)):
            save_png(task.typeset((value, 0))[0], folder / f"{name}{number}.png")
        lines.append(f"a{number}.png,b{number}.png,c{number}.png,{a + b}")
    (folder / "manifest.csv").write_text("\n".join(lines) + "\n")
    return va.PictureSet.from_folder(folder)


def _task(noisy: str, **options: Any) -> Callable[[Path], va.Task]:
    return lambda _: va.Task("add", **options, **({"noise": 0.3} if noisy else {}))


def _learner(name: str, **options: Any) -> Callable[[], LearnerConfig]:
    return lambda: va.learner_config(name, **options)


ROMAN = {"notation": "roman", "digits": 2}
CASES: dict[str, Case] = {}
for _noisy in BOTH:
    CASES |= {
        f"perceptron{_noisy}": Case(_task(_noisy, digits=2), lambda: TINY),
        f"convolutional{_noisy}": Case(
            _task(_noisy, digits=2), _learner("convolutional", width=4, hidden_layers=1), replace(SOON, optimizer="sgd")
        ),
        f"recurrent{_noisy}": Case(_task(_noisy, digits=2), _learner("recurrent", width=8)),
        f"columns{_noisy}": Case(_task(_noisy, digits=2), _learner("columns", **CELLS), TWICE),
        f"own{_noisy}": Case(_task(_noisy, digits=2), own_module),
    }
CASES |= {  # these learn clean pictures only
    "tally": Case(_task("", **ROMAN), _learner("tally", **CELLS), TWICE),
    "numerals": Case(_task("", **ROMAN), _learner("numerals", width=8), TWICE),
    "symbols": Case(_task("", **ROMAN), _learner("symbols", width=8)),
    "folder": Case(pictures, lambda: TINY),
}


class Kept(Watcher):
    """Keeps a copy of the state after each epoch."""

    def __init__(self, out: Path) -> None:
        self.out, self.folder = out, out.with_name(f"{out.name}.states")
        self.folder.mkdir(exist_ok=True)

    def epoch(self, epoch: Epoch, _: object) -> None:
        draft = self.folder / "draft"
        shutil.copy(self.out / "state.pt", draft)
        draft.replace(self.folder / f"{epoch.number}")


def train(name: str, out: Path, *, keep: bool = False, **how: Any) -> Run:
    """Train a case, or go on with it; with `keep`, the state after each epoch is kept."""
    case = CASES[name]
    sizes = {"examples": 60, "test_pairs": 6} if name == "folder" else {"examples": 100, "test_pairs": 20}
    options = {**sizes, "threads": 1, "tesseract": 0, "resume": True, "out": out}
    options |= {"watcher": Kept(out) if keep else None} | how
    return va.learn(case.source(out.parent), case.learner(), case.recipe, **options)


def outcome(run: Path) -> dict[str, Any]:
    """All that a finished run is, without times: the bytes of its files, and its metrics and score."""
    names = {file.name for file in run.iterdir()} - {".lock"}
    files: dict[str, Any] = {name: (run / name).read_bytes() for name in names - {"metrics.jsonl", "score.json"}}
    score = Store(run).score()
    metrics = [{key: line[key] for key in line if key not in TIMES} for line in Store(run).metrics()]
    return files | {"score": {key: score[key] for key in score if key not in TIMES}, "metrics": metrics}


def kept_states(run: Path) -> dict[str, str]:
    """The states after each epoch, as text that differs where any bit does."""
    found = {}
    for file in run.with_name(f"{run.name}.states").glob("[0-9]*"):
        state = unpacked(file.read_bytes())
        state["metrics"] = [{key: line[key] for key in line if key not in TIMES} for line in state["metrics"]]
        found[file.name] = exactly(state)
    return found


def exactly(value: Any) -> str:
    """Nested tensors and numbers as text; NaN is NaN."""
    if isinstance(value, torch.Tensor):
        return f"{value.dtype}{tuple(value.shape)}{np.asarray(value.detach().contiguous()).tobytes().hex()}"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key!r}:{exactly(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(exactly, value)) + "]"
    return repr(value)
