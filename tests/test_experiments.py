"""The paper's experiments: the catalogue, what a result says of its run, and stopping and going on."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import visarith as va
from command_line import run as command
from visarith.evaluation import Score
from visarith.report.claims import TOPICS, claims
from visarith.report.evidence import Evidence
from visarith.report.report import report
from visarith.runs.experiment import from_json
from visarith.runs.paper import paper_digit_error
from visarith.studies import chosen, experiments, studies
from visarith.studies.catalogue import CATALOGUE, ENTRIES, GROUPS
from visarith.studies.experiments import RunResult, run_folder
from visarith.studies.reproduce import reproduce
from visarith.studies.results import Results


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Results]:
    """One-hot addition and the joined network with its parts, at the quick size."""
    folder = tmp_path_factory.mktemp("quick")
    stored = Results(folder / "results", quick=True)
    reproduce(chosen(["add-one-hot", "roman-joined"], [0], quick=True), stored, runs=folder)
    return folder, stored


def stored_result(stored: Results, name: str) -> RunResult:
    found = stored.load(experiments.job(ENTRIES[name], 0, quick=True))
    assert found
    return RunResult.of(found)


FOLDERS = {  # of seed 0, as version 0.1 named them; a run that is there already is found again
    "add": "add-seed0-4625f385",
    "add-one-hot": "add-one-hot-seed0-10fe8df7",
    "noise": "noise-seed0-ec1e1028",
    "noise-better": "noise-better-seed0-06a91afa",
    "roman-better": "roman-better-seed0-197ffced",
    "permuted-displaced": "permuted-displaced-seed0-2ac1d1a0",
    "convolutional": "convolutional-seed0-bb300626",
    "roman-joined": "roman-joined-seed0-ab9c2524",
    "draw": "draw-seed0-3ffb3e3b",
    "any": "any-seed0-7aacf95e",
}


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
            assert entry.paper == paper_digit_error(entry.task.to_json()), entry.name
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
    code, _, said = command(capsys, "reproduce", "--only", "romann")
    assert code == 2
    assert "there is no study or experiment 'romann'; the nearest are roman" in said
    assert not Path("runs").exists()
    assert command(capsys, "reproduce", "--only", "add", "--seeds", "0")[0] == 2


def test_a_result_says_what_its_run_says(quick: tuple[Path, Results]) -> None:
    folder, stored = quick
    for name in ("add-one-hot", "roman-joined"):
        result = stored_result(stored, name)
        run = va.load(run_folder(folder, ENTRIES[name], 0, quick=True))
        assert result.score == run.score
        assert result.parameters == sum(weights.numel() for weights in run.learner.parameters())
        assert len(result.curve) == (0 if ENTRIES[name].parts else 2)
        assert result.core_seconds > 0
        assert result.ran
        assert result.ran["threads"] >= 1


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
    mine = Results(tmp_path / "results", quick=True)
    jobs = chosen(["roman-joined"], [0], quick=True)
    reproduce(jobs, mine, runs=tmp_path / "runs")
    assert stored_result(mine, "roman-joined").score == stored_result(stored, "roman-joined").score
    assert len(list((tmp_path / "runs").iterdir())) == 4


def test_numbers_of_training_are_counted_in_test(quick: tuple[Path, Results]) -> None:
    _, stored = quick
    result = stored_result(stored, "add-one-hot")
    task = ENTRIES["add-one-hot"].task
    train, test = task.examples(2_000, 400, seed=0)
    known = set(train.operands.ravel().tolist())
    share = sum(number in known for number in test.operands.ravel().tolist()) / test.operands.size
    sums = set(train.operands.sum(1).tolist())
    assert result.seen == {"operands": share, "answers": sum(s in sums for s in test.operands.sum(1).tolist()) / 400}


@pytest.mark.parametrize(
    ("harm", "complaint"),
    [
        ({"score": None}, "score is of 0 answers, not 400"),
        ({"score": {"digit_error": 2.0}}, "an error that is no share"),
        ({"score": {"per_position": [7.0]}}, "an error that is no share"),
        ({"score": {"pairs": 4}}, "score is of 4 answers, not 400"),
        ({"curve": [[1.0, 0.5]]}, "a curve of 1 epochs"),
        ({"seconds": None}, "a time is no number"),
    ],
)
def test_a_score_that_no_run_could_have_is_refused(quick: tuple[Path, Results], harm: dict, complaint: str) -> None:  # type: ignore[type-arg]
    _, stored = quick
    job = experiments.job(ENTRIES["add-one-hot"], 0, quick=True)
    found = stored.load(job)
    assert found
    assert job.implausible(found.found) is None
    (name, value), *_ = harm.items()
    changed = {**found.found[name], **value} if isinstance(value, dict) else value
    assert complaint in str(job.implausible({**found.found, name: changed}))


def test_another_experiment_is_another_question() -> None:
    job = experiments.job(ENTRIES["roman-joined"], 0, quick=True)
    assert job.differs(job.asked, job.asked) is None
    fewer = {**job.asked, "experiment": {**job.asked["experiment"], "examples": 7}}
    assert job.differs(fewer, job.asked) == "examples"
    assert job.differs({**job.asked, "parts": [{}]}, job.asked) == "parts"


def test_a_field_that_is_added_later_changes_no_identity() -> None:
    experiment = ENTRIES["roman-better"].experiment(0)
    data = experiment.to_json()
    assert experiments.identity(from_json(data, "it")) == experiments.identity(experiment)
    plain = ENTRIES["add"].experiment(0).to_json()
    del plain["recipe"]["alike"]  # as an earlier version would have stored it
    assert experiments.identity(from_json(plain, "it")) == experiments.identity(ENTRIES["add"].experiment(0))
    del data["recipe"]["alike"]
    assert experiments.identity(from_json(data, "it")) != experiments.identity(experiment)


def test_a_run_that_cannot_be_kept_fails_alone(tmp_path: Path) -> None:
    stored = Results(tmp_path / "results", quick=True)
    blocked = run_folder(tmp_path, ENTRIES["draw"], 0, quick=True)
    blocked.write_text("in the way")
    failed, fine = reproduce(chosen(["draw", "add-one-hot"], [0], quick=True), stored, runs=tmp_path)
    assert failed.failed
    assert str(blocked) in failed.failed
    assert Score.from_json(fine.found["score"]).pairs == 400


@pytest.mark.long
def test_a_quick_reproduction_leaves_nothing_to_do(tmp_path: Path) -> None:
    """From nothing, every job ends well, every claim is measured, and every figure and table is there."""
    stored = Results(tmp_path / "results", quick=True)
    found = reproduce(chosen([], [0], quick=True), stored, runs=tmp_path / "runs")
    assert {result.job.study for result in found} == set(studies())
    assert {result.job.key: result.failed for result in found if result.failed} == {}
    said = report(stored, tmp_path / "runs")
    assert said.complaints == []
    assert [figure.missing for figure in said.figures if figure.sheet is None] == []
    rows = claims(Evidence(stored, tmp_path / "runs")).rows
    assert len(rows) == 37
    assert [row[0] for row in rows if "not measured yet" in row[2]] == []
    assert not [table.title for table in said.tables if not table.rows]
    for topic in TOPICS:
        for make in (*topic.tables, *topic.appendix):
            make(Evidence(stored, tmp_path / "runs"))  # one without results would be left out of the report


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
    result = stored_result(Results(tmp_path / "runs" / "quick" / "results", quick=True), "perceive-roman")
    straight = stored_result(stored, "perceive-roman")
    assert result.score == straight.score
    assert result.curve == straight.curve
