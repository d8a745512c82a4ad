"""Short input that asks for much work: done soon, or refused before it begins, in bounded memory."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import visarith as va
from command_line import complaint, run
from conftest import refusal, tiny
from counts import scaled
from visarith.operations.expression import SLOW, SMALL, Expression, from_text
from visarith.operations.operation import ENUMERABLE
from visarith.pictures.png import MOST_SHOWN, examples_sheet
from visarith.pictures.typeface import Typeface
from visarith.studies.learnability.question import Question, few

DEEP = "max(" * 20 + "a" + ", b)" * 20
EXPRESSIONS = (  # that took minutes, or may be meant to
    "digit_sum(a**8)",
    "digit_sum((a * b)**8)",
    "reverse(a**8)",
    "gcd(a**8, b**8 + 1)",
    "(a**8)**8 % (b + 1)",
    "a if a > 123456789012345678 else b",
    "1 if digit_sum(a**8) == 999999999999999999 else 0",
    "a**digits % (b + 1)",
    "digit_sum(reverse(a**8) * reverse(b**8))",
    DEEP,
)


class Counting(Expression):
    """An expression that counts the rows that it computes with Python's integers."""

    rows = 0

    def __call__(self, *operands: int) -> int:
        Counting.rows += 1
        return super().__call__(*operands)


@pytest.mark.parametrize("text", EXPRESSIONS)
@pytest.mark.parametrize("digits", [7, 18])
def test_an_expression_is_tried_on_so_many_operands_as_can_be_computed_soon(
    monkeypatch: pytest.MonkeyPatch, text: str, digits: int
) -> None:
    Counting.rows = 0
    monkeypatch.setattr("visarith.operations.expression.Expression", Counting)
    with suppress(va.VisarithError):
        from_text(text, digits=digits)
    assert Counting.rows <= max(SMALL, ENUMERABLE // SLOW)


def test_operands_of_slow_expressions_are_not_all_tried() -> None:
    assert few(Question("digit_sum(a)", digits=6).task())
    assert not few(Question("digit_sum(a**8)", digits=6).task())
    assert few(Question("digit_sum(a**8)", digits=4).task())


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--examples", 10**15, "--digits", 30], "GiB of memory"),
        (["--test-pairs", 10**15, "--digits", 30], "GiB of memory"),
        (["--hidden-layers", 10**6, "--width", 1], "use 1000 or less"),
        (["--width", 10**6], "weights is too large"),
        (["--hidden-layers", 1000, "--width", 5000], "weights is too large"),
        (["--set", "batch=1000000000"], "use 1000000 or less"),
        (["--epochs", 10**12], "use 1000000 or less"),
        (["--picture", "1000x100001"], "make it smaller"),
        (["--picture", "1000x3000"], "weights is too large"),
        (["--font-size", 10**9], "use 1000 or less"),
        (["--digits", 10**9], "use"),
    ],
)
def test_what_would_take_too_much_is_refused_before_it_begins(
    capsys: pytest.CaptureFixture[str], arguments: list[object], named: str
) -> None:
    assert named in complaint(capsys, "train", "add", *arguments)
    assert not Path("runs").exists()


def test_a_small_network_may_see_large_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--width", 1, "--hidden-layers", 1, "--examples", 20, "--test-pairs", 5, "--epochs", 1, "--out", "run"]
    code, _, said = run(capsys, "train", "add", "--picture", "300x900", "--digits", 2, *small)
    assert code == 0, said
    with Image.open("run/examples.png") as sheet:
        assert sheet.width * sheet.height < 2 * MOST_SHOWN


@pytest.mark.parametrize("size", [(1, 1), (15, 60), (1000, 3000), (1, 100_000), (1000, 20)])
def test_a_sheet_of_examples_is_bounded(size: tuple[int, int]) -> None:
    pictures = np.zeros((10, 2, *size), np.float32)
    sheet = examples_sheet(pictures, pictures[:, :1], pictures[:, :1])
    assert sheet[..., 0].size < 4 * MOST_SHOWN
    if size == (15, 60):
        assert sheet.shape[0] > 4 * 4 * 15  # as large as ever


def test_glyphs_of_all_sizes_are_drawn_alike_with_and_without_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of room only saves drawing what does not fit."""
    looks = [
        Typeface(height=h, width=w, ink=ink) for h, w in ((15, 60), (30, 100), (40, 300)) for ink in ("bit", "smooth")
    ]
    quick = [each.layout("0123456789", 7).glyphs for each in looks]
    monkeypatch.setattr("visarith.pictures.typeface._overflows", lambda *_: False)
    for one, other in zip(quick, (each.layout("0123456789", 7).glyphs for each in looks), strict=True):
        assert (one == other).all()


def test_numbers_that_python_does_not_write_have_a_fingerprint() -> None:
    one, other = (va.Task(name, digits=5000).domain.fingerprint() for name in ("add", "subtract"))
    assert one != other


@pytest.mark.parametrize(
    ("digits", "options"),
    [(1, {"examples": 1, "test_pairs": 1}), (1, {}), (1000, {"examples": 3, "test_pairs": 2}), (2, {"recipe": "big"})],
)
def test_runs_at_the_edge_are_runs(tmp_path: Path, digits: int, options: dict[str, object]) -> None:
    """One example, one digit, a thousand digits, a batch larger than the data."""
    if options.get("recipe"):
        options = {"recipe": va.Recipe(batch=100_000, epochs=2), "examples": 50, "test_pairs": 20}
    small = va.learner_config(hidden_layers=1, width=4)
    made = tiny(
        tmp_path / "run",
        va.Task("add", digits=digits),
        learner=small,
        **({"examples": None, "test_pairs": None} | options),
    )
    assert va.load(made.path).score == made.score


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_pixels_that_are_no_numbers_are_refused(value: float) -> None:
    pictures = np.zeros((20, 1, 6, 9), np.float32)
    pictures[3, 0, 2, 2] = value
    refusal(va.PictureSet.from_arrays, pictures, np.zeros_like(pictures))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "halve", "a + 2*b", "gcd(a, b)"])
@pytest.mark.parametrize("digits", [4, 7, 9])
def test_rows_that_are_numbers_are_drawn_like_rows_that_are_tuples(
    monkeypatch: pytest.MonkeyPatch, name: str, digits: int
) -> None:
    """In the same order, without those that are excluded, and with no mirror in both parts."""
    few = {"halve": 500}.get(name, 3000)
    compact = va.Task(name, digits=digits).examples(few, 300, seed=1)
    more = va.Task(name, digits=digits).fresh(200, seed=2, exclude=compact[0].operands)
    monkeypatch.setattr("visarith.operations.compact.Keys.fit", lambda *_: False)
    plain = va.Task(name, digits=digits).examples(few, 300, seed=1)
    assert [each.operands.tolist() for each in compact] == [each.operands.tolist() for each in plain]
    again = va.Task(name, digits=digits).fresh(200, seed=2, exclude=plain[0].operands)
    assert more.operands.tolist() == again.operands.tolist()


LIMITED = """
import resource, sys
import visarith as va
small = va.learner_config(hidden_layers=1, width=1)
recipe = va.Recipe(batch=10_000, epochs=1)
run = va.learn(va.Task("add"), small, recipe, examples=int(sys.argv[1]), test_pairs=1_000, threads=1, out="run")
print(run.experiment.examples, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.long
def test_ten_million_examples_fit_into_two_gigabytes(tmp_path: Path, counted) -> None:  # type: ignore[no-untyped-def]
    many = scaled(10_000_000)
    asked = [sys.executable, "-c", LIMITED, str(many)]
    said = subprocess.run(asked, capture_output=True, text=True, check=True, cwd=tmp_path).stdout.split()
    counted("ten million examples, drawn and learned from, in less than 2 GiB", 1, int(int(said[1]) >= 2048))
    assert int(said[0]) == many
    assert int(said[1]) < 2048
