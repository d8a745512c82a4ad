"""Runs: learned, kept, loaded, resumed to the same bits."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

import visarith as va
from command_line import run
from conftest import QUICK, Stop, tiny
from visarith.cli import main
from visarith.runs.paper import TABLE_1, paper_digit_error
from visarith.runs.store import Store
from visarith.training.loop import Training


class Backwards:
    """A notation of a user's own: two digits, the units first."""

    alphabet, cells = "0123456789", 2

    def write(self, numbers: list[int]) -> np.ndarray:
        return np.array([divmod(int(number), 10)[::-1] for number in numbers], np.uint8)

    def parse(self, symbols: np.ndarray) -> list[int | None]:
        return [units + 10 * tens if min(units, tens) >= 0 else None for units, tens in symbols.tolist()]


def test_it_learns_to_add(small_run: va.Run) -> None:
    assert small_run.score.digit_error < 0.02
    assert small_run.score.pairs == 375
    assert small_run.train_digit_error < 0.01
    low, high = small_run.score.digit_interval
    assert low <= small_run.score.digit_error <= high


def test_it_draws_what_it_calculates(small_run: va.Run) -> None:
    right = sum(small_run.calculate(a, b) == a + b for a in range(0, 50, 7) for b in range(0, 50, 7))
    assert right >= 62  # of 64
    picture = small_run.draw(12, 30)
    assert picture.shape == (15, 20)
    assert picture.min() >= 0
    assert picture.max() <= 1
    ideal = small_run.task.layout.typeset(np.array([[4, 2]], np.uint8))[0] / 255
    assert np.abs(picture - ideal).mean() < 0.05


def test_the_folder_has_everything(small_run: va.Run) -> None:
    names = {path.name for path in small_run.path.iterdir()} - {".lock"}
    assert names == {"experiment.json", "weights.safetensors", "metrics.jsonl", "score.json", "examples.png"}
    metrics = Store(small_run.path).metrics()
    assert [line["epoch"] for line in metrics] == list(range(1, 31))
    assert metrics[-1]["digit_error"] < metrics[0]["digit_error"]
    assert metrics[-1]["step"] == 30 * 67  # 2,125 examples in batches of 32


def test_a_loaded_run_is_the_same(small_run: va.Run) -> None:
    again = va.load(small_run.path)
    assert again.score == small_run.score
    assert again.experiment == small_run.experiment
    assert np.array_equal(again.draw(12, 30), small_run.draw(12, 30))


def test_a_finished_run_is_shown_and_not_trained_again(tmp_path: Path) -> None:
    first = tiny(tmp_path / "run")
    before = (first.path / "weights.safetensors").stat().st_mtime_ns
    assert tiny(tmp_path / "run").score == first.score
    assert (first.path / "weights.safetensors").stat().st_mtime_ns == before


def test_another_experiment_does_not_overwrite_a_run(tmp_path: Path) -> None:
    tiny(tmp_path / "run")
    with pytest.raises(va.VisarithError, match=r"holds another run \(its seed is 0, not 1\); choose another `out`"):
        tiny(tmp_path / "run", seed=1)


def test_fresh_pairs_were_not_trained_on(small_run: va.Run) -> None:
    task, experiment = small_run.task, small_run.experiment
    trained, _ = task.examples(experiment.examples, experiment.test_pairs, seed=0)
    fresh = task.fresh(375, seed=5, exclude=trained.operands)
    assert not set(map(tuple, fresh.operands.tolist())) & set(map(tuple, trained.operands.tolist()))
    assert small_run.evaluate(pairs=375).digit_error < 0.02
    with pytest.raises(va.VisarithError, match="at most 2500"):
        small_run.evaluate(pairs=376)


def test_noise_makes_it_worse_and_tesseract_agrees_without(small_run: va.Run) -> None:
    assert small_run.evaluate(pairs=300, noise=0.6).digit_error > small_run.score.digit_error + 0.05
    assert small_run.evaluate(reader="tesseract", pairs=60).reader == "tesseract"


@pytest.mark.parametrize("stop", [{"step": 3}, {"step": 12}, {"epoch": 1}, {"epoch": 3}])
def test_a_stopped_run_resumes_to_the_same_bits(tmp_path: Path, stop: dict[str, int]) -> None:
    whole = tiny(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "stopped", watcher=Stop(**stop))
    with pytest.raises(va.VisarithError, match=r"unfinished run; `resume=True` continues it"):
        tiny(tmp_path / "stopped")
    with pytest.raises(va.VisarithError, match="is not finished"):
        va.load(tmp_path / "stopped")
    resumed = tiny(tmp_path / "stopped", resume=True)
    assert resumed.score == whole.score
    assert (resumed.path / "weights.safetensors").read_bytes() == (whole.path / "weights.safetensors").read_bytes()
    assert [line["epoch"] for line in Store(resumed.path).metrics()] == [1, 2, 3]
    assert not (resumed.path / "state.pt").exists()


def test_what_was_begun_elsewhere_goes_on_only_when_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On another CPU, or with other threads, the last bits differ; `threads` used to be ignored."""
    whole = tiny(tmp_path / "whole")
    for name in ("cpu", "threads"):
        with pytest.raises(KeyboardInterrupt):
            tiny(tmp_path / name, watcher=Stop(epoch=2))
    with pytest.raises(
        va.VisarithError, match=r"threads was begun elsewhere \(threads are 2 and were 1\), so its result"
    ):
        tiny(tmp_path / "threads", resume=True, threads=2)
    tiny(tmp_path / "threads", resume=True, threads=2, elsewhere="go-on")
    said = [line.get("elsewhere") for line in Store(tmp_path / "threads").metrics()]
    assert said == [None, None, "threads are 2 and were 1"]
    here = torch.backends.cpu.get_cpu_capability()
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "OLDER")
    with pytest.raises(va.VisarithError, match=rf"\(cpu is OLDER and was {here}\).* `elsewhere='go-on'` goes on"):
        tiny(tmp_path / "cpu", resume=True)
    again = tiny(tmp_path / "cpu", resume=True, elsewhere="start-again")
    assert [line["epoch"] for line in Store(again.path).metrics()] == [1, 2, 3]
    weights = (again.path / "weights.safetensors").read_bytes()
    assert weights == (whole.path / "weights.safetensors").read_bytes()


def test_a_run_in_training_is_not_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "run", watcher=Stop(epoch=2))
    kept = (tmp_path / "run" / "state.pt").read_bytes()
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "OLDER")
    with Store(tmp_path / "run").lock(), pytest.raises(va.VisarithError, match="is being trained by another process"):
        tiny(tmp_path / "run", resume=True, elsewhere="start-again")
    assert (tmp_path / "run" / "state.pt").read_bytes() == kept


def test_a_killed_process_leaves_a_run_that_resumes(tmp_path: Path) -> None:
    code = (
        "import sys, visarith as va; va.learn(va.Task('add', digits=2), va.learner_config(hidden_layers=1, width=16), "
        "'paper', examples=2000, test_pairs=50, epochs=int(sys.argv[1]), threads=1, out='run', resume=True)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, "400"], cwd=tmp_path)
    for _ in range(600):
        if (tmp_path / "run" / "state.pt").exists():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "run" / "score.json").exists()
    state = Store(tmp_path / "run").state()
    assert state is not None
    assert state["epochs_done"] >= 1


def test_resume_without_a_run_starts_one(tmp_path: Path) -> None:
    assert tiny(tmp_path / "new", resume=True).path == tmp_path / "new"


def test_two_processes_do_not_train_into_one_folder(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "run", watcher=Stop(epoch=1))
    with (
        Store(tmp_path / "run").lock(),
        pytest.raises(va.VisarithError, match="is being trained by another process"),
    ):
        tiny(tmp_path / "run", resume=True)


def test_a_users_own_operation(tmp_path: Path) -> None:
    largest = va.Operation("max", max, digits=2)
    run = tiny(tmp_path / "max", va.Task(largest))
    with pytest.raises(va.VisarithError, match=r"whose rule is not stored; use va.load\(path, operation=...\)"):
        va.load(run.path)
    assert va.load(run.path, operation=largest).score == run.score
    with pytest.raises(
        va.VisarithError, match="whose name is 'max', not 'min'; give the operation it was trained with"
    ):
        va.load(run.path, operation=va.Operation("min", min, digits=2))
    impostor = va.Operation("max", min, digits=2)
    for call in (lambda: va.load(run.path, operation=impostor), lambda: tiny(tmp_path / "max", va.Task(impostor))):
        with pytest.raises(va.VisarithError, match="has learned another rule than that of max"):
            call()


def test_a_users_own_notation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tiny(tmp_path / "own", va.Task("add", notation=Backwards()))
    assert va.load(run.path, notation=Backwards()).score == run.score
    with pytest.raises(va.VisarithError, match=r"a notation that is not stored; use va.load\(path, notation=...\)"):
        va.load(run.path)
    assert main(["runs", str(tmp_path), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["runs"]
    assert row["state"] == "finished"


def test_tesseract_can_be_asked_of_a_finished_run(tmp_path: Path) -> None:
    assert tiny(tmp_path / "run").tesseract is None
    judged = tiny(tmp_path / "run", tesseract=20).tesseract
    assert judged
    assert judged.pairs == 20
    assert va.load(tmp_path / "run").tesseract == judged


def test_a_loss_that_is_no_number_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Training, "step", lambda *_: torch.tensor(float("nan")))
    with pytest.raises(va.VisarithError, match="the loss was nan after step 1 of epoch 1; use a smaller rate"):
        tiny(tmp_path / "run")


@pytest.mark.parametrize(
    ("recipe", "scale", "what"),
    [
        ("paper", "1e20", "weights were no longer finite after step 1 of epoch 1; use a smaller rate or loss_scale"),
        ("entropy", "1", "the network draws pixels that are no finite numbers; train it with a smaller rate"),
    ],
)
def test_what_is_no_number_finishes_no_run(
    recipe: str, scale: str, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One step of so large a rate leaves a finite loss and infinite weights, which used to be saved as finished."""
    small = ["--digits", "3", "--examples", "200", "--test-pairs", "50", "--epochs", "1", "--set", "batch=200"]
    huge = ["--set", "rate=1e30", "--set", f"loss_scale={scale}"]
    code, _, err = run(capsys, "train", "add", "--recipe", recipe, *small, *huge, "--out", tmp_path / "run")
    assert code == 2
    assert err.splitlines()[-1] == f"visarith: {what}"
    assert not (tmp_path / "run").exists()


def test_the_last_good_state_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, step = tiny(tmp_path / "whole"), Training.step
    monkeypatch.setattr(Training, "step", lambda self, *each: step(self, *each) * (math.nan if self.epochs_done else 1))
    with pytest.raises(va.VisarithError, match="step 1 of epoch 2; the state after epoch 1 is kept; use a smaller"):
        tiny(tmp_path / "run")
    monkeypatch.setattr(Training, "step", step)
    assert tiny(tmp_path / "run", resume=True).score == whole.score


def test_a_run_that_learned_nothing_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--digits", "2", "--examples", "200", "--test-pairs", "50", "--epochs", "2", "--set", "rate=1e-9"]
    code, out, _ = run(capsys, "train", "add", *small, "--out", tmp_path / "run")
    assert code == 0
    assert out.startswith("nothing learned: drawings are no closer to the answers than their mean (0.")
    code, out, _ = run(capsys, "train", "add", *small, "--out", tmp_path / "run", "--json")
    assert json.loads(out)["no_better_than_mean"] is True


@pytest.mark.parametrize(
    "call",
    [
        lambda: va.Task(42),
        lambda: va.Task("add", digits="7"),
        lambda: va.Task("add", typeface="Arial"),
        lambda: va.learn("add", learner=5),
        lambda: va.learn("add", recipe=None),
        lambda: va.learn("add", examples=10.5),
        lambda: va.learn("add", seed="a"),
        lambda: va.Operation("../escape", max),
        lambda: va.Operation("max", 5),
        lambda: va.Task(va.Operation("odd", lambda a: a)).examples(5, 5, seed=0),
        lambda: va.Task("add").domain.check((1.5, 2)),
    ],
)
def test_wrong_types_are_named(call) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(va.VisarithError) as error:
        call()
    assert "\n" not in str(error.value)


def test_two_answers_and_one_hot(tmp_path: Path) -> None:
    both = va.Operation("both", lambda a, b: (max(a, b), min(a, b)), answers=2, digits=2)
    run = tiny(tmp_path / "both", va.Task(both))
    assert run.draw(12, 30).shape == (2, 15, 20)
    assert len(run.score.per_position) == 4
    answers = run.calculate(12, 30)
    assert isinstance(answers, tuple)
    assert len(answers) == 2
    table = tiny(tmp_path / "table", va.Task("halve", digits=3, medium="one-hot"))
    assert table.draw(12).shape == (3, 10)


def test_a_permuted_run_is_used_with_plain_pictures(tmp_path: Path) -> None:
    quick = {
        "recipe": QUICK,
        "learner": va.learner_config(hidden_layers=2, width=128),
        "examples": 2125,
        "test_pairs": 375,
    }
    run = tiny(tmp_path / "permuted", va.Task("add", digits=2, permutation=True), **quick)
    assert run.score.digit_error < 0.03
    symbols = run.task.notation.write([12, 30])[None]
    assert np.allclose(run.predict(run.task.plain_layout.typeset(symbols) / 255)[0, 0], run.draw(12, 30), atol=1e-6)


def test_wrong_pictures_are_refused(small_run: va.Run) -> None:
    with pytest.raises(va.VisarithError, match=r"this run takes \(count, 2, 15, 20\)"):
        small_run.predict(np.zeros((1, 2, 15, 60)))
    with pytest.raises(va.VisarithError, match="uint8 up to 255 are too bright; divide by 255"):
        small_run.predict(np.full((1, 2, 15, 20), 255, np.uint8))
    assert small_run.predict(np.zeros((0, 2, 15, 20))).shape == (0, 1, 15, 20)
    with pytest.raises(va.VisarithError, match=r"100 is outside add's range 0\.\.49"):
        small_run.draw(100, 1)


def test_threads_are_put_back(tmp_path: Path) -> None:
    before = torch.get_num_threads()
    tiny(tmp_path / "run", threads=1)
    assert torch.get_num_threads() == before


def test_tesseract_leaves_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit on threads that child processes inherit makes PyTorch compute nonsense there (losses that are nan)."""
    monkeypatch.delenv("OMP_THREAD_LIMIT", raising=False)
    before = dict(os.environ)
    va.Task("add").legend.reader("tesseract")
    assert dict(os.environ) == before


def test_the_papers_figures() -> None:
    assert paper_digit_error(va.Task("add").to_json()) == 0.019
    assert paper_digit_error(va.Task("multiply", medium="one-hot").to_json()) == 0.376
    assert paper_digit_error(va.Task("add", noise=0.3).to_json()) == 0.098
    assert paper_digit_error(va.Task("add", digits=6).to_json()) is None
    assert paper_digit_error(va.Task("halve").to_json()) is None
    assert paper_digit_error(va.Task("add", notation="roman").to_json()) == 0.743
    assert paper_digit_error(va.Task("add", notation="roman", medium="one-hot").to_json()) == 0.007
    assert paper_digit_error(va.Task("add", notation="roman", noise=0.3).to_json()) is None
    assert paper_digit_error(va.Task("subtract", notation="roman").to_json()) is None
    assert paper_digit_error(va.Task("add", answer_medium="one-hot").to_json()) is None
    assert paper_digit_error(va.Task("add", notation=Backwards()).to_json()) is None
    assert len(TABLE_1) == 8
