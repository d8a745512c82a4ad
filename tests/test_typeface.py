"""The paper's picture size, what ink is, and what cannot be drawn."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from visarith.errors import VisarithError
from visarith.notation.arabic import NUMERALS, Arabic
from visarith.pictures.typeface import Typeface

FONTS = Path(importlib.util.find_spec("matplotlib").submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf"
DIGITS = "0123456789"


def refusal(call, *arguments, **options) -> str:
    with pytest.raises(VisarithError) as caught:
        call(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_seven_cells_are_the_papers_15_by_60():
    layout = Typeface().layout(DIGITS, 7)
    assert (layout.height, layout.width) == (15, 60)
    assert layout.corners == ((0, 2), (0, 10), (0, 18), (0, 26), (0, 34), (0, 42), (0, 50))
    assert layout.glyphs.shape == (10, 15, 8)
    assert layout.glyphs.dtype == np.uint8


@pytest.mark.parametrize(("cells", "width"), [(1, 12), (2, 20), (7, 60), (100, 804)])
def test_width_follows_the_cells(cells, width):
    layout = Typeface().layout(DIGITS, cells)
    assert (layout.width, layout.cells) == (width, cells)


def test_margins_are_ground():
    pictures = Typeface().layout(DIGITS, 7).typeset(Arabic().write(range(0, 9_999_999, 99_999)))
    assert not pictures[:, :, :2].any()
    assert not pictures[:, :, -2:].any()
    rows = np.flatnonzero(pictures.any(axis=(0, 2)))
    assert (rows[0], rows[-1]) == (3, 11)  # nine pixels of ink, three of ground above and three below


@pytest.mark.parametrize(
    ("height", "width", "cells"), [(28, 120, 7), (20, 90, 7), (40, 61, 3), (15, 63, 7), (100, 0, 7)]
)
def test_other_picture_sizes(height, width, cells):
    layout = Typeface(height=height, width=width).layout(DIGITS, cells)
    pictures = layout.typeset(np.arange(10)[:, None].repeat(cells, 1))
    assert pictures.shape == (10, height, width or 8 * cells + 4)
    assert (
        pictures.reshape(10, -1).astype(int).sum(1) == cells * layout.glyphs.reshape(10, -1).astype(int).sum(1)
    ).all()
    lefts = [left for _, left in layout.corners]
    assert np.diff(lefts).tolist() == [layout.width // cells] * (cells - 1)
    rows = np.flatnonzero(pictures.any(axis=(0, 2)))
    assert abs(rows[0] - (height - 1 - rows[-1])) <= 1  # as much ground above as below


def test_larger_pictures_have_larger_digits():
    small, large = (Typeface(height=height, width=width).layout(DIGITS, 7) for height, width in ((15, 60), (30, 120)))
    assert large.glyphs.astype(bool).sum() > 2 * small.glyphs.astype(bool).sum()


def test_font_size_is_the_users():
    heights = []
    for size in (9, 11):
        rows = np.flatnonzero(Typeface(font_size=size).layout(DIGITS, 7).glyphs.any(axis=(0, 2)))
        heights.append(rows[-1] - rows[0] + 1)
    assert heights == [7, 8]


def test_small_font_in_a_tall_picture():
    small, tall = (Typeface(font_size=9, height=height).layout(DIGITS, 7).glyphs for height in (15, 101))
    assert np.array_equal(tall[:, 43:58], small)
    assert tall.astype(int).sum() == small.astype(int).sum()


def test_bit_ink_has_two_values_and_smooth_ink_more():
    assert set(np.unique(Typeface(ink="bit").layout(DIGITS, 7).glyphs)) == {0, 255}
    smooth = Typeface(ink="smooth").layout(DIGITS, 7).glyphs
    assert len(np.unique(smooth)) > 10
    assert smooth.min() == 0
    assert smooth.max() > 200


@pytest.mark.parametrize("ink", ["bit", "smooth"])
@pytest.mark.parametrize("base", [2, 10, 16, 36])
@pytest.mark.parametrize("padded", [True, False])
def test_glyphs_are_distinct_in_every_base(ink, base, padded):
    alphabet = Arabic(base=base, padded=padded).alphabet
    layout = Typeface(ink=ink).layout(alphabet, 7)
    assert len({glyph.tobytes() for glyph in layout.glyphs}) == len(alphabet)
    assert layout.alphabet == alphabet
    blank = ~layout.glyphs.any(axis=(1, 2))
    assert blank.tolist() == [symbol == " " for symbol in alphabet]


def test_base_36_fits_15_by_60():
    layout = Typeface().layout(NUMERALS, 7)
    assert (layout.height, layout.width, len(layout.glyphs)) == (15, 60, 36)


def test_other_font():
    serif = Typeface(font=str(FONTS / "DejaVuSerif.ttf")).layout(DIGITS, 7)
    assert (serif.height, serif.width) == (15, 60)
    assert not np.array_equal(serif.glyphs, Typeface().layout(DIGITS, 7).glyphs)


def test_glyphs_that_look_the_same_are_refused():
    message = refusal(Typeface(font_size=2, ink="bit").layout, DIGITS, 7)
    assert (
        "look the same in DejaVuSans.ttf at this size; use another `font` or a larger `Typeface(height, width)`"
        in message
    )


def test_font_size_that_is_too_large_is_refused():
    assert refusal(Typeface(font_size=30).layout, DIGITS, 7) == (
        "font size 30 is too large for cells of 15 x 8 pixels; use a smaller `font_size` or a larger "
        "`Typeface(height, width)`"
    )


def test_cells_that_are_too_narrow_are_refused():
    assert refusal(Typeface(width=6).layout, DIGITS, 7) == (
        "any font size is too large for cells of 15 x 0 pixels; use a smaller `font_size` or a larger "
        "`Typeface(height, width)`"
    )


@pytest.fixture
def small_canvases(monkeypatch):
    """Drawing on a canvas of more than 16 million pixels fails, before it takes the memory."""
    new = Image.new

    def guarded(mode, size, *arguments):
        if size[0] * size[1] > 2**24:
            pytest.fail(f"a canvas of {size[0]} x {size[1]}")
        return new(mode, size, *arguments)

    monkeypatch.setattr(Image, "new", guarded)


@pytest.mark.usefixtures("small_canvases")
def test_enormous_font_size_is_refused_cheaply():
    assert "font size 900 is too large" in refusal(Typeface(font_size=900).layout, DIGITS, 7)
    assert refusal(Typeface, font_size=5000) == "font size 5000 is too large; use 1000 or less"


@pytest.mark.usefixtures("small_canvases")
def test_wide_pictures_are_drawn_cheaply():
    assert Typeface(width=100_000).layout(DIGITS, 7).width == 100_000


def test_missing_font_is_refused(tmp_path):
    missing = tmp_path / "none.ttf"
    message = f"{missing} is not a readable font; give a .ttf or .otf file to `font`"
    assert refusal(Typeface(font=str(missing)).layout, DIGITS, 7) == message
    assert refusal(Typeface(font=str(missing)).fingerprint, DIGITS) == message


@pytest.mark.parametrize("content", [b"", b"not a font at all", bytes(1000)])
def test_file_that_is_no_font_is_refused(tmp_path, content):
    file = tmp_path / "text.ttf"
    file.write_bytes(content)
    message = refusal(Typeface(font=str(file)).layout, DIGITS, 7)
    assert message == f"{file} is not a readable font; give a .ttf or .otf file to `font`"


def test_folder_is_no_font(tmp_path):
    assert "is not a readable font" in refusal(Typeface(font=str(tmp_path)).layout, DIGITS, 7)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"font_size": -1}, "font size -1 is too small; use 0 or more"),
        ({"width": -60}, "picture width -60 is too small; use 0 or more"),
        ({"height": -15}, "picture height -15 is too small; use 1 or more"),
        ({"height": 0}, "picture height 0 is too small; use 1 or more"),
        ({"height": 1001}, "picture height 1001 is too large; use 1000 or less"),
        ({"width": 100_001}, "picture width 100001 is too large; use 100000 or less"),
        ({"ink": "gold"}, "ink 'gold' is unknown; use bit or smooth"),
    ],
)
def test_impossible_sizes_are_refused(options, message):
    assert refusal(Typeface, **options) == message


def test_fingerprint_tells_fonts_apart():
    serif = Typeface(font=str(FONTS / "DejaVuSerif.ttf"))
    assert len({Typeface().fingerprint(DIGITS), Typeface().fingerprint(NUMERALS), serif.fingerprint(DIGITS)}) == 3
    assert Typeface(font=str(FONTS / "DejaVuSans.ttf")).fingerprint(DIGITS) == Typeface().fingerprint(DIGITS)
