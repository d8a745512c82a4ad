"""Readers: every clean digit is read, what cannot be read is said to be so, and the two readers agree."""

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import pytest

from visarith.notation.arabic import Arabic
from visarith.pictures.layout import Layout, one_hot_layout
from visarith.pictures.typeface import Typeface
from visarith.reading import UNREADABLE
from visarith.reading.readers import Templates, Tesseract

FONTS = Path(importlib.util.find_spec("matplotlib").submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf"
LARGE = {"height": 28, "width": 120}


def setting(base: int = 10, padded: bool = True, **looks) -> tuple[Arabic, Layout, Templates]:
    notation = Arabic(7, base, padded)
    layout = Typeface(**looks).layout(notation.alphabet, 7)
    return notation, layout, Templates(layout, notation)


def clean(layout: Layout, symbols: np.ndarray) -> np.ndarray:
    return (layout.typeset(symbols) / 255).astype(np.float32)


def random_numbers(count: int, padded: bool) -> list[int]:
    """Up to seven digits; where they are not padded, of every length alike."""
    dice = np.random.default_rng(0)
    return (dice.integers(0, 10**7, count) if padded else 10 ** dice.uniform(0, 7, count)).astype(int).tolist()


@pytest.mark.parametrize("base", [2, 10, 16, 36])
@pytest.mark.parametrize("ink", ["bit", "smooth"])
@pytest.mark.parametrize("font", ["", "DejaVuSerif.ttf", "STIXGeneral.ttf"])
def test_templates_read_every_symbol_at_every_place(base, ink, font):
    notation, layout, reader = setting(base, ink=ink, font=font and str(FONTS / font))
    symbols = (np.arange(base)[:, None] + np.arange(7)) % base
    reading = reader.read(clean(layout, symbols))
    assert np.array_equal(reading.symbols, symbols)
    assert reading.symbols.dtype == np.int16
    assert reading.confidence.shape == (base, 7)
    assert reading.confidence.min() > 0.95
    assert reading.confidence.max() <= 1
    assert reading.texts == ["".join(notation.alphabet[symbol] for symbol in row) for row in symbols]


@pytest.mark.parametrize("looks", [{}, LARGE, {"font_size": 9}, {"height": 40, "width": 80}])
def test_templates_read_the_edges(looks):
    numbers = [0, 9, 4_999_999, 9_999_999]
    notation, layout, reader = setting(**looks)
    reading = reader.read(clean(layout, notation.write(numbers)))
    assert notation.parse(reading.symbols) == numbers
    assert reading.texts == ["0000000", "0000009", "4999999", "9999999"]


def test_templates_read_unpadded_numbers():
    notation, layout, reader = setting(padded=False)
    numbers = [0, 7, 10, 200, 4321, 50_000, 654_321, 9_999_999]
    reading = reader.read(clean(layout, notation.write(numbers)))
    assert notation.parse(reading.symbols) == numbers
    assert reading.texts == [str(number) for number in numbers]


def test_templates_read_one_hot():
    notation, layout = Arabic(), one_hot_layout("0123456789", 7)
    symbols = notation.write([1_234_567, 9_080_706])
    assert np.array_equal(Templates(layout, notation).read(clean(layout, symbols)).symbols, symbols)


def test_templates_read_permuted_pictures_by_their_own_page():
    notation, layout, _ = setting()
    permuted = layout.permuted(np.random.default_rng(0).permutation(900))
    symbols = notation.write(random_numbers(20, True))
    assert np.array_equal(Templates(permuted, notation).read(clean(permuted, symbols)).symbols, symbols)


def test_templates_read_more_than_one_part():
    notation, layout, reader = setting()
    symbols = notation.write(random_numbers(4200, True))
    assert np.array_equal(reader.read(clean(layout, symbols)).symbols, symbols)


@pytest.mark.parametrize(("looks", "most"), [({}, 2), (LARGE, 0)])
def test_templates_read_through_noise(looks, most):
    """At 15 x 60 a 3 and an 8 differ in five pixels only, so that the nearest glyph is wrong once in 40,000 digits."""
    notation, layout, reader = setting(**looks)
    symbols = notation.write(random_numbers(300, True))
    pictures = clean(layout, symbols) + np.random.default_rng(1).normal(0, 0.3, (300, layout.height, layout.width))
    assert (reader.read(pictures).symbols != symbols).sum() <= most


def mixtures(layout: Layout, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Each ordered pair of digits, mixed alike in every cell."""
    heavy, light = np.array(list(itertools.permutations(range(10), 2))).T
    ones, others = (clean(layout, symbols[:, None].repeat(7, 1)) for symbols in (heavy, light))
    return share * ones + (1 - share) * others, heavy[:, None].repeat(7, 1)


@pytest.mark.parametrize("looks", [{"ink": "bit"}, LARGE])
def test_even_mixtures_are_unreadable(looks):
    _, layout, reader = setting(**looks)
    reading = reader.read(mixtures(layout, 0.5)[0])
    assert (reading.symbols == UNREADABLE).all()
    assert set(reading.texts) == {"???????"}


def test_a_few_even_mixtures_look_like_a_third_digit_in_small_smooth_print():
    _, layout, reader = setting()
    assert (reader.read(mixtures(layout, 0.5)[0]).symbols == UNREADABLE).mean() > 0.95


@pytest.mark.parametrize("looks", [{}, LARGE, {"ink": "bit"}])
def test_uneven_mixtures_are_read_as_the_heavier(looks):
    _, layout, reader = setting(**looks)
    pictures, heavier = mixtures(layout, 0.6)
    assert np.array_equal(reader.read(pictures).symbols, heavier)


def test_one_unreadable_cell_leaves_the_others():
    notation, layout, reader = setting()
    one, other = clean(layout, notation.write([1_230_567, 1_239_567]))
    reading = reader.read(((one + other) / 2)[None])
    assert reading.texts == ["123?567"]
    assert reading.symbols.tolist() == [[1, 2, 3, UNREADABLE, 5, 6, 7]]
    assert notation.parse(reading.symbols) == [None]


@pytest.mark.parametrize("grey", [0.0, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("base", [2, 10, 16])
def test_pictures_without_a_figure_are_unreadable(grey, base):
    _, layout, reader = setting(base)
    reading = reader.read(np.full((1, layout.height, layout.width), grey, np.float32))
    assert (reading.symbols == UNREADABLE).all()


def test_blank_picture_is_no_number_when_unpadded():
    notation, layout, reader = setting(padded=False)
    assert notation.parse(reader.read(np.zeros((1, layout.height, layout.width), np.float32)).symbols) == [None]


@pytest.fixture(scope="module", params=["padded", "unpadded"])
def judge(request) -> Tesseract:
    return Tesseract(Arabic(padded=request.param == "padded"))


@pytest.mark.parametrize("ink", ["bit", "smooth"])
def test_tesseract_agrees_with_templates_and_the_truth(judge, ink):
    notation, layout, templates = setting(padded=judge.notation.padded, ink=ink)
    numbers = [0, 9, 4_999_999, 9_999_999, 7_777_777, *random_numbers(55, notation.padded)]
    truth = [str(number).zfill(7) if notation.padded else str(number) for number in numbers]
    pictures = clean(layout, notation.write(numbers))
    reading = judge.read(pictures)
    assert [pair for pair in zip(truth, reading.texts, strict=True) if pair[0] != pair[1]] == []
    assert np.array_equal(reading.symbols, templates.read(pictures).symbols)
    assert notation.parse(reading.symbols) == numbers
    assert reading.confidence.shape == (60, 7)
    assert reading.confidence.min() > 0.5
    assert reading.confidence.max() <= 1


def test_tesseract_reads_a_picture_alike_whatever_it_read_before(judge):
    notation, layout, _ = setting(padded=judge.notation.padded)
    pictures = clean(layout, notation.write(random_numbers(40, notation.padded)))
    reader = Tesseract(notation)
    forwards, backwards = reader.read(pictures).texts, Tesseract(notation).read(pictures[::-1]).texts
    assert forwards == backwards[::-1]
    assert forwards == reader.read(pictures).texts


def test_tesseract_calls_a_blank_picture_unreadable(judge):
    reading = judge.read(np.zeros((2, 15, 60), np.float32))
    assert (reading.symbols == UNREADABLE).all()
    assert reading.texts == ["", ""]
    assert reading.confidence.tolist() == [[0.0] * 7] * 2


def test_tesseract_survives_noise_and_values_outside_the_range(judge):
    pictures = np.random.default_rng(0).normal(0.5, 1, (3, 15, 60))
    reading = judge.read(pictures)
    assert reading.symbols.shape == (3, 7)
    assert ((reading.symbols >= UNREADABLE) & (reading.symbols < len(judge.notation.alphabet))).all()


def test_tesseract_line_of_another_length():
    notation, layout, _ = setting(padded=False, ink="smooth")
    short = clean(layout, notation.write([12_345]))
    padded = Tesseract(Arabic()).read(short)
    assert padded.texts == ["12345"]
    assert (padded.symbols == UNREADABLE).all()  # which two of seven digits are missing cannot be known
    assert Tesseract(notation).read(short).symbols.tolist() == [[10, 10, 1, 2, 3, 4, 5]]
