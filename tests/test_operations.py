"""Operations against Python's own arithmetic: ranges, answers and what is refused."""

import itertools
import math
import operator

import numpy as np
import pytest

from conftest import DESCENDING, PARTNERS, PYTHON, refusal, sample
from visarith.operations import (
    ADD,
    ADD_SUBTRACT,
    ADD_THREE,
    ASSOCIATE,
    COPY,
    HALVE,
    MULTIPLY,
    OPERATIONS,
    SUBTRACT,
    Operation,
)

SEVEN = 10**7 - 1
DIVIDE = Operation("divide", operator.floordiv, digits=1)


@pytest.mark.parametrize(
    ("operation", "largest"),
    [
        (ADD, 4_999_999),
        (MULTIPLY, 3160),
        (ADD_THREE, 3_333_333),
        (ADD_SUBTRACT, 4_999_999),
        *[(operation, 9_999_999) for operation in (SUBTRACT, HALVE, ASSOCIATE, COPY)],
    ],
)
def test_paper_ranges(operation, largest):
    assert operation.domain(SEVEN).largest == largest


def test_only_subtraction_is_descending():
    assert {name for name, operation in OPERATIONS.items() if operation.descending} == DESCENDING


def test_every_built_in_operation_has_a_truth_here():
    assert OPERATIONS.keys() == PYTHON.keys() | {"any"}
    assert {name: operation.name for name, operation in OPERATIONS.items()} == {name: name for name in OPERATIONS}


def test_partners_follow_no_arithmetic():
    """Each digit but 0 has another digit as its partner, and no a x digit + b mod 10 says which."""
    partner = {a: ASSOCIATE.domain(9).check((a,))[0] for a in range(10)}
    assert partner == {int(digit): int(other) for digit, other in PARTNERS.items()}
    assert sorted(partner.values()) == list(range(10))
    assert [a for a in range(10) if partner[a] == a] == [0]
    lines = itertools.product(range(10), repeat=2)
    assert not any(all((slope * a + start) % 10 == partner[a] for a in range(1, 10)) for slope, start in lines)


@pytest.mark.parametrize("base", [2, 3, 10, 16, 36])
@pytest.mark.parametrize("digits", [1, 2, 7, 30])
def test_answers_of_the_largest_operands_fit_and_no_room_is_wasted(base, digits):
    limit = base**digits - 1
    add, multiply = ADD.domain(limit).largest, MULTIPLY.domain(limit).largest
    three = ADD_THREE.domain(limit).largest
    assert add + add <= limit < (add + 1) + (add + 1)
    assert 3 * three <= limit < 3 * (three + 1)
    assert 0.99 * math.isqrt(limit) <= multiply <= math.isqrt(limit)  # the paper's 3160 could be 3162
    assert SUBTRACT.domain(limit).largest == HALVE.domain(limit).largest == limit


@pytest.mark.parametrize("name", list(PYTHON))
def test_largest_operands_give_pythons_answer(name):
    domain = OPERATIONS[name].domain(SEVEN)
    operands = (domain.largest,) * domain.operation.operands
    assert domain.check(operands) == PYTHON[name](*operands)
    assert all(0 <= answer <= SEVEN for answer in PYTHON[name](*operands))


@pytest.mark.parametrize("name", list(PYTHON))
@pytest.mark.parametrize("limit", [SEVEN, 10**30 - 1])
def test_sampled_answers_fit_and_are_pythons(name, limit):
    domain = OPERATIONS[name].domain(limit)
    for row in sample(domain, 500).tolist():
        truth = PYTHON[name](*row)
        assert domain.answers(row) == truth
        assert len(truth) == domain.operation.answers
        assert all(0 <= answer <= limit for answer in truth)


def test_operation_of_a_user():
    domain = Operation("max", max, digits=7).domain(SEVEN)
    assert domain.largest == SEVEN
    assert domain.answers((3, 9_999_999)) == (9_999_999,)
    rows = sample(domain, 200).tolist()
    assert [domain.answers(row)[0] for row in rows] == [max(row) for row in rows]


def test_what_a_picture_can_show_is_checked_but_not_all_of_it_is_trained():
    domain = ADD.domain(9_999_999)
    assert domain.check((1_234_567, 7_654_321)) == (8_888_888,)
    assert not domain.trained((1_234_567, 7_654_321))
    assert domain.trained((0, 4_999_999))
    assert not domain.trained((0, 5_000_000))


def test_division_by_zero_is_not_in_the_domain():
    domain = DIVIDE.domain(9)
    assert domain.answers((8, 0)) is None
    assert domain.answers((8, 3)) == (2,)
    assert (sample(domain, 90)[:, 1] > 0).all()
    assert (
        refusal(domain.check, (8, 0)) == "divide of 8 and 0 has no answer in 0..9; use other numbers, or more `digits`"
    )


def test_negative_answers_are_not_in_the_domain():
    domain = Operation("difference", operator.sub).domain(9)
    assert domain.answers((2, 5)) is None
    assert {*map(tuple, sample(domain, 55).tolist())} == {(a, b) for a in range(10) for b in range(a + 1)}


def test_answers_that_are_too_large_are_not_in_the_domain():
    domain = Operation("sum", operator.add).domain(9)
    assert domain.answers((4, 5)) == (9,)
    assert domain.answers((5, 5)) is None
    assert sample(domain, 55).sum(1).max() == 9


@pytest.mark.parametrize(("result", "shown"), [(2.5, "2.5"), (2.0, "2.0"), (None, "None")])
def test_answers_that_are_no_whole_numbers_are_refused(result, shown):
    domain = Operation("odd", lambda *_: result).domain(9)
    assert refusal(domain.answers, (3, 4)) == f"the rule of odd gives {shown} for (3, 4); give whole numbers"


def test_numpy_answers_become_pythons_numbers():
    answers = Operation("np", lambda a, b: np.int64(a) + b).domain(9).answers((3, 4))
    assert answers == (7,)
    assert type(answers[0]) is int


@pytest.mark.parametrize(("said", "given"), [(1, (1, 2)), (2, (1,)), (2, 1), (2, [1, 2, 3])])
def test_wrong_number_of_answers_is_refused(said, given):
    count = len(given) if isinstance(given, tuple | list) else 1
    domain = Operation("pair", lambda *_: given, answers=said).domain(9)
    assert refusal(domain.answers, (3, 4)) == f"the rule of pair gives {count} answers; say answers={count}"


def test_two_answers():
    domain = Operation("divmod", divmod, answers=2).domain(99)
    assert domain.check((17, 5)) == (3, 2)
    for a, b in sample(domain, 300).tolist():
        assert domain.answers((a, b)) == divmod(a, b)


@pytest.mark.parametrize("operation", [ADD, SUBTRACT, MULTIPLY])
def test_hundred_digits(operation):
    domain = operation.domain(10**100 - 1)
    rows = sample(domain, 50)
    assert rows.dtype == object
    assert all(type(number) is int and 0 <= number <= domain.largest for number in rows.ravel())
    assert max(rows.ravel()) > domain.largest // 2
    assert np.array_equal(rows, sample(domain, 50))
    assert not np.array_equal(rows, sample(domain, 50, seed=1))
    for row in rows.tolist():
        assert domain.answers(row) == PYTHON[operation.name](*row)


def test_operands_that_no_picture_can_show_are_refused():
    domain = Operation("last", lambda n: n % 10, operands=1, largest=lambda _: 99).domain(9)
    assert "99" in refusal(sample, domain, 50)


@pytest.mark.parametrize(
    ("operation", "operands", "message"),
    [
        (ADD, (10_000_000, 1), "10000000 is outside add's range 0..4999999; use more `digits` for longer numbers"),
        (
            ADD,
            (5_000_000, 5_000_000),
            "add of 5000000 and 5000000 has no answer in 0..9999999; use numbers in 0..4999999, or more `digits`",
        ),
        (ADD, (3, -1), "-1 is outside add's range 0..4999999; numbers are whole and not negative"),
        (SUBTRACT, (3, 4), "3 and 4 are the wrong way round for subtract; put the larger number first"),
        (ADD, (3,), "add takes 2 numbers, not 1"),
        (HALVE, (3, 4), "halve takes 1 numbers, not 2"),
        (ADD_THREE, (3, 4), "add-three takes 3 numbers, not 2"),
        (ADD_SUBTRACT, (3, 4), "3 and 4 are the wrong way round for add-subtract; put the larger number first"),
    ],
)
def test_check_says_what_is_wrong(operation, operands, message):
    assert refusal(operation.domain(SEVEN).check, operands) == message


@pytest.mark.parametrize("field", ["operands", "answers", "digits"])
def test_operations_have_at_least_one_of_each(field):
    assert refusal(Operation, "none", max, **{field: 0}) == f"{field} 0 is too small; use 1 or more"
