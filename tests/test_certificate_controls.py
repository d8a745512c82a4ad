"""Controls of certificates: mutants that err are refused, and the truth about them is that of pictures."""

from pathlib import Path

import numpy as np
import pytest
import torch

import visarith as va
from stored_results import keep_row
from visarith.learners.columns.network import Columns
from visarith.learners.vectors import found
from visarith.report import controls
from visarith.report.evidence import Evidence, NoResultError
from visarith.runs.pretrained import find
from visarith.studies import certificates, studies
from visarith.studies.certificates import WITHHELD, occurring
from visarith.studies.mutants import KINDS, mutate, shown, truth
from visarith.studies.results import Results
from visarith.studies.study import Context, Job


@pytest.fixture(scope="module")
def pretrained() -> va.Run:
    return find("add", learner="columns").load()


def learner_of(run: va.Run) -> Columns:
    assert isinstance(run.learner, Columns)
    return run.learner


def tensors(learner: Columns) -> dict[str, torch.Tensor]:
    return {name: each.nan_to_num(-7.0, 7e30, -7e30) for name, each in learner.state_dict().items()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_mutant_differs_in_one_number(pretrained: va.Run, kind: str) -> None:
    rng, before = np.random.default_rng(5000), tensors(learner_of(pretrained))
    for _ in range(20):
        mutant, fault = mutate(learner_of(pretrained), kind, rng)
        changed = {name: int((each != before[name]).sum()) for name, each in tensors(mutant).items()}
        assert {name: count for name, count in changed.items() if count} == {fault.partition("[")[0]: 1}
    assert all(torch.equal(each, before[name]) for name, each in tensors(learner_of(pretrained)).items())


def test_the_pretrained_adder_errs_on_no_pair_of_three_digits(pretrained: va.Run) -> None:
    assert truth(learner_of(pretrained), pretrained.task).wrong == 0


def test_what_a_mutant_gets_wrong_is_what_it_draws_wrong(pretrained: va.Run) -> None:
    """The state of a carry is put where that of no carry is: a pair is wrong if anything is carried."""
    mutant, _ = mutate(learner_of(pretrained), "amount", np.random.default_rng(5000))
    mutant.load_state_dict(learner_of(pretrained).state_dict())
    mutant.states[: len(found(mutant.states))] = found(mutant.states)[:1]
    known = truth(mutant, pretrained.task)
    pairs = np.indices((1000, 1000)).reshape(2, -1).T
    carries = sum(((pairs % 10**place).sum(1) >= 10**place) for place in (1, 2, 3)) > 0
    assert known.wrong == carries.sum()
    some, right = known.sample(200, np.random.default_rng(5000))
    assert 0 < right.sum() < 100  # half of the sample is wrong, and most of the other half
    assert np.array_equal(shown(mutant, pretrained.task, some), right)
    assert np.array_equal(~carries[some[:, 0] * 1000 + some[:, 1]], right)


@pytest.mark.parametrize("kind", KINDS)
def test_every_mutant_that_errs_is_refused(kind: str, tmp_path: Path) -> None:
    counted = certificates._mutants(kind, 5001, 25, Context(tmp_path))
    assert counted["erring_certified"] == counted["shown_otherwise"] == 0
    assert counted["erring"] == counted["erring_refused"] <= 25
    assert counted["erring"] > 0 or kind == "bit"


def test_withheld_cases_are_those_of_python() -> None:
    rng = np.random.default_rng(5000)
    pairs = rng.integers(0, 10**7 // 2, (2_000, 2))
    for (one, other), held in zip(pairs.tolist(), occurring(pairs).tolist(), strict=True):
        cases = set()
        for place in range(7):
            low, high = sorted([one // 10**place % 10, other // 10**place % 10])
            cases.add((low, high, int(one % 10**place + other % 10**place >= 10**place)))
        assert held == [case in cases for case in WITHHELD], (one, other)
    assert not occurring(np.array([[0, 9]])).any()
    assert occurring(np.array([[1, 99]])).any()  # a carry goes into 0 and 9


def jobs() -> dict[str, Job]:
    return {job.name: job for job in studies()["certificates"].jobs([5000], True)}


def test_withheld_cases_are_tested(tmp_path: Path) -> None:
    job = jobs()["withheld"]
    found = job.work(Context(tmp_path, quick=True))
    assert set(job.keys) <= set(found)
    assert found["examples"] + found["left_out"] == 2_000
    assert 0.1 < found["left_out"] / 2_000 < 0.4
    assert found["pairs"] == found["usual_pairs"] == 400
    assert 0 < sum(pairs for _, pairs in found["each"]) <= 400
    assert not found["certified"]  # two epochs are not enough


def test_the_report_shows_both(tmp_path: Path) -> None:
    results = Results(tmp_path)
    with pytest.raises(NoResultError):
        controls.mutants(Evidence(results))
    counted = {"mutants": 10, "erring": 3, "erring_refused": 3, "erring_certified": 0, "harmless_refused": 1}
    keep_row(results, "certificates", "mutants-bit", counted | {"kind": "bit", "shown": 1_200, "shown_otherwise": 0})
    table = controls.mutants(Evidence(results))
    assert table.rows == [["one bit of 32", "10", "3", "3", "0", "1"]]
    assert "of 1,200 pairs that were also shown as pictures, 0 came out otherwise" in table.note
    with pytest.raises(NoResultError):
        controls.withheld(Evidence(results))
    trained = {"seed": 1, "examples": 16_000, "left_out": 4_000, "pairs": 100, "wrong": 55, "usual_pairs": 100}
    more = {"usual_wrong": 0, "each": [[1, 2], [3, 4], [5, 6], [7, 8]], "certified": False}
    keep_row(results, "certificates", "withheld", trained | more, seed=1)
    (row,) = controls.withheld(Evidence(results)).rows
    assert row == ["1", "16,000", "0 of 100", "55 of 100", "1 of 2", "3 of 4", "5 of 6", "7 of 8", "no"]


@pytest.mark.long
def test_a_thousand_mutants(tmp_path: Path) -> None:
    for kind in KINDS:
        assert certificates._mutants(kind, 5002, 400, Context(tmp_path))["erring_certified"] == 0
