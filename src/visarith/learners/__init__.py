"""The learners: a folder each, and one line each in this registry; a learner is imported when it is first used."""

from dataclasses import fields
from functools import cache
from importlib import import_module
from typing import Any

from visarith.errors import VisarithError, option
from visarith.learners.config import LearnerConfig

LEARNERS = {  # the module of each learner's Config
    "perceptron": "visarith.learners.perceptron",
    "columns": "visarith.learners.columns",
    "tally": "visarith.learners.tally",
    "convolutional": "visarith.learners.convolutional",
    "recurrent": "visarith.learners.recurrent",
    "symbols": "visarith.learners.symbols",
    "joined": "visarith.learners.joined",
    "constructed": "visarith.learners.constructed",
    "own": "visarith.learners.own",
}


@cache
def config_of(name: str) -> type[LearnerConfig]:
    """The config of a learner by the learner's name."""
    if name not in LEARNERS:
        raise VisarithError(f"learner {name!r} is unknown; use one of {', '.join(LEARNERS)}")
    config: type[LearnerConfig] = import_module(LEARNERS[name]).Config
    return config


def options_of(name: str) -> dict[str, Any]:
    """The options of a learner, as fields of its config."""
    return {each.name: each for each in fields(config_of(name))}


def learner_config(name: str = "perceptron", **options: Any) -> LearnerConfig:
    """The config of a learner with these options; raises an error for options that the learner does not have.

    >>> learner_config("columns", path="diagonal").path
    'diagonal'
    """
    for key in options:
        if key not in options_of(name):
            having = [other for other in LEARNERS if key in options_of(other)]
            whose = f"is an option of {', '.join(having)}" if having else "is an option of no learner"
            raise VisarithError(f"{option(key)} {whose}, and {name} has none of that name; leave it out")
    return config_of(name)(**options)
