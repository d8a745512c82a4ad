"""Every learner's shapes; the convolutional and the recurrent one: how they start, see and learn."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import visarith as va
from conftest import FAST, dice
from visarith.data.spec import PictureSpec
from visarith.learners import LEARNERS, learner_config
from visarith.learners.columns.network import Columns
from visarith.learners.convolutional import Convolutional
from visarith.learners.learner import Learner, Network
from visarith.learners.numerals import Numerals
from visarith.learners.perceptron import Perceptron
from visarith.learners.recurrent import Recurrent
from visarith.learners.symbols import Clusters, Joined, Symbols
from visarith.learners.tally import Tally
from visarith.training.computation import Dense
from visarith.training.loop import Training
from visarith.training.recipe import PAPER

KINDS = {
    "perceptron": Perceptron,
    "columns": Columns,
    "tally": Tally,
    "numerals": Numerals,
    "convolutional": Convolutional,
    "recurrent": Recurrent,
    "symbols": Symbols,
    "joined": Joined,
}
SEEING = ("convolutional", "recurrent")


def started(name: str, task: va.Task, output: str = "he", **size: int) -> Learner:
    """A learner whose weights are drawn and that has seen what it must see beforehand."""
    network = learner_config(name, **({"width": 24} | size)).build(task)
    if isinstance(network, Clusters):
        count = len(task.layout.alphabet)
        every = np.arange(count).repeat(task.layout.cells).reshape(count, -1)
        network.find_symbols(torch.from_numpy(task.layout.typeset(every)) / 255)
    if isinstance(network, Numerals):
        network.prepare(task.split(20, 1, seed=0)[0].view(), PAPER, seed=0, tell=print)
    for part in network.modules():
        if isinstance(part, Columns):
            part.choose("aligned", "right")
        if isinstance(part, Network):
            part.initialise("he", output, dice())
    return network


def test_all_learners_are_here_or_elsewhere() -> None:
    assert set(LEARNERS) == {*KINDS, "constructed", "own"}  # which are in test_construct and test_own


@pytest.mark.parametrize("operation", ["add", "halve", "add-three", "add-subtract"])
@pytest.mark.parametrize("name", KINDS)
def test_pictures_in_pictures_out(name: str, operation: str) -> None:
    task = va.Task(operation, digits=2, notation="roman" if name in ("tally", "numerals") else "arabic")
    network = started(name, task)
    assert type(network) is KINDS[name]
    pictures = task.inputs(task.examples(6, 1, seed=0)[0].inputs, dice())
    with torch.no_grad():
        drawn = network(pictures)
        assert torch.allclose(drawn[2:4], network(pictures[2:4]), atol=1e-6)  # each example for itself
    assert drawn.shape == (6, task.operation.answers, *task.shape)
    assert drawn.min() >= 0
    assert drawn.max() <= 1 + 1e-6
    if name not in (
        "tally",
        "numerals",
    ):  # which write whole symbols, and so the same until they have learned something
        assert (drawn[0] - drawn[1]).abs().max() > 0.01  # it looks at what it is shown


@pytest.mark.parametrize("name", SEEING)
def test_weights_are_a_function_of_the_generator_alone(name: str) -> None:
    def drawn(globally: int, seed: int) -> list[torch.Tensor]:
        torch.manual_seed(globally)
        network = learner_config(name, width=8).build(va.Task("add", digits=2))
        assert isinstance(network, Network)
        network.initialise("he", "he", dice(seed))
        return [weight.detach() for weight in network.parameters() if weight.ndim > 1]

    assert all(map(torch.equal, drawn(1, 0), drawn(2, 0)))
    assert not any(map(torch.equal, drawn(1, 0), drawn(1, 1)))


@pytest.mark.parametrize("name", SEEING)
def test_every_weight_gets_a_gradient(name: str) -> None:
    task = va.Task("add", digits=2)
    network = started(name, task)
    assert isinstance(network, Network)
    shown = task.split(50, 1, seed=0)[0].view()
    Dense(network, shown, PAPER, seed=0, bf16=False).gradients(np.arange(50), dice())
    for path, weight in network.named_parameters():
        assert weight.grad is not None, path
        assert weight.grad.any(), path


@pytest.mark.parametrize("name", SEEING)
@pytest.mark.parametrize("loss", ["squares", "cross-entropy"])
def test_it_learns_what_it_is_shown(name: str, loss: str) -> None:
    task = va.Task("add", digits=1)
    some, _ = task.split(24, 1, seed=0)
    network = learner_config(name, width=64).build(task)  # type: ignore[arg-type]
    training = Training(network, some.view(), replace(FAST, loss=loss, batch=8, rate=5e-3, epochs=100), seed=0)
    assert isinstance(training.computation, Dense)  # the shortcut is the perceptron's alone
    list(training.epochs())
    with torch.no_grad():
        inputs, targets = some.batch(np.arange(24), dice())
        off = (network(inputs) - targets).abs().mean().item()
    start = (some.mean_targets - targets).abs().mean().item()
    assert off < start / 3  # far better than always the same answer


@pytest.mark.parametrize("name", ["convolutional", "recurrent"])
def test_bf16_gives_about_the_same_gradients(name: str) -> None:
    task = va.Task("add", digits=2)
    shown = task.split(50, 1, seed=0)[0].view()
    gradients = []
    for bf16 in (False, True):
        network = started(name, task)
        assert isinstance(network, Network)
        computation = network.computation(shown, PAPER, seed=0, bf16=bf16)
        assert computation.precision == ("bf16" if bf16 and name != "recurrent" else "f32")
        computation.gradients(np.arange(50), dice())
        gradients.append(torch.cat([weight.grad.flatten() for weight in network.parameters()]))  # type: ignore[union-attr]
    apart = (gradients[0] - gradients[1]).norm() / gradients[0].norm()
    assert (apart == 0) if name == "recurrent" else (0 < apart < 0.1)  # an LSTM stays in f32


@pytest.mark.parametrize("name", SEEING)
def test_a_run_is_kept_and_loaded(name: str, tmp_path: Path) -> None:
    settings = {"examples": 60, "test_pairs": 20, "epochs": 2, "threads": 1, "out": tmp_path / name}
    run = va.learn(va.Task("add", digits=2), learner_config(name, width=16), "adam", **settings)  # type: ignore[arg-type]
    pictures = np.random.default_rng(0).random((5, 2, 15, 20), np.float32)
    again = va.load(run.path)
    assert type(again.learner) is KINDS[name]
    assert again.experiment == run.experiment
    assert again.experiment.learner.hidden_layers == learner_config(name).depth(run.task.spec)
    assert np.array_equal(again.predict(pictures), run.predict(pictures))
    trained, _ = run.task.split(60, 20, seed=0)
    assert torch.equal(again.learner.mean, trained.mean_inputs)  # type: ignore[arg-type]


def convolved(pictures: np.ndarray, layer: nn.Conv2d) -> np.ndarray:
    """A convolution of stride 2 written out: each output is a sum over the window around it; then ReLU."""
    weight, bias = layer.weight.detach().numpy(), layer.bias.detach().numpy()  # type: ignore[union-attr]
    reach = weight.shape[2] // 2
    count, _, high, wide = pictures.shape
    padded = np.pad(pictures, ((0, 0), (0, 0), (reach, reach), (reach, reach)))
    result = np.zeros((count, len(weight), -(-high // 2), -(-wide // 2)), np.float32)
    for y in range(result.shape[2]):
        for x in range(result.shape[3]):
            window = padded[:, :, 2 * y : 2 * y + 2 * reach + 1, 2 * x : 2 * x + 2 * reach + 1]
            result[:, :, y, x] = np.tensordot(window, weight, ([1, 2, 3], [1, 2, 3])) + bias
    return np.maximum(result, 0)


@pytest.mark.parametrize("shape", [(15, 20), (8, 9), (5, 5)])
def test_convolutional_by_hand(shape: tuple[int, int]) -> None:
    network = Convolutional(PictureSpec(2, 1, shape, shape), hidden_layers=1, width=7)
    network.initialise("he", "he", dice())
    for part in (network.first, network.second, *network.top.linear()):
        part.bias.data.normal_(generator=dice(3))  # type: ignore[union-attr]
    network.mean.copy_(torch.rand(2, *shape, generator=dice(4)))
    pictures = torch.rand(3, 2, *shape, generator=dice(1))

    features = convolved(convolved((pictures - network.mean).numpy(), network.first), network.second)
    hidden, last = [(layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in network.top.linear()]
    values = np.maximum(features.reshape(3, -1) @ hidden[0].T + hidden[1], 0) @ last[0].T + last[1]
    by_hand = 1 / (1 + np.exp(-values.reshape(3, 1, *shape)))
    assert np.allclose(network(pictures).detach().numpy(), by_hand, atol=1e-4)


def test_convolutional_first_answers_the_mean_target() -> None:
    network = started("convolutional", va.Task("add-subtract", digits=2), output="zero")
    assert isinstance(network, Convolutional)
    mean = torch.rand(2, 15, 20, generator=dice(1))
    network.answer_first(mean)
    answer = network(torch.rand(3, 2, 15, 20, generator=dice(2)))
    torch.testing.assert_close(answer, mean.clamp(0.01, 0.99).expand(3, -1, -1, -1))


def recurrent(output: str = "he", hidden_layers: int = 1, width: int = 12) -> Recurrent:
    spec = PictureSpec(2, 2, (5, 23), (5, 23), strips=(2, 4))  # five strips and 1 left over
    network = Recurrent(spec, hidden_layers=hidden_layers, width=width)
    network.initialise("he", output, dice())
    return network


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("strip", range(5))
def test_recurrent_reads_from_right_to_left(strip: int, layers: int) -> None:
    network = recurrent(hidden_layers=layers)
    before = torch.rand(1, 2, 5, 23, generator=dice(1))
    after = before.clone()
    after[0, 1, 3, 2 + 4 * strip + 1] += 5
    with torch.no_grad():
        changed = (network(before) != network(after))[0].any(0).any(0)
    by_strip = changed[2:22].view(5, 4).any(1).tolist()
    assert by_strip == [place <= strip for place in range(5)]  # what stands right of it was drawn before it was seen
    assert not changed[[0, 1, 22]].any()


def test_recurrent_margins_are_neither_seen_nor_drawn() -> None:
    network = recurrent()
    mean = torch.rand(2, 5, 23, generator=dice(2)).clamp(0.01, 0.99)
    network.frame(mean)
    before = torch.rand(4, 2, 5, 23, generator=dice(1))
    after = before.clone()
    after[..., [0, 1, 22]] += 5
    with torch.no_grad():
        assert torch.equal(network(before), network(after))
        margins = network(before)[..., [0, 1, 22]]
    torch.testing.assert_close(margins, mean[..., [0, 1, 22]].expand(4, -1, -1, -1))


def test_recurrent_first_answers_about_the_mean_target() -> None:
    network = recurrent("zero")
    mean = torch.rand(2, 5, 23, generator=dice(2)).clamp(0.01, 0.99)
    network.answer_first(mean)
    with torch.no_grad():
        answer = network(torch.rand(1, 2, 5, 23, generator=dice(1)))[0].numpy()
    strips = mean[..., 2:22].numpy().reshape(2, 5, 5, 4)
    middle = np.log(strips / (1 - strips)).mean(2, keepdims=True)  # one pen draws every strip
    assert np.allclose(answer[..., 2:22].reshape(2, 5, 5, 4), 1 / (1 + np.exp(-middle)), atol=1e-5)
    alike = mean.clone()
    alike[..., 2:22] = mean[..., 2:6].repeat(1, 1, 5)
    network.frame(alike)
    network.answer_first(alike)
    torch.testing.assert_close(network(torch.zeros(1, 2, 5, 23))[0], alike)


def test_recurrent_starts_with_open_gates_and_orthogonal_memory() -> None:
    network = recurrent("zero", hidden_layers=2)
    for path, weight in network.lstm.named_parameters():
        if "bias" in path:
            gates = weight.detach().view(4, 12)  # input, forget, cell, output
            assert torch.equal(gates[1], torch.full((12,), float("ih" in path)))
            assert not gates[[0, 2, 3]].any()
        elif "weight_hh" in path:
            for gate in weight.detach().view(4, 12, 12):
                torch.testing.assert_close(gate @ gate.T, torch.eye(12), atol=1e-5, rtol=0)
        else:
            assert weight.std().item() == pytest.approx((2 / weight.shape[1]) ** 0.5, rel=0.1)  # he
    assert not network.pen.weight.any()
