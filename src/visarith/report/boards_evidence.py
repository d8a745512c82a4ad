"""What benchmarks/boards.py has stored: a row for each network of each board."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from visarith.report.evidence import Evidence, NoResultError

FILE = "boards.json"

Rows = Mapping[str, Mapping[str, Any]]
Boards = Mapping[str, Rows]


class NoBoardError(NoResultError):
    """A board was not measured."""

    remedy = "python benchmarks/boards.py"


def load(folder: Path) -> Boards:
    """The stored boards; empty if there are none."""
    file = folder / FILE
    stored: Boards = json.loads(file.read_text()) if file.exists() else {}
    return stored


def board(evidence: Evidence, name: str) -> Rows:
    """One of them, or the error that says how it is made."""
    boards = load(evidence.folder)
    if not boards.get(name):
        raise NoBoardError(f"the board {name!r}")
    return boards[name]
