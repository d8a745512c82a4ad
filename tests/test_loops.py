"""Column learners in use: closed loops, other lengths, the command line, stopping and going on."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import visarith as va
from command_line import complaint
from command_line import run as command
from conftest import HARDLY, refusal
from visarith.learners.certificate import certify, shuffle
from visarith.runs.loop import loop
from visarith.training.recipe import COLUMNS


def test_loops_come_round(adder: va.Run) -> None:
    fibonacci = loop(adder, steps=200)
    assert (fibonacci.sequence, fibonacci.steps, fibonacci.first_error) == ("fibonacci", 200, None)
    assert fibonacci.digits >= len(str(453973694165307953197296969697410619233826))  # the 200th has 42
    assert loop(adder, steps=50, sequence="total").first_error is None


def test_a_loop_says_when_it_goes_wrong(adder: va.Run) -> None:
    run = va.load(adder.path)
    shuffle(run.learner, seed=0)
    assert loop(run, steps=50).first_error == 1


def test_a_loop_ends_where_there_is_no_room(small_run: va.Run) -> None:
    looped = loop(small_run, steps=1000, sequence="total")
    assert looped.no_room or looped.first_error
    assert looped.steps < 1000


def test_roman_numerals_go_round_too(roman: va.Run) -> None:
    looped = loop(roman, steps=100)
    assert (looped.first_error, looped.steps) == (None, 15)  # 987; 1,597 has no room


def test_loops_that_make_no_sense_are_refused(adder: va.Run) -> None:
    assert "sequence 'powers' does not exist for add; use fibonacci or total" in refusal(loop, adder, sequence="powers")
    assert "steps 0 is too small" in refusal(loop, adder, steps=0)


def test_the_command_line_says_so(capsys: pytest.CaptureFixture[str], adder: va.Run, small_run: va.Run) -> None:
    code, out, _ = command(capsys, "certify", adder.path, "--json")
    said = json.loads(out)
    wanted = {"certified", "exact_up_to_digits", "enumerated", "wrong", "smallest_margin", "control_failed"}
    assert code == 0
    assert wanted <= set(said)
    assert said["certified"] is said["control_failed"] is True
    code, out, _ = command(capsys, "certify", adder.path)
    assert code == 0
    assert "exact at every length" in out
    assert "fails, as it must" in out
    code, out, _ = command(capsys, "loop", adder.path, "--steps", 30, "--json")
    assert code == 0
    assert json.loads(out)["first_error"] is None
    code, out, _ = command(capsys, "evaluate", adder.path, "--digits", 30, "--pairs", 20, "--json")
    assert code == 0
    assert (json.loads(out)["digits"], json.loads(out)["number_error"]) == (30, 0)
    assert command(capsys, "evaluate", adder.path, "--digits", 200, "--pairs", 5)[1].count("\n") < 10
    assert "sequence 'halves' does not exist for add" in complaint(capsys, "loop", adder.path, "--sequence", "halves")
    assert "digits 99999 is too large" in complaint(capsys, "evaluate", adder.path, "--digits", 99_999)
    assert "takes pictures of 2 digits only" in complaint(capsys, "evaluate", small_run.path, "--digits", 9)


@pytest.mark.usefixtures("short_trials")
def test_a_run_states_what_it_was_given_and_chose(capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--examples", 300, "--test-pairs", 50, "--epochs", 2, "--digits", 2, "--threads", 1, "--json"]
    few += ["--set", "least_steps=0", "--set", "attempts=1"]
    code, out, err = command(
        capsys, "train", "add", "--learner", "columns", "--cells", "found", "--path", "aligned", *few
    )
    assert code == 0
    said = json.loads(out)
    assert (said["cells"], said["path"], said["recipe"]) == ("found", "aligned", "columns")
    assert said["scan"] in ("right", "left", "right-left")
    assert isinstance(said["settled"], bool)
    assert "trying path and scan aligned, right (1 of at most" in err
    refused = complaint(capsys, "train", "add", "--path", "aligned")
    assert "--path is an option of columns, tally, and perceptron has none of that name; leave it out" in refused


@pytest.mark.parametrize("precision", ["f32", "bf16"])
def test_columns_learn_in_noise_with_either_precision(precision: str, tmp_path: Path) -> None:
    spec = va.learner_config("columns", path="aligned", scan="right")
    recipe = replace(COLUMNS, precision=precision)  # type: ignore[arg-type]
    settings = {"examples": 600, "test_pairs": 50, "epochs": 2, "threads": 1}
    run = va.learn(va.Task("add", digits=2, noise=0.3), spec, recipe, out=tmp_path / "noisy", **settings)  # type: ignore[arg-type]
    assert "no end of cases" in certify(run.learner, run.task).why


def test_tallies_may_be_centred_and_are_then_not_quantised(tmp_path: Path) -> None:
    task = va.Task("add", notation="roman", digits=2)
    spec = va.learner_config("tally", path="aligned", scan="right")
    few = {"examples": 800, "test_pairs": 100, "epochs": 60, "threads": 1}
    run = va.learn(task, spec, replace(HARDLY, centring=True), out=tmp_path / "tally", **few)  # type: ignore[arg-type]
    assert run.learner.calculator.mean.any()  # type: ignore[union-attr]
    assert not run.learner.quantised
    assert run.score.digit_error < 0.02
    pictures = task.inputs(task.fresh(20, seed=1).inputs, torch.Generator()).numpy()
    assert (va.load(run.path).predict(pictures) == run.predict(pictures)).all()


def test_tallies_are_for_numbers_that_are_said_by_counts() -> None:
    assert "Roman numerals" in refusal(va.learner_config("tally").build, va.Task("add"))
