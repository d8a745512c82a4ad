"""The command line, in process: output, exit codes, error texts; and as a process where that is the point."""

import io
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import visarith as va
from command_line import FEW, complaint, run
from visarith.cli import GROUPS, VERBS, commands, parser
from visarith.cli.progress import Lines, progress
from visarith.cli.terminal import braille, half_blocks
from visarith.evaluation import percent
from visarith.operations import OPERATIONS
from visarith.pictures.png import save_png
from visarith.runs.construction import Checked
from visarith.runs.pretrained import FOLDER

IMPORTED = """
import sys
from visarith.cli import main
for arguments in {calls!r}:
    try:
        code = main(arguments)
    except SystemExit as stop:
        code = int(stop.code or 0)
    assert code == {code}, (arguments, code)
    heavy = {heavy!r} & set(sys.modules)
    assert not heavy, (arguments, heavy)
"""
CALLS: dict[str, tuple[list[list[str]], int, set[str]]] = {
    "help": ([["--help"], ["--version"]], 0, {"torch", "numpy", "PIL"}),
    "help of verbs": ([[verb, "--help"] for verb in VERBS], 0, {"torch", "PIL", "matplotlib", "fastapi"}),
    "mistyped verbs": ([["trian"], ["--nonsense"], []], 2, {"torch", "numpy", "PIL"}),
    "mistyped options": ([[verb, "--nonsense"] for verb in VERBS], 2, {"torch", "PIL", "matplotlib", "fastapi"}),
    "runs": ([["runs", "."], ["runs", ".", "--json"]], 0, {"torch", "safetensors", "PIL", "rich"}),
}


@pytest.mark.parametrize("name", CALLS)
def test_light_work_imports_no_torch(name: str, small_run: va.Run, tmp_path: Path) -> None:
    shutil.copytree(small_run.path, tmp_path / "finished")
    shutil.copytree(small_run.path, tmp_path / "unfinished")
    (tmp_path / "unfinished" / "score.json").unlink()
    calls, code, heavy = CALLS[name]
    script = IMPORTED.format(calls=calls, code=code, heavy=heavy)
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == (0, "visarith 0.2.0\n", "")


def test_help_lists_every_verb_in_its_group_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    paragraphs = {text.partition("\n")[0]: text for text in out.split("\n\n")}
    for group, names in GROUPS.items():
        assert [line.split()[0] for line in paragraphs[group].splitlines()[1:]] == list(names)
    assert [line.split()[0] for line in paragraphs["exit codes"].splitlines()[1:]] == ["0", "1", "2", "3", "130", "141"]


def test_the_reference_of_commands_is_what_the_parser_says() -> None:
    file = Path(__file__).parent.parent / "docs" / "commands.md"
    assert file.read_text() == commands.text(), "run python -m visarith.cli.commands > docs/commands.md"


def test_the_operations_on_offer_are_those_that_exist() -> None:
    train = parser()._subparsers._group_actions[0].choices["train"]  # type: ignore[union-attr,index]
    (told,) = (action.help for action in train._actions if action.dest == "operation")
    assert told == f"what is learned: {', '.join(OPERATIONS)}, or an expression in a and b such as 'a + 2*b'"


def test_train_prints_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "train", "add", *FEW, "--json", "--tesseract", 10)
    assert code == 0
    assert "epoch 2 of 2" in err
    (line,) = out.splitlines()
    result = json.loads(line)
    wanted = (
        "operation, notation, medium, learner, recipe, parameters, seed, examples, epochs, steps, digit_error, "
        "digit_interval, number_error, number_interval, train_digit_error, unreadable, test_pairs, reader, seconds, run"
    )
    assert set(wanted.split(", ")) <= set(result)
    assert result["operation"] == "add"
    assert result["steps"] == 2
    assert result["test_pairs"] == 50
    assert result["tesseract"]["pairs"] == 10
    assert result["parameters"] == 600 * 16 + 16 + 2 * (16 * 16 + 16) + 16 * 300 + 300
    assert Path(result["run"]).is_dir()


def test_train_again_shows_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    first = run(capsys, "train", "add", *FEW)
    assert first[0] == 0
    assert "the paper" not in first[1]  # it has no figure for two digits
    assert "examples.png" in first[1]
    code, out, err = run(capsys, "train", "add", *FEW)
    assert code == 0
    assert "is finished; this is its score" in out
    assert "epoch" not in err
    said, _, rest = first[1].partition("\n")
    assert said.startswith("nothing learned: ")  # so short a training cannot do it
    assert out.startswith(said)
    assert rest.strip() in out


def test_sizes_that_nobody_asked_for_fit_a_small_domain(capsys: pytest.CaptureFixture[str]) -> None:
    few = ["--digits", "2", "--epochs", "1", "--width", "16", "--threads", "1", "--json"]
    code, out, err = run(capsys, "train", "add", *few)
    assert code == 0
    assert "add-2digits has few pairs: 2,084 to learn from and 416 held out" in err
    assert (json.loads(out)["examples"], json.loads(out)["test_pairs"]) == (2084, 416)


def test_options_reach_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["subtract", *FEW, "--base", "3", "--digits", "4", "--unpadded", "--ink", "smooth", "--noise", "0.1"]
    more = [
        "--displacement",
        "1",
        "--permutation",
        "--picture",
        "18x50",
        "--font-size",
        "13",
        "--activation",
        "sigmoid",
    ]
    recipe = ["--recipe", "adam", "--set", "rate=0.01", "--set", "centring=false", "--seed", "5", "--out", "here"]
    assert run(capsys, "train", *arguments, *more, *recipe, "--hidden-layers", "2")[0] == 0
    experiment = va.load("here").experiment
    task = experiment.task
    assert (task.operation.name, task.notation.base, task.notation.cells, task.notation.padded) == (
        "subtract",
        3,
        4,
        False,
    )
    assert task.typeface == va.Typeface(ink="smooth", font_size=13, height=18, width=50)
    assert (task.corruption.noise, task.corruption.displacement, task.corruption.permutation) == (0.1, 1, True)
    assert (experiment.recipe.rate, experiment.recipe.centring, experiment.recipe.optimizer) == (0.01, False, "adam")
    assert (experiment.learner.hidden_layers, experiment.learner.activation, experiment.seed) == (2, "sigmoid", 5)


def test_one_hot_has_table_1s_depth(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "train", "multiply", *FEW[:6], "--medium", "one-hot", "--threads", "1", "--json")
    assert code == 0
    result = json.loads(out)
    assert result["parameters"] == 140 * 256 + 256 + 2 * (256 * 256 + 256) + 256 * 70 + 70  # three hidden layers
    assert result["paper_digit_error"] == 0.376


def test_evaluate(capsys: pytest.CaptureFixture[str], small_run: va.Run) -> None:
    code, out, _ = run(capsys, "evaluate", small_run.path, "--pairs", 200, "--seed", 3, "--json")
    assert code == 0
    result = json.loads(out)
    assert result["pairs"] == 200
    assert result["reader"] == "templates"
    assert len(result["per_position"]) == 2
    assert {"digit_error", "digit_interval", "number_error", "number_interval", "unreadable"} <= set(result)
    code, out, _ = run(capsys, "evaluate", small_run.path, "--pairs", 20, "--reader", "tesseract")
    assert code == 0
    assert "20 held-out pairs, read by Tesseract" in out


def test_calculate(capsys: pytest.CaptureFixture[str], small_run: va.Run) -> None:
    code, out, _ = run(capsys, "calculate", "12 + 30", "--run", small_run.path, "--save", "answer.png", "--json")
    assert code == 0
    result = json.loads(out)
    assert (result["reading"], result["expected"], result["correct"]) == ("42", "42", True)
    assert 0.5 < result["confidence"] <= 1
    code, out, err = run(capsys, "calculate", "12+30", "--run", small_run.path)
    assert (code, err) == (0, "")
    assert "█" in out
    assert out.endswith("truth    42\nright\n")


def test_calculate_says_when_a_number_is_beyond_what_was_trained(
    capsys: pytest.CaptureFixture[str], small_run: va.Run
) -> None:
    code, out, err = run(capsys, "calculate", "75 + 1", "--run", small_run.path, "--json")
    assert code == 0
    assert json.loads(out)["expected"] == "76"
    assert "75 is outside add's range 0..49, from which examples were drawn" in err


def test_calculate_in_ascii(small_run: va.Run) -> None:
    command = [sys.executable, "-m", "visarith", "calculate", "12 + 30", "--run", str(small_run.path)]
    plain = {"PYTHONIOENCODING": "ascii", "PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, env=plain, check=True)
    assert "#" in done.stdout
    assert done.stdout.isascii()


def test_predict_reads_what_calculate_draws(capsys: pytest.CaptureFixture[str], small_run: va.Run) -> None:
    page = small_run.task.layout
    for name, digits in (("a.png", [1, 2]), ("b.png", [3, 0])):
        save_png(page.typeset(np.array([digits], np.uint8))[0] / 255, name)
    code, out, err = run(capsys, "predict", small_run.path, "a.png", "b.png", "--out", "answer.png", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["reading"] == "42"
    save_png(1 - page.typeset(np.array([[1, 2]], np.uint8))[0] / 255, "dark.png")
    code, out, err = run(capsys, "predict", small_run.path, "dark.png", "b.png", "--out", "answer2.png")
    assert code == 0
    assert "dark.png is dark on light" in err
    assert Path("answer2.png").read_bytes() == Path("answer.png").read_bytes()


def test_runs_lists_good_and_bad(capsys: pytest.CaptureFixture[str], small_run: va.Run) -> None:
    Path("runs/broken").mkdir(parents=True)
    Path("runs/broken/experiment.json").write_text("{")
    Path("runs/good").symlink_to(small_run.path)
    run(capsys, "train", "add", *FEW, "--out", "runs/new")
    code, out, _ = run(capsys, "runs", "--json")
    assert code == 0
    rows = {row["run"]: row for row in json.loads(out)["runs"]}
    assert rows["runs/new"]["state"] == "finished"
    assert rows["runs/broken"]["state"].startswith("damaged: ")
    code, out, _ = run(capsys, "runs")
    assert code == 0
    assert "runs/new" in out
    assert "damaged" in out


def test_runs_without_runs(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    assert run(capsys, "runs", "empty")[1] == "no runs in empty yet; make run trains the first\n"
    assert complaint(capsys, "runs") == "runs is no folder; make run trains a first run into runs"


def test_predict_draws_every_answer(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    size = {"examples": 200, "test_pairs": 20, "epochs": 1, "threads": 1, "out": tmp_path / "both"}
    both = va.learn(va.Task("add-subtract", digits=2), **size)
    for name, number in (("a.png", 40), ("b.png", 2)):
        picture = both.task.layout.typeset(both.task.notation.write([number]))[0]
        save_png(picture / 255, name)
    code, out, _ = run(capsys, "predict", both.path, "a.png", "b.png", "--out", "answers.png", "--json")
    assert code == 0
    assert len(json.loads(out)["reading"].split(" ")) == 2
    with Image.open("answers.png") as drawn:
        assert drawn.size == (20, 30)


def test_ctrl_c_leaves_a_run_that_resume_continues(tmp_path: Path) -> None:
    options = ["--examples", "2000", "--test-pairs", "50", "--epochs", "60", "--digits", "2", "--threads", "1"]
    command = [sys.executable, "-m", "visarith", "train", "add", *options, "--width", "32", "--out", "run"]
    heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731 - where tests run in the background it is not
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, preexec_fn=heard)
    for _ in range(600):
        if (tmp_path / "run" / "state.pt").exists():
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "of 60; the same command with --resume continues" in err.splitlines()[-1]
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert "--resume continues it" in again.stderr
    resumed = subprocess.run([*command, "--resume"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "digit error" in resumed.stdout


def test_every_option_has_help() -> None:
    verbs = parser()._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    for name, verb in verbs.items():  # type: ignore[union-attr]
        for action in verb._actions:
            assert action.help or action.metavar, f"{name} {action.option_strings}"


def test_progress_is_silent_for_short_work_and_about_ten_lines_for_long(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("drawing", 100) as step:
        for _ in range(100):
            step(1)
    assert capsys.readouterr().err == ""
    seconds = iter(range(1000))
    written = io.StringIO()
    lines = Lines("drawing", 500, written, clock=lambda: next(seconds))
    for _ in range(500):
        lines.advance(1)
    said = written.getvalue().splitlines()
    assert 9 <= len(said) <= 12
    assert said[1] == "drawing: 50 of 500, about 7 min 30 s left"
    assert said[-1] == "drawing: 500 of 500, 8 min 20 s"


def test_progress_shows_the_time_where_the_amount_is_unknown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("visarith.cli.progress.QUIET", 0.01)
    with progress("certifying", None):
        time.sleep(0.2)
    assert capsys.readouterr().err == "certifying: 0 s so far\n"


def test_fewer_pairs_are_judged_of_long_numbers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, adder: va.Run
) -> None:
    monkeypatch.setattr("visarith.cli.evaluate.ENOUGH_DIGITS", 5_000)
    code, out, err = run(capsys, "evaluate", adder.path, "--digits", 100, "--json")
    assert code == 0
    assert json.loads(out)["pairs"] == 50
    assert "visarith: 50 pairs are judged instead of 30,000: numbers of 100 digits take long to draw" in err


def test_what_is_not_certified_ends_with_3(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "certify", FOLDER / "perceptron-add")
    assert code == 3
    assert "no certificate" in out


def test_a_construction_that_is_wrong_ends_with_3(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Checked(checked=10, wrong=1, every_pair=False, seconds=0.1)
    monkeypatch.setattr("visarith.runs.construction.check", lambda *_, **__: found)
    code, out, _ = run(capsys, "construct", "add", "--digits", 2, "--check", 10)
    assert code == 3
    assert "10 pairs (random ones and every chain of carries), 1 wrong" in out


@pytest.mark.parametrize(
    ("intensity", "why"),
    [
        (255.0, "intensities up to 255; divide by 255"),
        (-10.5, "up to 10.5; divide by 255"),
        (np.nan, "pixels that are not numbers"),
    ],
)
def test_predict_takes_intensities_only(small_run: va.Run, intensity: float, why: str) -> None:
    with pytest.raises(va.VisarithError, match=why):
        small_run.predict(np.full((1, 2, 15, 20), intensity))


def test_predict_takes_noisy_pictures(small_run: va.Run) -> None:
    clean = small_run.task.layout.typeset(small_run.task.symbols(np.array([[12, 30]]))) / 255
    noisy = clean + np.random.default_rng(0).normal(0, 0.3, clean.shape)
    assert noisy.min() < 0
    assert noisy.max() > 1
    assert small_run.predict(noisy).shape == small_run.predict(clean).shape


def test_a_minus_sign_of_a_word_processor_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "calculate", "9 \N{MINUS SIGN} 3", "--json")
    assert code == 0
    assert json.loads(out)["reading"] == "0000006"


def test_pictures_in_the_terminal() -> None:
    picture = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0]])
    assert half_blocks(picture) == ["▀ █", "▀▀ "]
    assert braille(picture) == ["⠥⠃"]


@pytest.mark.parametrize(("share", "text"), [(0, "0 %"), (1, "100.0 %"), (0.019, "1.90 %"), (0.0004, "0.040 %")])
def test_percent(share: float, text: str) -> None:
    assert percent(share) == text
