"""Pretrained runs that come with the package, and the choice of the best for an operation."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock

from visarith.errors import VisarithError
from visarith.learners import config_of
from visarith.operations import OPERATIONS
from visarith.runs.run import Run, load
from visarith.runs.store import Store

FOLDER = Path(__file__).parent.parent / "shipped"
COMMAND = "command.txt"
_loading = Lock()


@dataclass(frozen=True)
class Pretrained:
    """A run that comes with the package, and the command that trains it again.

    The threads and the precision of its training are in its experiment.json.
    """

    name: str
    learner: str
    operation: str
    notation: str
    noise: float
    command: str
    folder: Path

    def load(self) -> Run:
        """Load the run once; threads may share it."""
        with _loading:
            return _loaded(self.folder)


@cache
def pretrained() -> tuple[Pretrained, ...]:
    """Return all pretrained runs, the best first."""
    folders = [path for path in FOLDER.iterdir() if path.is_dir()] if FOLDER.is_dir() else []
    if not folders:
        raise VisarithError(f"no pretrained runs are in {FOLDER}; install visarith again, or give a run of your own")
    return tuple(sorted(map(_described, folders), key=_rank))


def find(operation: str, notation: str = "arabic", learner: str = "") -> Pretrained:
    """Return the best pretrained run of an operation; `learner` is a kind of learner or the name of a run.

    A run that was trained with noise is found by its name only.
    """
    fit = [each for each in pretrained() if (each.operation, each.notation) == (operation, notation)]
    if not fit:
        asked = _what(operation, notation)
        there = ", ".join(dict.fromkeys(_what(each.operation, each.notation) for each in pretrained()))
        raise VisarithError(f"no pretrained run has learned to {asked}; there is {there}, or train a run of your own")
    for each in fit:
        if learner == each.name or (learner in ("", each.learner) and not each.noise):
            return each
    kinds = [each.name if each.noise else each.learner for each in fit]
    raise VisarithError(
        f"no pretrained {learner!r} has learned to {_what(operation, notation)}; use {' or '.join(kinds)}"
    )


@cache
def _loaded(folder: Path) -> Run:
    return load(folder)


def _described(folder: Path) -> Pretrained:
    data = Store(folder).experiment()
    try:
        command = (folder / COMMAND).read_text().strip()
        names = data["learner"]["name"], data["operation"]["name"], data["notation"]["name"]
        return Pretrained(folder.name, *names, data["corruption"]["noise"], command, folder)
    except (OSError, KeyError, TypeError) as error:
        raise VisarithError(f"{folder} is damaged ({error}); install visarith again") from None


def _rank(each: Pretrained) -> tuple[bool, int, int]:
    return bool(each.noise), config_of(each.learner).rank, list(OPERATIONS).index(each.operation)


def _what(operation: str, notation: str) -> str:
    return f"{operation} in Roman numerals" if notation == "roman" else operation
