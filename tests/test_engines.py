"""The same jobs as commands: what --print-jobs prints, what --job runs, and what a sweep refuses."""

import json
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from command_line import complaint, run
from test_studies import Here, job
from visarith.errors import VisarithError
from visarith.studies import chosen, with_keys
from visarith.studies.reproduce import groups, reproduce
from visarith.studies.results import Results

TINY = ["--digits", "2", "--test-pairs", "50", "--width", "16", "--epochs", "2", "--examples", "200"]


def commands(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[list[str]]:
    code, out, _ = run(capsys, *arguments, "--print-jobs")
    assert code == 0
    return [shlex.split(line) for line in out.splitlines()]


def keys(words: list[str]) -> list[str]:
    return [word for flag, word in pairwise(words) if flag == "--job"]


def test_lines_are_independent_and_name_every_job_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = commands(capsys, "reproduce", "--seeds", "5", "--full", "--runs", tmp_path / "my runs")
    printed = [keys(line) for line in lines]
    jobs = {each.key: each for each in chosen([], list(range(5)), full=True)}
    assert sorted(key for line in printed for key in line) == sorted(jobs)
    for line in printed:
        for key in line:
            assert {need.key for need in jobs[key].needs} <= set(line)
    (insight,) = (line for line in printed if "insight/add.seed3" in line)
    assert insight == ["experiments/add.seed3", "insight/add.seed3", "readers/add.seed3"]
    for words in lines:
        assert words[:4] == [sys.executable, "-m", "visarith", "reproduce"]
        assert words[words.index("--runs") + 1] == str(tmp_path / "my runs")
        assert words[words.index("--results") + 1] == str(tmp_path / "my runs" / "results")
    costs = [sum(jobs[key].cost for key in line) for line in printed]
    assert costs == sorted(costs, reverse=True)


def test_groups_join_what_two_jobs_need() -> None:
    need, other = job(1), job(2)
    both, one, alone = job(3, needs=(need, other)), job(4, needs=(need,)), job(5)
    found = groups([need, other, both, one, alone])
    assert [[each.name for each in group] for group in found] == [["of-1", "of-2", "of-3", "of-4"], ["of-5"]]


def test_printed_commands_give_what_the_whole_sweep_gives(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    grid = ["sweep", "add", "a + 2*b", *TINY, "--seeds", "2"]
    lines = commands(capsys, *grid, "--out", tmp_path / "a b")
    assert len(lines) == 4
    assert list(tmp_path.iterdir()) == []
    at_once = [subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for line in lines[:2]]
    for each in at_once:
        _, said = each.communicate(timeout=300)
        assert each.returncode == 0, said
    assert [keys(line) for line in commands(capsys, *grid, "--out", tmp_path / "a b")] == list(map(keys, lines[2:]))
    code, table, said = run(capsys, *grid, "--out", tmp_path / "a b", "--workers", "1")
    assert code == 0
    assert "2 jobs to do, 2 stored already" in said
    _, whole, _ = run(capsys, *grid, "--out", tmp_path / "whole", "--workers", "1")
    assert table.splitlines()[:-1] == whole.splitlines()[:-1]
    assert len(whole.splitlines()) == 4
    assert "over 2 seeds" in whole
    _, out, _ = run(capsys, *grid, "--out", tmp_path / "whole", "--json")
    stored = [json.loads(file.read_text()) for file in (tmp_path / "whole" / "results" / "sweep").glob("a-plus*.json")]
    errors = [each["found"]["score"]["digit_error"] for each in stored]
    assert len(errors) == 2
    assert json.loads(out)["cells"][1]["digit_error"] == pytest.approx(sum(errors) / 2)


def test_single_jobs_share_a_folder_and_lock_themselves(tmp_path: Path) -> None:
    results, here = Results(tmp_path), Here()
    with results.writing(only=[job(1)]):
        reproduce([job(2)], results, runs=tmp_path, executor=here, alone=False)
        with pytest.raises(VisarithError, match=r"^doubles/of-1 in .+ is in use by another"):
            reproduce([job(1)], results, runs=tmp_path, executor=here, alone=False)
        with pytest.raises(VisarithError, match="in use by another"):
            reproduce([job(3, needs=(job(1),))], results, runs=tmp_path, executor=here, alone=False)
        with pytest.raises(VisarithError, match="in use by another"):
            reproduce([job(2)], results, runs=tmp_path, executor=here)
    with results.writing(), pytest.raises(VisarithError, match="in use by another"):
        reproduce([job(2)], results, runs=tmp_path, executor=here, alone=False)
    assert here.order == ["of-2"]


def test_jobs_are_found_by_their_keys() -> None:
    assert [each.seed for each in with_keys(["experiments/add.seed3", "experiments/add.seed0"])] == [3, 0]
    assert [each.key for each in with_keys(["growth/add-carries"] * 2)] == ["growth/add-carries"]
    with pytest.raises(
        VisarithError, match=r"there is no job 'experiments/ad.seed1'; the nearest are experiments/add.seed1"
    ):
        with_keys(["experiments/ad.seed1"])


def test_a_single_job_writes_its_result_and_no_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = run(capsys, "reproduce", "--quick", "--job", "growth/add-carries", "--runs", tmp_path, "--workers", "1")
    assert told[0] == 0
    assert told[1] == f"results  {tmp_path / 'results'}\n"
    assert [file.name for file in tmp_path.rglob("*.json")] == ["add-carries.json"]
    assert not (tmp_path / "report").exists()


def test_a_cell_that_makes_no_sense_is_told_before_any_work(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for wrong, said in (
        (["--learner", "columns", "tally"], "add by tally: the learner tally is for Roman numerals"),
        (
            ["--learner", "perceptron", "columns", "--medium", "one-hot"],
            "add by columns: the learner columns is for pic",
        ),
        (["--recipe", "paper", "fast"], "add by perceptron: recipe 'fast' is unknown"),
        (["--examples", "0"], "examples 0 is too small"),
    ):
        assert complaint(capsys, "sweep", "add", *TINY, *wrong, "--out", tmp_path / "sweep").startswith(said)
    said = complaint(capsys, "sweep", "add", *TINY, "--examples", "9999", "--out", tmp_path / "sweep")
    assert said.startswith("add by perceptron: 10049 different operands were asked of add, but there are at most 2500")
    assert complaint(capsys, "sweep", "add", "a + fly", *TINY).startswith("a + fly by perceptron: ")
    assert list(tmp_path.iterdir()) == []
