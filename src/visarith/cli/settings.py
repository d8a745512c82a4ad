"""What is learned, by whom and how: the options that `train` and `sweep` share."""

import argparse
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from visarith.errors import VisarithError, whole

if TYPE_CHECKING:
    from visarith.data.task import Task
    from visarith.learners.config import LearnerConfig
    from visarith.training.recipe import Recipe

MEDIA = ("pictures", "one-hot")
SIZE = re.compile(r"(\d{1,5})[x×](\d{1,6})")
RECIPES = "paper, columns, adam, entropy or slow (default paper; columns for columns, tally and numerals)"


def add_options(parser: argparse.ArgumentParser) -> None:
    """How long, with which options of the learner, and how pictures look."""
    add = parser.add_argument
    add("--set", action="append", default=[], metavar="FIELD=VALUE", help="change one field of the recipe")
    add("--test-pairs", type=int, help="held-out pairs (default 30000, or as many as there are)")
    add(
        "--epochs",
        type=int,
        help="passes over the training pairs (default: the recipe's, 50; 6 for columns, more if there are few)",
    )
    for name, settings in (learner_options() | task_options()).items():
        add(flag(name), **settings)


def learner_names() -> tuple[str, ...]:
    """The learners that a command line can train."""
    from visarith.learners import LEARNERS, config_of

    return tuple(name for name in LEARNERS if config_of(name).learns and config_of(name).by_name)


def learner_options() -> dict[str, dict[str, Any]]:
    """Every option of these learners."""
    from visarith.learners import options_of

    found: dict[str, dict[str, Any]] = {}
    for learner in learner_names():
        for name, each in options_of(learner).items():
            told = {"choices": each.metadata["choices"] or None, "help": each.metadata["help"]}
            found.setdefault(name, {"type": type(each.default), **told})
    return found


def task_options() -> dict[str, dict[str, Any]]:
    """The options of pictures that are drawn here; they do not go with --pictures."""
    from visarith.notation import NOTATIONS
    from visarith.pictures.fonts import SETS

    return {
        "digits": {"type": int, "help": "digits of the longest number (default 7; 5 cells each in Roman numerals)"},
        "base": {"type": int, "help": "base of the numbers, 2 to 36 (default 10)"},
        "unpadded": {"action": "store_true", "help": "write numbers right-aligned without leading zeros"},
        "noise": {"type": float, "help": "sigma of Gaussian noise on inputs and targets (default 0; the paper: 0.3)"},
        "clipped": {"action": "store_true", "help": "noisy pixels stay in [0, 1], as in 8-bit picture files"},
        "displacement": {"type": int, "help": "move each input by up to this many pixels (default 0)"},
        "permutation": {"action": "store_true", "help": "permute all pixels in one fixed way"},
        "notation": {"choices": tuple(NOTATIONS), "help": "how numbers are written (default arabic)"},
        "medium": {"choices": MEDIA, "help": "what the learner is shown (default pictures)"},
        "answer_medium": {"choices": MEDIA, "help": "what it draws (default: as --medium)"},
        "font": {"metavar": "FILE", "help": "a .ttf or .otf file (default DejaVu Sans)"},
        "fonts": {"choices": tuple(SETS), "help": "draw each number in one of these fonts (default: one font)"},
        "font_size": {"type": int, "help": "in pixels (default 12 at the paper's picture size)"},
        "picture": {"metavar": "HxW", "help": "height and width in pixels (default 15x60 for seven digits)"},
        "ink": {"choices": ("bit", "smooth"), "help": "one-bit or anti-aliased glyphs (default smooth)"},
    }


def learner(options: argparse.Namespace, name: str) -> "LearnerConfig":
    """The learner of this name with the options that were given."""
    from visarith.learners import learner_config

    given = {name: getattr(options, name) for name in learner_options() if getattr(options, name) is not None}
    for each in ("hidden_layers", "width"):
        if each in given:
            whole(each.replace("_", " "), given[each], 1)
    return learner_config(name, **given)


def task(options: argparse.Namespace, operation: str) -> "Task":
    """The task that an operation and the options describe."""
    from visarith.data.task import Task
    from visarith.pictures.typeface import Typeface

    given = {name: getattr(options, name) for name in ("font", "fonts", "font_size", "ink")}
    height, width = _size(options.picture)
    same = ("digits", "base", "answer_medium", "noise", "clipped", "displacement", "permutation")
    return Task(
        operation,
        notation=options.notation or "arabic",
        padded=False if options.unpadded else None,
        medium=options.medium or "pictures",
        typeface=Typeface(height=height, width=width, **{name: value for name, value in given.items() if value}),
        **{name: getattr(options, name) for name in same},
    )


def recipe(name: str, changes: list[str]) -> "Recipe":
    """A recipe by name, with fields changed as `--set field=value` says."""
    from visarith.training.recipe import Recipe, named

    known = asdict(named(name))
    for change in changes:
        key, _, value = change.partition("=")
        if key not in known:
            raise VisarithError(f"{change!r} sets no field of a recipe; use one of {', '.join(known)}")
        kind = type(known[key])
        try:
            parsed = {"true": True, "false": False}[value.lower()] if kind is bool else kind(value)
        except (KeyError, ValueError):
            raise VisarithError(f"{change!r} needs a value like {key}={known[key]}") from None
        known[key] = parsed
    return Recipe(**known)


def _size(text: str | None) -> tuple[int, int]:
    """Height and width from text such as 15x60; the default typeface's for none."""
    from visarith.pictures.png import MOST_PIXELS
    from visarith.pictures.typeface import Typeface

    if text is None:
        return Typeface().height, Typeface().width
    match = SIZE.fullmatch(text)
    if not match:
        raise VisarithError(f"picture {text!r} is no size; write height x width, such as 15x60")
    height, width = int(match[1]), int(match[2])
    if (pixels := height * width) > MOST_PIXELS:
        raise VisarithError(f"picture {text!r} has {pixels:,} pixels, more than {MOST_PIXELS:,}; make it smaller")
    return height, width


def flag(name: str) -> str:
    """An option as it is written.

    >>> flag("test_pairs")
    '--test-pairs'
    """
    return "--" + name.replace("_", "-")
