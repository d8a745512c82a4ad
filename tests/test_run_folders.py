"""Every way in which the folder of a run can be wrong."""

import io
import json
import os
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

import visarith as va
from command_line import run
from conftest import Stop, resign, tiny
from visarith.files import digest, signed
from visarith.runs.state import MARK, opened
from visarith.runs.store import Store


def change(path: Path, key: str, value: object) -> None:
    file = path / "experiment.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {key: value}))
    resign(path)


def changed(path: Path, name: str, content: bytes) -> None:
    (path / name).write_bytes(content)
    score = json.loads((path / "score.json").read_text())
    sums = score["files"] | {name: digest(content)}
    Store(path).write_json("score.json", signed(score | {"files": sums}))


def face(path: Path) -> dict[str, object]:
    return dict(json.loads((path / "experiment.json").read_text())["typeface"])


def rescored(path: Path, **changes: object) -> None:
    found = Store(path).score()
    Store(path).write_score(found | {"score": found["score"] | changes})


def weigh(path: Path, name: str, value: float) -> None:
    weights = Store(path).weights()
    weights[name].view(-1)[0] = value
    Store(path).write_weights(weights)
    resign(path)


def fifo(path: Path, name: str) -> None:
    (path / name).unlink()
    os.mkfifo(path / name)


def linked(path: Path, name: str, to: str) -> None:
    (path / name).unlink()
    (path / name).symlink_to(to)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda p: (p / "experiment.json").write_text("{"), "experiment.json is damaged"),
        (lambda p: (p / "experiment.json").write_text("[]"), "is damaged"),
        (lambda p: (p / "experiment.json").write_text('{"format": 2}'), "is damaged"),
        (lambda p: change(p, "format", 1), r"was written by an older visarith \(format 1, not 4\); train it again"),
        (lambda p: change(p, "learner", {"width": "64"}), "is damaged"),
        (lambda p: change(p, "learner", None), "is damaged"),
        (lambda p: change(p, "typeface", None), "is damaged"),
        (lambda p: change(p, "seed", "0"), "seed '0' is not a whole number"),
        (lambda p: change(p, "notation", {"name": "arabic", "cells": 2.0}), r"is damaged \(cells is 2.0\)"),
        (lambda p: change(p, "notation", {"name": "greek", "cells": 2}), "uses a notation that is not stored"),
        (lambda p: change(p, "answer_medium", "audio"), "medium 'audio' is unknown"),
        (lambda p: (p / "experiment.json").unlink(), "is not a run folder"),
        (lambda p: (p / "score.json").unlink(), "is not finished"),
        (lambda p: (p / "score.json").write_text("{}"), r"score.json is damaged \(its content has another SHA-256\)"),
        (lambda p: Store(p).write_score({}), "damaged score"),
        (lambda p: (p / "weights.safetensors").unlink(), r"weights.safetensors is damaged \(No such file"),
        (lambda p: (p / "weights.safetensors").write_bytes(b"abc"), r"weights.safetensors is damaged \(its content"),
        (lambda p: os.truncate(p / "weights.safetensors", 5000), r"weights.safetensors is damaged \(its content"),
        (lambda p: changed(p, "weights.safetensors", b"abc"), r"weights.safetensors is damaged"),
        (lambda p: changed(p, "weights.safetensors", bytes([255] * 9)), r"damaged \(a header of more than"),
        (lambda p: changed(p, "experiment.json", b"[" * 100_000), "it is nested too deeply"),
        (lambda p: changed(p, "experiment.json", b'{"format": NaN}'), "NaN is no number"),
        (lambda p: changed(p, "experiment.json", b" " * 2_000_000), "2,000,000 bytes, and at most 1,000,000"),
        (lambda p: change(p, "typeface", face(p) | {"font": "/dev/zero"}), "/dev/zero is not a readable font"),
        (lambda p: change(p, "notation", {"name": "arabic", "cells": 10**6}), "is too large"),
        (lambda p: rescored(p, digit_error="x"), "damaged score"),
        (lambda p: rescored(p, number_interval=None), "damaged score"),
        (lambda p: weigh(p, "layers.0.bias", torch.nan), "has weights that are no finite numbers"),
        (lambda p: weigh(p, "mean", torch.inf), "has weights that are no finite numbers"),
        (lambda p: fifo(p, "experiment.json"), r"experiment.json is damaged \(no regular file\)"),
        (lambda p: fifo(p, "weights.safetensors"), r"weights.safetensors is damaged \(no regular file\)"),
        (lambda p: fifo(p, "score.json"), r"score.json is damaged \(no regular file\)"),
        (lambda p: linked(p, "weights.safetensors", "/dev/zero"), r"weights.safetensors is damaged \(no regular file"),
        (lambda p: shutil.rmtree(p), "is not a run folder"),
    ],
)
def test_a_damaged_folder_is_named(small_run: va.Run, tmp_path: Path, damage, message: str) -> None:  # type: ignore[no-untyped-def]
    copy = tmp_path / "copy"
    shutil.copytree(small_run.path, copy)
    damage(copy)
    with pytest.raises(va.VisarithError, match=message) as error:
        va.load(copy)
    assert "\n" not in str(error.value)


def test_a_newer_or_foreign_run_is_refused(small_run: va.Run, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(small_run.path, copy)
    file = copy / "experiment.json"
    data = json.loads(file.read_text())
    file.write_text(json.dumps(data | {"format": 99}))  # whose checksums are not known here
    with pytest.raises(va.VisarithError, match="was written by a newer visarith"):
        va.load(copy)
    file.write_text(json.dumps(data))
    change(copy, "typeface", data["typeface"] | {"sha256": "0" * 64})
    with pytest.raises(va.VisarithError, match="another version of its font"):
        va.load(copy)
    file.write_text(json.dumps(data))
    change(copy, "learner", data["learner"] | {"width": 7})
    with pytest.raises(va.VisarithError, match="weights of another network"):
        va.load(copy)


def test_a_damaged_state_is_named(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "run", watcher=Stop(epoch=2))
    (tmp_path / "run" / "state.pt").write_bytes(b"nonsense")
    with pytest.raises(va.VisarithError, match=r"state.pt is damaged; delete it to start again"):
        tiny(tmp_path / "run", resume=True)
    torch.save({"epochs_done": 1, "weights": {}, "optimizer": {}}, tmp_path / "run" / "state.pt")
    with pytest.raises(
        va.VisarithError, match=r"state.pt was written by another version of visarith; delete it to start again"
    ):
        tiny(tmp_path / "run", resume=True)
    (tmp_path / "run" / "state.pt").unlink()
    assert tiny(tmp_path / "run", resume=True).score.pairs == 50


def test_a_half_written_metrics_line_is_dropped(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "run", watcher=Stop(epoch=2))
    with (tmp_path / "run" / "metrics.jsonl").open("a") as file:
        file.write('{"epoch": 3, "st')
    tiny(tmp_path / "run", resume=True)
    assert [line["epoch"] for line in Store(tmp_path / "run").metrics()] == [1, 2, 3]


@pytest.mark.parametrize("place", ["file", "file/below", "full"])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("precious")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("precious")
    with pytest.raises(va.VisarithError, match=r"choose another `out`"):
        tiny(tmp_path / place)
    assert (tmp_path / "file").read_text() == "precious"
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["thesis.txt"]


def test_a_run_of_version_0_1_that_found_its_cells_still_loads() -> None:
    """It did not keep where they are, and options of other learners stand in its experiment."""
    learned = va.load(Path(__file__).parent / "version_0_1" / "columns-found")
    assert learned.facts["cells"] == "found"
    assert learned.learner.found()["found_cells"].tolist()[1] == 9  # pixels a cell: 28 wide, 3 cells
    again = learned.evaluate(pairs=100, seed=1)
    assert again.digit_error == pytest.approx(learned.score.digit_error, abs=0.1)  # type: ignore[union-attr]


def test_no_changed_bit_of_a_finished_run_goes_unnoticed(small_run: va.Run, tmp_path: Path) -> None:
    """Of 4,000 single flips in weights 48 used to change answers without a word."""
    copy = tmp_path / "copy"
    shutil.copytree(small_run.path, copy)
    dice = np.random.default_rng(0)
    for name in ("weights.safetensors", "score.json", "experiment.json"):
        file, rest = copy / name, (copy / name).read_bytes()
        for bit in dice.integers(0, 8 * len(rest), 60).tolist():
            flipped = bytearray(rest)
            flipped[bit // 8] ^= 1 << bit % 8
            file.write_bytes(flipped)
            with pytest.raises(va.VisarithError, match=r"damaged|by an? (older|newer) visarith") as error:
                va.load(copy)
            assert str(error.value).startswith(str(copy))
        file.write_bytes(rest)
    assert va.load(copy).score == small_run.score


def test_a_score_is_as_it_was_written(small_run: va.Run, tmp_path: Path) -> None:
    """1E-05 is the same number as 1e-05, and one changed bit."""
    copy = tmp_path / "copy"
    shutil.copytree(small_run.path, copy)
    found = Store(copy).score()
    Store(copy).write_score(found | {"seconds": 1e-05})
    text = (copy / "score.json").read_text()
    va.load(copy)
    (copy / "score.json").write_text(text.replace("1e-05", "1E-05"))
    with pytest.raises(va.VisarithError, match=r"score.json is damaged"):
        va.load(copy)


def test_no_changed_bit_of_an_unfinished_run_goes_unnoticed(tmp_path: Path) -> None:
    """Of 400 flips in a state 151 used to give another final run."""
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "run", watcher=Stop(epoch=2))
    dice = np.random.default_rng(0)
    for name in ("state.pt", "experiment.json"):
        file = tmp_path / "run" / name
        rest = file.read_bytes()
        for bit in dice.integers(0, 8 * len(rest), 40).tolist():
            flipped = bytearray(rest)
            flipped[bit // 8] ^= 1 << bit % 8
            file.write_bytes(flipped)
            with pytest.raises(va.VisarithError, match=r"damaged|by an? (older|newer|other) visarith"):
                tiny(tmp_path / "run", resume=True)
        file.write_bytes(rest)
    assert tiny(tmp_path / "run", resume=True).score == tiny(tmp_path / "whole").score


def test_metrics_of_an_unfinished_run_are_those_of_its_state(tmp_path: Path) -> None:
    """A power cut can take the last lines, or all."""
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "run", watcher=Stop(epoch=2))
    (tmp_path / "run" / "metrics.jsonl").write_text("")
    tiny(tmp_path / "run", resume=True)
    assert [line["epoch"] for line in Store(tmp_path / "run").metrics()] == [1, 2, 3]


def test_a_state_that_could_be_inflated_is_refused(tmp_path: Path) -> None:
    """Three megabytes of zeros, deflated, used to take gigabytes."""
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "run", watcher=Stop(epoch=1))
    file = tmp_path / "run" / "state.pt"
    header, content = opened(file.read_bytes())
    bomb = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.infolist():
            new.writestr(part.filename, old.read(part))
    line = signed(header | {"content": digest(bomb.getvalue())})
    file.write_bytes(MARK + json.dumps(line).encode() + b"\n" + bomb.getvalue())
    with pytest.raises(va.VisarithError, match=r"state.pt is damaged; delete it to start again"):
        tiny(tmp_path / "run", resume=True)


def test_drafts_of_killed_processes_are_removed_by_the_next_one(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "run", watcher=Stop(epoch=1))
    draft = tmp_path / "run" / ".state.pt.99999.draft"
    draft.write_bytes(b"half")
    with Store(tmp_path / "run").lock():
        draft.write_bytes(b"half")  # of the process that has the lock
        with pytest.raises(va.VisarithError, match="another process"):
            tiny(tmp_path / "run", resume=True)
    assert draft.exists()
    tiny(tmp_path / "run", resume=True)
    assert not draft.exists()


def test_a_damaged_run_hides_no_other_from_the_list(small_run: va.Run, tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    for name in ("good", "changed", "fifo", "metrics"):
        shutil.copytree(small_run.path, tmp_path / name)
    weights = bytearray((tmp_path / "changed" / "weights.safetensors").read_bytes())
    weights[5_000] ^= 1
    (tmp_path / "changed" / "weights.safetensors").write_bytes(weights)
    fifo(tmp_path / "fifo", "experiment.json")
    (tmp_path / "metrics" / "metrics.jsonl").write_bytes(b"\xff\xfe")
    code, out, _ = run(capsys, "runs", tmp_path, "--json")
    assert code == 0
    states = {Path(row["run"]).name: row["state"] for row in json.loads(out)["runs"]}
    assert states.pop("good") == "finished"
    assert len(states) == 3
    assert all(state.startswith("damaged: ") for state in states.values())


def test_what_a_stranger_wrote_does_not_reach_the_terminal_as_it_is(small_run: va.Run, tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    """Clearing the screen, a title, and letters from the right to the left."""
    shutil.copytree(small_run.path, tmp_path / "run")
    operation = json.loads((tmp_path / "run" / "experiment.json").read_text())["operation"]
    change(tmp_path / "run", "operation", operation | {"expression": "a\x1b[2J\x1b]0;b\x07\u202ec"})
    for arguments in (("runs", tmp_path), ("evaluate", tmp_path / "run")):
        _, out, err = run(capsys, *arguments)
        assert "\\x1b[2J" in out + err
        assert not {"\x1b", "\x07", "\u202e"} & set(out + err)
