"""The files of a run folder: their names and sizes, written atomically, and compared with their checksums when read."""

import errno
import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from visarith.errors import VisarithError, option
from visarith.files import MB, digest, parsed, read_bytes, reason, write_atomically

EXPERIMENT, WEIGHTS, STATE = "experiment.json", "weights.safetensors", "state.pt"
METRICS, SCORE, EXAMPLES, LOCK = "metrics.jsonl", "score.json", "examples.png", ".lock"
LEGEND = "legend.json"  # how answers of the user's pictures are read
MOST = {EXPERIMENT: MB, SCORE: MB, LEGEND: 10 * MB, EXAMPLES: 500 * MB, METRICS: 500 * MB}  # bytes
MOST |= {WEIGHTS: 2_000 * MB, STATE: 6_000 * MB}


class Folder(ABC):
    """Reads and writes files in a folder; `expected` knows the SHA-256 of each."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @abstractmethod
    def expected(self, name: str) -> str | None:
        """The SHA-256 that a file must have, or None if any will do."""

    def write(self, name: str, writer: Callable[[Path], object]) -> Path:
        """Write a file of the run atomically."""
        return write_atomically(self.path / name, writer)

    def digests(self, *names: str) -> dict[str, str]:
        """The SHA-256 of those of these files that there are."""
        there = [name for name in names if self.has(name)]
        return {name: digest(self._read(name)) for name in there}

    def write_json(self, name: str, data: dict[str, Any]) -> None:
        """Write a JSON file of the run atomically."""
        self.write(name, lambda file: file.write_bytes(written(data)))

    def bytes_in(self, name: str) -> bytes:
        """The content of a file, if it is what the run has written."""
        data = self._read(name)
        if self.expected(name) not in (None, digest(data)):
            raise self.damaged(name, "its content has another SHA-256 than the run has written")
        return data

    def json_in(self, name: str) -> dict[str, Any]:
        """The same of a JSON file."""
        try:
            return parsed(self.bytes_in(name))
        except VisarithError:
            raise
        except ValueError as error:
            raise self.damaged(name, reason(error)) from None

    def unchecked(self, name: str) -> dict[str, Any]:
        """A JSON file, whose checksum is not compared."""
        try:
            return parsed(self._read(name))
        except VisarithError:
            raise
        except ValueError as error:
            raise self.damaged(name, reason(error)) from None

    def has(self, name: str) -> bool:
        """Whether there is something of this name, if only a link to nothing."""
        try:
            (self.path / name).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise self._unreadable(name, error) from None
        return True

    def _read(self, name: str) -> bytes:
        """The content of a file, whatever it is; what the disk refuses may be sound."""
        try:
            return read_bytes(self.path / name, MOST[name])
        except OSError as error:
            if error.errno in (None, errno.ENOENT, errno.ELOOP, errno.EISDIR, errno.ENXIO):  # not as it was written
                raise self.damaged(name, reason(error)) from None
            raise self._unreadable(name, error) from None

    def _unreadable(self, name: str, error: OSError) -> VisarithError:
        return VisarithError(f"{self.path / name} cannot be read ({reason(error)}); try again")

    def damaged(self, name: str, why: str) -> VisarithError:
        """The error that a file is not what was written."""
        remedy = f"restore it from a copy, or train again into another {option('out')}"
        return VisarithError(f"{self.path / name} is damaged ({why}); {remedy}")


def written(data: dict[str, Any]) -> bytes:
    """JSON as it stands in the files of a run."""
    return f"{json.dumps(data, indent=2, allow_nan=False)}\n".encode()
