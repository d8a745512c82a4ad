"""Operations from text: against Python's own arithmetic, and every wrong text refused in one line with nothing run."""

import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest

from command_line import complaint
from visarith.errors import VisarithError
from visarith.operations.bounds import Bounds
from visarith.operations.expression import Expression, from_text
from visarith.operations.formula import Places, parse

TEXTS = [
    "a + b",
    "a - b * 3 + 7",
    "-a + 2 * b",
    "a // (b + 1) + a % (b + 3)",
    "(a - b) // 7 + (a - b) % 7 + 50",
    "(b - a) % -5 + 9",
    "a ** 3 - b ** 2",
    "(a & b) + (a | b) - (a ^ 5)",
    "(a > b) + (a <= b) * 2 + (a == b) + (a != 3)",
    "a if a % 2 else b // 2",
    "a // b if b else 0",
    "max(a, b) - min(a, b) + abs(a - b)",
    "gcd(a, b) + digit_sum(a)",
    "reverse(a) + reverse(b)",
    "(a + b) % base**digits",
]


def oracle(text: str, base: int, digits: int) -> Callable[[int, int], int]:
    """Python itself, on a copy of the text: what our parser never does."""

    def written(number: int) -> list[int]:
        return [number // base**i % base for i in range(digits)]

    names = {
        "max": max,
        "min": min,
        "abs": abs,
        "gcd": math.gcd,
        "reverse": lambda x: sum(d * base ** (digits - 1 - i) for i, d in enumerate(written(x))),
        "digit_sum": lambda x: sum(written(x)),
        "base": base,
        "digits": digits,
    }
    code = compile(text, "oracle", "eval")
    return lambda a, b: int(eval(code, {"__builtins__": {}}, names | {"a": a, "b": b}))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("base", [10, 3])
def test_one_and_many_and_python_agree(text: str, base: int) -> None:
    digits = 3
    rule = Expression(parse(text), Places(base, digits))
    rows = np.random.default_rng(1).integers(0, base**digits, (300, 2))
    operands = rows[:, : len(rule.names)]
    expected = [oracle(text, base, digits)(*row) for row in rows.tolist()]
    assert [rule(*row) for row in operands.tolist()] == expected
    assert rule.many(operands).tolist() == expected
    low, high = rule.bounds(base**digits - 1).of(rule.tree)
    assert all(low <= answer <= high for answer in expected)


def test_large_numbers_are_computed_by_pythons_own() -> None:
    rule = from_text("a ** 8 + b", digits=9).rule
    assert isinstance(rule, Expression)
    rows = np.array([[999_999_999, 5], [123_456_789, 999_999_999]])
    found = rule.many(rows)
    assert found.dtype == object
    assert found.tolist() == [999_999_999**8 + 5, 123_456_789**8 + 999_999_999]


def test_two_hundred_thousand_pairs_at_once() -> None:
    rule = from_text("max(a, b) * 3 - a // (b + 1)").rule
    assert isinstance(rule, Expression)
    rows = np.random.default_rng(0).integers(0, 10**7, (200_000, 2))
    found = rule.many(rows)
    assert found.dtype == np.int64
    assert [rule(*row) for row in rows[:100].tolist()] == found[:100].tolist()


def test_operations_are_values() -> None:
    one, same = from_text("max(a,  b)", digits=3), from_text("max(a, b)", digits=3)
    assert one == same
    assert hash(one) == hash(same)
    assert pickle.loads(pickle.dumps(one)) == one
    assert from_text("a * 3").operands == 1


@pytest.mark.parametrize(
    ("text", "largest"),
    [("a + b", 4_999_999), ("a * 3", 3_333_333), ("a * b", 3162), ("max(a, b)", 9_999_999), ("a - b", 9_999_999)],
)
def test_operands_are_as_large_as_answers_allow(text: str, largest: int) -> None:
    assert from_text(text).domain(9_999_999).largest == largest


def test_what_divides_by_zero_unseen_has_no_answer() -> None:
    rule = Expression(parse("a // (b - 3)"), Places(10, 2))
    assert rule.many(np.array([[8, 3], [8, 5]])).tolist() == [-1, 4]


def test_bounds_prove_a_divisor_safe() -> None:
    for text, safe in (("a // (b + 1)", True), ("a // b", False), ("a % 7", True), ("a // (a - b)", False)):
        bounds = Bounds({"a": (0, 99), "b": (0, 99)}, Places(10, 2))
        bounds.of(parse(text))
        assert bounds.safe == safe, text


BAD = [
    ("__import__('os')", "not a known function"),
    ("a.__class__", "not arithmetic"),
    ("exec('a')", "not a known function"),
    ("(9**9)**9", "exponent 9"),
    ("((((9**8)**8)**8)**8)**8 + a", "too large to compute"),
    ("(" * 10_000 + "a" + ")" * 10_000, "too long"),
    ("-" * 290 + "a", "deep"),
    ("a ** b", "exponent b"),
    ("a << 3", "use + - * // % ** & | ^"),
    ("a / b", "write a // b"),
    ("(a + 1) / (b + 2)", "write (a + 1) // (b + 2)"),
    ("a + 1.5", "1.5 is not a whole number"),
    ("'a'", "not a whole number"),
    ("a + True", "True is not a whole number"),
    ("lambda: a", "not arithmetic"),
    ("[a for a in b]", "not arithmetic"),
    ("(a := 3)", "not arithmetic"),
    ("a + c", "c is unknown"),
    ("divide", "operation 'divide' is unknown; use one of add, "),
    ("b + 1", "name the one operand a"),
    ("3", "no operand a"),
    ("max(a)", "gives max 1 numbers; use 2"),
    ("a < b < 3", "write one comparison"),
    ("9" * 200, "too large"),
    ("a +", "cannot be read"),
    ("a\n+ b", "cannot be read"),
    ("", "cannot be read"),
    ("a // b", "a // b divides by zero at a = 0, b = 0; write a // (b + 1)"),
    ("(a + b) % b", "write (a + b) % (b + 1)"),
    ("a // (b - 123456)", "divides by zero at a = 0, b = 123456; write (a // (b - 123456) if b - 123456 else 0)"),
    ("a - b - 10**8", "has an answer"),
]


@pytest.mark.parametrize(("text", "says"), BAD, ids=[text[:20] for text, _ in BAD])
def test_wrong_expressions_on_the_command_line(capsys, text: str, says: str) -> None:  # type: ignore[no-untyped-def]
    arguments = ["learnable", "--digits", "7", "--", text] if text.startswith("-") else ["learnable", text]
    assert says in complaint(capsys, *arguments)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["add", "--base", "37"], "base 37 has no numerals"),
        (["a + b", "--base", "1"], "base 1 has no numerals"),
        (["a + b", "--digits", "0"], "digits 0 is too small"),
        (["a + b", "--digits", "40"], "use fewer --digits"),
        (["a + b", "--seed", "-1"], "seed -1 is too small"),
        (["a + b", "--notation", "roman", "--base", "3"], "Roman numerals have no base"),
        (["a + b", "--notation", "roman", "--digits", "8"], "digits 8 is too large"),
        (["any"], "more than one answer or a sign"),
        (["add-subtract"], "more than one answer"),
    ],
)
def test_wrong_options(capsys, options: list[str], says: str) -> None:  # type: ignore[no-untyped-def]
    assert says in complaint(capsys, "learnable", *options)


def test_no_answers_at_all() -> None:
    with pytest.raises(VisarithError, match=r"no operands have an answer of a \+ 200 in 0..99; use more `digits`"):
        from_text("a + 200", digits=2)
