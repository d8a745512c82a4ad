"""Experiments: all settings of a run as frozen data, stored in experiment.json."""

import os
import platform
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from typing import Any

import numpy as np
import torch

from visarith.data.stored import Source, built, source_from_json
from visarith.data.task import EXAMPLES, TEST_PAIRS, Task
from visarith.errors import VisarithError, option, whole
from visarith.learners import config_of, learner_config
from visarith.learners.config import LearnerConfig
from visarith.operations import Operation
from visarith.runs.store import FORMAT, UNCHECKED
from visarith.training.recipe import PAPER, RECIPES, Recipe

VERSION = version("visarith")
HOW_LONG = ("epochs", "least_steps", "attempts", "precision")  # fields that do not make another recipe
NUMBERS = ("seed", "examples", "test_pairs", "threads")


@dataclass(frozen=True)
class Experiment:
    """The task or the pictures, the learner, the recipe, and the other settings of a run."""

    source: Source
    learner: LearnerConfig = field(default_factory=learner_config)
    recipe: Recipe = PAPER
    seed: int = 0
    examples: int = EXAMPLES
    test_pairs: int = TEST_PAIRS
    threads: int = 1
    device: str = "cpu"

    @property
    def task(self) -> Task:
        """The task; an error if the run learns from pictures."""
        return self.source.task

    def resolved(self) -> "Experiment":
        """Return the experiment with options that depend on the pictures filled in."""
        return replace(self, learner=self.learner.resolved(self.learner.sees(self.source.spec)))

    @property
    def recipe_name(self) -> str:
        """The name of the recipe, however long it is trained; 'own' if it has none, 'none' without training."""
        if not self.learner.learns:
            return "none"
        for name, recipe in RECIPES.items():
            if replace(self.recipe, **{field: getattr(recipe, field) for field in HOW_LONG}) == recipe:
                return name
        return "own"

    @property
    def name(self) -> str:
        """A folder name, which names every setting that differs from the paper's."""
        learner, recipe, usual = self.learner, self.recipe_name, RECIPES[self.learner.recipe]
        parts = [
            self.source.label,
            "" if learner.unsaid else learner.name,
            recipe if recipe not in (learner.recipe, "none") else "",
            learner.label(learner.sees(self.source.spec)),
            f"{self.examples}examples" if self.examples not in (0, self.source.sizes(seed=self.seed)[0]) else "",
            f"{self.recipe.epochs}epochs" if self.recipe.epochs != usual.epochs else "",
            f"seed{self.seed}" if self.seed else "",
        ]
        return "-".join(part for part in parts if part)

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            **self.source.to_json(),
            "learner": self.learner.to_json(),
            "recipe": {"name": self.recipe_name, **asdict(self.recipe)},
            **{name: getattr(self, name) for name in (*NUMBERS, "device")},
            "versions": {"visarith": VERSION, "python": platform.python_version(), **arithmetic()},
        }


def from_json(data: dict[str, Any], where: str, operation: Operation | None = None, notation: Any = None) -> Experiment:
    """Return the experiment that `to_json` wrote; an operation or notation of the user must be given again."""
    form = data.get("format")
    if isinstance(form, int) and form not in (FORMAT, *UNCHECKED):
        age, remedy = ("a newer", "update visarith") if form > FORMAT else ("an older", "train it again")
        raise VisarithError(f"{where} was written by {age} visarith (format {form}, not {FORMAT}); {remedy}")
    try:
        return Experiment(
            source=source_from_json(data, where, operation, notation),
            learner=config_of(data["learner"]["name"]).from_json(data["learner"]),
            recipe=built(Recipe, data["recipe"]),
            **{name: whole(name, data[name], 0) for name in NUMBERS},
            device=data.get("device", "cpu"),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise VisarithError(f"{where} is damaged ({error}); train again into another {option('out')}") from None


def check_same(data: dict[str, Any], experiment: Experiment, where: str) -> Experiment:
    """Return a stored experiment; raise an error if it is not this one."""
    source = experiment.source
    own = (source.task.operation, source.task.notation) if source.generates else (None, None)
    found = from_json(data, where, *own)  # options that are newer than the run have their defaults
    stored, asked = found.to_json(), experiment.to_json()
    for each in (stored, asked):
        for key in ("versions", "threads", "device", "format"):
            each.pop(key, None)
        for key in ("name", "path"):  # pictures may have moved
            each.get("pictures", {}).pop(key, None)
        each["recipe"].pop("precision", None)
    for key in asked:
        if stored.get(key) != asked[key]:
            a, b, what = stored.get(key), asked[key], key
            if isinstance(a, dict) and isinstance(b, dict):
                part = next(name for name in b if a.get(name) != b[name])
                a, b, what = a.get(part), b[part], f"{key} {part}"
            raise VisarithError(
                f"{where} holds another run (its {what} is {a!r}, not {b!r}); choose another {option('out')}"
            )
    return found


def arithmetic() -> dict[str, str]:
    """What decides the last bits of a training here, beside threads and device."""
    cpu = torch.backends.cpu.get_cpu_capability()
    return {"torch": torch.__version__, "numpy": np.__version__, "cpu": cpu, "mkl": os.environ.get("MKL_CBWR", "")}


def other_bits(data: dict[str, Any], threads: int | None, device: str) -> str:
    """How this process differs from the one that began a run, as far as the run's last bits depend on it."""
    begun, here = data.get("versions", {}), arithmetic()
    found = [
        f"{name} is {mine or 'unset'} and was {begun[name] or 'unset'}"
        for name, mine in here.items()
        if name in begun and begun[name] != mine
    ]
    if device != data.get("device", "cpu"):
        found.append(f"device is {device} and was {data['device']}")
    if threads not in (None, data["threads"]):
        found.append(f"threads are {threads} and were {data['threads']}")
    return "; ".join(found)


def resolve_device(name: str) -> str:
    """Return the device of this name; auto is a GPU if there is one."""
    available = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        return next(each for each in ("cuda", "mps", "cpu") if available[each])
    if name not in available:
        raise VisarithError(f"device {name!r} is unknown; use auto, {', '.join(available)}")
    if not available[name]:
        raise VisarithError(f"device {name!r} is not available; use {option('device', 'cpu')} or auto")
    return name
