"""A good guest: the caller's process is as before when the library returns, whatever system it runs on."""

import random
import subprocess
import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

import visarith as va
from conftest import HARDLY, Stop, tiny
from stored_results import keep
from visarith.report.report import report, write
from visarith.studies.learnability.question import Question
from visarith.studies.learnability.training import quick_training
from visarith.studies.results import Results
from visarith.training.loop import flushes_denormals, guest


def state() -> tuple[object, ...]:
    """Everything that a library might leave changed."""
    return (
        torch.get_num_threads(),
        flushes_denormals(),
        torch.get_rng_state().tolist(),
        torch.get_default_dtype(),
        torch.is_grad_enabled(),
        torch.get_default_device(),
        repr(np.random.get_state()),  # noqa: NPY002
        random.getstate(),
        matplotlib.get_backend(),
        sorted((key, str(value)) for key, value in plt.rcParams.items()),
    )


@pytest.fixture(params=[False, True], ids=["", "flushing"])
def before(request: pytest.FixtureRequest) -> tuple[object, ...]:
    torch.set_flush_denormal(request.param)
    return state()


def test_learning_and_loading_leave_no_trace(tmp_path: Path, before: tuple[object, ...]) -> None:
    learned = tiny(tmp_path / "run", threads=2)
    assert state() == before
    again = va.load(learned.path)
    again.calculate(12, 30)
    again.evaluate(pairs=20)
    assert state() == before
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "stopped", watcher=Stop(step=2), threads=2)
    assert state() == before
    with pytest.raises(va.VisarithError):
        va.learn("add", "columns", va.Recipe(precision="bf16", centring=False), examples=50, test_pairs=5, threads=2)
    assert state() == before


@pytest.mark.usefixtures("short_trials")
def test_columns_and_modules_leave_no_trace(tmp_path: Path, before: tuple[object, ...]) -> None:
    few = {"examples": 60, "test_pairs": 10, "epochs": 1, "threads": 1}
    va.learn(va.Task("add", digits=2), "columns", HARDLY, out=tmp_path / "columns", **few)  # type: ignore[arg-type]
    assert state() == before
    net = torch.nn.Sequential(torch.nn.Conv2d(2, 1, 3, padding=1), torch.nn.Dropout(0.5), torch.nn.Sigmoid())
    expected = state()
    va.learn(va.Task("add", digits=2), net, out=tmp_path / "net", **few)  # type: ignore[arg-type]
    assert state() == expected


def test_analysis_and_reports_leave_no_trace(tmp_path: Path, before: tuple[object, ...]) -> None:
    quick_training(Question("add", digits=2), "one-hot", steps=5)
    results = Results(tmp_path / "results")
    keep(results, "add", 0.01)
    write(report(results, tmp_path / "runs"), tmp_path / "report")
    assert state() == before


def test_the_test_would_notice() -> None:
    before = state()
    with guest(threads=2 if torch.get_num_threads() == 1 else 1):
        torch.rand(1)
        assert state() != before
    assert state() == before


def python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, check=False)


def test_it_imports_where_there_is_no_fcntl(tmp_path: Path) -> None:
    """As on Windows, where locks are msvcrt's; nothing of Unix is imported before a lock is taken."""
    code = (
        "import sys; sys.modules['fcntl'] = None; import visarith as va, visarith.cli.displays; "
        "va.learn, va.load, va.Task('add'), va.PictureSet; print('fine')"
    )
    done = python("-c", code, cwd=tmp_path)
    assert done.stdout == "fine\n", done.stderr


def test_a_lock_of_windows_is_taken_and_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    from visarith.runs.store import Store

    locked: list[int] = []

    def locking(number: int, mode: int, size: int) -> None:
        assert (mode, size) == (7, 1)
        if locked:
            raise OSError("locked")
        locked.append(number)

    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=7))
    monkeypatch.setattr(sys, "platform", "win32")
    with Store(tmp_path / "run").lock():
        assert locked
        with (
            pytest.raises(va.VisarithError, match="is being trained by another process"),
            Store(tmp_path / "run").lock(),
        ):
            pass


def test_nothing_depends_on_docstrings(tmp_path: Path) -> None:
    code = (
        "import visarith as va\n"
        "assert va.learn.__doc__ is None\n"
        "run = va.learn(va.Task('add', digits=2), examples=50, test_pairs=10, epochs=1, threads=1, out='run')\n"
        "from visarith.report.experiments import learners\n"
        "from visarith.cli import main\n"
        "print(len(learners().rows), main(['runs', '.', '--json']))\n"
    )
    done = python("-OO", "-c", code, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "10 0", done.stderr


def test_help_and_mistakes_need_no_torch(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom visarith.cli import main\n"
        "for arguments in (['--help'], ['train', '--help'], ['train', 'add', '--hidden-layer', '3']):\n"
        "    try:\n        main(arguments)\n    except SystemExit:\n        pass\n"
        "print('torch' in sys.modules, file=sys.stderr)\n"
    )
    assert python("-c", code, cwd=tmp_path).stderr.splitlines()[-1] == "False"
