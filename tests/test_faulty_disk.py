"""A disk that fails at any call: an error of one line, no damage, and after it the run goes on to the same bits."""

import errno
import fcntl
import gc
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import visarith as va
from conftest import refusal, tiny
from counts import Tally, share
from disk import Call, Disk, fail_at
from trainings import outcome, train
from visarith.cli.runs import _row
from visarith.runs.store import Store
from visarith.runs.train import Watcher
from visarith.training.loop import Epoch
from visarith.web.site import write_site

FAULTS = (errno.ENOSPC, errno.EIO, errno.EACCES)


def faults(name: str, error: int, folder: Path, every: int = 1) -> Tally:
    """Let the n-th call fail, for every n (or some), until nothing fails any more."""
    expected, tally, number, failed = outcome(train(name, folder / "calm").path), Tally(), 1, True
    while failed:
        out, what = folder / "run", ""
        with Disk(out, fail_at(number, error)) as disk:
            try:
                train(name, out)
            except va.VisarithError as refused:
                what = "" if str(refused).count("\n") == 0 else "more than a line"
                what = "it says to delete the folder" if "delete the folder" in str(refused) else what
            except Exception as other:
                what = f"{type(other).__name__}: {other}"
        failed = len(disk.calls) >= number
        if not what and (out / "experiment.json").exists() and _row(out)["state"].startswith("damaged"):
            what = _row(out)["state"]
        if not what:
            try:
                what = "" if outcome(train(name, out).path) == expected else "another result"
            except Exception as other:
                what = f"then {type(other).__name__}: {other}"
        call = [(call.kind, call.path.name) for call in disk.calls[number - 1 : number]]
        tally.add(bool(what), f"{name}, {errno.errorcode[error]} at call {number}, {call}: {what}")
        shutil.rmtree(out, ignore_errors=True)
        number += every
    return tally


def test_a_call_that_fails_harms_no_run(tmp_path: Path) -> None:
    tally = faults("folder", errno.EIO, tmp_path, every=23)
    assert tally.failures == []
    assert tally.tried > 6


@pytest.mark.long
def test_every_call_that_fails_harms_no_run(tmp_path: Path, counted) -> None:  # type: ignore[no-untyped-def]
    tally = Tally()
    for name in ("own noisy", "folder"):
        for error in FAULTS:
            folder = tmp_path / f"{name} {error}"
            folder.mkdir()
            found = faults(name, error, folder, every=round(1 / share()))
            tally.tried, tally.failures = tally.tried + found.tried, tally.failures + found.failures
    tally.reported("file call that fails (no space, I/O error, no permission), then resumed: same bits", counted)


class AtEpoch(Watcher):
    """Does something after the first epoch."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self.act = act

    def epoch(self, epoch: Epoch, _: object) -> None:
        if epoch.number == 1:
            self.act()


def test_a_folder_that_is_deleted_under_way_is_named(tmp_path: Path) -> None:
    out = tmp_path / "run"
    said = refusal(tiny, out, watcher=AtEpoch(lambda: shutil.rmtree(out)))
    assert said.startswith(str(out))
    assert not out.exists()
    assert outcome(tiny(out, resume=True).path) == outcome(tiny(tmp_path / "calm").path)


def test_another_process_on_the_same_run_is_refused_and_harms_nothing(tmp_path: Path) -> None:
    out, said = tmp_path / "run", list[str]()
    again = AtEpoch(lambda: said.append(refusal(tiny, out, resume=True)))
    tiny(out, watcher=again)
    assert said == [f"{out} is being trained by another process; choose another `out`"]
    assert outcome(out) == outcome(tiny(tmp_path / "calm").path)


@pytest.mark.parametrize("error", [errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_says_so(error: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(error, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    assert refusal(tiny, tmp_path / "run") == (
        f"{tmp_path / 'run'} is on a file system without locks (No locks available), where two processes could spoil "
        "a run; choose another `out`"
    )


def test_what_cannot_be_read_is_not_called_damaged(tmp_path: Path) -> None:
    """The disk may be better tomorrow; nobody should delete or restore anything."""
    run = tiny(tmp_path / "run")
    reads = []
    with Disk(run.path) as disk:
        va.load(run.path)
    reads = [number for number, call in enumerate(disk.calls, 1) if call.kind == "read"]
    for number in reads:
        with Disk(run.path, fail_at(number, errno.EIO)):
            assert "cannot be read (Input/output error); try again" in refusal(va.load, run.path)


def test_a_lock_that_cannot_be_looked_at_is_closed(tmp_path: Path) -> None:
    store = Store(tmp_path)

    def act(call: Call) -> None:
        if (call.kind, call.path.name) == ("fstat", ".lock"):
            raise OSError(errno.EIO, "Input/output error")

    with Disk(tmp_path, act), pytest.raises(va.VisarithError, match="cannot be written"), store.lock():
        pass
    gc.collect()  # a warning of a file that nobody closed is an error


def test_a_trainer_is_not_refused_by_those_who_look(tmp_path: Path) -> None:
    """In a tight loop, from several places, one of ten tries was."""
    store, done = Store(tmp_path / "run"), threading.Event()
    with store.lock():
        pass

    def look() -> None:
        while not done.is_set():
            assert Store(tmp_path / "run").locked in (False, True)

    looking = [threading.Thread(target=look) for _ in range(4)]
    for each in looking:
        each.start()
    try:
        for _ in range(300):
            with store.lock():
                pass
    finally:
        done.set()
        for each in looking:
            each.join()


def test_a_page_that_cannot_be_written_leaves_nothing_and_names_its_file(tmp_path: Path) -> None:
    out = tmp_path / "site"
    with Disk(out) as disk:
        write_site(out)
    writes = [
        number for number, call in enumerate(disk.calls, 1) if call.kind in ("create", "write", "fsync", "rename")
    ]
    for number in writes[:: len(writes) // 3]:
        shutil.rmtree(out)
        with Disk(out, fail_at(number, errno.ENOSPC)):
            said = refusal(write_site, out)
        assert said.startswith(str(out))
        assert "cannot be written (No space left on device)" in said
        assert not [path for path in out.rglob("*") if path.is_file()]
