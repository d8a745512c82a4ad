"""What an operation asks of a learner: against counts by hand, known structure and brute force."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from command_line import run
from visarith.report.claims import CLAIMS
from visarith.report.evidence import Evidence
from visarith.report.learnability import learnable_operations
from visarith.studies.learnability import LEARNABLE, ONE_MORE, STUDY, VERDICTS, decide, learnable
from visarith.studies.learnability.question import Question, influence
from visarith.studies.learnability.staircases import constructions
from visarith.studies.learnability.training import quick_training
from visarith.studies.results import Result, Results

NEVER = [10**9] * 7  # tables that cost too much to be taken


def gates(text: str, digits: int, way: str = "staircase", base: int = 10) -> list[int]:
    """Each digit's gates, units first."""
    made = constructions(Question(text, base=base, digits=digits).task(), NEVER[:digits])
    return [stairs.gates for stairs in made[way].places]


def test_addition_takes_the_papers_gates() -> None:
    assert gates("add", 1) == [8]  # operands 0..4: the sums 0..8 are 8 steps
    assert gates("add", 2) == [18, 9]  # units: sums 0..18; tens of operands 0..49: sums up to 98
    assert gates("add", 3) == [18, 19, 9]  # between: 9 + 9 and a carry, 19 steps; the paper has i = 0..19
    found = learnable(Question("add", digits=7))
    assert found.counted == {1: 8, 2: 27, 3: 46}
    assert (found.counted_digits, found.gates, found.layers) == (3, 18 + 19 + 9, 3)
    assert found.gates <= 20 * 3  # Sec. 6: 20 M in HL2,
    assert (found.templates, found.answers) == (2 * 10 * 7, 10 * 7)  # 20 M templates in HL1 and 10 M in HL3
    assert found.verdict == LEARNABLE


@pytest.mark.parametrize("base", [2, 5])
def test_addition_in_another_base(base: int) -> None:
    assert max(gates("add", 3, base=base)) <= 2 * base - 1


def test_gates_of_others_by_hand() -> None:
    assert gates("a ^ b", 4, base=2) == [2] * 4  # 0 + 0, 0 + 1, 1 + 1: the bit goes up and down again
    assert gates("reverse(a)", 3) == [9] * 3
    assert gates("a > b", 2) == [1, 0]
    assert gates("halve", 2) == [9, 4]  # units: 10 (tens odd) + units, halved: 0..9; tens: 0..4
    assert gates("abs(a - b)", 2) == [198, 18]  # |s| for s in -99..99: units change at each, tens at 18
    assert gates("abs(a - b)", 2, "choice") == [
        72,
        18,
    ]  # in each case 18 steps of a - b at its place, and as many joined


def test_products_need_pairs_of_digits() -> None:
    made = constructions(Question("multiply", digits=4).task(), NEVER[:4])
    assert not {"staircase", "choice"} & set(made)
    assert made["products"].gates == sum(s.gates for s in made["products"].places) + (9 + 9) ** 2


def test_influence_is_what_brute_force_counts() -> None:
    found = influence(Question("max(a, b)", digits=1).task())
    changes = [(a, b, c) for a, b, c in product(range(10), repeat=3) if a != c]
    share = np.mean([max(a, b) != max(c, b) for a, b, c in changes])
    assert found.exhaustive
    assert found.shares[:, 0, 0] == pytest.approx([share, share])


@pytest.mark.parametrize(
    ("text", "base", "depends", "reach"),
    [
        ("a ^ b", 2, [2, 2, 2], [0, 0, 0]),
        ("reverse(a)", 10, [1, 1, 1], [2, 0, 2]),
        ("max(a, b)", 10, [6, 4, 2], [2, 1, 0]),
    ],
)
def test_known_structure(text: str, base: int, depends: list[int], reach: list[int]) -> None:
    found = influence(Question(text, base=base, digits=3).task())
    assert [found.depends_on(place) for place in range(3)] == depends
    assert [found.reach(place) for place in range(3)] == reach


def test_roman_changes_are_legal_numerals() -> None:
    found = influence(Question("add", "roman", digits=1).task())
    assert found.shares.shape == (2, 5, 2)  # cells, and how often I and V are written
    assert found.reach(0) is None
    assert (found.shares[:, :4, 0] == 1).all()  # of 0..4 only the last I may go and a next one come: I's count changes
    assert (found.shares[:, 4] == 0).all()  # IIIII is no numeral


@pytest.mark.parametrize("text", ["abs(a - b) % 10", "a + b*b"])
def test_only_what_was_counted_is_said(text: str) -> None:
    """Extrapolation once gave a negative number of gates, and called 9, 200, 2,148, 30,100 quadratic."""
    asked = Question(text, digits=7)
    found = learnable(asked)
    assert min(found.counted.values()) >= 0
    assert found.gates == found.counted[found.counted_digits] >= 0
    assert all(digit.gates is None for digit in found.digits)  # seven digits were not counted


def test_the_rule_is_calibrated_on_the_papers_operations() -> None:
    assert learnable(Question("subtract", digits=2)).verdict == LEARNABLE
    assert learnable(Question("halve", digits=4)).verdict == LEARNABLE
    assert decide("staircase", 4, 490, 0.0) == ONE_MORE  # Roman addition: 35 cells of 14 numerals
    assert decide("products", 4, 900, 7.1) == "products of digits"
    assert decide("table", 3, 10**9, 1.0) == "a table"
    assert decide("staircase", 3, 42, 6.5) == "too many digits at once"
    assert decide("staircase", 3, 5_000, 1.0) == "too many gates"
    assert {LEARNABLE, ONE_MORE} < set(VERDICTS)


def test_short_training_beside_chance() -> None:
    found = quick_training(Question("copy", digits=2), "one-hot", steps=300)
    assert (found.examples, found.test_pairs) == (80, 20)
    assert 0.7 < found.chance <= 1
    assert found.digit_error < 0.3 * found.chance


def test_the_verb(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = run(capsys, "learnable", "max(a, b)", "--digits", 2, "--json")
    assert code == 0
    assert "influence" in err
    found = json.loads(out)
    wanted = "operation expression notation base digits verdict layers way gates counted counted_digits"
    wanted += " per_digit trained"
    assert set(wanted.split()) <= set(found)
    assert (found["operation"], found["expression"], found["verdict"], found["way"]) == (
        "expression",
        "max(a, b)",
        ONE_MORE,
        "choice",
    )
    assert found["trained"] is None
    assert [(digit["place"], digit["depends_on"], digit["reach"]) for digit in found["per_digit"]] == [
        (0, 4, 1),
        (1, 2, 0),
    ]
    code, out, _ = run(capsys, "learnable", "add", "--notation", "roman", "--digits", 1)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "learnable, one more layer" in out
    assert list(tmp_path.iterdir()) == []


ROW = {
    "verdict": LEARNABLE,
    "way": "staircase",
    "layers": 3,
    "gates": 8,
    "widest": 8,
    "counted_digits": 3,
    "operation": "expression",
    "base": 10,
    "digits": 4,
    "notation": "arabic",
    "per_digit": [{"taken": 2.0}],
}


def test_claim_32_follows_the_rows(stored: Results) -> None:
    claim, jobs = CLAIMS[31], STUDY.jobs([0], False)
    assert claim.verdict(Evidence(stored)).word == "open"

    def word(*rows: tuple[str, float]) -> str:
        for job in jobs:
            stored.file(job).unlink(missing_ok=True)
        for job, (said, left) in zip(jobs, rows, strict=False):
            row = ROW | {"verdict": said, "trained": [{"digit_error": left, "chance": 1.0}] * 2}
            stored.keep(Result(job, row | {"expression": job.name}))
        evidence = Evidence(stored)
        assert len(learnable_operations(evidence).rows) == len(rows)
        return claim.verdict(evidence).word

    good, hard = (LEARNABLE, 0.1), ("a table", 0.9)
    assert word(good, good, hard, hard) == "confirmed"
    assert word(good, good, hard, (ONE_MORE, 0.9)) == "refined"
    assert word(good, good, good, hard, ("a table", 0.4)) == "confirmed"
    assert word(good, good, ("a table", 0.4), ("a table", 0.4), (LEARNABLE, 0.9)) == "refined"
    assert (
        "If 50.0 % left counted as learned, it would agree on 2 and one answer to all on 4."
        in claim.verdict(Evidence(stored)).why
    )
    assert word(good, hard, (LEARNABLE, 0.9), ("a table", 0.1)) == "refuted"
    assert word(good, good, good, ("a table", 0.1)) == "refuted"  # no better than to say learnable of all
