"""Writing and parsing numbers: round trips, and an independent base conversion."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visarith.errors import VisarithError
from visarith.notation.arabic import NUMERALS, Arabic

quiet = settings(deadline=None, database=None, max_examples=150)


@st.composite
def written(draw):
    notation = Arabic(draw(st.integers(1, 30)), draw(st.integers(2, 36)), draw(st.booleans()))
    edges = st.sampled_from([0, notation.limit, notation.limit // 2])
    return notation, draw(st.lists(st.integers(0, notation.limit) | edges, min_size=1, max_size=5))


@given(written())
@quiet
def test_parse_is_the_inverse_of_write(case):
    notation, numbers = case
    symbols = notation.write(numbers)
    assert symbols.shape == (len(numbers), notation.cells)
    assert symbols.dtype == np.uint8
    assert notation.parse(symbols) == numbers


@given(written())
@quiet
def test_text_agrees_with_pythons_conversion(case):
    notation, numbers = case
    for row, number in zip(notation.write(numbers), numbers, strict=True):
        text = notation.text(row)
        assert int(text, notation.base) == number
        assert notation.number(text) == number
        assert notation.number(text.lower()) == number
        if notation.padded:
            assert len(text) == notation.cells
        else:
            assert text == "0" or not text.startswith("0")


@pytest.mark.parametrize("base", range(2, 37))
@pytest.mark.parametrize("padded", [True, False])
def test_every_base_agrees_with_numpy(base, padded):
    notation = Arabic(7, base, padded)
    numbers = [0, 1, base - 1, base, base**2 - 1, 9, 4_999_999, 9_999_999, base**7 // 3, base**7 - 1]
    numbers = [number for number in numbers if number < base**7]
    texts = [np.base_repr(number, base) for number in numbers]
    symbols = notation.write(numbers)
    assert [notation.text(row) for row in symbols] == [text.zfill(7) if padded else text for text in texts]
    assert notation.parse(symbols) == numbers


def test_edges_by_hand():
    padded, unpadded = Arabic(), Arabic(padded=False)
    numbers = [0, 9, 4_999_999, 9_999_999]
    assert padded.write(numbers).tolist() == [
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 9],
        [4, 9, 9, 9, 9, 9, 9],
        [9, 9, 9, 9, 9, 9, 9],
    ]
    blank = 10
    assert unpadded.write([0, 9, 120, 9_999_999]).tolist() == [
        [blank] * 6 + [0],
        [blank] * 6 + [9],
        [blank] * 4 + [1, 2, 0],
        [9] * 7,
    ]


def test_numbers_beyond_64_bits():
    notation = Arabic(cells=30)
    number = 123456789012345678901234567890
    assert notation.text(notation.write([number])[0]) == str(number)
    assert notation.limit == 10**30 - 1


@pytest.mark.parametrize(("cells", "base", "limit"), [(7, 10, 9_999_999), (8, 2, 255), (1, 36, 35), (3, 16, 4095)])
def test_limit(cells, base, limit):
    assert Arabic(cells, base).limit == limit


def test_alphabet_ends_with_the_blank_of_the_unpadded_form():
    assert Arabic(base=16).alphabet == "0123456789ABCDEF"
    assert Arabic(base=3, padded=False).alphabet == "012 "
    assert NUMERALS.index("Z") == 35


@pytest.mark.parametrize(
    ("padded", "row", "number"),
    [
        (True, [1, 2, 3], 123),
        (True, [1, -1, 3], None),
        (True, [-1, -1, -1], None),
        (True, [10, 2, 3], None),
        (False, [10, 2, 3], 23),
        (False, [10, 10, 0], 0),
        (False, [1, 10, 3], None),
        (False, [1, 2, 10], None),
        (False, [10, -1, 3], None),
        (False, [-1, 10, 3], None),
        (False, [10, 10, 10], None),
    ],
)
def test_parse_tells_what_is_no_number(padded, row, number):
    assert Arabic(3, padded=padded).parse(np.array([row], np.int16)) == [number]


def test_parse_takes_each_row_for_itself():
    rows = np.array([[0, 7], [-1, 7], [9, 9]], np.int16)
    assert Arabic(2).parse(rows) == [7, None, 99]
    assert Arabic(2).parse(rows[:0]) == []


@pytest.mark.parametrize(
    ("padded", "row", "text"),
    [(True, [0, 0, 7], "007"), (True, [1, -1, 3], "1?3"), (False, [10, 10, 7], "7"), (False, [10, -1, 7], "?7")],
)
def test_text(padded, row, text):
    assert Arabic(3, padded=padded).text(np.array(row, np.int16)) == text


@pytest.mark.parametrize(
    ("base", "text", "message"),
    [
        (10, "12a4", "'12a4' is no number in base 10; write it with 0123456789"),
        (10, "", "'' is no number in base 10; write it with 0123456789"),
        (10, " 7", "' 7' is no number in base 10; write it with 0123456789"),
        (10, "1.5", "'1.5' is no number in base 10; write it with 0123456789"),
        (10, "1_000", "'1_000' is no number in base 10; write it with 0123456789"),
        (10, "-", "'-' is no number in base 10; write it with 0123456789"),
        (2, "102", "'102' is no number in base 2; write it with 01"),
        (16, "FG", "'FG' is no number in base 16; write it with 0123456789ABCDEF"),
        (10, "-5", "-5 is negative; numbers here are 0 or more"),
        (16, "-ff", "-ff is negative; numbers here are 0 or more"),
    ],
)
def test_what_is_no_number_is_refused(base, text, message):
    with pytest.raises(VisarithError) as caught:
        Arabic(base=base).number(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("text", ["ß", "ſ", "ı", "٣", "７"])  # some of them become ASCII letters in upper case
def test_other_scripts_are_refused(text):
    with pytest.raises(VisarithError, match="is no number in base 36"):
        Arabic(base=36).number(text)


@pytest.mark.parametrize("base", [-10, 0, 1, 37])
def test_bases_without_numerals_are_refused(base):
    with pytest.raises(VisarithError, match=f"^base {base} has no numerals; use a base from 2 to 36$"):
        Arabic(base=base)


@pytest.mark.parametrize("cells", [0, -1])
def test_too_few_cells_are_refused(cells):
    with pytest.raises(VisarithError, match=f"^digits {cells} is too small; use 1 or more$"):
        Arabic(cells=cells)
