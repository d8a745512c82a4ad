"""A damaged file of a run is named in one line, at once, and never gives another answer."""

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import visarith as va
from conftest import Stop, refusal
from counts import Tally, scaled
from sabotage import sabotaged
from test_studies import job
from trainings import exactly, outcome, pictures, train
from visarith.files import digest
from visarith.reading.legend import to_json
from visarith.runs.experiment import from_json
from visarith.runs.store import Store
from visarith.studies.results import Results

FIRST = 4_096  # bytes, at each of which a file is cut
SECONDS, MEGABYTES = 1.0, 300


class Damaged:
    """A run of pictures in a folder, finished or stopped, and what reading it gives."""

    def __init__(self, folder: Path, *, finished: bool) -> None:
        self.out, self.finished = folder / "run", finished
        self.whole = outcome(train("folder", folder / "calm").path)
        if finished:
            train("folder", self.out)
        else:
            with pytest.raises(KeyboardInterrupt):
                train("folder", self.out, watcher=Stop(epoch=2))
        self.files = {file.name: file.read_bytes() for file in self.out.iterdir() if file.name != ".lock"}
        self.answers = self.read()

    def read(self) -> str:
        """All that somebody learns of the run: a finished one is loaded, of an unfinished one the state."""
        store = Store(self.out)
        if self.finished:
            run = va.load(self.out)
            return exactly([run.learner.state_dict(), repr(run.score), run.experiment.to_json(), to_json(run.readable)])
        state, legend = store.state(), store.legend()
        return exactly(
            [
                from_json(store.experiment(), str(self.out)).to_json(),
                state,
                store.epochs_kept,
                legend and to_json(legend),
            ]
        )

    def resumed(self) -> str:
        """What is wrong with how an unfinished run goes on, or nothing; then it is unfinished as before."""
        try:
            found = outcome(train("folder", self.out).path)
            return "" if found == self.whole else "another result"
        except va.VisarithError as error:
            return "" if str(error).startswith(str(self.out)) else f"not clear: {error}"
        finally:
            shutil.rmtree(self.out)
            self.out.mkdir()
            for name, content in self.files.items():
                (self.out / name).write_bytes(content)

    def restore(self, name: str) -> None:
        file = self.out / name
        if file.is_dir() and not file.is_symlink():
            file.rmdir()
        else:
            file.unlink(missing_ok=True)
        file.write_bytes(self.files[name])

    def wrong(self) -> str:
        """What is wrong with how the damage is met, or nothing: it may be refused, or make no difference."""
        before = _listed(self.out)
        began, memory = time.process_time(), _memory()
        try:
            if self.read() != self.answers:
                return "another answer"
        except va.VisarithError as error:
            if "\n" in str(error) or not str(error).startswith(str(self.out)):
                return f"not clear: {error}"
            if _listed(self.out) != before:
                return "something was overwritten"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        if time.process_time() - began > SECONDS:
            return f"{time.process_time() - began:.1f} s"
        return f"{_memory() - memory} MB" if _memory() - memory > MEGABYTES else ""


def _listed(folder: Path) -> dict[str, Any]:
    found = {file.name: file.lstat().st_mtime_ns for file in folder.iterdir() if file.name != ".lock"}
    return found | {file.name: digest(file.read_bytes()) for file in folder.iterdir() if _plain(file)}


def _plain(file: Path) -> bool:
    return file.is_file() and not file.is_symlink() and file.stat().st_size < 10**9


def _memory() -> int:
    """The memory of this process now, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1_000_000


@pytest.fixture(scope="module", params=["finished", "unfinished"])
def damaged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Damaged:
    return Damaged(tmp_path_factory.mktemp(request.param), finished=request.param == "finished")


def cut(damaged: Damaged, every: int) -> Tally:
    """Cut each file after each of its first bytes, or some of them."""
    tally = Tally()
    for name, content in damaged.files.items():
        for length in range(0, min(len(content), FIRST), every):
            (damaged.out / name).write_bytes(content[:length])
            wrong = damaged.wrong()
            tally.add(bool(wrong), f"{name} of {length} bytes: {wrong}")
        damaged.restore(name)
    return tally


def flipped(damaged: Damaged, flips: int, seed: int = 0) -> Tally:
    """Flip single bits, as many in each file."""
    dice, tally = np.random.default_rng(seed), Tally()
    for name, content in damaged.files.items():
        for bit in dice.integers(0, 8 * len(content), flips).tolist():
            other = bytearray(content)
            other[bit // 8] ^= 1 << bit % 8
            (damaged.out / name).write_bytes(other)
            wrong = damaged.wrong()
            tally.add(bool(wrong), f"bit {bit} of {name}: {wrong}")
        damaged.restore(name)
    return tally


def test_a_cut_file_is_named(damaged: Damaged) -> None:
    tally = cut(damaged, every=97)
    assert tally.failures == []
    assert tally.tried > 100


def test_a_flipped_bit_is_named(damaged: Damaged) -> None:
    assert flipped(damaged, 40).failures == []


@pytest.mark.long
def test_every_file_cut_at_each_of_its_first_bytes(damaged: Damaged, counted) -> None:  # type: ignore[no-untyped-def]
    kind = "finished" if damaged.finished else "unfinished"
    tally = cut(damaged, every=max(1, 4_096 // scaled(4_096)))
    tally.reported(
        f"file of a run ({kind}) cut after each of its first 4,096 bytes: refused, or the same answer", counted
    )


@pytest.mark.long
def test_ten_thousand_flipped_bits(damaged: Damaged, counted) -> None:  # type: ignore[no-untyped-def]
    kind = "finished" if damaged.finished else "unfinished"
    tally = flipped(damaged, -(-scaled(5_000) // len(damaged.files)))
    tally.reported(f"bit of a run ({kind}) flipped: refused, or the same answer", counted)


def test_an_unchecked_checksum_is_noticed(damaged: Damaged) -> None:
    with sabotaged("checksum not checked"):
        found = flipped(damaged, 60).failures
    assert any("another answer" in failure for failure in found)


# Files that are something else

KINDS: dict[str, Callable[[Path, bytes], object]] = {
    "empty": lambda file, _: file.write_bytes(b""),
    "text": lambda file, _: file.write_text("hello\n"),
    "picture": lambda file, _: file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100)),
    "zip": lambda file, _: file.write_bytes(b"PK\x03\x04" + bytes(100)),
    "longer": lambda file, content: file.write_bytes(content + b"\n{}"),
    "zeros": lambda file, content: file.write_bytes(bytes(len(content))),
    "newer": lambda file, content: file.write_bytes(
        content.replace(b'"format": 4', b'"format": 5').replace(b"visarith state 1", b"visarith state 2") + b" "
    ),
    "nested": lambda file, _: file.write_bytes(b"[" * 200_000),
    "fifo": lambda file, _: (file.unlink(), os.mkfifo(file)),
    "device": lambda file, _: (file.unlink(), file.symlink_to("/dev/zero")),
    "null": lambda file, _: (file.unlink(), file.symlink_to("/dev/null")),
    "terminal": lambda file, _: (file.unlink(), file.symlink_to("/dev/tty")),
    "loop": lambda file, _: (file.unlink(), file.symlink_to(file.name)),
    "dangling": lambda file, _: (file.unlink(), file.symlink_to("nowhere")),
    "folder": lambda file, _: (file.unlink(), file.mkdir()),
    "missing": lambda file, _: file.unlink(),
    "unending": lambda file, _: os.truncate(file, 10**13),  # with holes
}
HARMLESS = {  # of an unfinished run these are written anew, or start it again
    *(("metrics.jsonl", kind) for kind in KINDS),
    ("state.pt", "missing"),
}


def kinds(damaged: Damaged) -> Iterator[tuple[str, str]]:
    return ((name, kind) for name in damaged.files for kind in KINDS)


def of_other_kinds(damaged: Damaged) -> Tally:
    """Replace each file by something else."""
    tally = Tally()
    for name, kind in kinds(damaged):
        KINDS[kind](damaged.out / name, damaged.files[name])
        wrong = damaged.wrong()
        if not damaged.finished and (name, kind) in HARMLESS:
            wrong = damaged.resumed()
        elif not wrong and damaged.finished and (name, kind) != ("score.json", "missing"):
            with pytest.raises(va.VisarithError):
                Store(damaged.out).check()
        tally.add(bool(wrong), f"{name} is {kind}: {wrong}")
        damaged.restore(name)
    assert damaged.read() == damaged.answers
    return tally


def test_a_file_of_another_kind_is_named(damaged: Damaged) -> None:
    assert of_other_kinds(damaged).failures == []


@pytest.mark.long
def test_files_of_other_kinds_are_counted(damaged: Damaged, counted) -> None:  # type: ignore[no-untyped-def]
    what = "finished" if damaged.finished else "unfinished"
    of_other_kinds(damaged).reported(f"file of a run ({what}) that is empty, newer, a FIFO, a device, a link", counted)


# Pictures, arrays, fonts and results that are no regular files


def pipe(file: Path) -> Path:
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    return file


def zeros(file: Path) -> Path:
    """A link to what never ends."""
    file.unlink(missing_ok=True)
    file.symlink_to("/dev/zero")
    return file


@pytest.fixture
def within_seconds() -> Iterator[None]:
    """Fails instead of waiting for ever."""

    def late(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("within_seconds")
@pytest.mark.parametrize("spoil", [pipe, zeros])
def test_what_is_no_regular_file_is_refused_at_once(spoil: Callable[[Path], Path], tmp_path: Path) -> None:
    folder = Path(pictures(tmp_path).path or "")
    spoil(folder / "b7.png")
    assert refusal(va.PictureSet.from_folder, folder).endswith(
        ("b7.png is not a PNG or JPEG picture; give another file", "is not a file of this folder; copy it there")
    )
    spoil(folder / "manifest.csv")
    assert "manifest.csv cannot be read as CSV (no regular file)" in refusal(va.PictureSet.from_folder, folder)
    assert "x.npz is neither a folder nor an .npz file" in refusal(va.PictureSet.from_folder, spoil(tmp_path / "x.npz"))
    assert "x.ttf is not a readable font" in refusal(va.Typeface(font=str(spoil(tmp_path / "x.ttf"))).fingerprint, "0")
    results = Results(tmp_path)
    asked = job(1)
    results.file(asked).parent.mkdir(parents=True)
    spoil(results.file(asked))
    assert "is damaged (OSError: no regular file)" in refusal(results.load, asked)
