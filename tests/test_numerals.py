"""The learner numerals: it finds symbols and their order, pools cells, writes, learns; its shortcut is exact."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import visarith as va
from conftest import dice, refusal
from visarith.data.view import View
from visarith.learners.learner import Learner
from visarith.learners.numerals import ASKED, Numerals
from visarith.learners.numerals_shortcut import Pooled
from visarith.learners.vectors import found
from visarith.training.computation import Dense
from visarith.training.loop import Training
from visarith.training.recipe import COLUMNS

ADD = va.Task("add", notation="roman", digits=2)


def built(task: va.Task = ADD, width: int = 16) -> Numerals:
    learner = va.learner_config("numerals", width=width).build(task)
    assert isinstance(learner, Numerals)
    return learner


def started(task: va.Task = ADD, examples: int = 300) -> tuple[Numerals, va.PictureSet]:
    """A learner that has found its symbols, with weights large enough to make differences."""
    learner, data = built(task), task.split(examples, 10, seed=5000)[0]
    learner.prepare(data.view(), COLUMNS, seed=0, tell=print)
    learner.initialise("he", "he", dice())
    with torch.no_grad():
        for weight in learner.parameters():
            weight.add_(0.05 * torch.randn(weight.shape, generator=dice()))
    return learner, data


@pytest.mark.parametrize("digits", [1, 2, 7])
def test_it_finds_the_symbols_and_their_order(digits: int) -> None:
    task = va.Task("add", notation="roman", digits=digits)
    learner = built(task)
    count = 15 if digits == 1 else 2_000
    learner.prepare(task.split(count, 1, seed=5000)[0].view(), COLUMNS, seed=0, tell=print)
    blank, numerals = task.layout.patterns[-1:], task.layout.patterns[:-1]
    expected = np.concatenate([numerals[::-1], blank])  # the largest numeral comes first, blanks last
    assert np.array_equal(found(learner.symbols).numpy(), expected)
    assert learner.facts() == {"symbols": 2 * digits + 1, "exact": None}


def test_symbols_that_never_occur_are_not_found() -> None:
    rows = np.array([[1, 2], [2, 1], [1, 1], [10, 20], [0, 3]])
    told: list[str] = []
    learner = built()
    learner.prepare(ADD.picture_set(ADD.write(rows)).view(), COLUMNS, seed=0, tell=told.append)
    assert told == ["3 distinct cells found"]  # X, I and blank


@pytest.mark.parametrize("operation", ["add", "halve", "add-subtract"])
@pytest.mark.parametrize("loss", ["squares", "cross-entropy"])
@pytest.mark.parametrize("training", [False, True])
def test_the_shortcut_is_exact(operation: str, loss: str, training: bool) -> None:
    learner, data = started(va.Task(operation, notation="roman", digits=2), examples=40)
    recipe, rows, gradients = replace(COLUMNS, loss=loss), np.arange(20), []  # type: ignore[arg-type]
    for shortcuts in (True, False):
        each = replace(recipe, shortcuts=shortcuts)
        computation = learner.computation(data.view(), each, seed=0, bf16=False)
        assert isinstance(computation, Pooled if shortcuts else Dense)
        if training:
            with learner.dropping_out(dice(7)):
                assert learner.asked(1).shape[-1] == ASKED
            with learner.dropping_out(dice(7)):
                lost = computation.gradients(rows, dice())
        else:
            lost = computation.gradients(rows, dice())
        gradients.append([lost, *(weight.grad.clone() for weight in learner.parameters() if weight.grad is not None)])
    assert len(gradients[0]) == 1 + len(list(learner.parameters()))
    for short, dense in zip(*gradients, strict=True):
        assert torch.allclose(short, dense, rtol=1e-3, atol=1e-4 * float(dense.abs().max()))


def test_the_loss_is_the_squared_error_once_a_symbol_is_certain() -> None:
    learner, data = started()
    inputs, targets = data.batch(np.arange(5), dice())
    cells = targets.flatten(2)[:, :, learner.places]
    symbols = found(learner.symbols)
    misfit = learner.misfit(cells, COLUMNS)
    always = torch.zeros(5, 1, len(learner.places), len(symbols))
    always[..., 0] = 1e4
    learner.scores = lambda columns: columns[..., 0]  # type: ignore[method-assign]
    wanted = torch.zeros(5, 1, len(symbols), 1)
    lost = float(learner.loss_of_next(wanted, always[..., None], misfit))
    assert inputs.shape[1] == 2
    assert lost == pytest.approx(float((cells - symbols[0]).square().sum()) / 5, rel=1e-4)


def test_the_order_of_cells_says_nothing() -> None:
    learner, data = started()
    pictures, _ = data.batch(np.arange(8), dice())
    moved = pictures.clone().flatten(2)
    order = torch.randperm(len(learner.places), generator=dice(3))
    moved[:, :, learner.places] = pictures.flatten(2)[:, :, learner.places[order]]
    codes = learner.codes()
    assert not torch.equal(moved.view_as(pictures), pictures)
    assert torch.allclose(learner.pooled(moved.view_as(pictures), codes), learner.pooled(pictures, codes), atol=1e-4)


def test_cells_without_ink_add_nothing() -> None:
    learner, data = started()
    pictures, _ = data.batch(np.arange(8), dice())
    codes = learner.codes()
    assert learner.pooled(torch.zeros_like(pictures), codes).abs().max() < 1e-5  # rounding
    assert learner.pooled(pictures, codes).abs().max() > 0.01


def numbers_wrong(learner: Learner, task: va.Task, test: va.PictureSet) -> float:
    drawn = task.plain_answers(learner.drawn(test.inputs(np.arange(len(test)), dice())))
    read = task.notation.parse(task.legend.reader("templates").read(drawn[:, 0]).symbols)
    truth = test.clean_answers(slice(0, len(test)))
    sums = task.notation.parse(task.legend.reader("templates").read(truth[:, 0] / truth.max()).symbols)
    return float(np.mean([one != other for one, other in zip(read, sums, strict=True)]))


def test_it_learns_to_add_unseen_pairs_and_not_from_shuffled_answers() -> None:
    train, test = ADD.split(2_000, 300, seed=5001)
    view = train.view()
    assert view.codebook is not None
    inputs, answers = view.codebook.inputs, view.codebook.answers
    mixed = replace(answers, codes=np.random.default_rng(0).permutation(answers.codes))
    wrong = []
    for shown, attempts in ((view, 4), (View.of_codes(view.spec, inputs, mixed), 1)):
        learner, recipe = built(width=32), replace(COLUMNS, batch=64, epochs=16, attempts=attempts)
        learner.prepare(shown, recipe, seed=0, tell=print)
        list(Training(learner, shown, recipe, seed=5001).epochs())
        learner.finish(shown)
        wrong.append(numbers_wrong(learner, ADD, test))
        assert learner.exact == (shown is view)
    assert wrong[0] < 0.02
    assert wrong[1] > 0.9


def test_loaded_weights_draw_the_same() -> None:
    learner, data = started()
    pictures = data.inputs(np.arange(4), dice())
    other = built()
    other.load_state_dict(learner.state_dict())
    assert np.array_equal(other.drawn(pictures), learner.drawn(pictures))
    assert other.facts() == learner.facts() == {"symbols": 5, "exact": None}


def test_what_it_cannot_do_is_said() -> None:
    assert "is for Roman numerals" in refusal(va.learner_config("numerals").build, va.Task("add"))
    noisy = va.Task("add", notation="roman", noise=0.1)
    assert "leave noise and displacement out" in refusal(va.learner_config("numerals").build, noisy)
    pictures = ADD.split(2, 1, seed=0)[0].inputs(np.arange(2), dice())
    assert "train it first" in refusal(built().drawn, pictures)
