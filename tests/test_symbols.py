"""Learners made of parts: symbols found without a teacher, three perceptrons joined; and who learns which task."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import visarith as va
from conftest import QUICK, dice, refusal
from visarith.data.view import View
from visarith.learners import learner_config
from visarith.learners.learner import Learner, Network
from visarith.learners.perceptron_shortcut import Shortcut
from visarith.learners.symbols import Joined, Symbols, k_means
from visarith.pictures.layout import one_hot_layout
from visarith.training.computation import Dense
from visarith.training.loop import Training, guest

ADD = va.Task("add", digits=2)
LOOKS = {
    "digits": ADD,
    "bit": va.Task("add", digits=2, typeface=va.Typeface(ink="bit")),
    "base 36": va.Task("add", digits=2, base=36),
    "unpadded": va.Task("add", digits=3, padded=False),
    "permuted": va.Task("add", digits=2, permutation=True),
    "roman": va.Task("subtract", digits=2, notation="roman"),
}


def finder(task: va.Task) -> Symbols:
    network = learner_config("symbols", width=16).build(task)
    assert isinstance(network, Symbols)
    return network


def prepared(task: va.Task, shown: View) -> Symbols:
    network = finder(task)
    network.prepare(shown, QUICK, seed=0, tell=print)
    return network


def every_symbol(task: va.Task, seed: int = 0, copies: int = 30) -> np.ndarray:
    """Rows of symbols in which each one occurs, at random places: (count, cells)."""
    count = copies * task.notation.cells * len(task.layout.alphabet)
    symbols = np.arange(count) % len(task.layout.alphabet)
    return np.random.default_rng(seed).permutation(symbols).reshape(-1, task.notation.cells)


def pictures_of(task: va.Task, symbols: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(task.layout.typeset(symbols)).float() / 255


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", LOOKS)
def test_it_finds_exactly_the_glyphs(name: str, seed: int) -> None:
    task = LOOKS[name]
    network, symbols = finder(task), every_symbol(task, seed)
    network.find_symbols(pictures_of(task, symbols))
    apart = np.abs(network.centres.numpy()[:, None] - task.layout.patterns).max(-1)  # (centres, glyphs)
    glyph_of = apart.argmin(1)
    assert sorted(glyph_of) == list(range(len(task.layout.alphabet)))  # each glyph once, numbered as it was found
    assert apart.min(1).max() < 1e-5
    cells = pictures_of(task, symbols).flatten(1)[:, task.layout.places]
    assert np.array_equal(glyph_of[network.recognise(cells).numpy()], symbols)


def test_the_numbering_is_that_of_what_was_seen_first() -> None:
    found = []
    for seed in (0, 1):
        network = finder(ADD)
        network.find_symbols(pictures_of(ADD, every_symbol(ADD, seed)))
        found.append(network.recognise(torch.from_numpy(ADD.layout.patterns)).tolist())
    assert found[0] != found[1]
    assert sorted(found[0]) == sorted(found[1]) == list(range(10))


def test_cells_that_differ_little_share_a_centre() -> None:
    """Three symbols in two variants each: the centres are weighted means; of equally far cells, the first is chosen."""
    cells = torch.tensor([[0.0, 0.0], [0.9, 0.1], [0.0, 0.1], [0.1, 0.9], [0.0, 0.0], [1.0, 0.1], [0.1, 1.0]])
    expected = [[0.0, 0.1 / 3], [0.95, 0.1], [0.1, 0.95]]
    assert torch.allclose(k_means(cells, 3), torch.tensor(expected))


def test_fewer_distinct_cells_than_symbols_repeat_the_first() -> None:
    cells = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert torch.allclose(k_means(cells, 4), torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]))


def test_clustering_leaves_threads_and_random_numbers_alone() -> None:
    before = torch.get_num_threads(), torch.random.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    with guest(2):
        k_means(torch.rand(1_000, 20, generator=dice()), 5)
        assert torch.get_num_threads() == 2
    assert torch.get_num_threads() == before[0]
    assert torch.equal(torch.random.get_rng_state(), before[1])
    assert (np.random.get_state()[1] == before[2]).all()  # noqa: NPY002


def test_noisy_cells_have_centres_near_the_glyphs() -> None:
    network = finder(ADD)
    pictures = pictures_of(ADD, every_symbol(ADD, copies=60))
    network.find_symbols(pictures + 0.02 * torch.randn(pictures.shape, generator=dice()))
    apart = np.abs(network.centres.numpy()[:, None] - ADD.layout.patterns).max(-1)
    assert sorted(apart.argmin(1)) == list(range(10))
    assert 1e-5 < apart.min(1).max() < 0.02  # a mean of hundreds, and no longer any one of them


class _First(nn.Module):
    """Answers with its first input."""

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return seen[:, :1]


class _Even(nn.Module):
    """Finds each of its inputs as likely as the others, and none very likely."""

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return seen.mean(1, keepdim=True) / 10


@pytest.mark.parametrize("name", LOOKS)
def test_it_draws_the_symbols_that_it_calculates(name: str) -> None:
    task = LOOKS[name]
    network, symbols = finder(task), every_symbol(task)
    network.find_symbols(pictures_of(task, symbols))
    pictures = pictures_of(task, symbols[:40].reshape(20, 2, -1))
    network.calculator = _First()  # type: ignore[assignment]
    torch.testing.assert_close(network(pictures), pictures[:, :1], atol=1e-5, rtol=0)
    network.calculator = _Even()  # type: ignore[assignment]
    torch.testing.assert_close(network(pictures), pictures.mean(1, keepdim=True), atol=1e-5, rtol=0)


def test_it_is_taught_in_its_own_symbols() -> None:
    some, _ = ADD.split(400, 1, seed=0)
    network = prepared(ADD, shown := some.view())
    taught, tables = network.inner(shown)
    number = network.recognise(torch.from_numpy(ADD.layout.patterns)).numpy()
    assert taught is network.calculator
    layout = one_hot_layout("0123456789", 2)
    inputs, answers = (layout.typeset(number[symbols]) for symbols in (some.examples.inputs, some.examples.answers))
    assert np.array_equal(tables.raw(slice(None))[0], inputs)
    assert np.array_equal(tables.raw(slice(None))[1], answers)
    assert np.allclose(tables.mean_inputs.numpy(), (inputs / 255).mean(0), atol=1e-6)


@pytest.mark.parametrize("task", [va.Task("add", digits=1), va.Task("add", digits=2, notation="roman")])
def test_symbols_that_only_answers_have_are_found_too(task: va.Task) -> None:
    some, _ = task.examples(24 if task.notation.cells == 1 else 600, 1, seed=0)
    network = prepared(task, task.picture_set(some).view())
    used = np.unique(np.concatenate([some.inputs.ravel(), some.answers.ravel()]))
    assert len(network.recognise(torch.from_numpy(task.layout.patterns[used])).unique()) == len(used)


def test_it_learns_to_add_and_is_loaded_again(tmp_path: Path) -> None:
    recipe = replace(QUICK, loss="cross-entropy", rate=5e-3, epochs=15)
    learner = learner_config("symbols", hidden_layers=2, width=128)
    sizes = {"examples": 2125, "test_pairs": 375, "threads": 1}
    run = va.learn(ADD, learner, recipe, out=tmp_path / "run", **sizes)
    assert run.score.digit_error < 0.03
    assert run.train_digit_error < 0.01
    assert sum(run.calculate(a, b) == a + b for a in range(0, 50, 7) for b in range(0, 50, 7)) >= 60  # of 64
    assert np.abs(run.draw(12, 30) - ADD.layout.typeset(np.array([[4, 2]]))[0] / 255).mean() < 0.05
    again = va.load(run.path)
    pictures = np.random.default_rng(0).random((20, 2, 15, 20), np.float32)
    assert np.array_equal(again.predict(pictures), run.predict(pictures))
    assert again.score == run.score


def test_a_restored_training_has_the_same_symbols_and_bits() -> None:
    shown = ADD.split(300, 1, seed=0)[0].view()
    recipe = replace(QUICK, epochs=3)
    whole, stopped, resumed = prepared(ADD, shown), prepared(ADD, shown), finder(ADD)
    list(Training(whole, shown, recipe, seed=0).epochs())
    first = Training(stopped, shown, recipe, seed=0)
    next(first.epochs())
    resumed.recall(stopped.found())
    second = Training(resumed, shown, recipe, seed=0)
    second.restore(first.state())
    assert [epoch.number for epoch in second.epochs()] == [2, 3]
    for a, b in zip(whole.state_dict().values(), resumed.state_dict().values(), strict=True):
        assert torch.equal(a, b)


def test_the_shortcut_through_its_tables_is_exact() -> None:
    shown, losses = ADD.split(300, 1, seed=0)[0].view(), []
    for shortcuts, kind in ((True, Shortcut), (False, Dense)):
        recipe = replace(QUICK, epochs=3, precision="f32", shortcuts=shortcuts)
        training = Training(prepared(ADD, shown), shown, recipe, seed=0)
        assert isinstance(training.computation, kind)
        losses.append([epoch.loss for epoch in training.epochs()])
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    assert losses[0][2] < losses[0][0]


@pytest.mark.parametrize("operation", ["add", "halve", "add-subtract"])
def test_joined_is_its_parts_one_after_the_other(operation: str) -> None:
    task = va.Task(operation, digits=2)
    network = learner_config("joined", width=16).build(task)
    assert isinstance(network, Joined)
    for number, part in enumerate((network.perceive, network.calculate, network.draw)):
        part.initialise("he", "he", dice(number))
        part.mean.copy_(torch.rand(part.mean.shape, generator=dice(number)))
    assert [len(p.linear()) - 1 for p in (network.perceive, network.calculate, network.draw)] == [1, 1, 1]
    pictures = torch.rand(4, task.operation.operands, 15, 20, generator=dice(9))
    with torch.no_grad():
        drawn = network(pictures)
        for i in range(4):
            seen = [network.perceive(picture[None, None])[0, 0] for picture in pictures[i]]
            assert seen[0].shape == (2, 10)
            found = network.calculate(torch.stack(seen)[None])[0]
            by_hand = torch.stack([network.draw(table[None, None])[0, 0] for table in found])
            torch.testing.assert_close(drawn[i], by_hand, atol=1e-6, rtol=0)


def test_joined_is_not_trained() -> None:
    message = refusal(va.learn, ADD, "joined", examples=20, test_pairs=5)
    made = "visarith reproduce trains its parts separately and joins them"
    assert message == f"joined has nothing to learn: {made}; use another learner"
    assert not list(Path().iterdir())  # and nothing was left behind
    network = learner_config("joined").build(ADD)
    assert isinstance(network, Learner)
    assert not isinstance(network, Network)
    shown = ADD.split(20, 1, seed=0)[0].view()
    assert "joined has nothing to learn" in refusal(Training, network, shown, QUICK, seed=0)


@pytest.mark.parametrize("name", ["convolutional", "recurrent", "symbols", "joined"])
def test_what_a_learner_cannot_do_is_said(name: str) -> None:
    looks = f"the learner {name} is for pictures, not for one-hot inputs; leave `medium` out or use perceptron"
    for media in ({"medium": "one-hot"}, {"answer_medium": "one-hot"}):
        assert refusal(learner_config(name).build, va.Task("add", **media)) == looks
    assert refusal(learner_config, name, activation="sigmoid") == (
        f"`activation` is an option of perceptron, constructed, and {name} has none of that name; leave it out"
    )
    assert refusal(learner_config, name, width=-1) == "width -1 is too small; use 1 or more"
    assert "weights is too large" in refusal(learner_config(name, width=10**6).build, ADD)


@pytest.mark.parametrize(
    "name",
    [
        "convolutional",
        "symbols",
        "joined",
        "recurrent",
    ],
)
def test_too_few_layers_are_refused(name: str) -> None:
    message = refusal(learner_config, name, hidden_layers=-1)
    assert message == "hidden layers -1 is too small; use 1 or more"


@pytest.mark.parametrize("corruption", [{"noise": 0.1}, {"displacement": 1}])
def test_symbols_need_clean_cells(corruption: dict[str, float]) -> None:
    message = "the learner symbols clusters clean cells, and these are not; leave noise and displacement out"
    assert refusal(learner_config("symbols").build, va.Task("add", **corruption)) == message


@pytest.mark.parametrize(
    ("task", "depths"),  # of perceptron, convolutional, recurrent, symbols, joined
    [
        (va.Task("add"), [3, 2, 1, 1, 1]),
        (va.Task("subtract"), [3, 2, 1, 1, 1]),
        (va.Task("multiply"), [5, 4, 1, 3, 3]),
        (va.Task("add", notation="roman"), [5, 4, 1, 3, 3]),
        (va.Task("multiply", notation="roman"), [5, 4, 1, 3, 3]),
    ],
)
def test_default_depths(task: va.Task, depths: list[int]) -> None:
    names = ("perceptron", "convolutional", "recurrent", "symbols", "joined")
    assert [learner_config(name).depth(task.spec) for name in names] == depths
    assert [learner_config(name).resolved(task.spec).hidden_layers for name in names] == depths
    assert [learner_config(name, hidden_layers=7).resolved(task.spec).hidden_layers for name in names] == [7] * 5
    # what is built has that depth
    found = [learner_config(name, width=8).build(task) for name in names]
    layers = [len(found[0].linear()), len(found[1].top.linear()), found[2].lstm.num_layers + 1]  # type: ignore
    layers += [len(found[3].calculator.linear()), len(found[4].calculate.linear())]  # type: ignore
    assert [count - 1 for count in layers] == depths
