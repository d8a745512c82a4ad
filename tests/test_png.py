"""PNG files that a user may bring: the right ones round trip, the wrong ones are refused in one line."""

import struct
import zlib

import numpy as np
import pytest
from PIL import Image

from visarith.errors import VisarithError
from visarith.notation.arabic import Arabic
from visarith.pictures.png import load_png, save_png
from visarith.pictures.typeface import Typeface

SHAPE = (15, 60)


def number_picture(ink: str = "smooth") -> np.ndarray:
    """8-bit, light on dark."""
    return Typeface(ink=ink).layout("0123456789", 7).typeset(Arabic().write([1_234_567]))[0]


def refusal(path, shape=SHAPE) -> str:
    with pytest.raises(VisarithError) as caught:
        load_png(path, shape)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def png_header(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("ink", ["bit", "smooth"])
def test_round_trip(tmp_path, ink):
    picture = number_picture(ink) / 255
    save_png(picture, tmp_path / "a.png")
    loaded, inverted = load_png(tmp_path / "a.png", SHAPE)
    assert not inverted
    assert loaded.shape == SHAPE
    assert np.abs(loaded - picture).max() < 1e-6
    with Image.open(tmp_path / "a.png") as file:
        assert (file.format, file.size, file.mode) == ("PNG", (60, 15), "L")


def test_text_paths_are_paths(tmp_path):
    save_png(number_picture() / 255, str(tmp_path / "a.png"))
    assert load_png(str(tmp_path / "a.png"), SHAPE)[0].shape == SHAPE


def test_values_outside_the_range_are_clipped_and_others_rounded(tmp_path):
    save_png(np.array([[-0.5, 0.0, 0.25, 1.0, 1.7]]), tmp_path / "a.png")
    assert np.asarray(Image.open(tmp_path / "a.png")).tolist() == [[0, 0, 64, 255, 255]]


def test_colours_are_saved(tmp_path):
    picture = np.zeros((2, 3, 3))
    picture[0, 1] = [1, 0.2, 0]
    save_png(picture, tmp_path / "a.png")
    colours = np.asarray(Image.open(tmp_path / "a.png"))
    assert colours.shape == (2, 3, 3)
    assert colours[0, 1].tolist() == [255, 51, 0]


def test_dark_on_light_is_inverted(tmp_path):
    Image.fromarray(255 - number_picture()).save(tmp_path / "a.png")
    loaded, inverted = load_png(tmp_path / "a.png", SHAPE)
    assert inverted
    assert np.abs(loaded - number_picture() / 255).max() < 1e-6


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA", "P"])
def test_every_mode_gives_the_same_picture(tmp_path, mode):
    Image.fromarray(number_picture()).convert(mode).save(tmp_path / "a.png")
    loaded, inverted = load_png(tmp_path / "a.png", SHAPE)
    assert not inverted
    assert np.abs(loaded - number_picture() / 255).max() < 1e-6


def test_one_bit_picture(tmp_path):
    Image.fromarray(number_picture("bit")).convert("1").save(tmp_path / "a.png")
    assert np.array_equal(load_png(tmp_path / "a.png", SHAPE)[0], number_picture("bit") / 255)


def test_sixteen_bit_picture_keeps_its_greys(tmp_path):
    Image.fromarray(number_picture().astype(np.uint16) * 257).save(tmp_path / "a.png")
    loaded, inverted = load_png(tmp_path / "a.png", SHAPE)
    assert not inverted
    assert np.abs(loaded - number_picture() / 255).max() < 1 / 255


def test_transparent_ground_is_dark(tmp_path):
    alpha = number_picture()
    colours = np.stack([np.full(SHAPE, 255, np.uint8)] * 3 + [alpha], axis=-1)
    Image.fromarray(colours).save(tmp_path / "a.png")
    loaded, inverted = load_png(tmp_path / "a.png", SHAPE)
    assert not inverted
    assert np.abs(loaded - alpha / 255).max() <= 1 / 255


def test_palette_with_transparency(tmp_path):
    Image.fromarray(number_picture("bit")).convert("P").save(tmp_path / "a.png", transparency=0)
    assert np.array_equal(load_png(tmp_path / "a.png", SHAPE)[0], number_picture("bit") / 255)


@pytest.mark.parametrize("shape", [(60, 15), (15, 61), (30, 120)])
def test_wrong_size_is_refused(tmp_path, shape):
    save_png(np.zeros(shape), tmp_path / "a.png")
    assert refusal(tmp_path / "a.png") == (
        f"{tmp_path / 'a.png'} is {shape[0]} x {shape[1]}, but this run takes 15 x 60 (height x width); scale it first"
    )


def test_missing_file_is_refused(tmp_path):
    assert refusal(tmp_path / "a.png") == f"{tmp_path / 'a.png'} does not exist; give a PNG file"


@pytest.mark.parametrize("content", [b"", b"hello", b"\x89PNG\r\n\x1a\n", b"\x89PNG\r\n\x1a\n" + bytes(100)])
def test_file_that_is_no_png_is_refused(tmp_path, content):
    (tmp_path / "a.png").write_bytes(content)
    assert refusal(tmp_path / "a.png") == f"{tmp_path / 'a.png'} is not a PNG picture; give another file"


def test_other_formats_are_refused(tmp_path):
    Image.fromarray(number_picture()).save(tmp_path / "a.png", format="JPEG")
    assert "is not a PNG picture" in refusal(tmp_path / "a.png")


def test_truncated_png_is_refused(tmp_path):
    save_png(np.random.default_rng(0).random(SHAPE), tmp_path / "a.png")
    content = (tmp_path / "a.png").read_bytes()
    for length in range(0, len(content) - 60, 50):
        (tmp_path / "b.png").write_bytes(content[:length])
        assert "is not a PNG picture" in refusal(tmp_path / "b.png")


def test_folder_is_no_png(tmp_path):
    assert "is not a PNG picture" in refusal(tmp_path)


@pytest.mark.parametrize("side", [10_000, 60_000])  # Pillow warns of the first and refuses the second
@pytest.mark.parametrize("asked", ["paper", "bomb"])
def test_decompression_bomb_is_refused_before_it_is_decoded(tmp_path, monkeypatch, side, asked):
    def decode(*_):
        pytest.fail("the bomb was decoded")

    monkeypatch.setattr(Image.Image, "convert", decode)
    (tmp_path / "a.png").write_bytes(png_header(side, side))
    assert "has more than 4,000,000 pixels; make it smaller" in refusal(
        tmp_path / "a.png", SHAPE if asked == "paper" else (side, side)
    )
