"""Operands for examples: distinct, legal, reproducible, and all of them where there are few."""

import itertools
import math
import operator

import numpy as np
import pytest

from conftest import DESCENDING, PYTHON, refusal, sample
from visarith.operations import ADD, HALVE, OPERATIONS, Operation

SEVEN = 10**7 - 1
DIVIDE = Operation("divide", operator.floordiv, digits=1)


@pytest.mark.parametrize("name", list(PYTHON))
def test_samples_are_distinct_legal_and_reproducible(name):
    domain = OPERATIONS[name].domain(SEVEN)
    rows = sample(domain, 2000)
    assert rows.shape == (2000, domain.operation.operands)
    assert rows.dtype == np.int64
    assert len(set(map(tuple, rows.tolist()))) == 2000
    assert rows.min() >= 0
    assert rows.max() <= domain.largest
    assert rows.max() > 0.9 * domain.largest  # the range is used
    if domain.operation.descending:
        assert (rows[:, 0] >= rows[:, 1]).all()
    assert np.array_equal(rows, sample(domain, 2000))
    assert not np.array_equal(rows, sample(domain, 2000, seed=1))


@pytest.mark.parametrize("name", list(PYTHON))
def test_small_domain_is_exhausted_exactly(name):
    operation = OPERATIONS[name]
    domain = operation.domain(9)
    everything = {
        row
        for row in itertools.product(range(10), repeat=operation.operands)
        if max(row) <= domain.largest
        and all(0 <= answer <= 9 for answer in PYTHON[name](*row))
        and (name not in DESCENDING or row[0] >= row[1])
    }
    rows = list(map(tuple, sample(domain, len(everything)).tolist()))
    assert len(rows) == len(everything)
    assert set(rows) == everything
    assert rows != sorted(rows)  # in random order
    assert f"at most {len(everything)} " in refusal(sample, domain, len(everything) + 1)


def test_refusal_names_the_maximum_and_the_remedy():
    assert refusal(sample, ADD.domain(9), 26) == (
        "26 different operands were asked of add, but there are at most 25 (0..4 each); "
        "ask for fewer or use more `digits`"
    )


@pytest.mark.parametrize("asked", [91, 100, 101, 10**6])
def test_refusal_counts_only_operands_with_an_answer(asked):
    assert sample(DIVIDE.domain(9), 90).shape == (90, 2)  # 100 pairs, ten of them with a divisor of 0
    assert "at most 90 " in refusal(sample, DIVIDE.domain(9), asked)


def test_excluded_rows_are_not_drawn_from_a_small_domain():
    domain = ADD.domain(9)
    taken = sample(domain, 10)
    rest = sample(domain, 15, seed=1, exclude=taken)
    assert {*map(tuple, taken.tolist())} | {*map(tuple, rest.tolist())} == {*itertools.product(range(5), repeat=2)}
    assert "at most 25 (0..4 each, 10 of them already used)" in refusal(sample, domain, 16, exclude=taken)


def test_excluded_rows_are_not_drawn_from_a_large_domain():
    domain = HALVE.domain(1_000_001)
    even = np.arange(0, 1_000_002, 2)[:, None]
    rows = sample(domain, 10_000, exclude=even)
    assert (rows % 2 == 1).all()
    assert len(np.unique(rows)) == 10_000  # about a hundred were drawn twice


@pytest.mark.parametrize("limit", [9, SEVEN])
def test_descending_operands_descend_whatever_the_rule(limit):
    domain = Operation("low", min, operands=3, descending=True).domain(limit)
    rows = sample(domain, 200)
    assert (np.diff(rows, axis=1) <= 0).all()
    assert domain.candidates == (220 if limit == 9 else math.comb(limit + 3, 3))


def test_excluded_rows_that_were_never_legal_cost_nothing():
    foreign = np.array([[n, n] for n in range(10, 20)])
    assert sample(ADD.domain(9), 25, exclude=foreign).shape == (25, 2)


def test_large_domain_without_answers_is_refused():
    rare = Operation("rare", lambda a, _: a if a == 123 else -1)
    assert refusal(sample, rare.domain(SEVEN), 10) == (
        "only 0 of 10 operands were found for rare with answers in 0..9999999; ask for fewer or use more `digits`"
    )
