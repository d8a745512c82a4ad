"""An experiment: everything that decides a run, as frozen data that goes into experiment.json and comes back."""

import platform
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from typing import Any

import torch

from visarith.data.stored import Source, built, source_from_json
from visarith.data.task import EXAMPLES, TEST_PAIRS, Task
from visarith.errors import VisarithError, option, whole
from visarith.learners import config_of, learner_config
from visarith.learners.config import LearnerConfig
from visarith.operations import Operation
from visarith.training.recipe import PAPER, RECIPES, Recipe

FORMATS = {"task": 2, "pictures": 3}  # of the run folder; what is newer than these is refused


@dataclass(frozen=True)
class Experiment:
    """What is learned from, who learns it, how, from how many examples, with which seed, on which device."""

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
        """The task, or an error where pictures were learned from."""
        return self.source.task

    def resolved(self) -> "Experiment":
        """With what depends on the pictures spelt out, so that it can be done again elsewhere."""
        return replace(self, learner=self.learner.resolved(self.learner.sees(self.source.spec)))

    @property
    def recipe_name(self) -> str:
        """The name of the recipe that this is, up to epochs and precision, or 'own'; 'none' if nothing is learned."""
        if not self.learner.learns:
            return "none"
        for name, recipe in RECIPES.items():
            if replace(self.recipe, epochs=recipe.epochs, precision=recipe.precision) == recipe:
                return name
        return "own"

    @property
    def name(self) -> str:
        """A folder name that says how this experiment differs from the paper's."""
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
        source = self.source.to_json()
        return {
            "format": FORMATS["pictures" if "pictures" in source else "task"],
            **source,
            "learner": self.learner.to_json(),
            "recipe": {"name": self.recipe_name, **asdict(self.recipe)},
            "seed": self.seed,
            "examples": self.examples,
            "test_pairs": self.test_pairs,
            "threads": self.threads,
            "device": self.device,
            "versions": {
                "visarith": version("visarith"),
                "torch": torch.__version__,
                "python": platform.python_version(),
            },
        }


def from_json(data: dict[str, Any], where: str, operation: Operation | None = None, notation: Any = None) -> Experiment:
    """The experiment that `to_json` wrote; an operation or a notation of a user's own must be given again."""
    form = data.get("format")
    if isinstance(form, int) and form not in FORMATS.values():
        newest = max(FORMATS.values())
        age, remedy = ("a newer", "update visarith") if form > newest else ("an older", "train it again")
        raise VisarithError(f"{where} was written by {age} visarith (format {form}, not {newest}); {remedy}")
    try:
        return Experiment(
            source=source_from_json(data, where, operation, notation),
            learner=config_of(data["learner"]["name"]).from_json(data["learner"]),
            recipe=built(Recipe, data["recipe"]),
            **{name: whole(name, data[name], 0) for name in ("seed", "examples", "test_pairs", "threads")},
            device=data.get("device", "cpu"),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise VisarithError(f"{where} is damaged ({error}); train again into another {option('out')}") from None


def resolve_device(name: str) -> str:
    """A device by its name: auto is a GPU where there is one."""
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        return next(each for each in ("cuda", "mps", "cpu") if there[each])
    if name not in there:
        raise VisarithError(f"device {name!r} is unknown; use auto, {', '.join(there)}")
    if not there[name]:
        raise VisarithError(f"device {name!r} is not there; use {option('device', 'cpu')} or auto")
    return name
