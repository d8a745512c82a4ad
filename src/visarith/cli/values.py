"""What several verbs ask for in the same way: values of options, parsed and checked before any work begins."""

import argparse
from pathlib import Path

from visarith.errors import VisarithError


def add_run(parser: argparse.ArgumentParser) -> None:
    """The run that a verb works with."""
    parser.add_argument("run", type=Path, metavar="RUN", help="folder of a finished run; visarith runs lists them")


def add_seed(parser: argparse.ArgumentParser, of: str) -> None:
    """The seed of what is random."""
    parser.add_argument("--seed", type=int, default=0, help=f"seed of {of} (default 0)")


def png(path: Path | None, option: str) -> Path | None:
    """A file that a picture can be written to, checked before the picture is drawn."""
    if path is None:
        return None
    if path.suffix.lower() != ".png":
        raise VisarithError(f"{option} {path} is no PNG file; use a name that ends in .png")
    if path.is_dir():
        raise VisarithError(f"{option} {path} is a folder; name a file in it, such as {path / 'answer.png'}")
    if not path.parent.is_dir():
        raise VisarithError(f"{path} cannot be written ({path.parent} is no folder); choose another {option}")
    return path
