"""The lock of a run folder: whoever trains has it alone; those who look whether somebody does share it for a moment."""

import time
from typing import IO

from visarith.files import is_shared, lock_file

PATIENCE, PAUSE = 60.0, 0.001  # seconds, while others look whether a run is locked
BRIEF = 0.4  # seconds, where those who look cannot be told from those who train


def take(file: IO[bytes]) -> None:
    """Lock a file. Others may share it for a moment, to see whether it is locked; only a trainer has it alone."""
    began = time.monotonic()
    while True:
        try:
            lock_file(file)
        except BlockingIOError:
            waited = time.monotonic() - began
            if waited > (PATIENCE if is_shared(file) else BRIEF):
                raise
            time.sleep(PAUSE)
        else:
            return
