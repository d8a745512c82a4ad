"""Random generators that depend only on a seed, a purpose and counters, never on earlier draws."""

import hashlib
import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from visarith.errors import whole


def _entropy(seed: int, purpose: str, *counters: int) -> np.random.SeedSequence:
    whole("seed", seed, 0)
    purpose_number = int.from_bytes(hashlib.sha256(purpose.encode()).digest()[:8], "big")
    return np.random.SeedSequence([seed, purpose_number, *counters])


def rng(seed: int, purpose: str, *counters: int) -> np.random.Generator:
    """Return a NumPy generator for one purpose: rng(0, "order", epoch)."""
    return np.random.default_rng(_entropy(seed, purpose, *counters))


def generator(seed: int, purpose: str, *counters: int) -> torch.Generator:
    """Return a PyTorch generator for one purpose."""
    state = _entropy(seed, purpose, *counters).generate_state(1, np.uint64)[0]
    return torch.Generator().manual_seed(int(state) >> 1)


@contextmanager
def untouched() -> Iterator[None]:
    """Restore the state of Python's own generator, which importing scikit-learn changes."""
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)
