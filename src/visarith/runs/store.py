"""The folder of a run: what is in it, written so that a kill at any moment leaves it whole."""

import json
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from visarith.errors import VisarithError, option
from visarith.reading import legend as legends

EXPERIMENT, WEIGHTS, STATE = "experiment.json", "weights.safetensors", "state.pt"
METRICS, SCORE, EXAMPLES, LOCK = "metrics.jsonl", "score.json", "examples.png", ".lock"
LEGEND = "legend.json"  # of answers that were brought: how they are read


class Store:
    """Reads and writes one run folder. A run is finished when it has its score."""

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
        """Whether a process is training into this folder now."""
        try:
            with (self.path / LOCK).open("r+b") as file:
                _lock(file)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Have this folder for oneself; made if need be, and refused if it holds something else."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not self.exists and any(not file.name.startswith(".") for file in self.path.iterdir()):
                raise VisarithError(f"{self.path} is a folder with other files in it; choose another {option('out')}")
            with (self.path / LOCK).open("wb") as file:  # the lock dies with its owner, the file may stay
                _lock(file)
                yield
        except BlockingIOError:
            raise VisarithError(
                f"{self.path} is being trained by another process; choose another {option('out')}"
            ) from None
        except OSError as error:
            raise VisarithError(
                f"{self.path} cannot be written ({_reason(error)}); choose another {option('out')}"
            ) from None

    def experiment(self) -> dict[str, Any]:
        if not self.exists:
            raise VisarithError(f"{self.path} is no run folder (it has no {EXPERIMENT}); visarith runs lists the runs")
        return self._read_json(EXPERIMENT)

    def score(self) -> dict[str, Any]:
        if not self.finished:
            going_on = f"{option('out', str(self.path))} and {option('resume', True)}"
            raise VisarithError(f"{self.path} is not finished; train it with {going_on}")
        return self._read_json(SCORE)

    def write_score(self, score: dict[str, Any]) -> None:
        """The last thing that is written: after this the run is finished and its resumable state is let go."""
        self._json(SCORE, score)
        (self.path / STATE).unlink(missing_ok=True)

    def weights(self) -> dict[str, Tensor]:
        file = self.path / WEIGHTS
        try:
            return safetensors.torch.load_file(file)
        except (OSError, safetensors.SafetensorError) as error:
            raise VisarithError(
                f"{file} cannot be read ({_reason(error)}); delete the folder and train again"
            ) from None

    def write_weights(self, weights: dict[str, Tensor]) -> None:
        data = safetensors.torch.save(
            {name: tensor.detach().clone(memory_format=torch.contiguous_format) for name, tensor in weights.items()}
        )
        self.write(WEIGHTS, lambda file: file.write_bytes(data))

    def state(self) -> dict[str, Any] | None:
        """The state to resume from, or None when no epoch was finished."""
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
        self.write(STATE, lambda file: torch.save(state, file))

    def legend(self) -> legends.Legend | None:
        """How the answers of pictures that were brought are read, if that is known."""
        if not (self.path / LEGEND).exists():
            return None
        try:
            return legends.from_json(self._read_json(LEGEND))
        except (KeyError, TypeError, ValueError) as error:
            raise VisarithError(f"{self.path / LEGEND} is damaged ({error}); train again") from None

    def write_legend(self, legend: legends.Legend) -> None:
        self._json(LEGEND, legends.to_json(legend))

    def metrics(self) -> list[dict[str, Any]]:
        """The metrics of the epochs so far; a line that was being written when a run was killed is left out."""
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
        """Drop the metrics of epochs that will be done again."""
        kept = [json.dumps(line) + "\n" for line in self.metrics() if line["epoch"] <= epochs]
        self.write(METRICS, lambda file: file.write_text("".join(kept)))

    def append_metrics(self, line: dict[str, Any]) -> None:
        with (self.path / METRICS).open("a") as file:
            file.write(json.dumps(line) + "\n")

    def write(self, name: str, writer: Callable[[Path], object]) -> Path:
        """Write a file beside its place and move it there in one step."""
        final, draft = self.path / name, self.path / f".{name}.{os.getpid()}"
        try:
            writer(draft)
            with draft.open("rb") as file:
                os.fsync(file.fileno())
            draft.replace(final)
        except (OSError, RuntimeError) as error:  # PyTorch says RuntimeError when the disk is full
            raise VisarithError(f"{final} cannot be written ({_reason(error)}); is the disk full?") from None
        finally:
            draft.unlink(missing_ok=True)
        return final

    def write_experiment(self, experiment: dict[str, Any]) -> None:
        self._json(EXPERIMENT, experiment)

    def discard(self) -> None:
        """Remove a run of which no epoch was finished, and its folder if nothing else is in it."""
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
        except (OSError, ValueError) as error:
            raise VisarithError(
                f"{file} is damaged ({_reason(error)}); train again into another {option('out')}"
            ) from None
        if not isinstance(data, dict):
            raise VisarithError(f"{file} is damaged (no object in it); train again into another {option('out')}")
        return data


def _lock(file: IO[bytes]) -> None:
    """Take a lock that goes with the process; BlockingIOError if another has it."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or next(iter(str(error).splitlines()), type(error).__name__)
