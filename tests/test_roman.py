"""Roman numerals against greedy subtraction: writing, parsing, drawing, reading and judging them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import refusal
from visarith.data.task import Task
from visarith.errors import VisarithError
from visarith.evaluation import Score, score
from visarith.notation import Notation, blank
from visarith.notation.arabic import Arabic
from visarith.notation.roman import NUMERALS, Roman
from visarith.pictures.layout import Layout
from visarith.pictures.typeface import Ink, Typeface
from visarith.reading import Reading
from visarith.reading.readers import Templates, Tesseract

VALUES = [
    *[5_000_000, 1_000_000, 500_000, 100_000, 50_000, 10_000, 5_000],  # the paper's own, by letters of ours
    *[1_000, 500, 100, 50, 10, 5, 1],
]
LETTERS = dict(zip(VALUES, reversed(NUMERALS), strict=True))
quiet = settings(deadline=None, database=None, max_examples=150)


def greedy(number: int) -> str:
    """The largest numeral that still fits, again and again."""
    text = ""
    for value in VALUES:
        while number >= value:
            text, number = text + LETTERS[value], number - value
    return text


@st.composite
def written(draw: st.DrawFn) -> tuple[Roman, list[int]]:
    notation = Roman(draw(st.integers(1, 7)))
    edges = st.sampled_from([0, 1, notation.limit, notation.limit // 2])
    return notation, draw(st.lists(st.integers(0, notation.limit) | edges, min_size=1, max_size=6))


@given(written())
@quiet
def test_parse_is_the_inverse_of_write(case: tuple[Roman, list[int]]) -> None:
    notation, numbers = case
    symbols = notation.write(numbers)
    assert symbols.shape == (len(numbers), 5 * notation.digits)
    assert symbols.dtype == np.uint8
    assert notation.parse(symbols) == numbers


@given(written())
@quiet
def test_numbers_are_written_as_by_greedy_subtraction(case: tuple[Roman, list[int]]) -> None:
    notation, numbers = case
    for row, number in zip(notation.write(numbers), numbers, strict=True):
        line = "".join(notation.alphabet[symbol] for symbol in row)
        assert line == greedy(number).ljust(notation.cells)  # packed to the left
        assert notation.text(row) == greedy(number)
        if number:
            assert notation.number(greedy(number)) == notation.number(greedy(number).lower()) == number
        assert notation.number(str(number)) == number


def test_by_hand() -> None:
    assert NUMERALS[:7] == "IVXLCDM"
    texts = {1: "I", 4: "IIII", 9: "VIIII", 40: "XXXX", 94: "LXXXXIIII", 1666: "MDCLXVI", 2016: "MMXVI"}
    notation = Roman(4)
    assert [notation.text(row) for row in notation.write(list(texts))] == list(texts.values())
    assert notation.parse(notation.write(list(texts))) == list(texts)


def test_the_papers_longest_number_has_35_numerals_of_14() -> None:
    notation = Roman()
    row = notation.write([9_999_999])[0]
    assert notation.limit == 9_999_999
    assert len(notation.text(row)) == notation.cells == 35
    assert set(row.tolist()) == set(range(14))
    assert len(set(NUMERALS)) == 14
    assert notation.alphabet == NUMERALS + " "
    lengths = (notation.write(np.arange(0, 10**7, 997)) != blank(notation)).sum(1)
    assert lengths.max() < 35


def test_zero_is_blank() -> None:
    notation = Roman(2)
    assert blank(notation) == 4
    assert notation.write([0]).tolist() == [[4] * 10]
    assert notation.text(notation.write([0])[0]) == ""
    assert notation.parse(notation.write([0])) == [0]


def row(text: str, cells: int = 10) -> list[int]:
    """A line of the two-digit notation as symbols; '?' is unreadable."""
    return ["IVXL ".find(symbol) for symbol in text.ljust(cells)]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("LXXXXVIIII", 99),
        ("XVI", 16),
        ("", 0),
        ("IV", None),  # subtractive
        ("VX", None),
        ("XVIX", None),
        ("IIIII", None),  # too many: it is V
        ("VV", None),
        ("XXXXX", None),
        ("LL", None),  # 100 does not fit two digits
        ("LLXXXXXXXX", None),
        ("X I", None),  # a gap
        (" XI", None),  # not at the left
        ("X?I", None),
        ("??????????", None),
    ],
)
def test_parse_tells_what_is_no_number(text: str, number: int | None) -> None:
    assert Roman(2).parse(np.array([row(text)], np.int16)) == [number]


def test_parse_takes_each_row_for_itself() -> None:
    rows = np.array([row("VI"), row("IV"), row("L?"), row("L")], np.int16)
    assert Roman(2).parse(rows) == [6, None, None, 50]
    assert Roman(2).parse(rows[:0]) == []
    assert Roman(2).parse(np.full((1, 10), 5, np.int16)) == [None]  # no such symbol
    assert Roman(2).text(rows[2]) == "L?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no number in Roman numerals; write it with IVXL or in digits"),
        ("XC", "'XC' is no number in Roman numerals; write it with IVXL or in digits"),
        (" X", "' X' is no number in Roman numerals; write it with IVXL or in digits"),
        ("-5", "'-5' is no number in Roman numerals; write it with IVXL or in digits"),
        ("٣", "'٣' is no number in Roman numerals; write it with IVXL or in digits"),
        ("IV", "'IV' is not additive; write the larger numerals first, IIII and not IV"),
        ("xix", "'xix' is not additive; write the larger numerals first, IIII and not IV"),
        ("LL", "'LL' is 100, above 99; write a smaller number"),
    ],
)
def test_what_is_no_number_is_refused(text: str, message: str) -> None:
    assert refusal(Roman(2).number, text) == message


@pytest.mark.parametrize("text", ["ß", "ſ", "ı"])
def test_other_scripts_are_refused(text: str) -> None:
    with pytest.raises(VisarithError, match="is no number in Roman numerals"):
        Roman().number(text)


@pytest.mark.parametrize(("digits", "complaint"), [(0, "too small; use 1 or more"), (8, "too large; use 7 or less")])
def test_more_digits_than_there_are_numerals_for(digits: int, complaint: str) -> None:
    assert refusal(Roman, digits) == f"digits {digits} is {complaint}"


def picture(notation: Notation, ink: Ink = "smooth") -> tuple[Layout, list[int], np.ndarray]:
    layout = Typeface(ink=ink).layout(notation.alphabet, notation.cells)
    numbers = [1, notation.limit, *np.random.default_rng(0).integers(1, notation.limit, 38).tolist()]
    return layout, numbers, (layout.typeset(notation.write(numbers)) / 255).astype(np.float32)


def test_templates_read_clean_pictures() -> None:
    layout, numbers, pictures = picture(Roman())
    assert pictures.shape == (40, 15, 284)
    assert Task("add", notation="roman").shape == (15, 284)
    reading = Templates(layout, Roman()).read(np.concatenate([pictures, np.zeros((1, 15, 284), np.float32)]))
    assert Roman().parse(reading.symbols) == [*numbers, 0]
    assert reading.texts == [greedy(number) for number in [*numbers, 0]]
    assert reading.confidence.min() > 0.99


@pytest.mark.parametrize("ink", ["smooth", "bit"])
@pytest.mark.parametrize("digits", [2, 7])
def test_tesseract_reads_every_clean_numeral(digits: int, ink: Ink) -> None:
    """Of other letters it takes some for ours: with H among the numerals, each M for an H; with N, some."""
    notation = Roman(digits)
    _, numbers, pictures = picture(notation, ink)
    reading = Tesseract(notation, workers=1).read(pictures[:25])
    assert reading.texts == [greedy(number) for number in numbers[:25]]
    assert notation.parse(reading.symbols) == numbers[:25]


def test_tesseract_reads_zero() -> None:
    reading = Tesseract(Roman(2), workers=1).read(np.zeros((1, 15, 84), np.float32))
    assert Roman(2).parse(reading.symbols) == [0]


def judged(truth: list[int], lines: list[str], notation: Notation) -> Score:
    symbols = np.array([[notation.alphabet.find(s) for s in line.ljust(notation.cells)] for line in lines], np.int16)
    reading = Reading(symbols, np.ones(symbols.shape), [notation.text(line) for line in symbols])
    return score("hand", [reading], notation.write(truth)[:, None], notation)


@pytest.mark.parametrize(
    ("truth", "line", "wrong", "written", "edits"),
    [
        (16, "XVI", 0, 0, 0),
        (16, "XVV", 1, 1, 1),
        (16, "XV", 1, 1, 1),  # compared from the left: X and V are right
        (16, "XVII", 1, 0, 1),  # the fourth cell should be blank, and all that is written is right
        (16, "VI", 3, 3, 1),  # X lost, and all after it at the wrong place
        (16, "X?I", 1, 1, 1),
        (16, "", 3, 3, 3),
    ],
)
def test_errors_by_hand(truth: int, line: str, wrong: int, written: int, edits: int) -> None:
    result = judged([truth, 99], [line, "LXXXXVIIII"], Roman(2))
    assert result.digit_error == pytest.approx(wrong / 20)
    assert result.written_error == pytest.approx(written / 13)  # XVI and LXXXXVIIII
    assert result.edit_error == pytest.approx(edits / 20)
    assert result.number_error == (0.5 if wrong else 0)
    assert sum(result.per_position) == pytest.approx(wrong / 2)


def test_an_arabic_reading_of_the_wrong_length_is_wrong_throughout_but_a_roman_one_is_not() -> None:
    assert judged([16], ["     16"], Arabic(7, padded=False)).digit_error == 0
    assert judged([16], ["    116"], Arabic(7, padded=False)).digit_error == 1
    assert judged([16], ["XXVI"], Roman(2)).digit_error == pytest.approx(3 / 10)


def test_a_blank_that_is_zero_is_readable() -> None:
    result = judged([0, 16], ["", "XVI"], Roman(2))
    assert (result.digit_error, result.unreadable) == (0, 0)


def test_blank_truths_have_no_written_error() -> None:
    assert judged([0], ["X"], Roman(2)).digit_error == pytest.approx(1 / 10)
    assert judged([0], ["X"], Roman(2)).written_error == 0
