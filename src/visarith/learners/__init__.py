"""The learners by name: their configs, from which networks are built."""

from dataclasses import Field, fields
from typing import Any

from visarith.errors import VisarithError, option
from visarith.learners import builtin, own
from visarith.learners.config import LearnerConfig

LEARNERS: dict[str, type[LearnerConfig]] = {
    config.name: config
    for config in (
        builtin.PerceptronConfig,
        builtin.ColumnsConfig,
        builtin.TallyConfig,
        builtin.NumeralsConfig,
        builtin.ConvolutionalConfig,
        builtin.RecurrentConfig,
        builtin.SymbolsConfig,
        builtin.JoinedConfig,
        builtin.ConstructedConfig,
        own.Config,
    )
}


def config_of(name: str) -> type[LearnerConfig]:
    """The config of a learner by the learner's name."""
    if name not in LEARNERS:
        raise VisarithError(f"learner {name!r} is unknown; use one of {', '.join(LEARNERS)}")
    return LEARNERS[name]


def options_of(name: str) -> dict[str, Field[Any]]:
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
