"""`visarith read`: what a person types is scored beside templates and Tesseract, on the same pictures."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

import visarith as va
from command_line import complaint, run
from visarith.reading import UNREADABLE
from visarith.reading.readers import Tesseract, in_cells
from visarith.studies import chosen
from visarith.studies.local import Local
from visarith.studies.reproduce import reproduce
from visarith.studies.results import Results

ANSWERS = 20


def truths(of: va.Run) -> list[str]:
    """The true sums of the first held-out pairs, by Python's own addition."""
    _, test = of.task.examples(of.experiment.examples, of.experiment.test_pairs, seed=of.experiment.seed)
    return [f"{a + b:02}" for a, b in test.operands[:ANSWERS].tolist()]


def typed(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_person_who_knows_the_answers_is_right(
    small_run: va.Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The truth is typed, so every digit counts as right that is true, whatever the network drew."""
    typed(truths(small_run), monkeypatch)
    found = json.loads(run(capsys, "read", small_run.path, "--answers", ANSWERS, "--out", "me.json", "--json")[1])
    assert found["scores"]["person"]["digit_error"] == 0
    assert {score["pairs"] for score in found["scores"].values()} == {ANSWERS}
    _, test = small_run.task.examples(2125, 375, seed=0)
    read = [small_run.calculate(a, b) for a, b in test.operands[:ANSWERS].tolist()]
    assert found["scores"]["templates"]["number_error"] == np.mean(
        [str(a).rjust(2, "0") != b for a, b in zip(read, truths(small_run), strict=True)]
    )
    assert json.loads(Path("me.json").read_text()) == found


def test_a_wrong_line_is_asked_again_and_an_empty_one_ends(
    small_run: va.Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = truths(small_run)[:2]
    other = str(9 - int(second[0])) + second[1]
    typed(["123", first, other, ""], monkeypatch)
    _, said, asked = run(capsys, "read", small_run.path)
    assert "'123' has 3 characters, not 2" in asked
    assert said.splitlines()[0] == "2 answers, digits wrong"
    assert "person     25.0 %" in said
    typed(["?" + first[1], ""], monkeypatch)
    assert "person     50.0 %" in run(capsys, "read", small_run.path)[1]


def test_what_cannot_be_read_or_kept_is_said(
    small_run: va.Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed([""], monkeypatch)
    code, out, err = run(capsys, "read", small_run.path)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("visarith: nothing was typed")
    Path("there.json").write_text("kept")
    assert "there.json exists" in complaint(capsys, "read", small_run.path, "--out", "there.json")
    assert Path("there.json").read_text() == "kept"
    assert "answers 0 is too small" in complaint(capsys, "read", small_run.path, "--answers", "0")


def test_a_line_in_cells() -> None:
    notation = va.Task("add", digits=3).notation
    assert in_cells("1?3", notation).tolist() == [1, UNREADABLE, 3]
    assert in_cells("13", notation).tolist() == [UNREADABLE] * 3
    assert in_cells("1x3", notation).tolist() == [UNREADABLE] * 3


def test_tesseract_without_its_list_of_digits_may_see_letters() -> None:
    """A picture of letters is no number to it; told that there are only digits, it sees digits."""
    task = va.Task("add", digits=7)
    letters = va.Task("add", notation="roman", digits=2).layout
    line = letters.typeset(np.array([[letters.alphabet.index(symbol) for symbol in "XXIVXLI".ljust(10)]]))
    pictures = line[:, :, :60].astype(np.float32) / 255
    assert not set(Tesseract(task.notation, 1, any_character=True).read(pictures).texts[0]) <= set("0123456789")
    assert set(Tesseract(task.notation, 1).read(pictures).texts[0]) <= set("0123456789")


def test_readers_see_the_same_answers(tmp_path: Path) -> None:
    results = Results(tmp_path / "results", quick=True)
    (found,) = reproduce(chosen(["readers/add"], [0], quick=True), results, runs=tmp_path / "runs", executor=Local(1))
    assert found.failed is None
    assert set(found.found["readers"]) == {"templates", "tesseract", "open", "sure"}
    assert found.found["pairs"] == 20
    for each in found.found["readers"].values():
        assert 0 <= each["blurred_unreadable"] <= found.found["blurred"]
        assert each["blurred_unreadable"] <= each["unreadable"]
