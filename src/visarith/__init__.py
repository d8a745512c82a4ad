"""Learn arithmetic by looking: from pictures of two numbers, a network draws the picture of the answer.

>>> import visarith as va
>>> va.Task("add").domain.largest
4999999
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from visarith.errors import VisarithError as VisarithError
    from visarith.evaluation import Score as Score
    from visarith.experiments.learn import learn as learn
    from visarith.experiments.run import Run as Run
    from visarith.experiments.run import load as load
    from visarith.learners import LearnerSpec as LearnerSpec
    from visarith.learners.perceptron import Perceptron as Perceptron
    from visarith.operations import Operation as Operation
    from visarith.pictures.typeface import Typeface as Typeface
    from visarith.task import Task as Task
    from visarith.training.recipe import PAPER as PAPER
    from visarith.training.recipe import Recipe as Recipe

# Where each public name lives. They are imported when first used, so that `visarith --help` needs no torch.
_HOMES = {
    "LearnerSpec": "learners",
    "Operation": "operations",
    "PAPER": "training.recipe",
    "Perceptron": "learners.perceptron",
    "Recipe": "training.recipe",
    "Run": "experiments.run",
    "Score": "evaluation",
    "Task": "task",
    "Typeface": "pictures.typeface",
    "VisarithError": "errors",
    "learn": "experiments.learn",
    "load": "experiments.run",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'visarith' has no attribute {name!r}")
    return getattr(import_module(f"visarith.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
