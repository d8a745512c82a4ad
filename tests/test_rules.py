"""The study of rules: what each digit depends on, against brute force; a job end to end; and its table by hand."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import visarith as va
from conftest import HARDLY
from stored_results import keep_row
from visarith.report import beyond
from visarith.report.evidence import Evidence
from visarith.report.rules import learned_rules
from visarith.studies.learnability.question import influence
from visarith.studies.results import Results
from visarith.studies.rules import KEYS, QUICK_RULES, RULES, STUDY, measured, needed_scan
from visarith.studies.study import Context

SCANS = {
    "distance": "right-left",
    "digit-sum": "right-left",
    "reverse": "right-left",
    "third": "left",
    "seventh": "left",
    "maximum": "left",
    "greater": "left",
    "weighted-sum": "right",
    "add-modulo-997": "right-left",
    "divisor": "right-left",
    "exclusive-or": "any",
    "complement": "any",
}
PYTHON = {"third": lambda a: a // 3, "complement": lambda a: 99 - a, "reverse": lambda a: int(f"{a:02}"[::-1])}


@pytest.mark.parametrize("name", RULES)
def test_the_scan_that_a_rule_needs(name: str) -> None:
    assert needed_scan(influence(RULES[name].task())) == SCANS[name]


@pytest.mark.parametrize("name", PYTHON)
def test_the_scan_against_brute_force(name: str) -> None:
    """Change each digit of each number of two digits, with Python's own arithmetic."""
    rule, left, right = PYTHON[name], False, False
    for tens, units, other in product(range(10), repeat=3):
        answer = rule(10 * tens + units)
        left |= rule(10 * other + units) % 10 != answer % 10
        right |= rule(10 * tens + other) // 10 != answer // 10
    expected = {(True, True): "right-left", (True, False): "left", (False, True): "right", (False, False): "any"}
    assert needed_scan(influence(va.Task(RULES[name].expression, digits=2))) == expected[left, right]


def test_jobs_are_of_all_rules_and_a_few_when_quick() -> None:
    jobs = STUDY.jobs([0, 1, 2], False)
    assert len(jobs) == 3 * len(RULES) == 36
    assert {job.asked["sizes"][0] for job in jobs} == {150_000}
    assert {job.name for job in STUDY.jobs([0], True)} == set(QUICK_RULES)
    assert STUDY.long


def test_a_job_measures_what_the_table_reads(tmp_path: Path) -> None:
    """With a small network and given path and scan, at two digits, so that all operands are tried."""
    learner = va.learner_config("columns", path="aligned", scan="right", width=32)
    task = va.Task("base**digits - 1 - a", digits=2, base=4)
    recipe = replace(HARDLY, epochs=60, batch=4)
    run = va.learn(task, learner, recipe, 5000, examples=14, test_pairs=2, threads=1, out=tmp_path / "run")
    found = measured(run)
    assert set(KEYS) == set(found)
    assert found["expression"] == "base ** digits - 1 - a"
    wrong = sum(run.calculate(int(a)) != 15 - int(a) for a in task.examples(14, 2, seed=5000)[1].operands[:, 0])
    assert found["wrong"] == wrong
    assert (found["needs"], found["takes"]) == ("any", 1.0)
    all_right = all(run.calculate(a) == 15 - a for a in range(16))
    assert found["certificate"]["certified"] <= all_right
    assert Context(tmp_path).folder(STUDY.name, "complement", {}).parent == tmp_path / "rules"


def row(wrong: int, scan: str, needs: str, **more: object) -> dict[str, object]:
    certificate = {"certified": not wrong, "why": "all columns are right" if not wrong else "some columns are wrong"}
    facts = {"path": "aligned", "scan": scan}
    scores = {"examples": 150_000, "pairs": 30_000, "wrong": wrong, "digit_error": wrong / 30_000}
    scores |= {"train_digit_error": wrong / 30_000, "core_seconds": 60.0}
    found = {"expression": "x", "base": 10, "digits": 7, "facts": facts, "certificate": certificate, "needs": needs}
    return found | scores | {"takes": 2.04} | more


def test_the_table_by_hand(tmp_path: Path) -> None:
    results = Results(tmp_path)
    for seed in (0, 1):
        keep_row(results, "rules", "maximum", row(0, "left", "left", expression="max(a, b)"), seed)
        keep_row(results, "rules", "reverse", row(30_000, "right", "right-left", expression="reverse(a)"), seed)
        keep_row(results, "rules", "third", row(5 * seed, "left", "left", expression="a // 3"), seed)
    table = learned_rules(Evidence(results))
    assert learned_rules in beyond.EXACT.appendix
    assert "150,000 examples" in table.note
    assert table.head[1] == "wrong of 30,000, a seed each"
    lines = {line[0]: list(line[1:]) for line in table.rows}
    assert list(lines) == ["`reverse(a)`", "`a // 3`", "`max(a, b)`"]
    best = lines["`max(a, b)`"]
    assert best[:4] == ["0, 0", "aligned, left", "yes", "yes: all columns are right"]
    assert best[4:] == ["its own column and those to its left; takes 2.0 digits' worth", "-"]
    third = lines["`a // 3`"]
    assert third[:3] == ["0, 5", "aligned, left", "1 of 2"]
    assert third[3] == "1 of 2: all columns are right; some columns are wrong"
    assert third[5] == "explanation: no obstacle is known, training fell short"
    worst = lines["`reverse(a)`"]
    assert worst[0] == "30,000, 30,000"
    assert worst[5].startswith("a scan from the right does not bring these columns; explanation: the first digit goes")
