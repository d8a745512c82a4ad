"""What many tests share: one small run that has really learned to add."""

from dataclasses import replace
from pathlib import Path

import pytest

import visarith as va
from visarith.training.recipe import ADAM

QUICK = replace(ADAM, batch=32, rate=2e-3, epochs=30)


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """Two-digit addition, learned from 2,125 of the 2,500 pairs."""
    return va.learn(
        va.Task("add", digits=2),
        learner=va.LearnerSpec(hidden_layers=2, width=128),
        recipe=QUICK,
        examples=2125,
        test_pairs=375,
        threads=1,
        out=tmp_path_factory.mktemp("runs") / "add",
    )


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that forgets to say where things go leaves nothing behind."""
    monkeypatch.chdir(tmp_path)
