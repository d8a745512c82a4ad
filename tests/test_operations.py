"""Operations against Python's own arithmetic: ranges, answers, sampling and what is refused."""

import itertools
import math
import operator

import numpy as np
import pytest

from visarith.errors import VisarithError
from visarith.operations import ADD, HALVE, MULTIPLY, OPERATIONS, SUBTRACT, Domain, Operation

SEVEN = 10**7 - 1
PYTHON = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "halve": lambda a: a // 2,
}
DIVIDE = Operation("divide", operator.floordiv, digits=1)


def sample(domain: Domain, count: int, seed: int = 0, **options: np.ndarray) -> np.ndarray:
    return domain.sample(count, rng=np.random.default_rng(seed), **options)


def refusal(call, *arguments, **options) -> str:
    with pytest.raises(VisarithError) as caught:
        call(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("operation", "largest"), [(ADD, 4_999_999), (MULTIPLY, 3160), (SUBTRACT, 9_999_999), (HALVE, 9_999_999)]
)
def test_paper_ranges(operation, largest):
    assert operation.domain(SEVEN).largest == largest


def test_only_subtraction_is_descending():
    assert [name for name, operation in OPERATIONS.items() if operation.descending] == ["subtract"]


@pytest.mark.parametrize("base", [2, 3, 10, 16, 36])
@pytest.mark.parametrize("digits", [1, 2, 7, 30])
def test_answers_of_the_largest_operands_fit_and_no_room_is_wasted(base, digits):
    limit = base**digits - 1
    add, multiply = ADD.domain(limit).largest, MULTIPLY.domain(limit).largest
    assert add + add <= limit < (add + 1) + (add + 1)
    assert 0.99 * math.isqrt(limit) <= multiply <= math.isqrt(limit)  # the paper's 3160 could be 3162
    assert SUBTRACT.domain(limit).largest == HALVE.domain(limit).largest == limit


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_largest_operands_give_pythons_answer(name):
    domain = OPERATIONS[name].domain(SEVEN)
    operands = (domain.largest,) * domain.operation.operands
    assert domain.check(operands) == (PYTHON[name](*operands),)
    assert 0 <= PYTHON[name](*operands) <= SEVEN


@pytest.mark.parametrize("name", list(OPERATIONS))
@pytest.mark.parametrize("limit", [SEVEN, 10**30 - 1])
def test_sampled_answers_fit_and_are_pythons(name, limit):
    domain = OPERATIONS[name].domain(limit)
    for row in sample(domain, 500).tolist():
        truth = PYTHON[name](*row)
        assert domain.answers(row) == (truth,)
        assert 0 <= truth <= limit


@pytest.mark.parametrize("name", list(OPERATIONS))
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


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_small_domain_is_exhausted_exactly(name):
    operation = OPERATIONS[name]
    domain = operation.domain(9)
    everything = {
        row
        for row in itertools.product(range(10), repeat=operation.operands)
        if max(row) <= domain.largest and 0 <= PYTHON[name](*row) <= 9 and (name != "subtract" or row[0] >= row[1])
    }
    rows = list(map(tuple, sample(domain, len(everything)).tolist()))
    assert len(rows) == len(everything)
    assert set(rows) == everything
    assert rows != sorted(rows)  # in random order
    assert f"at most {len(everything)} " in refusal(sample, domain, len(everything) + 1)


def test_refusal_names_the_maximum_and_the_remedy():
    assert refusal(sample, ADD.domain(9), 26) == (
        "26 different operands were asked of add, but there are at most 25 (0..4 each); "
        "ask for fewer or use more --digits"
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
        "only 0 of 10 operands were found for rare with answers in 0..9999999; ask for fewer or use more --digits"
    )


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
        refusal(domain.check, (8, 0)) == "divide of 8 and 0 has no answer in 0..9; use other numbers, or more --digits"
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
        assert domain.answers(row) == (PYTHON[operation.name](*row),)


def test_operands_that_no_picture_can_show_are_refused():
    domain = Operation("last", lambda n: n % 10, operands=1, largest=lambda _: 99).domain(9)
    assert "99" in refusal(sample, domain, 50)


@pytest.mark.parametrize(
    ("operation", "operands", "message"),
    [
        (ADD, (10_000_000, 1), "10000000 is outside add's range 0..4999999; use more --digits for longer numbers"),
        (
            ADD,
            (5_000_000, 5_000_000),
            "add of 5000000 and 5000000 has no answer in 0..9999999; use numbers in 0..4999999, or more --digits",
        ),
        (ADD, (3, -1), "-1 is outside add's range 0..4999999; numbers are whole and not negative"),
        (SUBTRACT, (3, 4), "3 and 4 are the wrong way round for subtract; put the larger number first"),
        (ADD, (3,), "add takes 2 numbers, not 1"),
        (HALVE, (3, 4), "halve takes 1 numbers, not 2"),
    ],
)
def test_check_says_what_is_wrong(operation, operands, message):
    assert refusal(operation.domain(SEVEN).check, operands) == message


@pytest.mark.parametrize("field", ["operands", "answers", "digits"])
def test_operations_have_at_least_one_of_each(field):
    assert refusal(Operation, "none", max, **{field: 0}) == f"{field} 0 is too small; use 1 or more"
