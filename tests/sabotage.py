"""Builds of visarith that are spoilt on purpose, to see that the tests of docs/reliability.md would notice.

with sabotaged("direct write"): ...
"""

import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from visarith.runs import state, store


@contextmanager
def sabotaged(name: str) -> Iterator[None]:
    """The named sabotage while it is used as a context; nothing for an empty name."""
    with pytest.MonkeyPatch.context() as patch:
        if name:
            SABOTAGES[name](patch)
        yield


def _direct_write(patch: pytest.MonkeyPatch) -> None:
    def write(final: Path, writer: Callable[[Path], object]) -> Path:
        writer(final)
        return final

    patch.setattr("visarith.runs.folder.write_atomically", write)


def _no_fsync(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("visarith.files.os", _OsWithoutSync())


class _OsWithoutSync:
    def __getattr__(self, name: str) -> Any:
        return (lambda _: None) if name == "fsync" else getattr(os, name)


def _generator_not_saved(patch: pytest.MonkeyPatch) -> None:
    """One generator for the whole process, as many frameworks have it, which a checkpoint forgets."""
    order, noise = np.random.default_rng(0), torch.Generator().manual_seed(0)
    patch.setattr("visarith.training.loop.rng", lambda *_: order)
    patch.setattr("visarith.training.loop.generator", lambda *_: noise)


def _optimizer_not_saved(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("visarith.training.optimizers.Momentum.load_state_dict", lambda *_: None)
    patch.setattr("torch.optim.Adam.load_state_dict", lambda *_: None)


def _checksum_not_checked(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(store.Store, "expected", lambda *_: None)
    patch.setattr(store.Store, "_score", lambda self: self.unchecked("score.json"))
    patch.setattr(state, "opened", _unchecked)
    patch.setattr(store, "opened", _unchecked)


def _unchecked(data: bytes) -> tuple[dict[str, Any], bytes]:
    line, _, content = data.removeprefix(state.MARK).partition(b"\n")
    return json.loads(line) | {"content": state.digest(content)}, content


def _pickle_fallback(patch: pytest.MonkeyPatch) -> None:
    careful = state.unpacked

    def unpacked(data: bytes) -> Any:
        try:
            return careful(data)
        except Exception:
            line, _, content = data.removeprefix(state.MARK).partition(b"\n")
            return torch.load(io.BytesIO(content or line), weights_only=False)

    patch.setattr(store, "unpacked", unpacked)


SABOTAGES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "direct write": _direct_write,
    "no fsync": _no_fsync,
    "generator state not saved": _generator_not_saved,
    "optimizer state not saved": _optimizer_not_saved,
    "checksum not checked": _checksum_not_checked,
    "fallback to pickle": _pickle_fallback,
}
