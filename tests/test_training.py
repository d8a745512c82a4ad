"""Training: learning against its controls, precision, resuming bit by bit, how a network starts."""

from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

import visarith as va
from conftest import FAST, SMALL, train
from visarith.data.task import Examples
from visarith.data.task_set import TaskSet
from visarith.learners.learner import draw_weights
from visarith.learners.perceptron import Perceptron
from visarith.randomness import generator
from visarith.runs.judge import judge
from visarith.training.computation import Dense
from visarith.training.loop import Training, fast_bf16
from visarith.training.optimizers import Momentum
from visarith.training.recipe import ADAM, COLUMNS, PAPER, SINCE_0_1, Recipe

ADD = va.Task("add", digits=3)


@pytest.mark.parametrize(("bias_rate", "decay"), [(1.0, 0.0), (2.0, 0.0), (1.0, 0.05), (2.0, 0.05)])
def test_momentum_is_that_of_pytorch(bias_rate: float, decay: float) -> None:
    """Biases, which have one dimension, may have another rate, and do not decay."""
    starts = torch.linspace(-1, 1, 50).view(10, 5), torch.linspace(-1, 1, 10)
    ours, theirs = ([torch.nn.Parameter(start.clone()) for start in starts] for _ in range(2))
    one = Momentum(ours, [1.0, bias_rate], replace(PAPER, weight_decay=decay))
    groups = [{"params": theirs[:1], "weight_decay": decay}, {"params": theirs[1:], "lr": 0.1 * bias_rate}]
    other = torch.optim.SGD(groups, lr=0.1, momentum=0.9)
    for step in range(20):
        for weight in (*ours, *theirs):
            weight.grad = torch.cos(step + weight.detach())
        one.step()
        other.step()
    for mine, its in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, its)


def test_a_field_that_came_later_leaves_earlier_questions_as_they_were() -> None:
    assert set(PAPER.asked()) == set(asdict(PAPER)) - {"precision", *SINCE_0_1}
    assert replace(PAPER, weight_decay=0.1).asked() == PAPER.asked() | {"weight_decay": 0.1}
    assert COLUMNS.asked()["jitter"] == COLUMNS.jitter > 0
    assert replace(PAPER, precision="bf16").asked() == PAPER.asked()


def test_starts_by_their_variance() -> None:
    """Caffe's xavier is uniform with the variance 1 / fan_in; its Gaussian has the deviation that is given."""
    layer, dice = torch.nn.Linear(1_000, 400), generator(0, "weights")
    for kind, deviation, most in (("caffe", 1_000**-0.5, (3 / 1_000) ** 0.5), ("gaussian", 0.01, 1.0)):
        draw_weights(layer, kind, dice)
        assert layer.weight.std().item() == pytest.approx(deviation, rel=0.01)
        assert layer.weight.abs().max().item() <= most
        assert not layer.bias.any()


def test_a_loss_per_output_is_the_mean_over_the_answer() -> None:
    losses = []
    for recipe in (replace(PAPER, loss_scale=9.0, loss_per="output"), replace(PAPER, loss_scale=9.0 / (15 * 60))):
        training = Training(SMALL.build(va.Task("add")), va.Task("add").split(50, 1, seed=0)[0].view(), recipe, seed=0)
        losses.append(training.step(np.arange(20), generator(0, "none")).item())
    assert losses[0] == pytest.approx(losses[1])
    hot = va.Task("add", medium="one-hot")
    one = Training(SMALL.build(hot), hot.split(50, 1, seed=0)[0].view(), replace(PAPER, loss_per="output"), seed=0)
    assert one.network.loss_factor(one.recipe) == pytest.approx(PAPER.loss_scale / 70)


def digit_errors(network: Perceptron, some: TaskSet) -> float:
    score = judge(network, some, some.task.legend, seed=0).score
    assert score is not None
    return score.digit_error


def test_bf16_ends_with_the_same_error_as_f32() -> None:
    task, learner = va.Task("add", digits=1, base=16), va.learner_config(hidden_layers=2, width=64)
    recipe = replace(FAST, rate=5e-3, batch=16, epochs=60)
    for precision in ("f32", "bf16"):
        network = train(task, replace(recipe, precision=precision), examples=63, learner=learner)
        assert digit_errors(network, task.split(63, 1, seed=3)[0]) == 0


@pytest.mark.long
def test_bf16_generalises_as_f32_does() -> None:
    task, learner = va.Task("add", digits=2), va.learner_config(hidden_layers=2, width=128)
    train_on, test_on = task.split(2125, 375, seed=0)
    for precision in ("f32", "bf16"):
        network = learner.build(task)
        recipe = replace(FAST, batch=32, rate=2e-3, epochs=40, precision=precision)
        list(Training(network, train_on.view(), recipe, seed=0).epochs())
        assert digit_errors(network, test_on) < 0.01


def test_bf16_is_really_used() -> None:
    recipe = replace(PAPER, epochs=5, batch=16)
    weights = [train(ADD, replace(recipe, precision=p)).linear()[1].weight.detach() for p in ("f32", "bf16")]
    assert 0 < (weights[0] - weights[1]).abs().max().item() < 0.1


def test_auto_precision_is_what_the_cpu_is_fast_at() -> None:
    some, _ = ADD.split(10, 1, seed=0)
    for precision, used in (("auto", "bf16" if fast_bf16() else "f32"), (PAPER.precision, "f32")):
        training = Training(SMALL.build(ADD), some.view(), replace(PAPER, precision=precision), seed=0)
        assert training.precision == used


def test_it_learns_the_operation_and_not_just_the_pictures() -> None:
    task = va.Task("add", digits=2)
    some, unseen = task.examples(512, 500, seed=0)
    recipe = replace(FAST, batch=32, rate=4e-3, epochs=30)
    shuffled = Examples(some.operands, some.inputs, some.answers[np.random.default_rng(0).permutation(512)])
    errors = []
    for examples in (task.picture_set(some), task.picture_set(shuffled)):
        network = va.learner_config(hidden_layers=2, width=128).build(task)
        list(Training(network, examples.view(), recipe, seed=0).epochs())
        errors.append((digit_errors(network, examples), digit_errors(network, task.picture_set(unseen))))
    (fitted, learned), (_, control) = errors
    assert fitted < 0.1
    assert learned < 0.5  # from a fifth of all pairs
    assert control > 0.8  # nothing can be learned from shuffled answers


def test_same_seed_same_bits_other_seed_other_bits() -> None:
    task, recipe = va.Task("add", digits=2, noise=0.2), replace(PAPER, epochs=1)

    def weights(seed: int) -> torch.Tensor:
        network = SMALL.build(task)
        list(Training(network, task.split(300, 1, seed=0)[0].view(), recipe, seed=seed).epochs())
        return torch.cat([w.flatten() for w in network.parameters()])

    assert torch.equal(weights(0), weights(0))
    assert not torch.equal(weights(0), weights(1))


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("recipe", [PAPER, ADAM], ids=["paper", "adam"])
def test_a_restored_training_ends_with_the_same_bits(recipe: Recipe, noise: float) -> None:
    task = va.Task("add", digits=2, noise=noise)
    shown = task.split(300, 1, seed=0)[0].view()
    recipe = replace(recipe, epochs=4, batch=64)
    whole, stopped, resumed = (SMALL.build(task) for _ in range(3))
    list(Training(whole, shown, recipe, seed=0).epochs())
    first = Training(stopped, shown, recipe, seed=0)
    epochs = first.epochs()
    next(epochs), next(epochs)
    second = Training(resumed, shown, recipe, seed=0)
    second.restore(first.state())
    assert [epoch.number for epoch in second.epochs()] == [3, 4]
    for a, b in zip(whole.state_dict().values(), resumed.state_dict().values(), strict=True):
        assert torch.equal(a, b)


def test_fixed_noise_belongs_to_the_example_and_fresh_noise_does_not() -> None:
    task = va.Task("add", digits=2, noise=0.3)
    shown = task.split(20, 1, seed=0)[0].view()
    rows = np.array([4, 7])
    for kind, equal in (("fixed", True), ("fresh", False)):
        dense = Dense(SMALL.build(task), shown, replace(PAPER, noise=kind), seed=0, bf16=False)
        one, _ = dense._pictures(rows, generator(0, "noise", 0))
        other, _ = dense._pictures(rows[::-1].copy(), generator(0, "noise", 1))
        assert torch.equal(one, other.flip(0)) is equal


def test_the_mean_picture_is_taken_from_the_inputs() -> None:
    task = va.Task("add", digits=2)
    some, _ = task.split(300, 1, seed=0)
    network = SMALL.build(task)
    Training(network, some.view(), PAPER, seed=0)
    torch.testing.assert_close(network.mean, some.inputs(np.arange(300), generator(0, "none")).mean(0))
    Training(uncentred := SMALL.build(task), some.view(), replace(PAPER, centring=False), seed=0)
    assert not uncentred.mean.any()


def test_the_first_answer_to_anything_is_the_mean_target() -> None:
    task = va.Task("add", digits=2)
    some, _ = task.split(300, 1, seed=0)
    network = SMALL.build(task)
    Training(network, some.view(), PAPER, seed=0)
    mean = task.targets(some.examples.answers, generator(0, "none")).mean(0)
    answer = network(torch.rand(1, 2, *task.shape))[0]
    torch.testing.assert_close(answer, mean.clamp(0.01, 0.99))


def test_the_papers_recipe_has_the_papers_values() -> None:
    printed = (PAPER.optimizer, PAPER.rate, PAPER.momentum, PAPER.batch, PAPER.epochs)
    assert printed == ("sgd", 0.1, 0.9, 256, 50)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"optimizer": "adamw"}, "optimizer 'adamw' is unknown; use sgd, adam"),
        ({"epochs": 0}, "epochs 0 is too small; use 1 or more"),
        ({"rate": -1.0}, "rate -1.0 is not possible; use more than 0, up to 1e\\+30"),
        ({"batch": 1.5}, "batch 1.5 is not a whole number; use 1 or more"),
        ({"momentum": 1.0}, "momentum 1.0 is not possible; use a number from 0 to below 1"),
        ({"rate": float("nan")}, "rate nan is not possible; use more than 0, up to 1e\\+30"),
        ({"rate": 1e308}, "rate 1e\\+308 is not possible; use more than 0, up to 1e\\+30"),
    ],
)
def test_a_recipe_says_what_is_wrong_with_it(change: dict[str, object], message: str) -> None:
    with pytest.raises(va.VisarithError, match=f"^{message}$"):
        replace(PAPER, **change)  # type: ignore[arg-type]
