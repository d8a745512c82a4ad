"""Tasks: examples that never meet, the same bits from the same seed, and what is refused."""

import itertools

import numpy as np
import pytest
import torch

from conftest import PYTHON, dice, refusal
from visarith.data.task import Task
from visarith.notation.arabic import Arabic
from visarith.notation.roman import Roman
from visarith.operations import Operation
from visarith.pictures.typeface import Typeface
from visarith.randomness import generator, rng


def rows(operands: np.ndarray) -> set[tuple[int, ...]]:
    return set(map(tuple, operands.tolist()))


@pytest.mark.parametrize("name", list(PYTHON))
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


@pytest.mark.parametrize("name", list(PYTHON))
@pytest.mark.parametrize("padded", [True, False])
def test_symbols_are_the_numbers_and_pythons_answers(name, padded):
    task = Task(name, padded=padded)
    train, _ = task.examples(200, 1, seed=0)
    for operands, inputs, answers in zip(train.operands.tolist(), train.inputs, train.answers, strict=True):
        texts = [str(number).zfill(7) if padded else str(number) for number in operands]
        assert [task.notation.text(row) for row in inputs] == texts
        assert task.notation.parse(answers) == list(PYTHON[name](*operands))


def test_hundred_digits():
    task = Task("add", digits=100)
    assert task.shape == (15, 804)
    train, _ = task.examples(5, 5, seed=0)
    for (a, b), answer in zip(train.operands.tolist(), train.answers, strict=True):
        assert answer[0].tolist() == [int(digit) for digit in str(a + b).zfill(100)]
    assert task.inputs(train.inputs, dice()).shape == (5, 2, 15, 804)


@pytest.mark.parametrize("options", [{"noise": 0.3}, {"displacement": 1}, {"permutation": True}])
def test_one_hot_takes_no_corruption(options):
    assert refusal(Task, "add", medium="one-hot", **options) == (
        "noise, displacement and permutation are for pictures, not for medium one-hot; leave them out"
    )
    assert "not for medium one-hot" in refusal(Task("add", medium="one-hot").with_noise, 0.1)
    assert "not for medium one-hot" in refusal(Task, "copy", answer_medium="one-hot", **options)


def test_unknown_names_are_refused():
    others = "or an expression with the operand a, such as a * 3 + b"
    assert refusal(Task, "sum") == f"operation 'sum' is unknown; use one of {', '.join(PYTHON)}, any, {others}"
    assert refusal(Task, "add", medium="audio") == "medium 'audio' is unknown; use pictures or one-hot"
    assert refusal(Task, "add", answer_medium="audio") == "medium 'audio' is unknown; use pictures or one-hot"
    assert refusal(Task, "add", notation="greek") == "notation 'greek' is unknown; use arabic or roman"
    for option in ({"base": 2}, {"padded": False}):
        assert refusal(Task, "add", notation="roman", **option).startswith("Roman numerals have no base")
    assert refusal(Task, "add", notation="roman", digits=8) == "digits 8 is too large; use 7 or less"
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
        permuted_first=True,
    )
    noisy = task.with_noise(0.3)
    assert noisy.corruption.noise == 0.3
    assert task.corruption.noise == 0.1
    assert noisy != task
    assert noisy.with_noise(0.1) == task
    for other in (Task("copy", answer_medium="one-hot"), Task("add", notation="roman", digits=3)):
        assert other.with_noise(0) == other


def test_notation_by_name_or_by_itself():
    assert Task("add").notation == Arabic(7)
    assert Task("add", digits=3, base=16, padded=False) == Task("add", notation=Arabic(3, 16, padded=False))
    assert Task("add", notation="roman", digits=2) == Task("add", notation=Roman(2))
    assert Task("add", notation="roman") != Task("add")


def test_digits_come_from_the_operation_unless_given():
    operation = Operation("max", max, digits=3)
    assert Task(operation).notation.cells == 3
    assert Task(operation, digits=5).notation.cells == 5


def test_fresh_examples_are_none_of_the_excluded():
    task = Task("add", digits=1)
    train, test = task.examples(10, 5, seed=0)
    used = np.concatenate([train.operands, test.operands])
    mirrored = rows(used) | rows(used[:, ::-1])
    left = set(itertools.product(range(5), repeat=2)) - mirrored
    assert rows(task.fresh(len(left), seed=0, exclude=used).operands) == left != set()
    assert f"{len(mirrored)} of them already used" in refusal(task.fresh, len(left) + 1, seed=0, exclude=used)


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


def test_numbers_longer_than_python_writes_by_default() -> None:
    """Python refuses to write more than 4,300 digits, which errors alone need."""
    train, _ = Task("add", digits=5_000).examples(3, 1, seed=0)
    (a, b), (total,) = train.operands[0].tolist(), (int(cell) for cell in train.answers[0, :, -1])
    assert total == (a + b) % 10
