"""A power cut at any moment leaves the old or the new state of a run, which goes on to the same bits."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from counts import Tally, share
from disk import WRITING, Call, Disk, states
from sabotage import sabotaged
from trainings import outcome, train
from visarith.cli.runs import _row
from visarith.runs.store import Store

Content = dict[str, bytes]
LONG_CASES = ["perceptron noisy", "columns", "own", "folder"]


def durable(calls: list[Call], out: Path) -> Iterator[tuple[int, bool]]:
    """After each writing call: the epochs of the last state that must survive, and whether the score must."""
    epochs, scored, fresh = 0, False, ""
    for call in (call for call in calls if call.kind in WRITING):
        if call.kind == "rename" and call.to:
            fresh = call.to.name
        if call.kind == "fsync" and call.path == out and fresh:
            epochs, scored, fresh = epochs + (fresh == "state.pt"), scored or fresh == "score.json", ""
        yield epochs, scored


def recorded(name: str, out: Path, sabotage: str) -> list[Call]:
    with sabotaged(sabotage), Disk(out) as disk:
        train(name, out)
    return disk.calls


def written(content: Content, folder: Path) -> Path:
    """A folder with these files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in content.items():
        (folder / name).write_bytes(data)
    return folder


def wrong(folder: Path, epochs: int, scored: bool) -> str:
    """What is wrong with a folder after a power cut, or nothing; `epochs` and the score must be there."""
    store = Store(folder)
    try:
        if store.exists and _row(folder)["state"].startswith("damaged"):
            return str(_row(folder)["state"])
        if store.finished:
            store.check()
            return ""
        found = store.epochs_kept
        if found:
            state = store.state()
            assert state
            found = state["epochs_done"]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if scored:
        return "the score is lost"
    return f"{epochs - found} epochs are lost" if found < epochs else ""


def power_cuts(name: str, folder: Path, every: int, sabotage: str = "") -> Tally:
    """Look at every folder that a cut can leave, and go on from some of them, or from each."""
    out, tally = folder / "run", Tally()
    calls = recorded(name, out, sabotage)
    expected, must = outcome(out), list(durable(calls, out))
    found: dict[Any, tuple[int, bool, Content]] = {}
    for number, content in states(calls):
        named = {path.name: data for path, data in content.items() if path.parent == out}
        key = tuple(sorted(named.items()))
        least = max(found[key][:2], must[number - 1]) if key in found else must[number - 1]
        found[key] = *least, named
    for number, (epochs, scored, content) in enumerate(found.values()):
        left = written(content, folder / "left")
        what = wrong(left, epochs, scored)
        if not what and number % every == 0:
            train(name, left)
            what = "" if outcome(left) == expected else "another result"
        tally.add(bool(what), f"{name}, {sorted(content)}: {what}")
    return tally


def test_a_power_cut_leaves_the_old_or_the_new_state(tmp_path: Path) -> None:
    tally = power_cuts("folder", tmp_path, every=15)
    assert tally.failures == []
    assert tally.tried > 40


@pytest.mark.long
def test_every_power_cut_leaves_the_old_or_the_new_state(tmp_path: Path, counted) -> None:  # type: ignore[no-untyped-def]
    tally = Tally()
    for name in LONG_CASES:
        (tmp_path / name).mkdir()
        found = power_cuts(name, tmp_path / name, every=1 if share() == 1 else 10)
        tally.tried, tally.failures = tally.tried + found.tried, tally.failures + found.failures
    tally.reported("folder after a power cut, with every choice of what was not synced, resumed: same bits", counted)


@pytest.mark.parametrize("sabotage", ["direct write", "no fsync"])
def test_a_careless_save_is_noticed(sabotage: str, tmp_path: Path) -> None:
    assert power_cuts("own", tmp_path, every=1000, sabotage=sabotage).failures


def test_the_names_of_new_folders_are_synced_too(tmp_path: Path) -> None:
    """Else a finished run may be gone with the folder above it."""
    out = tmp_path / "new" / "runs" / "run"
    with Disk(tmp_path) as disk:
        train("own", out)
    made = [call.path for call in disk.calls if call.kind == "mkdir"]
    assert made == [tmp_path / "new", tmp_path / "new" / "runs", out]
    calls = [(call.kind, call.path) for call in disk.calls]
    for path in made:
        assert ("fsync", path.parent) in calls[calls.index(("mkdir", path)) :]
