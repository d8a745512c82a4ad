"""The metric by hand, its intervals against published values, the edit distance against brute force."""

import json
import math
from dataclasses import asdict
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from visarith.evaluation import Score, edit_distance, score, wilson
from visarith.notation.arabic import Arabic
from visarith.reading import UNREADABLE, Reading


def reading(rows: list[list[int]], notation: Arabic, texts: list[str] | None = None) -> Reading:
    symbols = np.array(rows, np.int16)
    return Reading(symbols, np.ones(symbols.shape), texts or [notation.text(row) for row in symbols])


def judged(truth: list[int], read: list[int | list[int]], notation: Arabic | None = None, texts=None) -> Score:
    """Score readings, each a number or a row of symbols, against the true numbers."""
    notation = notation or Arabic()
    rows = [row if isinstance(row, list) else notation.write([row])[0].tolist() for row in read]
    return score("hand", [reading(rows, notation, texts)], notation.write(truth)[:, None], notation)


def test_equal_is_0():
    result = judged([0, 1_234_567, 9_999_999], [0, 1_234_567, 9_999_999])
    assert (result.reader, result.pairs) == ("hand", 3)
    assert (result.digit_error, result.number_error, result.edit_error, result.unreadable) == (0, 0, 0, 0)
    assert result.written_error == 0
    assert result.per_position == [0] * 7
    assert result.digit_interval[0] == result.number_interval[0] == 0


def test_one_wrong_digit_of_one_number_is_a_seventh():
    result = judged([1_234_567], [1_234_067])
    assert result.digit_error == pytest.approx(1 / 7)
    assert result.written_error == pytest.approx(1 / 7)  # every cell is written
    assert result.edit_error == pytest.approx(1 / 7)
    assert result.number_error == 1
    assert result.per_position == [0, 0, 0, 0, 1, 0, 0]
    assert result.unreadable == 0


def test_errors_over_several_numbers():
    result = judged([1_111_111, 2_222_222, 3_333_333, 4_444_444], [1_111_111, 2_222_229, 3_933_339, 4_444_444])
    assert result.digit_error == pytest.approx(3 / 28)
    assert result.number_error == 0.5
    assert result.edit_error == pytest.approx(3 / 28)
    assert result.per_position == [0, 0.25, 0, 0, 0, 0, 0.5]


def test_unreadable_counts_as_wrong():
    result = judged([1_234_567, 5], [[1, 2, UNREADABLE, 4, 5, 6, 7], 5])
    assert result.digit_error == pytest.approx(1 / 14)
    assert result.number_error == 0.5
    assert result.unreadable == 1


def test_all_wrong_is_1_and_no_more():
    result = judged([1_234_567], [[UNREADABLE] * 7])
    assert (result.digit_error, result.number_error, result.edit_error, result.unreadable) == (1, 1, 1, 1)
    assert result.digit_interval[1] == result.number_interval[1] == 1
    assert result.digit_interval[0] == result.number_interval[0] == pytest.approx(0.2065, abs=1e-4)


@pytest.mark.parametrize(
    ("truth", "read", "wrong", "edits"),
    [
        (123, 123, 0, 0),
        (123, 124, 1, 1),
        (123, 12, 7, 1),
        (123, 1234, 7, 1),
        (5, 1_234_567, 7, 6),
        (1_000_000, 0, 7, 6),
        (123, [10, 10, 10, 10, 1, UNREADABLE, 3], 1, 1),
        (123, [10] * 7, 7, 3),
    ],
)
def test_reading_of_the_wrong_length_is_wrong_in_every_cell(truth, read, wrong, edits):
    result = judged([truth], [read], Arabic(padded=False))
    assert result.digit_error == pytest.approx(wrong / 7)
    assert result.number_error == (wrong > 0)
    assert result.edit_error == pytest.approx(edits / 7)


def test_written_error_leaves_blank_cells_out():
    result = judged([123, 5], [124, 5], Arabic(padded=False))
    assert result.digit_error == pytest.approx(1 / 14)
    assert result.written_error == pytest.approx(1 / 4)  # the digits are 1, 2, 3 and 5


def test_a_stored_score_comes_back():
    result = judged([123, 5], [124, 5], Arabic(padded=False))
    assert Score.from_json(json.loads(json.dumps(asdict(result)))) == result


def test_lost_digit_costs_one_edit_by_the_readers_own_text():
    result = judged([1_234_567], [[UNREADABLE] * 7], texts=["123467"])
    assert result.digit_error == 1
    assert result.edit_error == pytest.approx(1 / 7)


def test_two_answers_are_one_number():
    notation = Arabic(2)
    truth = np.stack([notation.write([12, 34]), notation.write([56, 78])], axis=1)
    readings = [reading([[1, 2], [3, 4]], notation), reading([[5, UNREADABLE], [7, 8]], notation)]
    result = score("hand", readings, truth, notation)
    assert result.pairs == 2
    assert result.digit_error == pytest.approx(1 / 8)
    assert result.number_error == 0.5
    assert result.unreadable == 1
    assert result.edit_error == pytest.approx(1 / 8)
    assert result.per_position == [0, 0, 0, 0.5]


def test_both_answers_wrong_is_still_one_number():
    notation = Arabic(2)
    truth = np.stack([notation.write([12, 34]), notation.write([56, 78])], axis=1)
    readings = [reading([[9, 2], [3, 4]], notation), reading([[9, 6], [7, 8]], notation)]
    result = score("hand", readings, truth, notation)
    assert (result.digit_error, result.number_error) == (0.25, 0.5)


@given(st.data())
@settings(deadline=None, database=None, max_examples=60)
def test_scores_are_shares_within_their_intervals(data):
    notation = Arabic(3, padded=data.draw(st.booleans()))
    truth = data.draw(st.lists(st.integers(0, 999), min_size=1, max_size=12))
    cell = st.integers(UNREADABLE, len(notation.alphabet) - 1)
    read = [data.draw(st.sampled_from([number]) | st.lists(cell, min_size=3, max_size=3)) for number in truth]
    result = judged(truth, read, notation)
    for share, interval in ((result.digit_error, result.digit_interval), (result.number_error, result.number_interval)):
        assert 0 <= interval[0] <= share + 1e-12
        assert share <= interval[1] + 1e-12
        assert interval[1] <= 1
        assert not math.isnan(sum(interval))
    assert np.mean(result.per_position) == pytest.approx(result.digit_error)
    assert result.digit_error <= result.number_error
    assert result.number_error <= 3 * result.digit_error + 1e-12
    assert 0 <= result.edit_error <= result.digit_error + 1e-12


@pytest.mark.parametrize(
    ("wrong", "count", "low", "high"),
    [  # Newcombe, Statistics in Medicine 17 (1998), Table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_agrees_with_published_values(wrong, count, low, high):
    assert wilson(wrong / count, count) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10_000).flatmap(lambda count: st.tuples(st.integers(0, count), st.just(count))))
def test_wilson_agrees_with_scipy(trial):
    wrong, count = trial
    interval = binomtest(wrong, count).proportion_ci(method="wilson")
    assert wilson(wrong / count, count) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_wilson_at_the_ends():
    square = 1.959964**2
    assert wilson(0, 30_000) == (0, pytest.approx(square / (30_000 + square)))
    assert wilson(0, 30_000)[1] == pytest.approx(0.000128, abs=5e-7)
    assert wilson(1, 10) == (pytest.approx(1 - wilson(0, 10)[1]), 1)
    assert wilson(0.5, 100) == pytest.approx((0.4038, 0.5962), abs=5e-5)


def test_number_interval_is_wilsons():
    result = judged([0] * 20, [1] + [0] * 19)
    assert result.number_interval == pytest.approx((0.0089, 0.2361), abs=1e-4)


def test_digits_that_go_wrong_together_are_one_trial_a_number():
    result = judged([0] * 100, [9_999_999] * 10 + [0] * 90)
    assert result.digit_error == pytest.approx(0.1)
    assert result.digit_interval == pytest.approx(wilson(0.1, 100))
    assert result.digit_interval == pytest.approx(result.number_interval)


def test_digits_that_go_wrong_apart_are_many_trials():
    result = judged([0] * 70, [10**cell for cell in range(7)] + [0] * 63)
    share, spread = 0.1 / 7, 0.1 * 0.9 / 49 / 70
    assert result.digit_interval == pytest.approx(wilson(share, min(490, share * (1 - share) / spread)))


def test_interval_narrows_steadily_when_each_number_has_one_wrong_digit():
    widths = []
    for count in range(5, 40):
        low, high = judged([0] * count, [1] * count).digit_interval
        widths.append(high - low)
    steps = np.array(widths[1:]) / widths[:-1]
    assert steps.min() > 0.8
    assert steps.max() < 1


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("", "", 0),
        ("1234567", "1234567", 0),
        ("", "123", 3),
        ("123", "", 3),
        ("1234567", "123467", 1),
        ("123467", "1234567", 1),
        ("1234567", "1234?67", 1),
        ("12", "21", 2),
        ("1234567", "2345671", 2),
        ("kitten", "sitting", 3),
        ("0000000", "1111111", 7),
    ],
)
def test_edit_distance_by_hand(one, other, distance):
    assert edit_distance(one, other) == distance


@given(st.text("012", max_size=6), st.text("012", max_size=6))
@settings(deadline=None, database=None, max_examples=100)
def test_edit_distance_by_recursion(one, other):
    @cache
    def brute(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        return min(brute(i - 1, j) + 1, brute(i, j - 1) + 1, brute(i - 1, j - 1) + (one[i - 1] != other[j - 1]))

    assert edit_distance(one, other) == brute(len(one), len(other))
