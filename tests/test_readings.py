"""Readings of the recipe: what the paper prints is the same in all of them, and the rule that ranks them."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from visarith.report import readings as report
from visarith.report.evidence import Evidence
from visarith.studies import readings
from visarith.studies.readings import LEARNABLE, READINGS, STUDY, Reading, job, standing
from visarith.studies.results import Result, Results
from visarith.studies.study import Context
from visarith.training.recipe import Recipe

PAPERS = {
    "add": 0.019,
    "subtract": 0.032,
    "noise": 0.098,
    "add-one-hot": 0.017,
    "subtract-one-hot": 0.021,
    "roman-one-hot": 0.007,
}
USUAL = Reading(Recipe(loss_per="output", loss_scale=40))  # not of the list, which changes with what has been tried
FIXED, BIT = replace(USUAL, recipe=replace(USUAL.recipe, noise="fixed")), replace(USUAL, ink="bit")


def test_what_the_paper_prints_is_the_same_in_every_reading() -> None:
    for reading in READINGS.values():
        recipe = reading.recipe
        printed = recipe.optimizer, recipe.rate, recipe.momentum, recipe.batch, recipe.epochs, recipe.loss
        assert printed == ("sgd", 0.1, 0.9, 256, 50, "squares")
        assert recipe.schedule == "constant"
    assert len(set(READINGS.values())) == len(READINGS)


def test_cells_are_those_that_the_paper_learns_with_its_errors() -> None:
    assert {cell: readings.paper_digit_error(task.to_json()) for cell, (task, _) in LEARNABLE.items()} == PAPERS


def test_readings_share_what_they_have_in_common() -> None:
    """Fixed noise changes nothing in clean pictures, and ink changes nothing in one-hot vectors."""
    assert job(USUAL, "add").key == job(FIXED, "add").key
    assert job(USUAL, "noise").key != job(FIXED, "noise").key
    assert job(USUAL, "add-one-hot").key == job(BIT, "add-one-hot").key
    assert job(USUAL, "add").key != job(BIT, "add").key


def test_all_readings_have_a_seed_of_their_own_and_share_jobs() -> None:
    jobs = STUDY.jobs([0], False)
    assert len({each.key for each in jobs}) == len(jobs) < len(READINGS) * len(LEARNABLE)
    assert {each.asked["seed"] for each in jobs} == {7_000}


def test_the_rule_by_hand() -> None:
    better, worse = {"a": (0.01, 0.02), "b": (0.03, 0.01)}, {"a": (0.02, 0.02), "b": (0.03, 0.01)}
    assert standing(better) == (1, pytest.approx((math.log(0.5) + math.log(3)) / 2))
    assert standing(worse)[0] == 1  # at the paper counts as below
    assert standing(worse)[1] > standing(better)[1]
    assert standing({"a": (0.0, 0.01)}) == (1, pytest.approx(math.log(1e-5 / 0.01)))


def test_a_reading_that_learns_nothing_ends_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "PATIENCE", 1)  # of the two epochs of a quick run
    monkeypatch.setattr(readings, "QUICK_SIZE", 300)
    slow = Reading(Recipe(rate=1e-6, epochs=50))
    found = job(slow, "subtract-one-hot", quick=True).work(Context(tmp_path, quick=True))
    assert found["epochs"] == 1
    assert found["digit_error"] > 0.75
    assert found["paper"] == 0.021


def test_the_table_ranks_readings_by_the_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`he` reaches one cell more than `ordinary`, and a reading of which only one cell was measured comes last."""
    start = {name: replace(USUAL, recipe=replace(USUAL.recipe, initialisation=name)) for name in ("he", "gaussian")}
    tried = {"ordinary": replace(BIT, recipe=replace(BIT.recipe, initialisation="caffe"))} | start
    for module in (readings, report):
        monkeypatch.setattr(module, "READINGS", tried)
    results = Results(tmp_path)
    for name, shares in (("ordinary", [0.01, 0.5]), ("he", [0.018, 0.05])):
        for cell in LEARNABLE:
            measured = job(tried[name], cell)
            error = shares[cell == "noise"] if cell in ("add", "noise") else 0.3
            row = {"cell": cell, "paper": PAPERS[cell], "digit_error": error, "digit_interval": [error, error]}
            row |= {"per_position": [error], "stopped": error == 0.5, "epochs": 50, "core_seconds": 1.0}
            results.keep(Result(measured, row))
    few = job(tried["gaussian"], "add")
    results.keep(Result(few, row | {"cell": "add", "paper": 0.019, "digit_error": 0.001}))
    table = report.readings(Evidence(results))
    lines = {line[0]: list(line[1:]) for line in table.rows}
    assert list(lines) == ["the paper", "he", "ordinary", "gaussian"]
    assert lines["the paper"][:3] == ["1.90 %", "3.20 %", "9.80 %"]
    assert lines["he"][-2] == "2 of 6"
    assert lines["ordinary"][-2:] == ["1 of 6", f"{log_of(0.01, 0.5):+.2f}"]
    assert lines["ordinary"][2] == "(50.0 %)"


def log_of(add: float, noise: float) -> float:
    """The mean logarithm of ours over the paper's, where all other cells have 30 %."""
    ours = dict.fromkeys(LEARNABLE, 0.3) | {"add": add, "noise": noise}
    return sum(math.log(ours[cell] / PAPERS[cell]) for cell in LEARNABLE) / 6
