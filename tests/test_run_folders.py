"""Every way in which the folder of a run can be wrong."""

import json
import os
import shutil
from pathlib import Path

import pytest
import torch

import visarith as va
from conftest import Stop, tiny
from visarith.runs.store import Store


def change(path: Path, key: str, value: object) -> None:
    file = path / "experiment.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {key: value}))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda p: (p / "experiment.json").write_text("{"), "experiment.json is damaged"),
        (lambda p: (p / "experiment.json").write_text("[]"), "is damaged"),
        (lambda p: (p / "experiment.json").write_text('{"format": 2}'), "is damaged"),
        (lambda p: change(p, "format", 1), r"was written by an older visarith \(format 1, not 3\); train it again"),
        (lambda p: change(p, "learner", {"width": "64"}), "is damaged"),
        (lambda p: change(p, "learner", None), "is damaged"),
        (lambda p: change(p, "typeface", None), "is damaged"),
        (lambda p: change(p, "seed", "0"), "seed '0' is not a whole number"),
        (lambda p: change(p, "notation", {"name": "arabic", "cells": 2.0}), r"is damaged \(cells is 2.0\)"),
        (lambda p: change(p, "notation", {"name": "greek", "cells": 2}), "uses a notation that is not stored"),
        (lambda p: change(p, "answer_medium", "audio"), "medium 'audio' is unknown"),
        (lambda p: (p / "experiment.json").unlink(), "is not a run folder"),
        (lambda p: (p / "score.json").unlink(), "is not finished"),
        (lambda p: (p / "score.json").write_text("{}"), "damaged score"),
        (lambda p: (p / "weights.safetensors").unlink(), r"weights.safetensors cannot be read"),
        (lambda p: (p / "weights.safetensors").write_bytes(b"abc"), r"weights.safetensors cannot be read"),
        (lambda p: os.truncate(p / "weights.safetensors", 5000), r"weights.safetensors cannot be read"),
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
    file.write_text(json.dumps(data | {"format": 99}))
    with pytest.raises(va.VisarithError, match="was written by a newer visarith"):
        va.load(copy)
    file.write_text(json.dumps(data | {"typeface": data["typeface"] | {"sha256": "0" * 64}}))
    with pytest.raises(va.VisarithError, match="another version of its font"):
        va.load(copy)
    file.write_text(json.dumps(data | {"learner": data["learner"] | {"width": 7}}))
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
