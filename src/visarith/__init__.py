"""Learn arithmetic by looking: from pictures of two numbers, a network draws the picture of the answer.

>>> import visarith as va
>>> va.Task("add").domain.largest
4999999
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from visarith.data.picture_set import PictureSet as PictureSet
    from visarith.data.task import Task as Task
    from visarith.errors import VisarithError as VisarithError
    from visarith.evaluation import Score as Score
    from visarith.learners import learner_config as LearnerSpec  # noqa: F401, N812
    from visarith.learners import learner_config as learner_config
    from visarith.learners.config import LearnerConfig as LearnerConfig
    from visarith.learners.learner import Learner as Learner
    from visarith.learners.learner import Network as Network
    from visarith.learners.perceptron import Perceptron as Perceptron
    from visarith.notation import Notation as Notation
    from visarith.operations import Operation as Operation
    from visarith.pictures.typeface import Typeface as Typeface
    from visarith.runs.learn import learn as learn
    from visarith.runs.run import Run as Run
    from visarith.runs.run import load as load
    from visarith.training.recipe import PAPER as PAPER
    from visarith.training.recipe import Recipe as Recipe

# The module of each public name. Modules are imported on first use, so that `visarith --help` needs no PyTorch.
_HOMES = {
    "Learner": "learners.learner",
    "LearnerConfig": "learners.config",
    "Network": "learners.learner",
    "Notation": "notation",
    "Operation": "operations",
    "PAPER": "training.recipe",
    "Perceptron": "learners.perceptron",
    "PictureSet": "data.picture_set",
    "Recipe": "training.recipe",
    "Run": "runs.run",
    "Score": "evaluation",
    "Task": "data.task",
    "Typeface": "pictures.typeface",
    "VisarithError": "errors",
    "learn": "runs.learn",
    "learner_config": "learners",
    "load": "runs.run",
}
_EARLIER = {"LearnerSpec": "learner_config"}  # names of version 0.1

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    name = _EARLIER.get(name, name)
    if name not in _HOMES:
        raise AttributeError(f"module 'visarith' has no attribute {name!r}")
    return getattr(import_module(f"visarith.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
