"""Reliability: what is not exact says so first, and the study of fresh seeds hides none that failed."""

import json
from pathlib import Path
from typing import Any

import pytest

import visarith as va
from command_line import run
from stored_results import keep_row
from visarith.learners.certificate import certify
from visarith.learners.columns import trials
from visarith.report.evidence import Evidence, NoResultError
from visarith.report.reliability import reliable
from visarith.studies import reliability, studies
from visarith.studies.results import Result, Results
from visarith.studies.study import Context
from visarith.training.recipe import COLUMNS

TRAIN = ["train", "copy", "--digits", "2", "--learner", "columns", "--path", "aligned", "--scan", "right"]
TRAIN += ["--examples", "40", "--test-pairs", "10", "--threads", "1", "--seed", "5000", "--set", "least_steps=0"]
BRIEF = [*TRAIN, "--width", "8", "--epochs", "1", "--set", "attempts=2"]  # it cannot succeed
LONG = [*TRAIN, "--width", "32", "--epochs", "30", "--set", "batch=8", "--set", "attempts=4"]
NOT_EXACT = "not exact: 40 of 40 training examples are drawn wrong or not clearly, after 2 attempts"


def test_the_first_line_says_what_is_not_exact(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for more in ([], ["--resume"]):  # it is said again when a finished run is shown
        code, out, _ = run(capsys, *BRIEF, "--out", tmp_path / "run", *more)
        assert (code, out.splitlines()[0]) == (0, NOT_EXACT)
    code, out, _ = run(capsys, *BRIEF, "--out", tmp_path / "run", "--resume", "--json")
    found = json.loads(out)
    assert (code, found["exact"]) == (0, False)
    assert (found["wrong_examples"], found["checked_examples"], found["attempts"]) == (40, 40, 2)


def test_what_is_exact_answers_its_training_examples(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(capsys, *LONG, "--out", tmp_path / "run")
    assert code == 0
    assert "not exact" not in out
    found = va.load(tmp_path / "run")
    assert (found.facts["exact"], found.facts["wrong_examples"]) == (True, 0)
    numbers = [int(number) for (number,) in found.task.examples(40, 10, seed=5000)[0].operands]
    assert len(set(numbers)) == 40
    assert [found.calculate(number) for number in numbers] == numbers


# The study


def test_the_study_is_ten_seeds_of_each_task_at_the_defaults() -> None:
    jobs = studies()["reliability"].jobs([0, 1], False)
    assert {job.name for job in jobs} == {
        f"{task}-{seed}" for task in ("add", "subtract", "multiply", "halve", "roman") for seed in range(200, 210)
    }
    assert len(jobs) == 50
    assert all(job.asked["sizes"] == [150_000, 30_000, 200_000] for job in jobs)
    assert all(job.asked["recipe"][name] == getattr(COLUMNS, name) for job in jobs for name in job.asked["recipe"])


def test_a_job_trains_judges_and_asks_for_the_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reliability, "SEEDS", range(5000, 5001))  # the seeds of the study are for the study
    monkeypatch.setattr(reliability, "QUICK_SIZE", 300)
    monkeypatch.setattr(trials, "STEPS", 8)  # of a trial
    (job,) = (job for job in studies()["reliability"].jobs([0], True) if job.name == "halve-5000")
    said: list[str] = []
    found = job.work(Context(tmp_path, quick=True, progress=lambda _, text: said.append(text)))
    assert set(found) == set(job.keys)
    assert (found["task"], found["run_seed"], found["fresh"], found["attempts"]) == ("halve", 5000, 500, 1)
    assert found["exact"] is found["certificate"]["certified"] is False  # so little training cannot do it
    assert found["core_seconds"] > 0
    assert said
    json.dumps(found, allow_nan=False)
    trained = va.load(next((tmp_path / "reliability").iterdir()))
    numbers = [int(number) for (number,) in trained.task.examples(1, 100, seed=7)[1].operands]
    assert found["wrong"] / 500 == pytest.approx(
        sum(trained.calculate(number) != number // 2 for number in numbers) / 100, abs=0.1
    )


# The report


def row(task: str, seed: int, wrong: int = 0, *, certified: bool = True, attempts: int = 1) -> dict[str, Any]:
    return {
        "task": task,
        "run_seed": seed,
        "fresh": 200_000,
        "wrong": wrong,
        "exact": not wrong,
        "attempts": attempts,
        "certificate": {"certified": certified},
        "core_seconds": float(seed),
    }


def keep(results: Results, changes: dict[tuple[str, int], dict[str, Any] | None]) -> None:
    """Store a result of every seed of every task; `changes` says what is different, or that there is none."""
    for task in reliability.TASKS:
        for seed in range(200, 210):
            if (found := changes.get((task, seed), {})) is not None:
                keep_row(results, "reliability", f"{task}-{seed}", row(task, seed, **found))


def lines(results: Results) -> dict[str, list[str]]:
    return {line[0]: line[1:] for line in reliable(Evidence(results)).rows}


PERFECT = [", ".join(["0"] * 10), "10 of 10", "10 of 10", ", ".join(["1"] * 10), "204"]  # seconds: 200 to 209


def test_the_report_shows_every_seed(tmp_path: Path) -> None:
    keep(results := Results(tmp_path), {("multiply", 203): {"wrong": 1_139, "certified": False, "attempts": 4}})
    shown = lines(results)
    assert shown.pop("multiply") == [
        "0, 0, 0, 1,139, 0, 0, 0, 0, 0, 0",
        "9 of 10",
        "9 of 10",
        "1, 1, 1, 4, 1, 1, 1, 1, 1, 1",
        "204",
    ]
    assert shown == dict.fromkeys(("add", "subtract", "halve", "roman"), PERFECT)
    note = reliable(Evidence(results)).note
    assert "the seeds 200 to 209, " in note
    assert "no result" not in note


def test_a_seed_that_is_right_by_luck_is_not_certified(tmp_path: Path) -> None:
    keep(results := Results(tmp_path), {("add", 200): {"certified": False}})
    assert lines(results)["add"][1:3] == ["10 of 10", "9 of 10"]


def test_a_seed_whose_training_failed_is_not_left_out(tmp_path: Path) -> None:
    keep(results := Results(tmp_path), {("roman", 209): None, ("halve", 201): None})
    (job,) = (job for job in studies()["reliability"].jobs([0], False) if job.name == "roman-209")
    results.keep(Result(job, {}, failed="its process was killed"))
    shown = lines(results)
    assert shown["roman"] == [
        "0, 0, 0, 0, 0, 0, 0, 0, 0, -",
        "9 of 10",
        "9 of 10",
        "1, 1, 1, 1, 1, 1, 1, 1, 1, -",
        "204",
    ]
    assert shown["halve"][:3] == ["0, -, 0, 0, 0, 0, 0, 0, 0, 0", "9 of 10", "9 of 10"]
    assert reliable(Evidence(results)).note.endswith("-: this seed has no result.")
    assert "reliability roman-209 failed: its process was killed" in Evidence(results).complaints


def test_a_task_without_results_is_not_left_out(tmp_path: Path) -> None:
    keep(results := Results(tmp_path), {("add", seed): None for seed in range(200, 210)})
    assert lines(results)["add"][1:3] == ["0 of 10", "0 of 10"]
    with pytest.raises(NoResultError, match="visarith reproduce --only reliability makes it"):
        reliable(Evidence(Results(tmp_path / "empty")))


@pytest.mark.long
@pytest.mark.parametrize(("operation", "examples", "seed"), [("multiply", 3_000, 6003), ("add", 300, 6001)])
def test_few_examples_are_learned_and_not_memorised(operation: str, examples: int, seed: int, tmp_path: Path) -> None:
    config = va.learner_config("columns")
    sizes = {"examples": examples, "test_pairs": 2_000, "seed": seed, "threads": 1}
    found = va.learn(operation, config, out=tmp_path / "run", **sizes)
    assert found.score is not None
    assert found.score.number_error == 0
    assert certify(found.learner, found.task).every_length
