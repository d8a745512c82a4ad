"""Wrong input on the command line: one line that names the value and the remedy, and nothing done."""

from pathlib import Path

import numpy as np
import pytest

import visarith as va
from command_line import complaint
from visarith.pictures.png import save_png


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["divide"], "operation 'divide' is unknown; use one of add"),
        (["add", "--digits", "x"], "invalid int value: 'x'"),
        (["add", "--digits", "0"], "digits 0 is too small; use 1 or more"),
        (["add", "--base", "1"], "base 1 has no numerals; use a base from 2 to 36"),
        (["add", "--noise", "-1"], "noise -1.0 is not a standard deviation; use 0 to 100 (the paper: 0.3)"),
        (["add", "--noise", "nan"], "noise nan is not a standard deviation"),
        (["add", "--examples", "0"], "examples 0 is too small; use 1 or more"),
        (
            ["add", "--digits", "2", "--examples", "150000", "--test-pairs", "30000"],
            "180000 different operands were asked of add, but there are at most 2500",
        ),
        (["add", "--digits", "2", "--examples", "3000"], "asked of add, but there are at most 2500"),
        (["add", "--learner", "columns", "--hidden-layers", "2"], "--hidden-layers is an option of perceptron"),
        (["add", "--learner", "columns", "--hidden-layers", "2"], "and columns has none of that name; leave it out"),
        (["add", "--path", "aligned"], "--path is an option of columns, tally, and perceptron has none of that name"),
        (["add", "--epochs", "0"], "epochs 0 is too small; use 1 or more"),
        (["add", "--seed", "-1"], "seed -1 is too small; use 0 or more"),
        (["add", "--threads", "0"], "threads 0 is too small; use 1 or more"),
        (["add", "--threads", "100000"], "threads 100000 is too large"),
        (["add", "--digits", "99999999"], "digits 99999999 is too large; use 10000 or less"),
        (["add", "--width", "99999999999"], "weights is too large; use a smaller --width"),
        (["add", "--hidden-layers", "100000"], "hidden layers 100000 is too large; use 1000 or less"),
        (["add", "--picture", "1000x100000"], "has 100,000,000 pixels, more than 4,000,000; make it smaller"),
        (["add", "--set", "rate=inf"], "rate inf is not possible; use more than 0, up to 1e+30"),
        (["add", "--see", "1"], "unrecognized arguments: --see 1"),
        (["add", "--co\nlour"], "unrecognized arguments: --co lour"),
        (["add", "--width", "0"], "width 0 is too small; use 1 or more"),
        (["add", "--hidden-layers", "0"], "hidden layers 0 is too small; use 1 or more"),
        (["add", "--recipe", "secret"], "recipe 'secret' is unknown; use one of paper, columns, adam"),
        (["add", "--set", "speed=9"], "'speed=9' sets no field of a recipe"),
        (["add", "--set", "rate=fast"], "'rate=fast' needs a value like rate=0.1"),
        (["add", "--set", "centring=maybe"], "'centring=maybe' needs a value like centring=True"),
        (["add", "--learner", "oracle"], "invalid choice: 'oracle' (choose from 'perceptron'"),
        (["add", "--font", "nowhere.ttf"], "nowhere.ttf is not a readable font"),
        (["add", "--font-size", "40"], "font size 40 is too large for cells of 15 x 8 pixels"),
        (["add", "--picture", "big"], "picture 'big' is no size; write height x width, such as 15x60"),
        (["add", "--picture", "15x6"], "too large for cells"),
        (["add", "--medium", "one-hot", "--noise", "0.3"], "not for medium one-hot; leave them out"),
        (["add", "--medium", "one-hot", "--tesseract", "5"], "Tesseract reads pictures"),
        (["add", "--tesseract", "-5"], "tesseract -5 is too small; use 0 or more"),
        (["add", "--out", "taken/below"], "taken/below cannot be written"),
        (["add", "--colour"], "unrecognized arguments: --colour"),
    ],
)
def test_train_complains_in_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    Path("taken").write_text("precious")
    assert message in complaint(capsys, "train", *arguments)
    assert [path.name for path in Path().iterdir()] == ["taken"]
    assert Path("taken").read_text() == "precious"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("100 + 1", "100 is outside add's range 0..49; use more --digits for longer numbers"),
        ("75 + 30", "add of 75 and 30 has no answer in 0..99; use numbers in 0..49, or more --digits"),
        ("-5 + 1", "-5 is negative; numbers here are 0 or more"),
        ("12 + y", "'y' is no number in base 10; write it with 0123456789"),
        ("12 + x", "'12 + x' mixes Roman and Arabic numerals; write both numbers in the same ones"),
        ("12 - 3", "'-' is to subtract, but"),
        ("10 / 2", "'/' is to halve, but"),
        ("12", "'12' cannot be read; write it like '1234567 + 2345678'"),
        ("", "'' cannot be read"),
        ("1 + 2 + 3", "'1 + 2 + 3' cannot be read"),
        ("1.5 + 2", "'1.5' is no number in base 10"),
    ],
)
def test_calculate_complains(
    capsys: pytest.CaptureFixture[str], small_run: va.Run, expression: str, message: str
) -> None:
    assert message in complaint(capsys, "calculate", expression, "--run", small_run.path, "--save", "answer.png")
    assert not Path("answer.png").exists()


def test_other_verbs_complain(capsys: pytest.CaptureFixture[str], small_run: va.Run) -> None:
    assert "nowhere is not a run folder" in complaint(capsys, "calculate", "1 + 2", "--run", "nowhere")
    assert "nowhere is not a run folder" in complaint(capsys, "evaluate", "nowhere")
    assert "takes pictures of 2 digits only" in complaint(capsys, "evaluate", small_run.path, "--digits", 9)
    assert "pairs 0 is too small; use 1 or more" in complaint(capsys, "evaluate", small_run.path, "--pairs", 0)
    assert "invalid choice" in complaint(capsys, "evaluate", small_run.path, "--reader", "me")
    assert "no verb was given" in complaint(capsys)
    unwritable = ["calculate", "1 + 2", "--run", small_run.path, "--save", "no/such/folder.png"]
    assert "no/such/folder.png cannot be written" in complaint(capsys, *unwritable)


def test_predict_complains(capsys: pytest.CaptureFixture[str], small_run: va.Run) -> None:
    good = small_run.task.layout.typeset(np.array([[1, 2]], np.uint8))[0] / 255
    save_png(good, "good.png")
    save_png(np.zeros((15, 60)), "wide.png")
    Path("text.png").write_text("I am no picture")
    call = ["predict", small_run.path]
    out = ["--out", "answer.png"]
    assert "wide.png is 15 x 60, but this run takes 15 x 20" in complaint(capsys, *call, "good.png", "wide.png", *out)
    assert "text.png is not a PNG picture" in complaint(capsys, *call, "good.png", "text.png", *out)
    assert "gone.png does not exist" in complaint(capsys, *call, "good.png", "gone.png", *out)
    assert "1 pictures were given; add-2digits takes 2, one an operand" in complaint(capsys, *call, "good.png", *out)
    assert "answer.gif is no PNG file; use a name that ends in .png" in complaint(
        capsys, *call, "good.png", "good.png", "--out", "answer.gif"
    )
    before = Path("good.png").read_bytes()
    assert "would be overwritten" in complaint(capsys, *call, "good.png", "good.png", "--out", "good.png")
    assert Path("good.png").read_bytes() == before
    assert not Path("answer.png").exists()
