"""Tasks: examples that never meet, the same bits from the same seed, and what a learner is shown."""

import itertools

import numpy as np
import pytest
import torch

from visarith.errors import VisarithError
from visarith.operations import OPERATIONS, Operation
from visarith.pictures.corruption import permutation
from visarith.pictures.typeface import Typeface
from visarith.randomness import generator, rng
from visarith.task import Task

PYTHON = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "halve": lambda a: a // 2,
}


def dice(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def rows(operands: np.ndarray) -> set[tuple[int, ...]]:
    return set(map(tuple, operands.tolist()))


def refusal(call, *arguments, **options) -> str:
    with pytest.raises(VisarithError) as caught:
        call(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_train_and_test_never_meet(name):
    train, test = Task(name).examples(3000, 1000, seed=0)
    assert (len(train), len(test)) == (3000, 1000)
    assert len(rows(train.operands)) == 3000
    assert len(rows(test.operands)) == 1000
    assert not rows(train.operands) & rows(test.operands)


def test_train_and_test_share_out_a_small_domain():
    train, test = Task("add", digits=1).examples(20, 5, seed=3)
    assert rows(train.operands) | rows(test.operands) == set(itertools.product(range(5), repeat=2))
    assert "at most 25 " in refusal(Task("add", digits=1).examples, 20, 6, seed=3)


def test_same_seed_same_bits_other_seed_other_bits():
    one, again, other = (Task("add").examples(300, 100, seed=seed) for seed in (7, 7, 8))
    for part, same, different in zip(one, again, other, strict=True):
        assert np.array_equal(part.operands, same.operands)
        assert np.array_equal(part.inputs, same.inputs)
        assert np.array_equal(part.answers, same.answers)
        assert rows(part.operands) != rows(different.operands)


def test_looks_do_not_change_the_examples():
    plain = Task("add").examples(50, 50, seed=1)[0]
    other = Task("add", noise=0.3, permutation=True, typeface=Typeface(ink="smooth")).examples(50, 50, seed=1)[0]
    assert np.array_equal(plain.operands, other.operands)


@pytest.mark.parametrize("name", list(OPERATIONS))
@pytest.mark.parametrize("padded", [True, False])
def test_symbols_are_the_numbers_and_pythons_answers(name, padded):
    task = Task(name, padded=padded)
    train, _ = task.examples(200, 1, seed=0)
    for operands, inputs, answers in zip(train.operands.tolist(), train.inputs, train.answers, strict=True):
        texts = [str(number).zfill(7) if padded else str(number) for number in operands]
        assert [task.notation.text(row) for row in inputs] == texts
        assert task.notation.parse(answers) == [PYTHON[name](*operands)]


def test_hundred_digits():
    task = Task("add", digits=100)
    assert task.shape == (15, 804)
    train, _ = task.examples(5, 5, seed=0)
    for (a, b), answer in zip(train.operands.tolist(), train.answers, strict=True):
        assert answer[0].tolist() == [int(digit) for digit in str(a + b).zfill(100)]
    assert task.inputs(train.inputs, dice()).shape == (5, 2, 15, 804)


@pytest.mark.parametrize(
    ("task", "inputs", "targets"),
    [
        (Task("add"), (2, 15, 60), (1, 15, 60)),
        (Task("halve"), (1, 15, 60), (1, 15, 60)),
        (Task("add", medium="one-hot"), (2, 7, 10), (1, 7, 10)),
        (Task("add", medium="one-hot", padded=False), (2, 7, 11), (1, 7, 11)),
        (Task("multiply", digits=3, base=16, typeface=Typeface(height=20)), (2, 20, 28), (1, 20, 28)),
        (Task(Operation("divmod", divmod, answers=2, digits=2)), (2, 15, 20), (2, 15, 20)),
        (Task("add", noise=0.3, displacement=2, permutation=True), (2, 15, 60), (1, 15, 60)),
    ],
)
def test_shapes(task, inputs, targets):
    train, _ = task.examples(6, 1, seed=0)
    shown, wanted = task.inputs(train.inputs, dice()), task.targets(train.answers, dice())
    assert shown.shape == (6, *inputs)
    assert wanted.shape == (6, *targets)
    assert shown.dtype == wanted.dtype == torch.float32
    assert task.shape == inputs[1:]
    assert train[2:5].inputs.shape == train.inputs[2:5].shape
    assert len(train[2:5]) == 3


@pytest.mark.parametrize("options", [{}, {"permutation": True}, {"displacement": 2}, {"medium": "one-hot"}])
@pytest.mark.parametrize("ink", ["bit", "smooth"])
def test_clean_pictures_are_intensities(options, ink):
    task = Task("add", typeface=Typeface(ink=ink), **options)
    train, _ = task.examples(20, 1, seed=0)
    for pictures in (task.inputs(train.inputs, dice()), task.targets(train.answers, dice())):
        assert pictures.min() == 0
        assert 0.9 < pictures.max() <= 1


def test_clean_pictures_are_the_typeset_page():
    task = Task("add")
    train, _ = task.examples(20, 1, seed=0)
    pictures = task.plain_page.typeset(train.inputs) / 255
    assert np.allclose(task.inputs(train.inputs, dice()).numpy(), pictures)
    assert np.allclose(task.targets(train.answers, dice()).numpy(), task.plain_page.typeset(train.answers) / 255)


def test_permuted_pictures_are_permuted_alike():
    plain, permuted = Task("add"), Task("add", permutation=True)
    train, _ = plain.examples(10, 1, seed=0)
    order = permutation(900)
    for method, symbols in (("inputs", train.inputs), ("targets", train.answers)):
        before = getattr(plain, method)(symbols, dice()).flatten(2).numpy()
        after = getattr(permuted, method)(symbols, dice()).flatten(2).numpy()
        assert np.array_equal(after, before[..., order])


def test_displacement_moves_inputs_but_not_targets():
    still, moving = Task("add"), Task("add", displacement=2)
    train, _ = still.examples(50, 1, seed=0)
    assert torch.equal(moving.targets(train.answers, dice()), still.targets(train.answers, dice()))
    moved = (moving.inputs(train.inputs, dice()) != still.inputs(train.inputs, dice())).flatten(2).any(2)
    assert moved.float().mean() > 0.9  # one in 25 stays


def test_noise_falls_on_inputs_and_targets():
    clean, noisy = Task("add"), Task("add", noise=0.3)
    train, _ = clean.examples(50, 1, seed=0)
    for method, symbols in (("inputs", train.inputs), ("targets", train.answers)):
        noise = getattr(noisy, method)(symbols, dice()) - getattr(clean, method)(symbols, dice())
        assert noise.std().item() == pytest.approx(0.3, rel=0.02)


@pytest.mark.parametrize(
    "options",
    [{}, {"permutation": True}, {"medium": "one-hot"}, {"padded": False}, {"typeface": Typeface(ink="smooth")}],
)
def test_mean_inputs_is_the_mean_of_the_dense_pictures(options):
    task = Task("subtract", **options)
    train, _ = task.examples(300, 1, seed=0)
    mean = task.mean_inputs(train)
    assert mean.shape == (2, *task.shape)
    assert torch.allclose(mean, task.inputs(train.inputs, dice()).double().mean(0).float(), atol=1e-6)
    assert not torch.allclose(mean[0], mean[1], atol=0.01)  # the larger number comes first


@pytest.mark.parametrize("permuted", [False, True])
def test_mean_inputs_of_displaced_pictures(permuted):
    task = Task("subtract", displacement=1, permutation=permuted)
    train, _ = task.examples(60, 1, seed=0)
    drawn = torch.stack([task.inputs(train.inputs, dice(seed)).mean(0) for seed in range(60)]).mean(0)
    assert torch.allclose(task.mean_inputs(train), drawn, atol=0.05)

    padded = np.pad(task.plain_page.typeset(train.inputs) / 255, ((0, 0), (0, 0), (1, 1), (1, 1)))
    exact = sum(padded[..., y : y + 15, x : x + 60].mean(0) for y in range(3) for x in range(3)) / 9
    if permuted:
        exact = exact.reshape(2, 900)[:, permutation(900)].reshape(2, 15, 60)
    assert np.allclose(task.mean_inputs(train).numpy(), exact, atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"permutation": True}, {"displacement": 1}, {"padded": False}])
def test_mean_targets_is_the_mean_of_the_dense_pictures(options):
    task = Task(Operation("divmod", divmod, answers=2, digits=3), **options)
    train, _ = task.examples(200, 1, seed=0)
    mean = task.mean_targets(train)
    assert mean.shape == (2, *task.shape)
    assert torch.allclose(mean, task.targets(train.answers, dice()).mean(0), atol=1e-5)


def test_mean_inputs_is_blind_to_noise():
    clean, noisy = Task("add"), Task("add", noise=0.3)
    train, _ = clean.examples(20, 1, seed=0)
    assert torch.equal(clean.mean_inputs(train), noisy.mean_inputs(train))


@pytest.mark.parametrize("options", [{"noise": 0.3}, {"displacement": 1}, {"permutation": True}])
def test_one_hot_takes_no_corruption(options):
    assert refusal(Task, "add", medium="one-hot", **options) == (
        "noise, displacement and permutation are done to pictures, and medium one-hot has none; leave them out"
    )
    assert "medium one-hot has none" in refusal(Task("add", medium="one-hot").with_noise, 0.1)


def test_one_hot_inputs_are_the_symbols():
    task = Task("add", medium="one-hot")
    train, _ = task.examples(30, 1, seed=0)
    tables = task.inputs(train.inputs, dice())
    assert torch.equal(tables.sum(-1), torch.ones(30, 2, 7))
    assert np.array_equal(tables.argmax(-1).numpy(), train.inputs)


def test_unknown_names_are_refused():
    assert refusal(Task, "sum") == "operation 'sum' is unknown; use one of add, subtract, multiply, halve"
    assert refusal(Task, "add", medium="audio") == "medium 'audio' is unknown; use pictures or one-hot"
    assert refusal(Task, "add", base=40) == "base 40 has no numerals; use a base from 2 to 36"
    assert refusal(Task, "add", digits=0) == "digits 0 is too small; use 1 or more"


def test_counts_and_seeds_that_cannot_be_used_are_refused():
    assert refusal(Task("add").examples, 0, 5, seed=0) == "examples 0 is too small; use 1 or more"
    assert refusal(Task("add").examples, 5, -1, seed=0) == "test pairs -1 is too small; use 1 or more"
    message = refusal(Task("add").fresh, 0, seed=0, exclude=np.zeros((0, 2), int))
    assert message == "pairs 0 is too small; use 1 or more"
    assert "-1" in refusal(Task("add").examples, 5, 5, seed=-1)


def test_with_noise_keeps_the_rest():
    task = Task(
        Operation("max", max, digits=3),
        digits=4,
        base=12,
        padded=False,
        typeface=Typeface(ink="smooth", height=20),
        noise=0.1,
        displacement=2,
        permutation=True,
    )
    noisy = task.with_noise(0.3)
    assert noisy.corruption.noise == 0.3
    assert task.corruption.noise == 0.1
    assert noisy != task
    assert noisy.with_noise(0.1) == task


def test_digits_come_from_the_operation_unless_given():
    operation = Operation("max", max, digits=3)
    assert Task(operation).notation.cells == 3
    assert Task(operation, digits=5).notation.cells == 5


def test_fresh_examples_are_none_of_the_excluded():
    task = Task("add", digits=1)
    train, test = task.examples(10, 5, seed=0)
    used = np.concatenate([train.operands, test.operands])
    fresh = task.fresh(10, seed=0, exclude=used)
    assert rows(fresh.operands) | rows(used) == set(itertools.product(range(5), repeat=2))
    assert "15 of them already used" in refusal(task.fresh, 11, seed=0, exclude=used)


def test_fresh_examples_depend_on_their_seed():
    task, nothing = Task("add"), np.zeros((0, 2), int)
    one, again, other = (task.fresh(50, seed=seed, exclude=nothing).operands for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
    assert not rows(one) & rows(task.examples(50, 1, seed=1)[0].operands)  # a stream of its own


def test_streams_differ_by_seed_purpose_and_counter():
    keys = [(0, "order", 1), (1, "order", 1), (0, "noise", 1), (0, "order", 2), (2**40, "order", 1), (0, "", 1)]
    assert len({rng(*key).integers(2**62) for key in keys}) == len(keys)
    assert len({torch.randint(2**62, (), generator=generator(*key)).item() for key in keys}) == len(keys)
    assert rng(3, "order", 4).integers(2**62) == rng(3, "order", 4).integers(2**62)
    assert generator(3, "order", 4).initial_seed() == generator(3, "order", 4).initial_seed()
