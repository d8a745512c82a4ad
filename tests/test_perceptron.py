"""The paper's network: its size, its depth, its arithmetic by hand, and how its weights are drawn."""

import numpy as np
import pytest
import torch

from visarith.data.task import Task
from visarith.errors import VisarithError
from visarith.learners import learner_config
from visarith.learners.perceptron import Perceptron
from visarith.operations import Operation


def dice(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def parameters(network: Perceptron) -> int:
    return sum(weights.numel() for weights in network.parameters())


def refusal(call, *arguments, **options) -> str:
    with pytest.raises(VisarithError) as caught:
        call(*arguments, **options)
    return str(caught.value)


def test_the_papers_network_has_823940_parameters():
    by_hand = (1800 * 256 + 256) + 2 * (256 * 256 + 256) + (256 * 900 + 900)
    assert parameters(learner_config().build(Task("add"))) == by_hand == 823_940


@pytest.mark.parametrize(
    ("task", "depth"),
    [
        (Task("add"), 3),
        (Task("subtract"), 3),
        (Task("multiply"), 5),
        (Task("halve"), 3),
        (Task(Operation("max", max)), 3),
        (Task("add", medium="one-hot"), 1),
        (Task("subtract", medium="one-hot"), 1),
        (Task("multiply", medium="one-hot"), 3),
        (Task("add", notation="roman"), 5),
        (Task("add", notation="roman", medium="one-hot"), 3),
        (Task("copy", answer_medium="one-hot"), 1),
        (Task("copy", medium="one-hot", answer_medium="pictures"), 1),
        (Task("add-three"), 3),
        (Task("add-subtract"), 3),
    ],
)
def test_depth_is_that_of_table_1(task, depth):
    assert task.hidden_layers == depth
    sizes = [tuple(layer.weight.shape) for layer in learner_config().build(task).linear()]
    seen = task.operation.operands * task.shape[0] * task.shape[1]
    drawn = task.operation.answers * task.answer_shape[0] * task.answer_shape[1]
    assert sizes == [(256, seen), *[(256, 256)] * (depth - 1), (drawn, 256)]


def test_own_size():
    network = learner_config(hidden_layers=2, width=10).build(Task("halve", digits=1))
    assert [tuple(layer.weight.shape) for layer in network.linear()] == [(10, 180), (10, 10), (180, 10)]


@pytest.mark.parametrize("activation", ["relu", "sigmoid"])
def test_output_is_a_picture_in_0_to_1(activation):
    network = Perceptron(2, 3, (4, 5), hidden_layers=2, width=8, activation=activation)
    network.initialise("he", "he", dice())
    drawn = network(10 * torch.randn(6, 2, 4, 5, generator=dice(1)))
    assert drawn.shape == (6, 3, 4, 5)
    assert drawn.min() >= 0
    assert drawn.max() <= 1
    assert drawn.std() > 0.01


@pytest.mark.parametrize("activation", ["relu", "sigmoid"])
def test_forward_by_hand(activation):
    network = Perceptron(2, 1, (2, 3), hidden_layers=2, width=4, activation=activation)
    network.initialise("he", "xavier", dice())
    network.mean.copy_(torch.rand(2, 2, 3, generator=dice(2)))
    for layer in network.linear():
        layer.bias.data.normal_(generator=dice(3))
    pictures = torch.rand(5, 2, 2, 3, generator=dice(1))

    values = (pictures - network.mean).numpy().reshape(5, 12)
    weights = [(layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in network.linear()]
    for weight, bias in weights[:-1]:
        values = values @ weight.T + bias
        values = np.maximum(values, 0) if activation == "relu" else 1 / (1 + np.exp(-values))
    values = 1 / (1 + np.exp(-(values @ weights[-1][0].T + weights[-1][1])))
    assert np.allclose(network(pictures).detach().numpy(), values.reshape(5, 1, 2, 3), atol=1e-6)


def test_initialise_is_a_function_of_the_generator():
    def drawn(seed: int) -> list[torch.Tensor]:
        network = Perceptron(2, 1, (4, 5), width=16)
        network.initialise("torch", "lecun", dice(seed))
        return [layer.weight.detach() for layer in network.linear()]

    assert all(map(torch.equal, drawn(0), drawn(0)))
    assert not any(map(torch.equal, drawn(0), drawn(1)))


def test_global_seed_does_not_matter():
    weights = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        network = Perceptron(1, 1, (4, 5), width=16)
        network.initialise("he", "he", dice())
        weights.append(network.linear()[1].weight.detach().clone())
    assert torch.equal(*weights)


@pytest.mark.parametrize(
    ("kind", "deviation"),
    [("torch", (1 / 3 / 1800) ** 0.5), ("lecun", 1800**-0.5), ("he", (2 / 1800) ** 0.5), ("xavier", (2 / 2056) ** 0.5)],
)
def test_spread_of_the_first_weights(kind, deviation):
    network = Perceptron(2, 1, (15, 60))
    network.initialise(kind, "zero", dice())
    weight = network.linear()[0].weight.detach()
    assert weight.std().item() == pytest.approx(deviation, rel=0.01)
    assert abs(weight.mean().item()) < 5 * deviation / weight.numel() ** 0.5
    if kind in ("torch", "xavier"):  # uniform
        assert weight.abs().max().item() == pytest.approx(3**0.5 * deviation, rel=0.001)


def test_biases_start_at_0_and_a_zero_output_draws_grey():
    network = Perceptron(2, 1, (4, 5), width=16)
    network.initialise("he", "zero", dice())
    assert not any(layer.bias.any() for layer in network.linear())
    assert all(layer.weight.any() for layer in network.linear()[:-1])
    assert torch.equal(network(torch.rand(3, 2, 4, 5, generator=dice())), torch.full((3, 1, 4, 5), 0.5))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"activation": "tanh"}, "activation 'tanh' is unknown; use relu or sigmoid"),
        ({"hidden_layers": 0}, "hidden layers 0 is too small; use 1 or more"),
        ({"hidden_layers": -1}, "hidden layers -1 is too small; use 1 or more"),
        ({"width": 0}, "width 0 is too small; use 1 or more"),
    ],
)
def test_impossible_networks_are_refused(options, message):
    assert refusal(Perceptron, 2, 1, (15, 60), **options) == message


def test_unknown_learner_and_initialisation_are_refused():
    message = (
        "learner 'oracle' is unknown; use one of perceptron, columns, tally, numerals, convolutional, recurrent, "
        "symbols, joined, constructed, own"
    )
    assert refusal(learner_config, "oracle") == message
    assert refusal(learner_config, hidden_layers=-2).startswith("hidden layers -2 is too small")
    message = "initialisation 'ones' is unknown; use torch, lecun, he, xavier, caffe, gaussian, zero"
    assert refusal(Perceptron(1, 1, (2, 2)).initialise, "ones", "zero", dice()) == message


def test_the_mean_is_stored_but_not_learned():
    network = Perceptron(2, 1, (4, 5))
    assert network.state_dict()["mean"].shape == (2, 4, 5)
    assert "mean" not in dict(network.named_parameters())
