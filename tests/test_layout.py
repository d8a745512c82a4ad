"""Typesetting by table look-up against Pillow drawing one digit at a time, and the permuted layout."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from visarith.notation.arabic import Arabic
from visarith.pictures.layout import Layout, one_hot_layout
from visarith.pictures.typeface import Typeface

FONTS = Path(importlib.util.find_spec("matplotlib").submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf"


def draw_by_hand(digits: list[int], ink: str) -> np.ndarray:
    """12-pixel DejaVu digits, 8 pixels apart, on 15 x 60 with a margin of 2 at the left."""
    font = ImageFont.truetype(str(FONTS / "DejaVuSans.ttf"), 12, layout_engine=ImageFont.Layout.BASIC)
    mode = "1" if ink == "bit" else "L"
    picture = np.zeros((15, 60), np.uint8)
    for cell, digit in enumerate(digits):
        canvas = Image.new(mode, (60, 15))
        pen = ImageDraw.Draw(canvas)
        pen.fontmode = mode
        pen.text((2 + 8 * cell, 0), str(digit), font=font, fill=1 if mode == "1" else 255)
        picture = np.maximum(picture, np.asarray(canvas.convert("L")))
    return picture


def random_symbols(count: int, cells: int = 7, symbols: int = 10, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, symbols, (count, cells)).astype(np.uint8)


def tiny_layout() -> Layout:
    glyphs = np.array([[[255, 0], [0, 255]], [[0, 51], [255, 0]], [[255, 255], [255, 255]]], np.uint8)
    return Layout("01#", glyphs, ((1, 1), (2, 4)), height=5, width=7)


@pytest.fixture(params=["plain", "permuted"])
def layout(request) -> Layout:
    plain = Typeface().layout("0123456789", 7)
    return plain if request.param == "plain" else plain.permuted(np.random.default_rng(0).permutation(900))


@pytest.mark.parametrize("ink", ["bit", "smooth"])
def test_typeset_equals_pillow_one_digit_at_a_time(ink):
    layout = Typeface(ink=ink).layout("0123456789", 7)
    symbols = np.concatenate([Arabic().write([0, 9, 4_999_999, 9_999_999, 1_234_567]), random_symbols(40)])
    for row, picture in zip(symbols.tolist(), layout.typeset(symbols), strict=True):
        assert np.array_equal(picture, draw_by_hand(row, ink))


def test_typeset_by_hand():
    picture = np.zeros((5, 7), np.uint8)
    picture[1:3, 1:3] = [[0, 51], [255, 0]]
    picture[2:4, 4:6] = [[255, 0], [0, 255]]
    assert np.array_equal(tiny_layout().typeset(np.array([[1, 0]])), [picture])


def test_typeset_keeps_the_leading_axes():
    layout = tiny_layout()
    symbols = random_symbols(12, 2, 3).reshape(2, 3, 2, 2)
    pictures = layout.typeset(symbols)
    assert pictures.shape == (2, 3, 2, 5, 7)
    assert pictures.dtype == np.uint8
    assert np.array_equal(pictures[1, 2, 0], layout.typeset(symbols[1, 2, 0]))
    assert layout.typeset(symbols[:0]).shape == (0, 3, 2, 5, 7)


def test_unpadded_numbers_start_with_ground():
    notation = Arabic(padded=False)
    padded, unpadded = Arabic().write([42]), notation.write([42])
    picture = Typeface().layout(notation.alphabet, 7).typeset(unpadded)[0]
    whole = Typeface().layout(Arabic().alphabet, 7).typeset(padded)[0]
    assert not picture[:, : 2 + 5 * 8].any()
    assert np.array_equal(picture[:, 2 + 5 * 8 :], whole[:, 2 + 5 * 8 :])


def test_reused_out_gives_the_same_pictures(layout):
    first, second = random_symbols(20), random_symbols(20, seed=1)
    out = layout.typeset(first)
    again = layout.typeset(second, out=out)
    assert np.array_equal(again, layout.typeset(second))


def test_out_is_written_and_not_copied():
    layout = tiny_layout()
    out = layout.typeset(random_symbols(4, 2, 3))
    again = layout.typeset(random_symbols(4, 2, 3, seed=1), out=out)
    assert np.shares_memory(again, out)
    assert np.array_equal(again, layout.typeset(random_symbols(4, 2, 3, seed=1)))


def test_plain_undoes_shuffled(layout):
    pictures = np.random.default_rng(0).random((6, 2, 15, 60))
    assert np.array_equal(layout.plain(layout.shuffled(pictures)), pictures)
    assert np.array_equal(layout.shuffled(layout.plain(pictures)), pictures)


def test_permuted_page_typesets_the_permuted_picture():
    plain = Typeface().layout("0123456789", 7)
    order = np.random.default_rng(3).permutation(900)
    symbols = random_symbols(20)
    pictures = plain.typeset(symbols)
    by_hand = np.zeros_like(pictures).reshape(20, 900)
    for pixel, source in enumerate(order.tolist()):
        by_hand[:, pixel] = pictures.reshape(20, 900)[:, source]
    permuted = plain.permuted(order)
    assert np.array_equal(permuted.typeset(symbols), by_hand.reshape(20, 15, 60))
    assert np.array_equal(permuted.plain(permuted.typeset(symbols)), pictures)
    assert not np.array_equal(permuted.typeset(symbols), pictures)


def test_cells_read_through_places_are_the_patterns(layout):
    symbols = random_symbols(50)
    flat = layout.typeset(symbols).reshape(50, -1) / 255
    assert layout.places.shape == (7, 15 * 8)
    assert np.allclose(flat[:, layout.places], layout.patterns[symbols], atol=1e-6)
    outside = np.setdiff1d(np.arange(900), layout.places)
    assert len(outside) == 4 * 15
    assert not flat[:, outside].any()


def test_patterns_are_intensities():
    layout = tiny_layout()
    assert layout.patterns.dtype == np.float32
    assert np.allclose(layout.patterns, [[1, 0, 0, 1], [0, 0.2, 1, 0], [1, 1, 1, 1]])
    assert (layout.cells, layout.pixels) == (2, 35)


def test_one_hot_page():
    layout = one_hot_layout("0123456789", 7)
    table = layout.typeset(Arabic().write([4_071_239]))[0]
    assert (layout.height, layout.width) == table.shape == (7, 10)
    assert np.array_equal(table, np.eye(10, dtype=int)[[4, 0, 7, 1, 2, 3, 9]] * 255)
    assert np.array_equal(np.sort(layout.places.ravel()), np.arange(70))
