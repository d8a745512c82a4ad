"""What a learner is shown and is to draw: media, permutation, displacement, noise, and their means."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import visarith as va
from conftest import QUICK, dice
from visarith.data.task import Medium, Task
from visarith.errors import VisarithError
from visarith.operations import Operation
from visarith.pictures.corruption import permutation
from visarith.pictures.typeface import Typeface


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
        (Task("add", notation="roman"), (2, 15, 284), (1, 15, 284)),
        (Task("add", notation="roman", medium="one-hot"), (2, 35, 15), (1, 35, 15)),
        (Task("add-three"), (3, 15, 60), (1, 15, 60)),
        (Task("add-subtract"), (2, 15, 60), (2, 15, 60)),
        (Task("copy", answer_medium="one-hot"), (1, 15, 60), (1, 7, 10)),
        (Task("copy", medium="one-hot", answer_medium="pictures"), (1, 7, 10), (1, 15, 60)),
    ],
)
def test_shapes(task, inputs, targets):
    train, _ = task.examples(6, 1, seed=0)
    shown, wanted = task.inputs(train.inputs, dice()), task.targets(train.answers, dice())
    assert shown.shape == (6, *inputs)
    assert wanted.shape == (6, *targets)
    assert shown.dtype == wanted.dtype == torch.float32
    assert task.shape == inputs[1:]
    assert task.answer_shape == targets[1:]
    assert task.picture_set(train).mean_inputs.shape == inputs
    assert task.picture_set(train).mean_targets.shape == targets
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
    pictures = task.plain_layout.typeset(train.inputs) / 255
    assert np.allclose(task.inputs(train.inputs, dice()).numpy(), pictures)
    assert np.allclose(task.targets(train.answers, dice()).numpy(), task.plain_layout.typeset(train.answers) / 255)


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
    mean = task.picture_set(train).mean_inputs
    assert mean.shape == (2, *task.shape)
    assert torch.allclose(mean, task.inputs(train.inputs, dice()).double().mean(0).float(), atol=1e-6)
    assert not torch.allclose(mean[0], mean[1], atol=0.01)  # the larger number comes first


@pytest.mark.parametrize("permuted", [False, True])
def test_mean_inputs_of_displaced_pictures(permuted):
    task = Task("subtract", displacement=1, permutation=permuted)
    train, _ = task.examples(60, 1, seed=0)
    drawn = torch.stack([task.inputs(train.inputs, dice(seed)).mean(0) for seed in range(60)]).mean(0)
    assert torch.allclose(task.picture_set(train).mean_inputs, drawn, atol=0.05)

    padded = np.pad(task.plain_layout.typeset(train.inputs) / 255, ((0, 0), (0, 0), (1, 1), (1, 1)))
    exact = sum(padded[..., y : y + 15, x : x + 60].mean(0) for y in range(3) for x in range(3)) / 9
    if permuted:
        exact = exact.reshape(2, 900)[:, permutation(900)].reshape(2, 15, 60)
    assert np.allclose(task.picture_set(train).mean_inputs.numpy(), exact, atol=1e-6)


@pytest.mark.parametrize("options", [{}, {"permutation": True}, {"displacement": 1}, {"padded": False}])
def test_mean_targets_is_the_mean_of_the_dense_pictures(options):
    task = Task(Operation("divmod", divmod, answers=2, digits=3), **options)
    train, _ = task.examples(200, 1, seed=0)
    mean = task.picture_set(train).mean_targets
    assert mean.shape == (2, *task.shape)
    assert torch.allclose(mean, task.targets(train.answers, dice()).mean(0), atol=1e-5)


def test_mean_inputs_is_blind_to_noise():
    clean, noisy = Task("add"), Task("add", noise=0.3)
    train, _ = clean.examples(20, 1, seed=0)
    assert torch.equal(clean.picture_set(train).mean_inputs, noisy.picture_set(train).mean_inputs)


def test_one_hot_inputs_are_the_symbols():
    task = Task("add", medium="one-hot")
    train, _ = task.examples(30, 1, seed=0)
    tables = task.inputs(train.inputs, dice())
    assert torch.equal(tables.sum(-1), torch.ones(30, 2, 7))
    assert np.array_equal(tables.argmax(-1).numpy(), train.inputs)


def test_each_side_has_its_own_medium():
    task = Task("copy", digits=3, answer_medium="one-hot")
    train, _ = task.examples(40, 1, seed=0)
    digits = np.array([[int(digit) for digit in f"{number:03}"] for number in train.operands[:, 0].tolist()])
    assert np.array_equal(task.targets(train.answers, dice())[:, 0].numpy(), np.eye(10, dtype=np.float32)[digits])
    seen = task.inputs(train.inputs, dice())
    assert torch.equal(seen, Task("copy", digits=3).inputs(train.inputs, dice()))
    assert task.has_pictures
    assert Task("copy", medium="one-hot", answer_medium="pictures").has_pictures
    assert not Task("copy", medium="one-hot").has_pictures
    back = Task("copy", digits=3, medium="one-hot", answer_medium="pictures")
    assert torch.equal(back.targets(train.answers, dice()), seen)  # a copy: the answer is the input
    assert torch.equal(back.picture_set(train).mean_targets, task.picture_set(train).mean_inputs)


SHUFFLED = {"digits": 2, "displacement": 1, "permutation": True}


def shuffle(pictures: np.ndarray) -> np.ndarray:
    """Pixel i becomes pixel order[i] of the plain picture."""
    return pictures.reshape(*pictures.shape[:-2], -1)[..., permutation(300)].reshape(pictures.shape)


def shifts(pictures: np.ndarray) -> np.ndarray:
    """The nine ways to move a picture by up to one pixel: (..., height, width) -> (9, ..., height, width)."""
    padded = np.pad(pictures, [(0, 0)] * (pictures.ndim - 2) + [(1, 1), (1, 1)])
    return np.stack([padded[..., y : y + 15, x : x + 20] for y in range(3) for x in range(3)])


@pytest.mark.parametrize("first", [True, False])
def test_permuted_first_permutes_before_it_displaces(first: bool) -> None:
    task = Task("subtract", **SHUFFLED, permuted_first=first)  # type: ignore[arg-type]
    train, _ = task.examples(150, 1, seed=0)
    plain = task.plain_layout.typeset(train.inputs).astype(np.float32) / 255
    by_hand = {True: shifts(shuffle(plain)), False: shuffle(shifts(plain))}
    shown = task.inputs(train.inputs, dice()).numpy()
    agrees = {order: (shown == moved).all((-2, -1)) for order, moved in by_hand.items()}  # (9, examples, operands)
    assert (agrees[first].sum(0) == 1).all()  # each picture is exactly one of the nine
    assert agrees[first].mean((1, 2)).min() > 0.05  # and all nine occur
    still = agrees[first][4]
    assert np.array_equal(agrees[not first].any(0), still)  # the two orders differ wherever something moves

    mean = by_hand[first].mean((0, 1))
    assert np.allclose(task.picture_set(train).mean_inputs.numpy(), mean, atol=1e-6)
    assert not np.allclose(by_hand[not first].mean((0, 1)), mean, atol=0.05)
    many = torch.stack([task.inputs(train.inputs, dice(seed)).mean(0) for seed in range(60)]).mean(0)
    assert np.allclose(task.picture_set(train).mean_inputs.numpy(), many.numpy(), atol=0.03)


def test_permuted_first_changes_no_target_and_needs_both() -> None:
    first, last = (Task("subtract", **SHUFFLED, permuted_first=order) for order in (True, False))  # type: ignore[arg-type]
    train, _ = first.examples(30, 1, seed=0)
    targets = shuffle(first.plain_layout.typeset(train.answers).astype(np.float32) / 255)
    for task in (first, last):
        assert np.array_equal(task.targets(train.answers, dice()).numpy(), targets)
        assert torch.allclose(
            task.picture_set(train).mean_targets[0], torch.from_numpy(targets.mean((0, 1))), atol=1e-6
        )
    for lacking in ({"permutation": True}, {"displacement": 1}):
        with pytest.raises(VisarithError, match="give both"):
            Task("subtract", digits=2, permuted_first=True, **lacking)  # type: ignore[arg-type]


@pytest.mark.parametrize("media", [("pictures", "one-hot"), ("one-hot", "pictures")])
def test_mixed_media_are_learned_kept_and_read(media: tuple[Medium, Medium], tmp_path: Path) -> None:
    task = Task("copy", digits=2, medium=media[0], answer_medium=media[1])
    recipe = replace(QUICK, loss="cross-entropy", batch=8, rate=1e-2, epochs=60)
    run = va.learn(
        task, va.learner_config(width=64), recipe, examples=90, test_pairs=10, threads=1, out=tmp_path / "run"
    )
    assert run.train_digit_error == 0
    assert run.path.joinpath("examples.png").exists()
    again = va.load(run.path)
    assert again.task == task
    assert again.score == run.score
    trained, _ = task.examples(90, 10, seed=0)
    numbers = trained.operands[:40, 0].tolist()
    drawn = np.stack([again.draw(number) for number in numbers])
    assert drawn.shape == (40, *task.answer_shape)
    assert np.array_equal(drawn, np.stack([run.draw(number) for number in numbers]))
    assert again.read(drawn).texts == [f"{number:02}" for number in numbers]
    assert [again.calculate(number) for number in numbers] == numbers
    with pytest.raises(va.VisarithError, match="do not fit; this run draws"):
        again.read(np.zeros((1, *task.shape)))
    if media[1] == "one-hot":
        assert np.array_equal(drawn.argmax(-1), trained.answers[:40, 0])
        assert again.read(drawn / 20).texts == again.read(drawn).texts  # the largest entry, however small
        with pytest.raises(va.VisarithError, match="Tesseract reads pictures"):
            again.read(drawn, "tesseract")
    else:
        assert again.read(drawn[:10], "tesseract").texts == [f"{number:02}" for number in numbers[:10]]
