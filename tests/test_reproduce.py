"""The whole paper in one command: the catalogue, the results that are believed, the pool that nothing stops."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import visarith as va
from visarith.cli import main
from visarith.experiments import pool, results
from visarith.experiments.catalogue import CATALOGUE, ENTRIES, GROUPS, chosen
from visarith.experiments.paper import paper_digit_error
from visarith.experiments.pool import Audience, Job, reproduce_all
from visarith.experiments.reproduce import reproduce, run_folder
from visarith.experiments.results import Result, Results
from visarith.report.evidence import Evidence
from visarith.report.insight_evidence import insight
from visarith.runs.experiment import from_json

ROOT = Path(__file__).parent.parent


class Log(Audience):
    def __init__(self) -> None:
        self.said: list[str] = []

    def complaint(self, text: str) -> None:
        self.said.append(text)

    def ended(self, job: Job, result: Result, left: float | None) -> None:  # noqa: ARG002
        self.said.append(job.name)


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Results]:
    """One-hot addition and the joined network with its parts, at the quick size."""
    folder = tmp_path_factory.mktemp("quick")
    stored = Results(folder / "results", quick=True)
    reproduce_all(chosen(["add-one-hot", "roman-joined"]), [0], stored, runs=folder)
    return folder, stored


FOLDERS = {  # of seed 0, as version 0.1 named them; a run that is there already is found again
    "add": "add-seed0-4625f385",
    "add-one-hot": "add-one-hot-seed0-10fe8df7",
    "noise": "noise-seed0-ec1e1028",
    "noise-better": "noise-better-seed0-06a91afa",
    "roman-better": "roman-better-seed0-197ffced",
    "sigmoid": "sigmoid-seed0-302962af",
    "add-width-32": "add-width-32-seed0-5ed5d688",
    "add-15000-examples": "add-15000-examples-seed0-db492fd7",
    "multiply-7-layers": "multiply-7-layers-seed0-ad2099c5",
    "permuted-displaced": "permuted-displaced-seed0-2ac1d1a0",
    "convolutional": "convolutional-seed0-bb300626",
    "multiply-lstm": "multiply-lstm-seed0-32727971",
    "roman-symbols": "roman-symbols-seed0-4d689381",
    "roman-joined": "roman-joined-seed0-ab9c2524",
    "draw": "draw-seed0-3ffb3e3b",
    "any": "any-seed0-7aacf95e",
}


def test_every_result_of_the_repository_is_believed() -> None:
    stored = Results(ROOT / "results")
    files = set(stored.folder.glob("*.seed*.json"))
    assert len(files) >= len(CATALOGUE)
    for entry in CATALOGUE:
        assert stored.complaints(entry) == []
        for result in stored.seeds(entry):
            assert result.failed is None
            files.remove(stored.file(entry, result.seed))
    assert files == set()
    assert insight(Evidence(stored)).complaints == []  # these are kept by the names of run folders


@pytest.mark.parametrize("name", FOLDERS)
def test_run_folders_have_the_names_of_version_0_1(name: str) -> None:
    assert run_folder(Path(), ENTRIES[name], 0, quick=False).name == FOLDERS[name]


def test_every_entry_is_of_a_group_and_has_the_papers_figure() -> None:
    assert len(ENTRIES) == len(CATALOGUE)
    assert {entry.group for entry in CATALOGUE} == set(GROUPS)
    cells = [entry for entry in CATALOGUE if entry.group == "table-1"]
    assert len(cells) == 8
    for entry in CATALOGUE:
        if entry.group in ("table-1", "noisy", "better"):
            assert entry.paper == paper_digit_error(entry.task), entry.name
        if entry.group in ("table-1", "noisy"):
            assert entry.recipe == va.PAPER
            assert entry.examples == 150_000
            assert entry.experiment(0).test_pairs == 30_000


def test_the_networks_are_table_1s() -> None:
    depths = {name: ENTRIES[name].experiment(0).learner.to_json().get("hidden_layers") for name in ENTRIES}
    assert [depths[n] for n in ("add", "subtract", "multiply", "roman")] == [3, 3, 5, 5]
    assert [depths[f"{n}-one-hot"] for n in ("add", "subtract", "multiply", "roman")] == [1, 1, 3, 3]
    for name in ENTRIES:
        if name.endswith("-better"):
            assert depths[name] == depths[name.removesuffix("-better")]
            assert ENTRIES[name].task == ENTRIES[name.removesuffix("-better")].task


def test_unknown_names_are_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--only", "romann"]) == 2
    assert "there is no experiment 'romann'; the nearest are roman" in capsys.readouterr().err
    assert not Path("runs").exists()
    assert main(["reproduce", "--only", "add", "--seeds", "0"]) == 2


def test_groups_and_parts_are_chosen_with_their_name() -> None:
    assert {entry.name for entry in chosen(["noisy"])} == {"noise"}
    assert [entry.name for entry in chosen(["noise"])] == ["noise"]
    assert {entry.name for entry in chosen(["roman-joined"])} == {"roman-joined", *ENTRIES["roman-joined"].parts}
    assert [entry.name for entry in CATALOGUE if entry not in chosen([])] == [
        entry.name for entry in chosen(["columns"])
    ]


def test_a_result_says_what_its_run_says(quick: tuple[Path, Results]) -> None:
    folder, stored = quick
    for name in ("add-one-hot", "roman-joined"):
        result = stored.load(ENTRIES[name], 0)
        assert result
        assert result.score
        run = va.load(run_folder(folder, ENTRIES[name], 0, quick=True))
        assert result.score == run.score
        assert result.parameters == sum(weights.numel() for weights in run.learner.parameters())
        assert len(result.curve) == (0 if ENTRIES[name].parts else 2)
        assert result.core_seconds > 0


def test_the_joined_network_is_its_parts(quick: tuple[Path, Results]) -> None:
    folder, _ = quick
    joined, *parts = (
        va.load(run_folder(folder, ENTRIES[name], 0, quick=True))
        for name in ("roman-joined", *ENTRIES["roman-joined"].parts)
    )
    perceive, calculate, draw = parts
    symbols = joined.task.notation.write([1234, 98765])
    pictures = joined.task.layout.typeset(symbols[None]).astype("float32") / 255
    seen = perceive.predict(pictures[0][:, None])
    by_hand = draw.predict(calculate.predict(seen[:, 0][None]))
    assert joined.predict(pictures) == pytest.approx(by_hand, abs=1e-5)


def test_parts_whose_runs_are_gone_are_trained_again(quick: tuple[Path, Results], tmp_path: Path) -> None:
    _, stored = quick
    alone = reproduce(ENTRIES["roman-joined"], 0, runs=tmp_path, quick=True)
    with_parts = stored.load(ENTRIES["roman-joined"], 0)
    assert with_parts
    assert alone.score == with_parts.score
    assert len(list(tmp_path.iterdir())) == 4


def test_numbers_of_training_are_counted_in_test(quick: tuple[Path, Results]) -> None:
    _, stored = quick
    result = stored.load(ENTRIES["add-one-hot"], 0)
    assert result
    task = ENTRIES["add-one-hot"].task
    train, test = task.examples(2_000, 400, seed=0)
    known = set(train.operands.ravel().tolist())
    share = sum(number in known for number in test.operands.ravel().tolist()) / test.operands.size
    sums = set(train.operands.sum(1).tolist())
    assert result.seen == {"operands": share, "answers": sum(s in sums for s in test.operands.sum(1).tolist()) / 400}


def test_what_is_stored_is_not_done_again(quick: tuple[Path, Results], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, stored = quick
    monkeypatch.setattr(pool._Pool, "_start", lambda *_: pytest.fail("it was done again"))
    (again,) = reproduce_all([ENTRIES["add-one-hot"]], [0], stored, runs=folder)
    assert again == stored.load(ENTRIES["add-one-hot"], 0)


@pytest.mark.parametrize(
    ("harm", "complaint"),
    [
        (lambda _: None, "is damaged"),
        (lambda data: data | {"score": None}, "is damaged"),
        (lambda data: data | {"score": data["score"] | {"digit_error": float("nan")}}, "an error that is no share"),
        (lambda data: data | {"score": data["score"] | {"per_position": [7.0]}}, "an error that is no share"),
        (lambda data: data | {"score": data["score"] | {"pairs": 4}}, "templates has read 4 answers, not 400"),
        (lambda data: data | {"curve": data["curve"][:1]}, "a curve of 1 epochs"),
        (lambda data: data | {"seconds": None}, "a time is no number"),
        (lambda data: data | {"experiment": []}, "is damaged"),
        (lambda data: data | {"parts": [{}]}, "another experiment (its parts"),
        (lambda data: data | {"method": 0}, "is of other code (method 0, not"),
        (lambda data: data | {"experiment": data["experiment"] | {"examples": 7}}, "another experiment (its examples"),
        (lambda data: data | {"seed": 3}, "another experiment (its name"),
    ],
)
def test_a_result_that_cannot_be_believed_is_named_and_computed_again(quick, harm, complaint, tmp_path) -> None:  # type: ignore[no-untyped-def]
    folder, stored = quick
    entry = ENTRIES["add-one-hot"]
    mine = Results(tmp_path / "results", quick=True)
    good = stored.load(entry, 0)
    assert good
    mine.keep(entry, good)
    data = json.loads(mine.file(entry, 0).read_text())
    mine.file(entry, 0).write_text(json.dumps(harm(data)))
    assert mine.seeds(entry) == []
    (said,) = mine.complaints(entry)
    assert complaint in said
    assert str(mine.file(entry, 0)) in said
    log = Log()
    (again,) = reproduce_all([entry], [0], mine, runs=folder, audience=log)
    assert replace(again, seconds=0, core_seconds=0) == replace(good, seconds=0, core_seconds=0)
    assert complaint in log.said[0]
    assert log.said[0].endswith("it is computed again")
    assert mine.load(entry, 0) == again


def test_a_field_that_is_added_later_changes_no_identity() -> None:
    experiment = ENTRIES["roman-better"].experiment(0)
    data = experiment.to_json()
    assert results.identity(from_json(data, "it")) == results.identity(experiment)
    plain = ENTRIES["add"].experiment(0).to_json()
    del plain["recipe"]["alike"]  # as an earlier version would have stored it
    assert results.identity(from_json(plain, "it")) == results.identity(ENTRIES["add"].experiment(0))
    del data["recipe"]["alike"]
    assert results.identity(from_json(data, "it")) != results.identity(experiment)


def test_a_failed_run_is_kept_as_failed_and_the_rest_goes_on(tmp_path: Path) -> None:
    entries = [ENTRIES["draw"], ENTRIES["add-one-hot"]]
    stored = Results(tmp_path / "results", quick=True)
    blocked = run_folder(tmp_path, ENTRIES["draw"], 0, quick=True)
    blocked.write_text("in the way")
    failed, fine = reproduce_all(entries, [0], stored, runs=tmp_path)
    assert failed.failed
    assert str(blocked) in failed.failed
    assert fine.failed is None
    assert fine.score
    assert stored.load(ENTRIES["draw"], 0) == failed
    blocked.unlink()
    (mended,) = reproduce_all([ENTRIES["draw"]], [0], stored, runs=tmp_path)
    assert mended.failed is None


def test_a_run_that_is_killed_fails_alone(tmp_path: Path) -> None:
    class Killer(Audience):
        def progress(self, job: Job, left: float | None) -> None:  # noqa: ARG002
            if job.entry.name == "draw":
                for _, process in watched.working.values():
                    if process.pid and self.victim == job.name:
                        os.kill(process.pid, signal.SIGKILL)

        victim = "draw seed 0"

    jobs = [Job(ENTRIES["draw"], 0)]
    stored = Results(tmp_path / "results", quick=True)
    watched = pool._Pool(jobs, stored, tmp_path, 1, Killer())
    ended = watched.work()
    assert ended["draw seed 0"].failed == f"its process ended with {-signal.SIGKILL}"


def test_stopping_and_going_on_gives_the_same_result(tmp_path: Path, quick: tuple[Path, Results]) -> None:
    _, stored = quick
    command = [sys.executable, "-m", "visarith", "reproduce", "--quick", "--only", "perceive-roman"]
    stopped = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    folder = run_folder(tmp_path / "runs" / "quick", ENTRIES["perceive-roman"], 0, quick=True)
    while not (folder / "metrics.jsonl").exists() or "epoch" not in (folder / "metrics.jsonl").read_text():
        assert stopped.poll() is None
        time.sleep(0.01)
    stopped.send_signal(signal.SIGINT)
    _, said = stopped.communicate(timeout=60)
    if stopped.returncode == 130:  # it may have been too quick for us
        assert "stopped; the same command goes on from there" in said
    assert "Traceback" not in said
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "NOT THE PAPER'S SIZE" in done.stderr
    result = Results(tmp_path / "runs" / "quick" / "results", quick=True).load(ENTRIES["perceive-roman"], 0)
    straight = stored.load(ENTRIES["perceive-roman"], 0)
    assert result
    assert straight
    assert result.score == straight.score
    assert result.curve == straight.curve
