"""Runs on disk, written so that a kill at any moment leaves a valid folder, and checked when they are read.

The score, which finishes a run, has the SHA-256 of every other file and of itself. The state, from which an unfinished
run goes on, has that of its content and of the files that were there. Runs of older formats have none.

PyTorch is imported only where weights are read or written, so that a list of runs does not need it.
"""

import errno
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visarith.errors import VisarithError, option, whole
from visarith.files import (
    MB,
    append_line,
    lock_file,
    make_folder,
    open_lock,
    parsed,
    reason,
    remove_drafts,
    signed,
)
from visarith.runs.folder import (
    EXAMPLES,
    EXPERIMENT,
    LEGEND,
    LOCK,
    METRICS,
    SCORE,
    STATE,
    WEIGHTS,
    Folder,
    written,
)
from visarith.runs.lock import take
from visarith.runs.state import OLDER, opened, packed, unpacked

if TYPE_CHECKING:
    from torch import Tensor

    from visarith.reading.legend import Legend

CHECKED = (EXPERIMENT, WEIGHTS, METRICS, EXAMPLES, LEGEND)  # files whose SHA-256 a finished run has
FORMAT, UNCHECKED = 4, (2, 3)  # of experiment.json; the older ones have no checksums
SHA, FILES = "sha256", "files"  # in score.json
MOST_HEADER = MB  # of the names and shapes of weights


class BusyError(VisarithError):
    """Another process is training in this folder."""


class Store(Folder):
    """Reads and writes one run folder. A run is finished when its score is written."""

    @property
    def exists(self) -> bool:
        return self.has(EXPERIMENT)

    @property
    def begun(self) -> bool:
        """Whether an epoch has been finished."""
        return self.has(STATE) or self.finished

    @property
    def finished(self) -> bool:
        return self.has(SCORE)

    @property
    def locked(self) -> bool:
        """Whether a process is training in this folder now."""
        try:
            with open_lock(self.path / LOCK, create=False) as file:
                lock_file(file, shared=True)
        except OSError as error:  # there is no lock, or it may not be read
            return isinstance(error, BlockingIOError)
        return False

    def check_usable(self) -> None:
        """Refuse a path that cannot hold a run."""
        try:
            self._check_usable()
        except OSError as error:
            raise self._unwritable(error) from None

    def _check_usable(self) -> None:
        there = next((path for path in (self.path, *self.path.parents) if path.exists()), Path())
        if not there.is_dir():
            raise VisarithError(f"{self.path} cannot be written ({there} is a file); choose another {option('out')}")
        others = self.path.is_dir() and any(
            not file.name.startswith(".") and file.name != LEGEND  # which is written first, and deleted last
            for file in self.path.iterdir()
        )
        if others and not self.exists:
            raise VisarithError(f"{self.path} is a folder with other files in it; choose another {option('out')}")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Create the folder if necessary and lock it; refuse a folder with other files."""
        try:
            self.check_usable()
            make_folder(self.path)
            with open_lock(self.path / LOCK) as file:  # the lock ends with its process; the file stays
                take(file)
                remove_drafts(self.path)
                yield
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> VisarithError:
        kind, why = VisarithError, f"cannot be written ({reason(error)})"
        if isinstance(error, BlockingIOError):
            kind, why = BusyError, "is being trained by another process"
        elif error.errno in (errno.ENOLCK, errno.EOPNOTSUPP):
            why = f"is on a file system without locks ({reason(error)}), where two processes could spoil a run"
        return kind(f"{self.path} {why}; choose another {option('out')}")

    def experiment(self) -> dict[str, Any]:
        if not self.exists:
            why = f"it has no {EXPERIMENT}; visarith runs lists the runs"
            raise VisarithError(f"{self.path} is not a run folder: {why}")
        data = self.unchecked(EXPERIMENT)
        other = isinstance(data.get("format"), int) and data["format"] != FORMAT  # whose checksums we do not know
        return data if other else self.json_in(EXPERIMENT)

    def score(self) -> dict[str, Any]:
        if not self.finished:
            options = f"{option('out', str(self.path))} and {option('resume', True)}"
            raise VisarithError(f"{self.path} is not finished; train it with {options}")
        return {name: value for name, value in self._score().items() if name not in (FILES, SHA)}

    def write_score(self, score: dict[str, Any]) -> None:
        """Write the score with the checksums of all files, which finishes the run, and delete the state."""
        self.write_json(SCORE, signed(score | {FILES: self.digests(*CHECKED)}))
        (self.path / STATE).unlink(missing_ok=True)

    def tidy(self) -> None:
        """Delete the state of a finished run, which a kill has left, unless that is not possible now."""
        if self.finished and self.has(STATE):
            with suppress(VisarithError, OSError), self.lock():
                (self.path / STATE).unlink(missing_ok=True)

    def amend_score(self, changes: dict[str, Any]) -> None:
        """Add to the score of a finished run, whose other files stay what they are."""
        self.write_json(SCORE, signed(self._score() | changes))

    def check(self, *but: str) -> None:
        """Compare every file of a finished run with its checksum; not those that are read, and so compared, anyway."""
        for name in {*self._score().get(FILES, {})} - {*but}:
            self.bytes_in(name)

    def weights(self) -> "dict[str, Tensor]":
        import safetensors
        import safetensors.torch

        data = self.bytes_in(WEIGHTS)
        try:
            if int.from_bytes(data[:8], "little") > MOST_HEADER:
                raise ValueError(f"a header of more than {MOST_HEADER:,} bytes")
            return safetensors.torch.load(data)
        except (ValueError, KeyError, safetensors.SafetensorError) as error:
            raise self.damaged(WEIGHTS, reason(error)) from None

    def write_weights(self, weights: "dict[str, Tensor]") -> None:
        import safetensors.torch
        import torch

        form = torch.contiguous_format
        copies = {name: tensor.detach().clone(memory_format=form) for name, tensor in weights.items()}
        data = safetensors.torch.save(copies)
        self.write(WEIGHTS, lambda file: file.write_bytes(data))

    def state(self) -> dict[str, Any] | None:
        """Return the state to resume from, or None before the first epoch."""
        if not self.has(STATE):
            return None
        for name in self._state()[FILES]:
            self.bytes_in(name)
        data = self._read(STATE)
        try:
            return unpacked(data)
        except Exception:  # a hostile file can make the reader of tensors raise anything
            raise self._spoilt_state() from None

    def write_state(self, state: dict[str, Any]) -> None:
        """Write the state to resume from."""
        data = packed(state, self.digests(EXPERIMENT, LEGEND))
        self.write(STATE, lambda file: file.write_bytes(data))

    @property
    def epochs_kept(self) -> int:
        """The epochs after which an unfinished run goes on."""
        return int(self._state()["epochs"]) if self.has(STATE) else 0

    def _state(self) -> dict[str, Any]:
        """The header of the state."""
        data = self._read(STATE)
        if data.startswith(OLDER):
            raise self._spoilt_state("was written by another version of visarith")
        try:
            return opened(data)[0]
        except (ValueError, KeyError):
            raise self._spoilt_state() from None

    def _spoilt_state(self, what: str = "is damaged") -> VisarithError:
        return VisarithError(f"{self.path / STATE} {what}; delete it to start again")

    def legend(self) -> "Legend | None":
        """Return the legend of the user's pictures, if there is one."""
        from visarith.reading.legend import from_json

        if not self.has(LEGEND):
            return None
        try:
            return from_json(self.json_in(LEGEND))
        except VisarithError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise self.damaged(LEGEND, str(error)) from None

    def write_legend(self, legend: "Legend") -> None:
        from visarith.reading.legend import to_json

        self.write_json(LEGEND, to_json(legend))

    def metrics(self) -> list[dict[str, Any]]:
        """Return the metrics of the epochs so far, without a last line that a kill has cut off."""
        if not self.has(METRICS):
            return []
        lines = self.bytes_in(METRICS).splitlines()
        metrics = []
        for number, line in enumerate(lines, 1):
            try:
                found = parsed(line)
                metrics.append({**found, "epoch": whole("epoch", found["epoch"], 1)})
            except (ValueError, KeyError) as error:
                if number < len(lines):
                    raise self.damaged(METRICS, f"line {number}: {reason(error)}") from None
        return metrics

    def write_metrics(self, lines: list[dict[str, Any]]) -> None:
        """Write the metrics of these epochs in the place of what is there."""
        text = "".join(json.dumps(line) + "\n" for line in lines)
        self.write(METRICS, lambda file: file.write_text(text))

    def append_metrics(self, line: dict[str, Any]) -> None:
        append_line(self.path / METRICS, json.dumps(line))

    def write_experiment(self, experiment: dict[str, Any]) -> None:
        self.write_json(EXPERIMENT, experiment)

    def discard(self) -> None:
        """Delete an unfinished run, and its folder if it is empty then."""
        for name in (STATE, METRICS, EXPERIMENT, LEGEND, LOCK):  # a kill in between leaves a run that has not begun
            (self.path / name).unlink(missing_ok=True)
        with suppress(OSError):
            self.path.rmdir()

    def _score(self) -> dict[str, Any]:
        """The score with its checksums, which it has unless it is of an older format."""
        score = self.unchecked(SCORE)
        if SHA not in score and self.unchecked(EXPERIMENT).get("format") in UNCHECKED:
            return score
        as_it_was = signed(score) == score and self._read(SCORE) == written(score)
        if not as_it_was or not isinstance(score.get(FILES), dict):
            raise self.damaged(SCORE, "its content has another SHA-256")
        return score

    def expected(self, name: str) -> str | None:
        """The SHA-256 that a file must have, or None before the first epoch and in runs of older formats."""
        if self.finished:
            files = self._score().get(FILES)
        else:
            files = self._state()[FILES] if self.has(STATE) and name != METRICS else None
        return None if files is None else str(files.get(name, "none"))
