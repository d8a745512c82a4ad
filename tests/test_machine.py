"""Column machines: derived from answers, they are those that one would write by hand, and none where there is none."""

import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from conftest import refusal
from visarith.learners.columns import machine as machines
from visarith.learners.columns.asked import Asked, at_length
from visarith.learners.columns.machine import DifferenceError, Machine, NoMachineError, compared, derive, machine_of
from visarith.learners.columns.proof import proves_unpadded
from visarith.notation.arabic import Arabic
from visarith.operations import OPERATIONS, ColumnRule, Operation
from visarith.operations.expression import from_text
from visarith.operations.formula import parse
from visarith.operations.known_rules import column_rule_of, linear_form

Written = tuple[tuple[int, ...], Any]


@pytest.fixture(autouse=True)
def _fewer_operands(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two digits of two operands instead of three, which is faster."""
    monkeypatch.setattr(machines, "COMPARED", 20_000)
    machine_of.cache_clear()
    yield
    machine_of.cache_clear()


def _add(digits: tuple[int, ...], carry: int) -> Written:
    carry, digit = divmod(sum(digits) + carry, 10)
    return (digit,), carry


def _subtract(digits: tuple[int, ...], borrow: int) -> Written:
    difference = digits[0] - digits[1] - borrow
    return (difference % 10,), int(difference < 0)


def _both(digits: tuple[int, ...], state: tuple[int, int]) -> Written:
    (total,), carry = _add(digits, state[0])
    (difference,), borrow = _subtract(digits, state[1])
    return (total, difference), (carry, borrow)


def _halve(digits: tuple[int, ...], rest: int) -> Written:
    return ((10 * rest + digits[0]) // 2,), digits[0] % 2


def _larger(digits: tuple[int, ...], decided: int) -> Written:
    decided = decided or (digits[0] > digits[1]) - (digits[0] < digits[1])
    return (digits[0] if decided >= 0 else digits[1],), decided


BY_HAND: dict[str, tuple[Operation, str, Any, Callable[..., Written], int]] = {  # way, first state, step, states
    "add": (OPERATIONS["add"], "right", 0, _add, 2),
    "subtract": (OPERATIONS["subtract"], "right", 0, _subtract, 2),
    "add-three": (OPERATIONS["add-three"], "right", 0, _add, 3),
    "add-subtract": (OPERATIONS["add-subtract"], "right", (0, 0), _both, 4),
    "halve": (OPERATIONS["halve"], "left", 0, _halve, 2),
    "max": (Operation("larger", max), "left", 0, _larger, 3),
    "copy": (OPERATIONS["copy"], "right", 0, lambda digits, _: (digits, 0), 1),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_derived_machine_is_the_one_written_by_hand(name: str) -> None:
    operation, way, start, step, states = BY_HAND[name]
    machine = machine_of(operation, Arabic(7), way)
    assert (machine.states, machine.cases) == (states, states * 10**operation.operands)
    same = {0: start}
    for state in range(states):  # states are numbered in the order in which they are reached
        for index, column in enumerate(machine.columns):
            written, after = step(column, same[state])
            assert tuple(machine.answers[state, index]) == written
            assert same.setdefault(int(machine.following[state, index]), after) == after
    assert machine.proved


def test_known_rules_are_right() -> None:
    for text in ("a + 2*b", "3*a - 2*b + 5", "base**digits - 1 - a", "a // 7", "max(a, b)", "min(b, a)", "-(1 - a)"):
        operation = from_text(text, digits=3)
        way = "left" if text[:3] in ("max", "min") or "//" in text else "right"
        rule = column_rule_of(operation, 10, way)
        assert rule is not None, text
        for numbers in itertools.product(range(0, 1000, 37), repeat=operation.operands):
            truth = operation.domain(999).answers(numbers)
            if truth is None:
                continue
            digits = [[number // 10**place % 10 for number in numbers] for place in range(3)]
            carried, answer = rule.start, 0
            for place in range(3) if way == "right" else (2, 1, 0):
                (digit,), carried = rule.step(tuple(digits[place]), carried, 10)
                answer += digit * 10**place
            assert (answer,) == truth, (text, numbers)


@pytest.mark.parametrize("text", ["a * b", "a ** 2", "digits * a", "a // 2 + b", "a % 10", "max(a, b) + 1"])
def test_what_is_not_linear_is_not_called_so(text: str) -> None:
    assert linear_form(parse(text), 10) is None


@pytest.mark.parametrize(
    ("text", "base", "way", "states", "proved"),
    [
        ("a + 2*b", 10, "right", 3, True),
        ("a ^ b", 16, "right", 1, True),
        ("a ^ b", 2, "left", 1, True),
        ("base**digits - 1 - a", 10, "right", 1, True),
        ("base**digits - 1 - a", 10, "left", 1, False),
        ("a // 7", 10, "left", 7, True),
        ("3*a - 2*b + 5", 10, "right", 7, True),
        ("a if a % 2 else a + 1", 10, "right", 2, False),
    ],
)
def test_expressions_have_machines(text: str, base: int, way: str, states: int, proved: bool) -> None:
    machine = machine_of(from_text(text, base=base, digits=4), Arabic(4, base), way)
    assert (machine.states, bool(machine.proved)) == (states, proved)


@pytest.mark.parametrize("text", ["a * b", "gcd(a, b)", "digit_sum(a)", "reverse(a)", "abs(a - b)", "a > b", "a ^ b"])
@pytest.mark.parametrize("way", ["left", "right"])
def test_other_expressions_have_none(text: str, way: str) -> None:
    with pytest.raises(NoMachineError, match=r"has no (finite )?column machine") as caught:
        machine_of(from_text(text, digits=4), Arabic(4), way)
    assert "\n" not in str(caught.value)


def test_unpadded_numbers_have_a_blank() -> None:
    machine = machine_of(OPERATIONS["add"], Arabic(4, padded=False), "right")
    asked = Asked(OPERATIONS["add"], Arabic(4, padded=False), "right")
    assert machine.proved
    assert len(machine.columns) == 11 * 11
    assert (machine.following[0] >= 0).sum() == 100  # no number begins with a blank on the right
    word = ((9, 5), (9, 10), (10, 10))  # 99 + 5 from the right; 10 is the blank
    assert asked(word) == ((4,), (0,), (1,))
    assert asked(((0, 5), (10, 10))) == ((5,), (10,))
    assert asked(((10, 5), (1, 1))) is None
    assert asked(((5, 5), (0, 1))) is None  # 05 is not written so
    with pytest.raises(NoMachineError, match="further to the left"):
        machine_of(OPERATIONS["subtract"], Arabic(4, padded=False), "right")


def test_a_machine_that_differs_rarely_is_refined() -> None:
    """The words that first tell states apart do not tell one before 373: the comparison does."""
    rare = Operation("rare", lambda a: a + 1000 * (a % 1000 == 373), operands=1, digits=3)
    asked = Asked(rare, Arabic(3), "right")
    few = derive(asked, asked.tests()[:10])
    with pytest.raises(DifferenceError):
        compared(asked, few.columns, few.differs)
    machine = machine_of(rare, Arabic(3), "right")
    assert machine.states == 5  # at first, after 3, 73 and 373 or with a carry, and after all others
    assert compared(asked, machine.columns, machine.differs)[0] == machine.compared_digits == 4


def test_a_wrong_machine_is_found() -> None:
    asked = Asked(OPERATIONS["add"], Arabic(3), "right")
    right = derive(asked, asked.tests())
    assert compared(asked, right.columns, right.differs)[1] > 5_000
    for change in ("answers", "following"):
        wrong = Machine(right.way, right.columns, right.following.copy(), right.answers.copy(), right.final)
        getattr(wrong, change)[1, 78] = 0
        with pytest.raises(DifferenceError):
            compared(asked, wrong.columns, wrong.differs)


@pytest.mark.parametrize("change", ["a zero for a blank", "a digit", "what follows", "what may end"])
def test_a_wrong_machine_of_unpadded_numbers_is_not_proved(change: str) -> None:
    asked, rule = Asked(OPERATIONS["copy"], Arabic(3, padded=False), "right"), OPERATIONS["copy"].column_rule
    right = machine_of(OPERATIONS["copy"], Arabic(3, padded=False), "right")
    assert rule is not None
    assert proves_unpadded(rule, right, asked)
    wrong = Machine(right.way, right.columns, right.following.copy(), right.answers.copy(), right.final.copy())
    after = int(wrong.following[0, 5])  # a number whose last digit is 5
    if change == "a zero for a blank":
        wrong.answers[after, asked.blank] = 0
    elif change == "a digit":
        wrong.answers[after, 7] = 8
    elif change == "what follows":
        wrong.following[after, asked.blank] = -1
    else:
        wrong.final[after] = False
    assert not proves_unpadded(rule, wrong, asked)


def test_a_column_rule_that_is_wrong_is_refused() -> None:
    def forgets(digits: tuple[int, ...], _: int, base: int) -> Written:
        return (2 * digits[0] % base,), 0

    double = Operation("double", lambda a: 2 * a, operands=1, column_rule=ColumnRule("right", 0, forgets))
    assert "which is not its answer" in refusal(machine_of, double, Arabic(3), "right")


def test_the_length_is_that_of_the_numbers() -> None:
    nines = from_text("base**digits - 1 - a", digits=3)
    assert at_length(nines, 5).rule(7) == 99_992
    assert at_length(OPERATIONS["add"], 5) is OPERATIONS["add"]


def test_functions_of_python_are_known_by_what_they_do() -> None:
    machine = machine_of(Operation("join", operator.or_), Arabic(3, base=8), "right")
    assert machine.proved
    assert np.array_equal(machine.answers[0, :, 0], [one | other for one, other in machine.columns])
    assert not machine_of(OPERATIONS["associate"], Arabic(3), "right").proved
