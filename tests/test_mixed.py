"""One network, many operations: the sign as a picture between the operands."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch

import visarith as va
from conftest import HARDLY, dice, refusal, sample
from visarith.cli.calculate import operands
from visarith.learners.columns.network import Columns
from visarith.learners.columns.tabled import Tabled
from visarith.operations import ANY
from visarith.training.computation import Dense
from visarith.training.recipe import COLUMNS

TASK = va.Task("any", digits=3)
TRUTH = (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b)


def test_answers_are_pythons_and_each_operation_keeps_its_range() -> None:
    domain = ANY.domain(10**7 - 1)
    rows = sample(domain, 3_000)
    assert np.bincount(rows[:, 1]).min() > 900
    for left, which, right in rows.tolist():
        assert domain.answers((left, which, right)) == (TRUTH[which](left, right),)
        assert domain.trained((left, which, right))
    for which, part in enumerate(ANY.parts):
        assert rows[rows[:, 1] == which][:, [0, 2]].max() <= part.domain(10**7 - 1).largest
    assert domain.candidates == sum(part.domain(10**7 - 1).candidates for part in ANY.parts)


def test_it_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(TASK)) == TASK
    assert pickle.loads(pickle.dumps(ANY)).domain(99).answers((7, 2, 8)) == (56,)


def test_all_of_a_small_domain() -> None:
    domain = ANY.domain(9)
    rows = domain.all()
    assert len(rows) == len(set(rows)) == 25 + 55 + 16
    assert sorted(map(tuple, sample(domain, len(rows)).tolist())) == sorted(rows)


def test_the_sign_stands_alone_in_the_last_cell() -> None:
    some = TASK.write(np.array([[12, 0, 7], [12, 1, 7], [12, 2, 7]]))
    alphabet = TASK.layout.alphabet
    assert ["".join(alphabet[s] for s in row) for row in some.inputs[:, 1]] == ["  +", "  -", "  ×"]
    assert (some.inputs[:, [0, 2]] < 10).all()
    assert TASK.notation.parse(some.answers[:, 0]) == [19, 5, 84]
    assert TASK.answer_layout.alphabet == "0123456789"  # no sign is ever drawn
    pictures = TASK.layout.typeset(some.inputs)
    assert len({picture.tobytes() for picture in pictures[:, 1]}) == 3


@pytest.mark.parametrize("path", ["aligned", "diagonal", "both"])
def test_distinct_cells_give_the_gradients_of_all_pixels(path: str) -> None:
    shown = TASK.split(40, 1, seed=0)[0].view()
    found = []
    for shortcut in (True, False):
        network = va.learner_config("columns", path=path, scan="right").build(TASK)
        assert isinstance(network, Columns)
        network.initialise("he", "he", dice())
        computation = network.computation(shown, replace(COLUMNS, shortcuts=shortcut), seed=0, bf16=False)
        assert isinstance(computation, Tabled if shortcut else Dense)
        computation.gradients(np.arange(40), dice())
        found.append([weight.grad for weight in network.trained_weights()])
    for tabled, dense in zip(*found, strict=True):
        assert torch.allclose(tabled, dense, rtol=1e-3, atol=1e-4 * float(dense.abs().max()))
    assert any(gradient.abs().max() > 0 for gradient in found[0])


def test_what_a_sign_says_does_not_depend_on_empty_cells() -> None:
    network = va.learner_config("columns", path="both", scan="right").build(TASK)
    assert isinstance(network, Columns)
    sign, empty = torch.rand(1, 1, network.meeting.pixels), torch.zeros(1, 4, network.meeting.pixels)
    vectors = [network.meeting.reader(cells) for cells in (sign, torch.cat([empty, sign], 1))]
    assert torch.allclose(*map(network.meeting.sign_vector, vectors), atol=1e-5)


def test_expressions_choose_the_operation(tmp_path) -> None:  # type: ignore[no-untyped-def]
    spec = va.learner_config("columns", path="both", scan="right")
    run = va.learn(TASK, spec, HARDLY, examples=300, test_pairs=50, threads=1, out=tmp_path / "any")
    assert operands("12 x 7", run) == (12, 2, 7)
    assert operands("12 - 7", run) == (12, 1, 7)
    assert "'/' is to halve" in refusal(operands, "12 / 2", run)
    again = va.load(run.path)
    assert np.array_equal(again.draw(12, 2, 7), run.draw(12, 2, 7))
    assert "7 and 12 are the wrong way round" in refusal(run.draw, 7, 1, 12)
    assert "use (number, operation, number), where 0 is +, 1 is -, 2 is ×" in refusal(run.draw, 12, 3, 7)


def test_a_sign_is_a_picture() -> None:
    assert refusal(va.Task, "any", medium="one-hot") == "any shows its sign as a picture; leave `medium` out"
