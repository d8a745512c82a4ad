"""The exact shortcut against the dense path: gradients, losses, and weights after many steps."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import visarith as va
from conftest import SMALL, train
from visarith.learners.perceptron_shortcut import Shortcut
from visarith.pictures.typeface import Typeface
from visarith.randomness import generator
from visarith.training.computation import Dense
from visarith.training.loop import Training
from visarith.training.recipe import ADAM, ENTROPY, PAPER, Recipe

SUM_AND_DIFFERENCE = va.Operation("both", lambda a, b: (a + b, abs(a - b)), answers=2)

TASKS = {
    "add": va.Task("add", digits=3),
    "bit": va.Task("add", digits=3, typeface=Typeface(ink="bit")),
    "unpadded": va.Task("subtract", digits=3, padded=False),
    "permuted": va.Task("add", digits=3, permutation=True),
    "one-hot": va.Task("multiply", digits=3, medium="one-hot"),
    "unary": va.Task("halve", digits=3, base=16),
    "two answers": va.Task(SUM_AND_DIFFERENCE, digits=3),
    "roman": va.Task("add", digits=2, notation="roman"),
    "roman one-hot": va.Task("subtract", digits=2, notation="roman", medium="one-hot"),
    "pictures to one-hot": va.Task("add", digits=3, answer_medium="one-hot"),
    "one-hot to pictures": va.Task("add-subtract", digits=3, medium="one-hot", answer_medium="pictures"),
}
EXACT = replace(PAPER, precision="f32")  # bf16 rounds the two paths apart


def changes(task: va.Task, recipe: Recipe) -> list[torch.Tensor]:
    """What training changes in each weight."""
    start = SMALL.build(task)
    some, _ = task.split(160, 1, seed=3)
    Training(start, some.view(), recipe, seed=3)
    trained = train(task, recipe)
    return [after - before for after, before in zip(trained.parameters(), start.parameters(), strict=True)]


@pytest.mark.parametrize("loss", ["squares", "cross-entropy"])
@pytest.mark.parametrize("output", ["he", "zero"])
@pytest.mark.parametrize("name", TASKS)
def test_the_shortcut_has_the_gradients_of_the_dense_path(name: str, output: str, loss: str) -> None:
    steps = 1 if output == "he" else 4  # from zero, the first step moves only the last layer
    bare = replace(
        EXACT,
        loss=loss,
        rate=(1.0 if output == "he" else 10.0) / (1 if loss == "squares" else 3),
        momentum=0.0,
        batch=160 // steps,
        epochs=1,
        output_initialisation=output,
    )
    fast = changes(TASKS[name], bare)
    plain = changes(TASKS[name], replace(bare, shortcuts=False))
    for ours, dense in zip(fast, plain, strict=True):
        largest = dense.abs().max().item()
        assert largest > 5e-5
        torch.testing.assert_close(ours, dense, rtol=1e-4, atol=1e-5 * largest + 5e-7)  # 5e-7: rounding of biases


@pytest.mark.parametrize("loss", ["squares", "cross-entropy"])
@pytest.mark.parametrize("output", ["he", "zero"])
@pytest.mark.parametrize("name", TASKS)
def test_the_shortcut_has_the_loss_of_the_dense_path(name: str, output: str, loss: str) -> None:
    task = TASKS[name]
    shown = task.split(160, 1, seed=3)[0].view()
    recipe = replace(EXACT, loss=loss, rate=0.01, batch=64, epochs=2, output_initialisation=output)
    losses = []
    for shortcuts, kind in ((True, Shortcut), (False, Dense)):
        training = Training(SMALL.build(task), shown, replace(recipe, shortcuts=shortcuts), seed=3)
        assert isinstance(training.computation, kind)
        losses.append([epoch.loss for epoch in training.epochs()])
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    assert losses[0][1] < losses[0][0]


@pytest.mark.parametrize("loss", ["squares", "cross-entropy"])
@pytest.mark.parametrize("shortcuts", [True, False])
def test_the_loss_of_the_first_step_by_hand(shortcuts: bool, loss: str) -> None:
    task = TASKS["add"]
    some, _ = task.examples(160, 1, seed=3)
    recipe = replace(EXACT, loss=loss, shortcuts=shortcuts, loss_scale=0.3)
    training = Training(SMALL.build(task), task.picture_set(some).view(), recipe, seed=3)
    rows = np.array([3, 1, 4, 15, 9])
    targets = task.layout.typeset(some.answers[rows]).astype(float) / 255
    drawn = np.clip(task.layout.typeset(some.answers).astype(float).mean(0) / 255, 0.01, 0.99)  # the mean target
    squares = (targets - drawn) ** 2
    entropies = -targets * np.log(drawn) - (1 - targets) * np.log(1 - drawn)
    by_hand = 0.3 * (squares if loss == "squares" else entropies).sum() / 5
    assert training.step(rows, generator(0, "none")).item() == pytest.approx(by_hand, rel=1e-4)


@pytest.mark.parametrize(
    "recipe",
    [
        replace(EXACT, rate=0.01),
        replace(EXACT, rate=0.01, output_initialisation="torch", output_bias="zero"),
        replace(EXACT, rate=0.01, centring=False),
        replace(EXACT, rate=0.01, schedule="cosine"),
        replace(ADAM, schedule="constant"),
        ADAM,
        replace(ENTROPY, schedule="constant"),
        replace(EXACT, rate=0.01, loss="cross-entropy"),
        replace(EXACT, rate=0.01, bias_rate=2.0),
        replace(EXACT, rate=0.01, loss_per="output", loss_scale=40.0),
    ],
    ids=[
        *("paper", "untied", "not centred", "cosine", "adam", "adam cosine", "entropy", "entropy sgd"),
        *("biases twice", "per output"),
    ],
)
def test_the_shortcut_follows_the_dense_path_for_many_steps(recipe: Recipe) -> None:
    recipe = replace(recipe, batch=64, epochs=4, precision="f32")
    fast = train(TASKS["add"], recipe)
    plain = train(TASKS["add"], replace(recipe, shortcuts=False))
    for ours, dense in zip(fast.state_dict().values(), plain.state_dict().values(), strict=True):
        torch.testing.assert_close(ours, dense, rtol=1e-3, atol=2e-5)


def test_the_shortcut_follows_the_dense_path_with_sigmoid_units() -> None:
    learner, recipe = replace(SMALL, activation="sigmoid"), replace(EXACT, batch=64, epochs=4)
    fast = train(TASKS["add"], recipe, learner=learner)
    plain = train(TASKS["add"], replace(recipe, shortcuts=False), learner=learner)
    for ours, dense in zip(fast.state_dict().values(), plain.state_dict().values(), strict=True):
        torch.testing.assert_close(ours, dense, rtol=1e-3, atol=2e-5)


def test_pixels_that_always_agree_are_computed_once_only_if_they_start_equal() -> None:
    task = va.Task("add")
    shown = task.split(64, 1, seed=0)[0].view()
    network = va.learner_config().build(task)
    tied = Training(network, shown, PAPER, seed=0).computation
    assert isinstance(tied, Shortcut)
    pictures = task.targets(task.examples(3000, 1, seed=1)[0].answers, generator(0, "none")).flatten(1)
    distinct = len(np.unique(pictures.numpy(), axis=1).T)
    assert int((tied.tied.counts > 0).sum()) == distinct < 900  # equal columns of 3,000 real targets
    assert tied.tied.counts.sum() == 900
    apart = Training(network, shown, replace(PAPER, output_initialisation="torch"), seed=0).computation
    assert isinstance(apart, Shortcut)
    assert int((apart.tied.counts == 1).sum()) == 900


def test_weight_decay_takes_the_dense_path() -> None:
    shown = TASKS["add"].split(64, 1, seed=0)[0].view()
    recipe = replace(PAPER, weight_decay=0.0005)
    assert isinstance(Training(SMALL.build(TASKS["add"]), shown, recipe, seed=0).computation, Dense)


@pytest.mark.parametrize("corruption", [{"noise": 0.3}, {"displacement": 1}, {"noise": 0.1, "permutation": True}])
def test_pictures_that_are_more_than_glyphs_take_the_dense_path(corruption: dict[str, float]) -> None:
    task = va.Task("add", digits=2, **corruption)  # type: ignore[arg-type]
    some, _ = task.split(64, 1, seed=0)
    assert isinstance(Training(SMALL.build(task), some.view(), PAPER, seed=0).computation, Dense)
