"""Settings of the caller's process that are changed during training and restored afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def guest(threads: int | None = None) -> Iterator[None]:
    """Set the threads, flush denormal numbers, use the CPU as default device; restore these and the random state.

    Denormal numbers can make a step of training thirty times slower.
    """
    before, flushed = torch.get_num_threads(), flushes_denormals()
    torch.set_flush_denormal(True)  # first, since new threads inherit it
    torch.set_num_threads(threads or before)
    try:
        with torch.random.fork_rng(devices=[]), torch.device("cpu"):
            yield
    finally:
        torch.set_num_threads(before)
        torch.set_flush_denormal(flushed)


def flushes_denormals() -> bool:
    """Whether denormal numbers are flushed to zero; PyTorch has no query, so one is computed."""
    return not bool(torch.tensor([1e-38], device="cpu") * 1e-2)
