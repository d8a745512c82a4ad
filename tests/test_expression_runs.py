"""Runs of expressions: stored as text, loaded without code, lengthened, and calculated with; Python is the oracle."""

import json
from pathlib import Path

import numpy as np
import pytest

import visarith as va
from command_line import complaint, run
from conftest import HARDLY
from visarith.operations.expression import name_of, named
from visarith.operations.formula import parse

SMALL = {"examples": 300, "test_pairs": 50, "recipe": HARDLY, "threads": 1}
LONG = "(a + 1) * (b + 2) % 89 + (a + 3) * (b + 4) % 79 - (a * 5 + b * 6 + 7) % 11 + 11"


def columns() -> va.LearnerConfig:
    return va.learner_config("columns", path="aligned", scan="right", width=8)


@pytest.fixture(scope="module")
def weighted(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """A run of a + 2*b in two digits, which has learned next to nothing."""
    out = tmp_path_factory.mktemp("weighted") / "run"
    return va.learn(va.Task("a+2*b", digits=2), columns(), **SMALL, out=out)


@pytest.fixture(scope="module")
def complement(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """A run of one operand whose rule depends on base and digits."""
    out = tmp_path_factory.mktemp("complement") / "run"
    small = SMALL | {"examples": 200}
    return va.learn(va.Task("base**digits - 1 - a", digits=2, base=16), columns(), **small, out=out)


def test_the_text_is_stored_and_is_all_that_loading_needs(weighted: va.Run, complement: va.Run) -> None:
    for finished, text, answer in ((weighted, "a + 2 * b", 3 + 2 * 40), (complement, "base ** digits - 1 - a", 252)):
        stored = json.loads((finished.path / "experiment.json").read_text())
        assert stored["operation"]["expression"] == text
        assert not stored["builtin"]
        again = va.load(finished.path)
        assert again.task == finished.task
        assert str(again.task.operation) == text
        assert again.score == finished.score
        assert again.task.domain.check((3, 40)[: again.task.operation.operands]) == (answer,)


def test_a_long_expression_is_stored_in_full(tmp_path: Path) -> None:
    task = va.Task(LONG, digits=3)
    assert len(str(task.operation)) == 60 < len(LONG)
    from visarith.data.stored import task_from_json, task_to_json

    again = task_from_json(json.loads(json.dumps(task_to_json(task))), str(tmp_path), None, None)
    assert again == task
    for a, b in np.random.default_rng(5000).integers(0, 999, (50, 2)).tolist():
        assert again.operation.rule(a, b) == eval(LONG, {"a": a, "b": b})


def test_text_that_fits_can_be_parsed_again() -> None:
    text = "*".join(["(" + "+".join(["a"] * 25) + ")"] * 5)
    stored = named(text).expression  # type: ignore[attr-defined]
    assert len(text) < 300 < len(stored)  # with the spaces that are put between its parts
    assert named(stored) == named(text)


@pytest.mark.parametrize("digits", [1, 5, 30])
def test_rules_that_depend_on_the_digits_are_computed_anew_at_each_length(digits: int) -> None:
    number = 10 ** (digits - 1) + 7 % 10**digits
    for text, oracle in (
        ("reverse(a)", int(str(number).zfill(digits)[::-1])),
        ("base**digits - 1 - a", int("9" * digits) - number),
        ("a + digits", number + digits),
        ("abs(a - 5)", abs(number - 5)),
    ):
        other = va.Task(text, digits=3).at(digits)
        assert other.domain.answers((number,)) == ((oracle,) if oracle < 10**digits else None), text
        assert other == va.Task(text, digits=digits, typeface=other.typeface)


def test_a_thousand_digits() -> None:
    task = va.Task("a + 2*b").at(1000)
    rows = task.fresh(5, seed=5000)
    assert rows.operands.max() <= (10**1000 - 1) // 3
    for (a, b), answer in zip(rows.operands.tolist(), rows.answers, strict=True):
        assert answer[0].tolist() == [int(digit) for digit in str(a + 2 * b).zfill(1000)]


def test_comparisons_and_functions_are_drawn_as_numbers() -> None:
    for text, operands, answer in (
        ("a > b", (7, 3), 1),
        ("a > b", (3, 7), 0),
        ("abs(a - b)", (3, 7), 4),
        ("max(a, b)", (3, 7), 7),
        ("gcd(a, b)", (12, 18), 6),
        ("a // 7", (50,), 7),
        ("reverse(a)", (50,), 500),
        ("digit_sum(a)", (59,), 14),
    ):
        task = va.Task(text, digits=4)
        written = task.write(np.array([operands])).answers[0, 0]
        assert task.notation.text(written) == str(answer).zfill(4), text


def test_names_for_folders_differ_where_expressions_do() -> None:
    texts = ["(a + b) % 7", "a + b % 7", "a * (b + 2)", "a * b + 2", "abs(a) - b", "abs(a - b)", "a > b", "a >= b"]
    texts += ["a ** 2", "a * 2", "a // 2", "2 * a", "max(a, b)", "min(a, b)", LONG, LONG + " + a"]
    names = [name_of(parse(text)) for text in texts]
    assert len(set(names)) == len(texts)
    assert all(len(name) <= 40 and name.isascii() for name in names)
    assert va.Task("a + 2*b").label == "a-plus-2-times-b"
    assert va.Task("a + 2*b", digits=3, base=16, padded=False).label == "a-plus-2-times-b-3digits-base16-unpadded"


def test_spaces_make_no_other_run_and_another_rule_is_refused(weighted: va.Run) -> None:
    again = va.learn(va.Task("a  +  2 * b", digits=2), columns(), **SMALL, out=weighted.path)
    assert again.score == weighted.score
    with pytest.raises(
        va.VisarithError, match=r"an operation whose name is 'a-plus-2-times-b', not 'a-plus-b-times-3'"
    ):
        va.learn(va.Task("a + b*3", digits=2), columns(), **SMALL, out=weighted.path)


@pytest.mark.parametrize("text", ["a + c", "", 7, None, "a // b //"])
def test_a_damaged_expression_is_refused(text: object, weighted: va.Run, tmp_path: Path, capsys) -> None:  # type: ignore[no-untyped-def]
    stored = json.loads((weighted.path / "experiment.json").read_text())
    stored["operation"]["expression"] = text
    (tmp_path / "experiment.json").write_text(json.dumps(stored))
    (tmp_path / "score.json").write_text((weighted.path / "score.json").read_text())
    assert "is damaged" in complaint(capsys, "evaluate", tmp_path)


def test_every_verb_takes_the_run(capsys, weighted: va.Run, complement: va.Run) -> None:  # type: ignore[no-untyped-def]
    def said(*arguments: object, expected: int = 0) -> dict[str, object]:
        code, out, err = run(capsys, *arguments, "--json")
        assert code == expected, err
        found: dict[str, object] = json.loads(out)
        return found

    (row,) = said("runs", weighted.path.parent)["runs"]  # type: ignore[misc]
    assert (row["operation"], row["expression"]) == ("a-plus-2-times-b", "a + 2 * b")
    assert "a + 2 * b" in run(capsys, "runs", weighted.path.parent)[1]
    drawn = said("calculate", "a=3 b=40", "--run", weighted.path)
    assert (drawn["operands"], drawn["expected"], drawn["operation"]) == ([3, 40], "83", "a + 2 * b")
    assert said("calculate", "b = 40, a = 3", "--run", weighted.path)["operands"] == [3, 40]
    longer = said("calculate", "a=12345 b=70", "--run", weighted.path)
    assert longer["expected"] == str(12345 + 140)
    assert said("calculate", "a=0f", "--run", complement.path)["expected"] == "F0"
    assert said("calculate", "a=123", "--run", complement.path)["expected"] == "EDC"
    assert said("evaluate", weighted.path, "--digits", 20, "--pairs", 20)["digits"] == 20
    assert said("loop", weighted.path, "--steps", 3)["sequence"] == "repeat"
    assert said("loop", complement.path, "--steps", 3)["sequence"] == "repeat"
    code, out, _ = run(capsys, "certify", weighted.path, "--json")
    assert code == 3
    assert not json.loads(out)["certified"]


def test_train_takes_an_expression(capsys) -> None:  # type: ignore[no-untyped-def]
    few = ["--examples", 50, "--test-pairs", 20, "--epochs", 1, "--width", 8, "--threads", 1, "--hidden-layers", 1]
    arguments = ["train", "abs(a - b)", *few, "--digits", 2, "--base", 7, "--unpadded"]
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    found = json.loads(out)
    assert (found["operation"], found["expression"]) == ("abs_a-minus-b", "abs(a - b)")
    assert Path(found["run"]).name.startswith("abs_a-minus-b-2digits-base7-unpadded")
    assert found["paper_digit_error"] is None
    assert "is finished; this is its score" in run(capsys, *arguments)[1]
    assert va.load(found["run"]).task.domain.answers((3, 40)) == (37,)


def test_named_operands_are_for_every_run_of_one_answer(capsys, small_run: va.Run) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = run(capsys, "calculate", "a=12 b=30", "--run", small_run.path, "--json")
    assert (code, json.loads(out)["expected"]) == (0, "42")
