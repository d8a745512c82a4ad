"""Run folders: their files, written so that a kill at any moment leaves a valid folder.

PyTorch is imported only where weights are read or written, so that a list of runs does not need it.
"""

import json
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from visarith.errors import VisarithError, option

if TYPE_CHECKING:
    from torch import Tensor

    from visarith.reading.legend import Legend

EXPERIMENT, WEIGHTS, STATE = "experiment.json", "weights.safetensors", "state.pt"
METRICS, SCORE, EXAMPLES, LOCK = "metrics.jsonl", "score.json", "examples.png", ".lock"
LEGEND = "legend.json"  # how answers of the user's pictures are read


class BusyError(VisarithError):
    """Another process is training in this folder."""


class Store:
    """Reads and writes one run folder. A run is finished when its score is written."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    @property
    def exists(self) -> bool:
        return (self.path / EXPERIMENT).exists()

    @property
    def begun(self) -> bool:
        """Whether an epoch has been finished."""
        return (self.path / STATE).exists() or self.finished

    @property
    def finished(self) -> bool:
        return (self.path / SCORE).exists()

    @property
    def locked(self) -> bool:
        """Whether a process is training in this folder now."""
        try:
            with (self.path / LOCK).open("rb") as file:
                lock_file(file)
        except OSError as error:  # there is no lock, or it may not be read
            return isinstance(error, BlockingIOError)
        return False

    def check_usable(self) -> None:
        """Refuse a path that cannot hold a run."""
        there = next((path for path in (self.path, *self.path.parents) if path.exists()), Path())
        if not there.is_dir():
            raise VisarithError(f"{self.path} cannot be written ({there} is a file); choose another {option('out')}")
        others = self.path.is_dir() and any(not file.name.startswith(".") for file in self.path.iterdir())
        if others and not self.exists:
            raise VisarithError(f"{self.path} is a folder with other files in it; choose another {option('out')}")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Create the folder if necessary and lock it; refuse a folder with other files."""
        try:
            self.check_usable()
            self.path.mkdir(parents=True, exist_ok=True)
            with (self.path / LOCK).open("wb") as file:  # the lock ends with its process; the file stays
                lock_file(file)
                yield
        except OSError as error:
            kind, why = VisarithError, f"cannot be written ({_reason(error)})"
            if isinstance(error, BlockingIOError):
                kind, why = BusyError, "is being trained by another process"
            raise kind(f"{self.path} {why}; choose another {option('out')}") from None

    def experiment(self) -> dict[str, Any]:
        if not self.exists:
            why = f"it has no {EXPERIMENT}; visarith runs lists the runs"
            raise VisarithError(f"{self.path} is not a run folder: {why}")
        return self._read_json(EXPERIMENT)

    def score(self) -> dict[str, Any]:
        if not self.finished:
            options = f"{option('out', str(self.path))} and {option('resume', True)}"
            raise VisarithError(f"{self.path} is not finished; train it with {options}")
        return self._read_json(SCORE)

    def write_score(self, score: dict[str, Any]) -> None:
        """Write the score, which finishes the run, and delete the state for resuming."""
        self._json(SCORE, score)
        (self.path / STATE).unlink(missing_ok=True)

    def weights(self) -> "dict[str, Tensor]":
        import safetensors
        import safetensors.torch

        file = self.path / WEIGHTS
        try:
            return safetensors.torch.load_file(file)
        except (OSError, safetensors.SafetensorError) as error:
            why = _reason(error)
            raise VisarithError(f"{file} cannot be read ({why}); delete the folder and train again") from None

    def write_weights(self, weights: "dict[str, Tensor]") -> None:
        import safetensors.torch
        import torch

        form = torch.contiguous_format
        copies = {name: tensor.detach().clone(memory_format=form) for name, tensor in weights.items()}
        data = safetensors.torch.save(copies)
        self.write(WEIGHTS, lambda file: file.write_bytes(data))

    def state(self) -> dict[str, Any] | None:
        """Return the state to resume from, or None before the first epoch."""
        import torch

        file = self.path / STATE
        if not file.exists():
            return None
        try:
            state = torch.load(file, weights_only=True)
        except (OSError, RuntimeError, EOFError, pickle.UnpicklingError):
            state = None
        if not isinstance(state, dict):
            raise VisarithError(f"{file} is damaged; delete it to start again")
        return state

    def write_state(self, state: dict[str, Any]) -> None:
        import torch

        self.write(STATE, lambda file: torch.save(state, file))

    def legend(self) -> "Legend | None":
        """Return the legend of the user's pictures, if there is one."""
        from visarith.reading.legend import from_json

        if not (self.path / LEGEND).exists():
            return None
        try:
            return from_json(self._read_json(LEGEND))
        except (KeyError, TypeError, ValueError) as error:
            raise VisarithError(f"{self.path / LEGEND} is damaged ({error}); train again") from None

    def write_legend(self, legend: "Legend") -> None:
        from visarith.reading.legend import to_json

        self._json(LEGEND, to_json(legend))

    def metrics(self) -> list[dict[str, Any]]:
        """Return the metrics of the epochs so far, without a last line that a kill has cut off."""
        file = self.path / METRICS
        lines = file.read_text().splitlines() if file.exists() else []
        metrics = []
        for number, line in enumerate(lines, 1):
            try:
                metrics.append({"epoch": int(json.loads(line)["epoch"]), **json.loads(line)})
            except (ValueError, KeyError, TypeError):
                if number < len(lines):
                    raise VisarithError(f"{file} is damaged in line {number}; delete that line") from None
        return metrics

    def keep_metrics(self, epochs: int) -> None:
        """Delete the metrics of epochs that will be trained again."""
        kept = [json.dumps(line) + "\n" for line in self.metrics() if line["epoch"] <= epochs]
        self.write(METRICS, lambda file: file.write_text("".join(kept)))

    def append_metrics(self, line: dict[str, Any]) -> None:
        with (self.path / METRICS).open("a") as file:
            file.write(json.dumps(line) + "\n")

    def write(self, name: str, writer: Callable[[Path], object]) -> Path:
        """Write a file of the run atomically."""
        return write_atomically(self.path / name, writer)

    def write_experiment(self, experiment: dict[str, Any]) -> None:
        self._json(EXPERIMENT, experiment)

    def discard(self) -> None:
        """Delete a run before its first epoch, and its folder if it is empty then."""
        for name in (EXPERIMENT, METRICS, LEGEND, LOCK):
            (self.path / name).unlink(missing_ok=True)
        with suppress(OSError):
            self.path.rmdir()

    def _json(self, name: str, data: dict[str, Any]) -> None:
        self.write(name, lambda file: file.write_text(json.dumps(data, indent=2, allow_nan=False) + "\n"))

    def _read_json(self, name: str) -> dict[str, Any]:
        file = self.path / name
        try:
            data = json.loads(file.read_text())
            if not isinstance(data, dict):
                raise ValueError("no JSON object")
        except (OSError, ValueError) as error:
            remedy = f"train again into another {option('out')}"
            raise VisarithError(f"{file} is damaged ({_reason(error)}); {remedy}") from None
        return data


def write_atomically(final: Path, writer: Callable[[Path], object]) -> Path:
    """Write a temporary file and rename it, so that the file is complete at any time."""
    draft = final.with_name(f".{final.name}.{os.getpid()}")
    try:
        writer(draft)
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.replace(final)
    except (OSError, RuntimeError) as error:  # PyTorch raises RuntimeError on a full disk
        raise VisarithError(f"{final} cannot be written ({_reason(error)}); is the disk full?") from None
    finally:
        draft.unlink(missing_ok=True)
    return final


def lock_file(file: IO[bytes], *, shared: bool = False) -> None:
    """Lock a file until the process ends, alone or with others that share it; BlockingIOError if that cannot be.

    Windows has no shared locks here: there, one process has it at a time.
    """
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None
    else:
        import fcntl

        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or next(iter(str(error).splitlines()), type(error).__name__)
