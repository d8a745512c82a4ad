"""Noise, displacement and permutation against brute force."""

import itertools

import numpy as np
import pytest
import torch

import visarith as va
from conftest import refusal
from visarith.data.stored import task_from_json
from visarith.errors import VisarithError
from visarith.pictures.corruption import Corruption, permutation


def dice(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def moved_by_hand(picture: np.ndarray, down: int, right: int) -> np.ndarray:
    height, width = picture.shape
    result = np.zeros_like(picture)
    for y, x in itertools.product(range(height), range(width)):
        if 0 <= y - down < height and 0 <= x - right < width:
            result[y, x] = picture[y - down, x - right]
    return result


def lopsided() -> np.ndarray:
    return np.random.default_rng(0).random((6, 9)).astype(np.float32) + 0.5


def test_noise_has_mean_0_and_the_asked_sigma_and_is_not_clipped():
    pictures = torch.zeros(200, 1, 15, 60)
    pictures[:, :, 5:10] = 1
    noise = Corruption(noise=0.3).add_noise(pictures, dice()) - pictures
    assert abs(noise.mean().item()) < 5 * 0.3 / noise.numel() ** 0.5
    assert noise.std().item() == pytest.approx(0.3, rel=0.01)
    assert noise[:, :, :5].min() < -0.9
    assert noise[:, :, 5:10].max() > 0.9


def test_clipped_noise_stays_in_range_and_its_mean_is_expected():
    pixels = np.array([0.0, 0.2, 0.5, 1.0], np.float32)
    clipped = Corruption(noise=0.3, clipped=True)
    noisy = clipped.add_noise(torch.from_numpy(pixels).expand(1_000_000, 4), dice())
    assert (noisy.min().item(), noisy.max().item()) == (0, 1)
    assert noisy.mean(0).tolist() == pytest.approx(clipped.expected(pixels).tolist(), abs=5 * 0.3 / 1_000)
    assert Corruption(noise=0.3).expected(pixels) is pixels


def test_the_mean_picture_of_clipped_noise_is_that_of_many_pictures():
    task = va.Task("add", digits=2, noise=0.5, clipped=True, displacement=1)
    shown = task.picture_set(task.examples(500, 1, seed=0)[0])
    rows = np.repeat(np.arange(500), 20)
    drawn = shown.view().batch(rows, dice())
    for mean, pictures in zip((shown.mean_inputs, shown.mean_targets), drawn, strict=True):
        assert float((pictures.mean(0) - mean).abs().max()) < 5 * 0.5 / len(rows) ** 0.5


def test_clipping_needs_noise_and_goes_with_it():
    assert "clipped needs noise" in refusal(va.Task, "add", clipped=True)
    task = va.Task("add", noise=0.3, clipped=True)
    assert task.with_noise(0.0).corruption == Corruption()
    assert task.with_noise(0.1).corruption == Corruption(noise=0.1, clipped=True)
    assert task.label == "add-noise0.3-clipped"
    assert task_from_json(task.to_json(), "here", None, None).corruption == task.corruption


def test_noise_differs_from_pixel_to_pixel_and_picture_to_picture():
    noise = Corruption(noise=1.0).add_noise(torch.zeros(50, 2, 15, 60), dice())
    assert len(noise.unique()) > 0.99 * noise.numel()


def test_noise_leaves_the_original_alone():
    pictures = torch.zeros(3, 1, 15, 60)
    Corruption(noise=0.3).add_noise(pictures, dice())
    assert not pictures.any()


@pytest.mark.parametrize("method", ["add_noise", "displace"])
def test_corruption_is_a_function_of_the_generator(method):
    pictures = torch.rand(40, 2, 15, 60, generator=dice(9))
    corrupt = getattr(Corruption(noise=0.3, displacement=2), method)
    assert torch.equal(corrupt(pictures, dice(1)), corrupt(pictures, dice(1)))
    assert not torch.equal(corrupt(pictures, dice(1)), corrupt(pictures, dice(2)))


def test_no_corruption_changes_nothing():
    pictures = torch.rand(4, 2, 15, 60, generator=dice())
    clean = Corruption()
    assert torch.equal(clean.add_noise(clean.displace(pictures, dice()), dice()), pictures)
    assert torch.equal(clean.displaced_mean(pictures), pictures)


@pytest.mark.parametrize("reach", [1, 2])
def test_displacement_is_a_uniform_shift_within_reach(reach):
    picture = lopsided()
    offsets = list(itertools.product(range(-reach, reach + 1), repeat=2))
    shifts = np.stack([moved_by_hand(picture, *offset) for offset in offsets])
    count = 200 * len(offsets)
    many = torch.from_numpy(picture).repeat(count // 2, 2, 1, 1)
    moved = Corruption(displacement=reach).displace(many, dice())
    assert moved.shape == many.shape
    same = (moved.numpy().reshape(count, 1, 6, 9) == shifts).all((2, 3))
    assert (same.sum(1) == 1).all()  # each is exactly one of the shifts made by hand
    assert same.sum(0).min() > 120  # 200 of each are expected
    assert same.sum(0).max() < 280


def test_pictures_of_one_example_move_independently():
    many = torch.from_numpy(lopsided()).repeat(200, 2, 1, 1)
    moved = Corruption(displacement=1).displace(many, dice())
    together = (moved[:, 0] == moved[:, 1]).all(-1).all(-1).float().mean().item()
    assert 0.02 < together < 0.25  # one in nine


def test_what_enters_is_ground():
    moved = Corruption(displacement=2).displace(torch.ones(100, 6, 9), dice())
    assert set(moved.unique().tolist()) == {0.0, 1.0}
    kept = {(6 - abs(down)) * (9 - abs(right)) for down in range(-2, 3) for right in range(-2, 3)}
    assert set(moved.sum((1, 2)).int().tolist()) == kept


def test_displaced_mean_is_the_mean_over_all_offsets():
    means = np.stack([lopsided(), lopsided()[::-1]])
    by_hand = np.zeros_like(means)
    for down, right in itertools.product(range(-2, 3), repeat=2):
        by_hand += np.stack([moved_by_hand(mean, down, right) for mean in means]) / 25
    assert np.allclose(Corruption(displacement=2).displaced_mean(torch.from_numpy(means)).numpy(), by_hand, atol=1e-6)


def test_displaced_mean_is_what_many_displacements_tend_to():
    corruption = Corruption(displacement=1)
    picture = torch.from_numpy(lopsided())
    many = corruption.displace(picture.repeat(20_000, 1, 1), dice())
    assert torch.allclose(corruption.displaced_mean(picture), many.mean(0), atol=0.03)


@pytest.mark.parametrize("pixels", [1, 2, 60, 900])
def test_permutation_is_a_fixed_bijection(pixels):
    order = permutation(pixels)
    assert np.array_equal(np.sort(order), np.arange(pixels))
    assert np.array_equal(order, permutation(pixels))


def test_permutation_of_the_papers_picture_never_changes():
    order = permutation(900)
    assert order[:6].tolist() == [737, 647, 342, 761, 644, 182]  # stored runs depend on it
    assert (order == np.arange(900)).sum() < 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise": -0.1}, "noise -0.1 is not a standard deviation; use 0 to 100 (the paper: 0.3)"),
        ({"noise": float("nan")}, "noise nan is not a standard deviation; use 0 to 100 (the paper: 0.3)"),
        ({"noise": float("inf")}, "noise inf is not a standard deviation; use 0 to 100 (the paper: 0.3)"),
        ({"displacement": -1}, "displacement -1 is not a number of pixels; use 0 to 100"),
    ],
)
def test_impossible_corruption_is_refused(options, message):
    with pytest.raises(VisarithError) as caught:
        Corruption(**options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("corruption", "changes"),
    [
        (Corruption(), False),
        (Corruption(permutation=True), False),
        (Corruption(noise=0.1), True),
        (Corruption(displacement=1), True),
    ],
)
def test_only_noise_and_displacement_change_pixels(corruption, changes):
    assert corruption.changes_pixels is changes
