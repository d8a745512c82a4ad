"""What ships is as good as it says, can be made again, and is what `visarith calculate` takes when no run is named."""

import importlib.resources
import json
import math
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import visarith as va
from command_line import complaint, run
from conftest import PYTHON, dice, refusal
from test_docs import script
from visarith.cli import main
from visarith.learners.certificate import certify
from visarith.learners.config import LearnerConfig
from visarith.runs import pretrained as module
from visarith.runs.experiment import Experiment
from visarith.runs.pretrained import FOLDER, Pretrained, find, pretrained
from visarith.runs.store import Store
from visarith.studies.experiments import identity

ROOT = Path(__file__).parent.parent
OURS = ["columns-add", "columns-subtract", "columns-multiply", "tally-roman"]
NAMES = [*OURS, "perceptron-add", "perceptron-subtract", "perceptron-multiply", "perceptron-noise"]
FILES = ("command.txt", "experiment.json", "score.json", "weights.safetensors")
FRESH = 2_000
UNLIKELY = 1e-4


@pytest.fixture(params=NAMES)
def shipped(request: pytest.FixtureRequest) -> Pretrained:
    (found,) = (each for each in pretrained() if each.name == request.param)
    return found


def test_what_ships_is_what_should() -> None:
    assert [each.name for each in pretrained()] == NAMES
    assert {(each.learner, each.operation, each.notation, each.noise) for each in pretrained()} == {
        ("perceptron", "add", "arabic", 0.0),
        ("perceptron", "subtract", "arabic", 0.0),
        ("perceptron", "multiply", "arabic", 0.0),
        ("perceptron", "add", "arabic", 0.3),
        ("columns", "add", "arabic", 0.0),
        ("columns", "subtract", "arabic", 0.0),
        ("columns", "multiply", "arabic", 0.0),
        ("tally", "add", "roman", 0.0),
    }


def fresh_errors(found: va.Run) -> np.ndarray:
    """Which cells are wrong in the answers to fresh pairs: (pairs, cells), by Python's arithmetic.

    One pair of these in a million was also trained on; of the products, one in 66.
    """
    task, rng = found.task, np.random.default_rng(2026)
    numbers = rng.integers(0, task.domain.largest, (FRESH, 2), endpoint=True)
    if task.operation.descending:
        numbers = np.sort(numbers)[:, ::-1]
    truths = [PYTHON[task.operation.name](*map(int, row))[0] for row in numbers]
    with torch.no_grad():
        drawn = found.learner(task.inputs(task.symbols(numbers), dice())).numpy()
    return np.asarray(found.read(drawn[:, 0]).symbols != task.notation.write(truths))


def binomial(count: int, share: float) -> float:
    """The probability of so many wrong numbers among the fresh ones."""
    ways = math.lgamma(FRESH + 1) - math.lgamma(count + 1) - math.lgamma(FRESH - count + 1)
    return math.exp(ways + count * math.log(share) + (FRESH - count) * math.log(1 - share))


def test_fresh_errors_are_those_of_the_stored_score(shipped: Pretrained) -> None:
    found = shipped.load()
    wrong = fresh_errors(found)
    if shipped.learner != "perceptron":
        assert (found.score.number_error, wrong.sum()) == (0, 0)
        return
    numbers, share = int(wrong.any(1).sum()), found.score.number_error
    assert sum(binomial(k, share) for k in range(numbers + 1)) > UNLIKELY
    assert sum(binomial(k, share) for k in range(numbers, FRESH + 1)) > UNLIKELY
    spread = wrong.mean(1).std() / FRESH**0.5  # digits of one number go wrong together
    assert abs(wrong.mean() - found.score.digit_error) < 4 * spread


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.long] * ("multiply" in n)) for n in OURS])
def test_what_hands_on_is_certified(name: str) -> None:
    run = va.load(FOLDER / name)
    found = certify(run.learner, run.task)
    assert (found.certified, found.control_failed, found.wrong) == (True, True, 0)
    assert found.every_length == (name != "tally-roman")


def test_weights_are_stored_in_half_and_used_in_single_precision(shipped: Pretrained) -> None:
    stored = Store(shipped.folder).weights()
    kinds = {weight.dtype for weight in stored.values() if weight.is_floating_point()}
    assert kinds == {torch.float16 if shipped.learner == "perceptron" else torch.float32}
    assert {weight.dtype for weight in shipped.load().learner.parameters()} == {torch.float32}


def test_the_command_makes_the_same_experiment(shipped: Pretrained, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Experiment] = []

    def learn(task: va.Task, learner: LearnerConfig, recipe: va.Recipe, seed: int, **options: Any) -> None:
        sizes = task.sizes(options["examples"], options["test_pairs"])
        asked.append(Experiment(task, learner, recipe, seed, *sizes).resolved())
        assert options["epochs"] is None
        raise KeyboardInterrupt

    monkeypatch.setattr("visarith.runs.learn.learn", learn)
    program, *arguments = shlex.split(shipped.command)
    assert (program, arguments[0]) == ("visarith", "train")
    assert main(arguments) == 130
    assert identity(asked[0]) == identity(shipped.load().experiment)


def test_folders_are_small_and_say_nothing_of_the_machine() -> None:
    sizes = {}
    for each in pretrained():
        assert sorted(file.name for file in each.folder.iterdir()) == sorted(FILES)
        sizes[each.name] = sum(file.stat().st_size for file in each.folder.iterdir())
        for file in FILES[:3]:
            assert "/" not in (each.folder / file).read_text(), file
    assert max(sizes.values()) < 2_000_000
    assert sum(sizes.values()) < 12_000_000


def test_the_files_are_in_the_package() -> None:
    package = importlib.resources.files("visarith")
    for name in NAMES:
        for file in FILES:
            assert package.joinpath("shipped", name, file).is_file()
    if (ROOT / ".git").exists():  # what git ignores is not packed either
        tracked = subprocess.run(["git", "ls-files", FOLDER], cwd=ROOT, capture_output=True, text=True, check=True)
        assert len(tracked.stdout.splitlines()) == len(NAMES) * len(FILES)


def test_a_run_is_read_once_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    monkeypatch.setattr(module, "load", lambda folder: read.append(folder) or va.load(folder))
    module._loaded.cache_clear()
    with ThreadPoolExecutor(8) as threads:
        runs = list(threads.map(lambda _: find("add").load(), range(16)))
    assert len(set(map(id, runs))) == 1
    assert read == [find("add").folder]


def test_the_best_is_found() -> None:
    assert find("add").name == "columns-add"
    assert find("add", "roman").name == "tally-roman"
    assert find("subtract", learner="perceptron").name == "perceptron-subtract"
    assert find("add", learner="perceptron").name == "perceptron-add"
    assert find("add", learner="perceptron-noise").noise == 0.3


def test_what_does_not_ship_is_named() -> None:
    there = "there is add, subtract, multiply, add in Roman numerals, or train a run of your own"
    assert refusal(find, "halve") == f"no pretrained run has learned to halve; {there}"
    said = refusal(find, "multiply", "roman")
    assert said == f"no pretrained run has learned to multiply in Roman numerals; {there}"
    said = refusal(find, "add", learner="tally")
    assert said == "no pretrained 'tally' has learned to add; use columns or perceptron or perceptron-noise"
    said = refusal(find, "subtract", learner="perceptron-noise")
    assert "use columns or perceptron" in said
    assert "tally" in refusal(find, "add", "roman", "columns")


def test_a_damaged_folder_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FOLDER", tmp_path / "shipped")
    monkeypatch.setattr(module, "pretrained", pretrained.__wrapped__)
    assert "install visarith again" in refusal(find, "add")
    shutil.copytree(FOLDER / "columns-add", tmp_path / "shipped" / "columns-add")
    assert find("add").name == "columns-add"
    (tmp_path / "shipped" / "columns-add" / "command.txt").unlink()
    assert "columns-add is damaged" in refusal(find, "add")


@pytest.mark.parametrize(
    ("expression", "options", "reading", "name", "notice"),
    [
        ("1234567 + 2345678", [], "3580245", "columns-add", ""),
        ("1234567 + 7654321", [], "8888888", "columns-add", "7654321 is outside add's range"),
        ("7654321 - 1234567", [], "6419754", "columns-subtract", ""),
        ("1234 x 2345", [], "2893730", "columns-multiply", ""),
        ("XII + viii", [], "XX", "tally-roman", ""),
        ("XII+VIII", ["--learner", "tally"], "XX", "tally-roman", ""),
        ("1234567 + 2345678", ["--learner", "perceptron"], "3580245", "perceptron-add", ""),
        ("7654321 - 1234567", ["--learner", "perceptron"], "6419754", "perceptron-subtract", ""),
        ("12 + 30", ["--learner", "perceptron-noise"], "0000042", "perceptron-noise", ""),
        ("99999999999 + 1", [], "100000000000", "columns-add", "columns-add was trained on 7 digits and is shown"),
        ("9999999 + 1", ["--learner", "columns"], "10000000", "columns-add", "pictures of 8"),
        ("100000000 - 1", [], "099999999", "columns-subtract", "pictures of 9"),
        ("99999 * 99999", [], "9999800001", "columns-multiply", "pictures of 10"),
    ],
)
def test_calculate_without_a_run(
    capsys: pytest.CaptureFixture[str], expression: str, options: list[str], reading: str, name: str, notice: str
) -> None:
    code, out, err = run(capsys, "calculate", expression, *options, "--json")
    result = json.loads(out)
    assert (code, result["reading"], result["expected"], result["correct"]) == (0, reading, reading, True)
    assert (result["run"], result["learner"]) == (name, name.split("-")[0])
    assert notice in err
    assert err.count("\n") == bool(notice)
    assert "may well be wrong" not in err


def test_calculate_shows_who_drew_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run(capsys, "calculate", "XII + VIII", "--save", "twenty.png")
    assert (code, err) == (0, "")
    assert "█" in out  # its empty cells would have needed 142 columns
    assert "learner  tally-roman, pretrained (visarith train add --notation roman --learner tally makes" in out
    assert out.endswith("truth    XX\nright\n")
    assert Path("twenty.png").exists()
    code, out, err = run(capsys, "calculate", "9999999 + 0", "--learner", "perceptron")
    assert code == 0
    assert "9999999 is outside add's range 0..4999999, from which examples were drawn; the answer may well" in err


def test_a_run_of_ones_own_lengthens_too(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "calculate", "99999999 + 1", "--run", find("add").folder, "--json")
    assert (code, json.loads(out)["reading"]) == (0, "100000000")
    assert json.loads(out)["run"] == str(find("add").folder)
    assert "is shown pictures of 9" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["10 / 2"], "no pretrained run has learned to halve; there is add"),
        (["XII x II"], "no pretrained run has learned to multiply in Roman numerals"),
        (["1 + 2", "--learner", "oracle"], "no pretrained 'oracle' has learned to add; use columns or"),
        (["1 - 2", "--learner", "tally"], "no pretrained 'tally' has learned to subtract; use columns or"),
        (["1 + 2", "--learner", "columns", "--run", "here"], "--run here and --learner columns are two learners"),
        (
            ["9999999 + 1", "--learner", "perceptron"],
            "8 digits are too many for perceptron-add, whose pictures have 7",
        ),
        (["9999 x 9999", "--learner", "perceptron"], "8 digits are too many for perceptron-multiply"),
        (["3 - 5"], "3 and 5 are the wrong way round for subtract; put the larger number first"),
        (["12 + x"], "'12 + x' mixes Roman and Arabic numerals"),
        (["XII + 8"], "'XII + 8' mixes Roman and Arabic numerals"),
        (["IV + I"], "'IV' is not additive"),
        (["Z + Z"], "add of 5000000 and 5000000 has no answer in 0..9999999"),
        (["foo + bar"], "'foo' is no number in Roman numerals"),
        (["12"], "'12' cannot be read"),
        (["9" * 1001 + " + 1"], "a number of 1,001 digits is too long to calculate with; use up to 1,000"),
        (["9" * 1000 + " + 1"], "an answer of 1,001 digits is too long to calculate; use up to 1,000"),
        (["1 + " + "9" * 100_000], "a number of 100,000 digits is too long"),
    ],
)
def test_calculate_complains(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert message in complaint(capsys, "calculate", *arguments)


def test_half_precision_is_refused_when_it_spoils_more_than_chance_would(
    small_run: va.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship = script("ship")
    for spoilt, mended, fits in ((0, 0, True), (4, 0, True), (5, 0, False), (13, 13, True), (70, 40, False)):
        assert ship.Compared(1, (0, 0), (0.0, 0.0), spoilt, mended).by_chance == fits
    monkeypatch.setattr(ship, "_found", lambda *_: small_run)
    monkeypatch.setattr(ship, "FOLDER", tmp_path / "shipped")
    monkeypatch.setattr(ship, "FRESH", 300)
    assert "half precision; of 300 fresh answers" in ship.ship("perceptron-add", [])
    again = va.load(tmp_path / "shipped" / "perceptron-add")
    assert again.calculate(12, 30) == 42
    assert again.score.digit_error == pytest.approx(small_run.score.digit_error, abs=0.01)
    shutil.rmtree(tmp_path / "shipped")
    halved = ship._halved
    monkeypatch.setattr(ship, "_halved", lambda network: {name: 0 * each for name, each in halved(network).items()})
    assert "is more than chance; keep it in single precision" in refusal(ship.ship, "perceptron-add", [])
    assert not (tmp_path / "shipped").exists()
