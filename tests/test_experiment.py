"""Experiments as data: what goes into experiment.json comes back, and the folder's name says what is special."""

import json

import pytest

import visarith as va
from visarith.runs.experiment import Experiment, from_json
from visarith.training.recipe import ENTROPY

EXPERIMENTS = {
    "add": Experiment(va.Task("add")),
    "add-roman": Experiment(va.Task("add", notation="roman")),
    "add-roman-one-hot-4digits": Experiment(va.Task("add", notation="roman", digits=4, medium="one-hot")),
    "add-2digits": Experiment(va.Task("add", digits=2), examples=2084, test_pairs=416),  # all that there are
    "add-2digits-500examples": Experiment(va.Task("add", digits=2), examples=500, test_pairs=100),
    "copy-pictures-to-one-hot": Experiment(va.Task("copy", answer_medium="one-hot")),
    "copy-one-hot-to-pictures": Experiment(va.Task("copy", medium="one-hot", answer_medium="pictures")),
    "add-displaced2-permuted-first": Experiment(va.Task("add", displacement=2, permutation=True, permuted_first=True)),
    "multiply-symbols-entropy": Experiment(va.Task("multiply"), va.learner_config("symbols"), ENTROPY),
    "add-subtract-recurrent-2layers": Experiment(
        va.Task("add-subtract"), va.learner_config("recurrent", hidden_layers=2)
    ),
    "add-base16-unpadded-noise0.3-seed3": Experiment(va.Task("add", base=16, padded=False, noise=0.3), seed=3),
}


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_comes_back_from_its_json(name: str) -> None:
    experiment = EXPERIMENTS[name].resolved()
    stored = json.loads(json.dumps(experiment.to_json()))
    assert from_json(stored, "here") == experiment
    assert stored["format"] == 4
    assert stored["learner"]["hidden_layers"] >= 1
    assert EXPERIMENTS[name].name == experiment.name == name
    assert (stored["typeface"] is None) == (stored["medium"] == stored["answer_medium"] == "one-hot")


def test_one_difference_makes_another_experiment() -> None:
    assert len({json.dumps(each.resolved().to_json()) for each in EXPERIMENTS.values()}) == len(EXPERIMENTS)
