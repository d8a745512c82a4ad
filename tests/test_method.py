"""What stored results rest on has not changed unnoticed: each path of training, and each reader.

If one of these fails, the same experiment now gives another result: raise METHOD in studies/study.py, then these.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import visarith as va
from visarith.studies.catalogue import ENTRIES
from visarith.studies.experiments import run_entry
from visarith.studies.results import METHOD
from visarith.studies.study import Context

LOSSES = {  # of the first two epochs: shortcut and dense, every learner, both losses, noise, displacement, permutation
    "add-one-hot": [1.25008, 1.24996],
    "noise": [29.1318, 29.1537],
    "noise-better": [15.2613, 15.0948],
    "roman-better": [46.9638, 29.0365],
    "convolutional-permuted": [9.21955, 8.22881],
    "multiply-lstm": [8.5499, 8.37462],
    "roman-symbols": [17.8421, 15.1593],
    "displaced": [4.39195, 4.12800],
}


def test_it_is_this_method() -> None:
    assert METHOD == 1


@pytest.mark.parametrize("name", LOSSES)
def test_training_is_what_it_was(name: str, tmp_path: Path) -> None:
    found = run_entry(replace(ENTRIES[name], examples=512), 0, Context(tmp_path, quick=True))
    assert [loss for loss, _ in found["curve"]] == pytest.approx(LOSSES[name], rel=2e-3)


@pytest.mark.parametrize(("reader", "right"), [("templates", (280, 280)), ("tesseract", (280, 175))])
def test_reading_is_what_it_was(reader: str, right: tuple[int, int]) -> None:
    """Clean pictures and mixtures of 60 and 40 % of two of them: how many cells are read as the stronger one."""
    task = va.Task("add")
    numbers = np.random.default_rng(5).integers(0, 10**7, (2, 40))
    strong, weak = (task.notation.write(row) for row in numbers)
    pictures = [task.layout.typeset(symbols) / 255 for symbols in (strong, weak)]
    seen = [task.legend.reader(reader).read(mixed) for mixed in (pictures[0], 0.6 * pictures[0] + 0.4 * pictures[1])]
    assert tuple(int((reading.symbols == strong).sum()) for reading in seen) == pytest.approx(right, abs=3)
