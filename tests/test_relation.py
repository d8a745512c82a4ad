"""Relations of operations: automata that check answers, derived from answers, are what one would write by hand."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from conftest import refusal
from visarith.learners.columns import machine as machines
from visarith.learners.columns.asked import Asked
from visarith.learners.columns.machine import DifferenceError, NoMachineError, compared
from visarith.learners.columns.relation import ILLEGAL, RIGHT, WRONG, Relation, check_function, derive, relation_of
from visarith.learners.columns.relation_proof import known_relation
from visarith.notation.arabic import Arabic
from visarith.operations import OPERATIONS, ColumnRule, Operation
from visarith.operations.expression import from_text

PYTHON: dict[str, Callable[[int, int], int]] = {
    "abs(a - b)": lambda a, b: abs(a - b),
    "max(a, b)": max,
    "a > b": lambda a, b: int(a > b),
    "a - b": lambda a, b: a - b,
    "abs(a - b) // 2": lambda a, b: abs(a - b) // 2,
}


@pytest.fixture(autouse=True)
def _fewer_operands(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fewer digits of operands that are compared, which is faster."""
    monkeypatch.setattr(machines, "COMPARED", 5_000)
    caches = relation_of, known_relation
    for each in caches:
        each.cache_clear()
    yield
    for each in caches:
        each.cache_clear()


def stop(relation: Relation, numbers: tuple[int, ...], answer: int, base: int, length: int) -> int:
    """What the automaton says of an answer."""
    state = 0
    for place in range(length):
        column = tuple(number // base**place % base for number in numbers)
        state = int(relation.following[state, relation.columns.index(column), answer // base**place % base])
    return int(relation.stops[state])


@pytest.mark.parametrize("text", PYTHON)
def test_every_answer_to_all_short_operands_is_told_right_from_wrong(text: str) -> None:
    relation = relation_of(from_text(text, base=3, digits=4), Arabic(4, base=3))
    for length in (1, 2):
        numbers = range(3**length)
        for a, b, answer in itertools.product(numbers, repeat=3):
            truth = PYTHON[text](a, b)
            expected = ILLEGAL if truth < 0 else RIGHT if answer == truth else WRONG
            assert stop(relation, (a, b), answer, 3, length) == expected, (a, b, answer)


@pytest.mark.parametrize("text", PYTHON)
def test_long_answers_with_one_wrong_digit_are_wrong(text: str) -> None:
    relation, rng = relation_of(from_text(text, base=3, digits=4), Arabic(4, base=3)), np.random.default_rng(5000)
    for _ in range(100):
        b, a = sorted(rng.integers(0, 3**20, 2).tolist())
        truth, place = PYTHON[text](a, b), int(rng.integers(20))
        digit = truth // 3**place % 3
        assert stop(relation, (a, b), truth, 3, 20) == RIGHT
        assert stop(relation, (a, b), truth + ((digit + 1) % 3 - digit) * 3**place, 3, 20) == WRONG


@pytest.mark.parametrize(("base", "states"), [(3, 6), (4, 8)])
def test_the_automaton_of_differences_is_the_one_written_by_hand(base: int, states: int) -> None:
    """What may still be right: a - b, with a borrow or not; b - a, with a borrow or not; both; or nothing.

    In even bases both may be right after half the base is written, with a borrow for one of them.
    """
    relation = relation_of(from_text("abs(a - b)", base=base, digits=4), Arabic(4, base=base))
    same, queue = {0: frozenset({(1, 0), (-1, 0)})}, [0]
    for state in queue:
        for index, (a, b) in enumerate(relation.columns):
            for written in range(base):
                after = set()
                for sign, borrow in same[state]:
                    if (sign * (a - b) - borrow) % base == written:
                        after.add((sign, int(sign * (a - b) - borrow < 0)))
                following = int(relation.following[state, index, written])
                if following not in same:
                    same[following] = frozenset(after)
                    queue.append(following)
                assert same[following] == after
        right = any(not borrow for _, borrow in same[state])
        assert relation.stops[state] == (RIGHT if right else WRONG)
    assert len(same) == len(set(same.values())) == relation.states == states


@pytest.mark.parametrize("text", ["a * b", "gcd(a, b)", "reverse(a)"])
def test_what_no_finite_automaton_checks_is_refused(text: str) -> None:
    with pytest.raises(NoMachineError, match="has no finite automaton that checks it") as caught:
        relation_of(from_text(text, digits=4), Arabic(4))
    assert "\n" not in str(caught.value)


def _changed(relation: Relation, change: Callable[[np.ndarray, np.ndarray], None]) -> Relation:
    following, stops = relation.following.copy(), relation.stops.copy()
    change(following, stops)
    return Relation(relation.columns, following, stops, relation.symbols)


def test_an_automaton_that_takes_two_answers_for_right_is_found() -> None:
    right = relation_of(from_text("abs(a - b)", base=3, digits=4), Arabic(4, base=3))
    check_function(right)
    column = right.columns.index((2, 1))
    assert not right.leading_to(RIGHT)[right.following[0, column, 0]]  # neither 2 - 1 nor 1 - 2 ends in 0

    def end_in_two(following: np.ndarray, _: np.ndarray) -> None:
        following[0, column, 2] = 0  # as if abs(2 - 1) could also be 2

    for change in (end_in_two, lambda following, _: following[0, column].fill(0)):
        with pytest.raises(DifferenceError):
            check_function(_changed(right, change))


def test_a_wrong_automaton_is_found() -> None:
    asked = Asked(OPERATIONS["subtract"], Arabic(3), "right")
    right = derive(asked, asked.tests())
    digits, count = compared(asked, right.columns, right.differs)
    assert (digits, count > 40) == (1, True)

    def stop_wrong(_: np.ndarray, stops: np.ndarray) -> None:
        stops[0] = WRONG

    def lead_wrong(following: np.ndarray, _: np.ndarray) -> None:
        following[0, 12, 9] = following[0, 12, 8]  # 1 - 2 ends in 9

    for change in (stop_wrong, lead_wrong):
        wrong = _changed(right, change)
        with pytest.raises(DifferenceError):
            compared(asked, wrong.columns, wrong.differs)


def test_an_automaton_that_differs_rarely_is_refined() -> None:
    rare = Operation("rare", lambda a: a + 1000 * (a % 1000 == 373), operands=1, digits=3)
    asked = Asked(rare, Arabic(3), "right")
    few = derive(asked, asked.tests()[:10])
    assert relation_of(rare, Arabic(3)).states > few.states
    with pytest.raises(DifferenceError):
        compared(asked, few.columns, few.differs)


PROVED = {"max(a, b)": True, "a + 2*b": True, "a - b": True, "a // 3": True, "3*a - 2*b + 5": False}


@pytest.mark.parametrize("text", [*PROVED, "abs(a - b)", "base**digits - 1 - a"])
def test_only_known_rules_are_proved(text: str) -> None:
    known = known_relation(from_text(text, base=4, digits=4), Arabic(4, base=4))
    assert bool(known.proved) == PROVED.get(text, text != "abs(a - b)")


def test_a_column_rule_that_is_wrong_is_refused() -> None:
    def forgets(digits: tuple[int, ...], _: int, base: int) -> tuple[tuple[int, ...], int]:
        return (2 * digits[0] % base,), 0

    double = Operation("double", lambda a: 2 * a, operands=1, column_rule=ColumnRule("right", 0, forgets))
    assert "writes what is not its answer" in refusal(known_relation, double, Arabic(3))
