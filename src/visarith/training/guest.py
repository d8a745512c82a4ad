"""A good guest: what the library changes in the caller's process while it works is as before when it returns."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def guest(threads: int | None = None) -> Iterator[None]:
    """So many threads, no denormal numbers, random numbers and a default device of our own; all as before afterwards.

    Denormal numbers can slow a step of training thirtyfold.
    """
    before, flushed = torch.get_num_threads(), flushes_denormals()
    torch.set_flush_denormal(True)  # before the first thread of ours, which inherits it
    torch.set_num_threads(threads or before)
    try:
        with torch.random.fork_rng(devices=[]), torch.device("cpu"):
            yield
    finally:
        torch.set_num_threads(before)
        torch.set_flush_denormal(flushed)


def flushes_denormals() -> bool:
    """Whether denormal numbers are flushed to zero now; PyTorch does not say, so one is made."""
    return not bool(torch.tensor([1e-38], device="cpu") * 1e-2)
