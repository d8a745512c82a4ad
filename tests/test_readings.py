"""Readings of the recipe: what the paper prints is the same in all of them, and the rule that ranks them."""

import math
from pathlib import Path

import pytest

from visarith.studies import readings
from visarith.studies.readings import LEARNABLE, READINGS, STUDY, Reading, job, standing
from visarith.studies.study import Context
from visarith.training.recipe import Recipe


def test_what_the_paper_prints_is_the_same_in_every_reading() -> None:
    for reading in READINGS.values():
        recipe = reading.recipe
        printed = recipe.optimizer, recipe.rate, recipe.momentum, recipe.batch, recipe.epochs, recipe.loss
        assert printed == ("sgd", 0.1, 0.9, 256, 50, "squares")
        assert recipe.schedule == "constant"
    assert len(set(READINGS.values())) == len(READINGS)


def test_cells_are_those_that_the_paper_learns_with_its_errors() -> None:
    papers = {cell: readings.paper_digit_error(task.to_json()) for cell, (task, _) in LEARNABLE.items()}
    assert papers == {
        "add": 0.019,
        "subtract": 0.032,
        "noise": 0.098,
        "add-one-hot": 0.017,
        "subtract-one-hot": 0.021,
        "roman-one-hot": 0.007,
    }


def test_readings_share_what_they_have_in_common() -> None:
    """Fixed noise changes nothing in clean pictures, and ink changes nothing in one-hot vectors."""
    usual, fixed, bit = (READINGS[name] for name in ("ordinary", "ordinary-fixed", "ordinary-bit"))
    assert job(usual, "add").key == job(fixed, "add").key
    assert job(usual, "noise").key != job(fixed, "noise").key
    assert job(usual, "add-one-hot").key == job(bit, "add-one-hot").key
    assert job(usual, "add").key != job(bit, "add").key
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
