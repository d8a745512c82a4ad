"""Processes that begin within milliseconds, to be killed: forks of one that has imported PyTorch and has one thread."""

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


class Forks:
    """Runs functions of the tests' modules in processes of their own, one at a time."""

    def __init__(self) -> None:
        path = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
        alone = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONPATH": path}
        command = [sys.executable, __file__]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | alone, start_new_session=True
        )
        self.run(int)  # until it is ready

    def start(self, function: Callable[..., object], *arguments: Any, **options: Any) -> int:
        """Start a process, and return its number."""
        assert self.process.stdin
        pickle.dump((function, arguments, options), self.process.stdin)
        self.process.stdin.flush()
        return int(self._heard())

    def wait(self) -> int:
        """Wait for its end: 0 if the function returned, 1 if it raised, minus the signal that killed it."""
        return int(self._heard())

    def run(self, function: Callable[..., object], *arguments: Any, **options: Any) -> int:
        """Start a process and wait for its end."""
        self.start(function, *arguments, **options)
        return self.wait()

    def close(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()

    def _heard(self) -> bytes:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, "the process that forks has ended"
        return line


def serve() -> None:
    """Fork for each function that is asked for."""
    import torch

    import trainings

    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:  # so that each fork has all that is imported and made when it is first needed
        trainings.train("own noisy", Path(folder) / "run")
    answers = os.dup(1)
    os.dup2(2, 1)  # what functions print is no answer
    while True:
        try:
            function, arguments, options = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        child = os.fork()
        if child == 0:
            os._exit(_run(function, arguments, options))
        os.write(answers, f"{child}\n".encode())
        _, status = os.waitpid(child, 0)
        os.write(answers, f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _run(function: Callable[..., object], arguments: Any, options: Any) -> int:
    try:
        function(*arguments, **options)
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    serve()
