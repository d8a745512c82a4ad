"""The report: means and intervals by hand, verdicts that follow the figures, and pages that hold everything."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from visarith.cli import main
from visarith.evaluation import Score
from visarith.experiments.catalogue import CATALOGUE, ENTRIES, GROUPS
from visarith.experiments.results import Result, Results, parts
from visarith.learners import LEARNERS
from visarith.report import page
from visarith.report.claims import CLAIMS
from visarith.report.evidence import Evidence, NoResultError, over_seeds
from visarith.report.tables import claims, group_tables, learners, readme, table_1


def score(error: float, reader: str = "templates", unreadable: int = 0, positions: list[float] | None = None) -> Score:
    bounds = (max(0.0, error - 0.001), min(1.0, error + 0.001))
    pairs = 30_000 if reader == "templates" else 2_000
    return Score(reader, pairs, error, bounds, error, error, bounds, error, unreadable, positions or [error] * 7)


def result(name: str, error: float, seed: int = 0, **more: object) -> Result:
    entry = ENTRIES[name]
    epochs = 0 if entry.parts else entry.recipe.epochs
    made = Result(
        entry=name,
        seed=seed,
        experiment=entry.experiment(seed).to_json(),
        parts=parts(entry, seed, quick=False),
        parameters=10,
        seconds=60.0,
        core_seconds=50.0,
        score=score(error),
        tesseract=score(error + 0.001, "tesseract") if entry.tesseract() else None,
        train_digit_error=error,
        distance=0.02,
        seen={"operands": 0.01, "answers": 0.02},
        curve=((1.0, 0.9),) * (epochs - 1) + ((0.5, error),) * min(epochs, 1),
    )
    return replace(made, **more)  # type: ignore[arg-type]


@pytest.fixture
def stored(tmp_path: Path) -> Results:
    """A result for every entry, all at 1 % but for multiplication."""
    results = Results(tmp_path / "results")
    for entry in CATALOGUE:
        results.keep(entry, result(entry.name, 0.6 if "multiply" in entry.name else 0.01))
    return results


def verdicts(results: Results) -> dict[int, str]:
    evidence = Evidence(results)
    return {claim.number: claim.verdict(evidence).word for claim in CLAIMS}


def test_the_interval_over_seeds_is_students() -> None:
    errors = [0.010, 0.014, 0.012]
    share = over_seeds(errors, (0, 1))
    reach = 4.303 * np.std(errors, ddof=1) / 3**0.5
    assert (share.mean, share.low, share.high) == pytest.approx((0.012, 0.012 - reach, 0.012 + reach))
    assert over_seeds([0.5], (0.4, 0.6)).low == 0.4
    assert over_seeds([0.0, 0.9], (0, 1)).low == 0


def test_all_37_claims_are_there_in_order() -> None:
    assert [claim.number for claim in CLAIMS] == list(range(1, 38))
    for claim in CLAIMS:
        if claim.where != "not built yet":
            assert (Path(page.__file__).parent.parent / claim.where).exists(), claim.where


def test_without_results_nothing_is_claimed(tmp_path: Path) -> None:
    words = verdicts(Results(tmp_path))
    assert words.pop(35) == "confirmed"  # counted, not trained
    assert set(words.values()) == {"open"}
    with pytest.raises(NoResultError):
        Evidence(Results(tmp_path))["add"]


def test_verdicts_follow_the_figures(stored: Results) -> None:
    words = verdicts(stored)
    assert (words[1], words[2], words[6], words[10], words[21]) == (*["confirmed"] * 3, "refuted", "confirmed")
    for name, error in (("add", 0.03), ("multiply-better", 0.1), ("roman-better", 0.7), ("halve", 0.5)):
        stored.keep(ENTRIES[name], result(name, error))
    stored.keep(ENTRIES["roman"], result("roman", 0.74))
    words = verdicts(stored)
    assert (words[1], words[6], words[10], words[21]) == ("refuted", "refuted", "confirmed", "refuted")


WORLDS = [  # claim, what is measured instead of 1 % (60 % in products), the word, and what its sentence must say
    (1, {"add": 0.03}, "refuted", "not below"),
    (2, {"add": 0.001, "subtract": 0.049}, "refined", "several times"),
    (2, {"subtract": 0.2}, "refuted", "not learned"),
    (4, {"add-width-32": 0.5}, "confirmed", "layers of 64 units"),
    (5, {"add-15000-examples": 0.5, "add-50000-examples": 0.5}, "confirmed", "150,000 pairs"),
    (6, {"multiply-better": 0.1}, "refuted", "most digits are learned"),
    (7, {"multiply-3-layers": 0.1}, "refuted", "One of these depths"),
    (8, {}, "refuted", "not in the middle"),
    (10, {"roman": 0.04, "roman-better": 0.06}, "refuted", "learns it"),
    (10, {"roman": 0.7, "roman-better": 0.2}, "refined", "Most cells"),
    (10, {"roman": 0.7, "roman-better": 0.6}, "confirmed", "Neither"),
    (11, {"roman-one-hot-better": 0.02, "roman-one-hot": 0.3}, "refined", "not to the paper's"),
    (12, {"roman": 0.001}, "refuted", "does not grow"),
    (12, {"roman": 0.7, "roman-5-digits": 0.4}, "refined", "with another recipe"),
    (13, {"add-one-hot": 0.5, "add-one-hot-better": 0.5}, "refuted", "does not reach"),
    (13, {"add": 0.001}, "refined", "do better still"),
    (14, {"multiply-one-hot-better": 0.1}, "refuted", "largely learned"),
    (15, {"noise-better": 0.5}, "refined", "fewer are right"),
    (16, {}, "open", "people were not asked"),
    (22, {"permuted": 0.04}, "refuted", "changes the error"),
    (23, {}, "refuted", "Neither"),
    (23, {"permuted-displaced": 0.5}, "refined", "Broken by displacement after a permutation; displacement before"),
    (23, {"convolutional-permuted": 0.5}, "refined", "Broken by convolution"),
    (24, {"sigmoid": 0.5}, "refined", "does not show"),
    (25, {"multiply-lstm": 0.7}, "open", "fewer epochs"),
    (25, {"multiply-lstm": 0.5}, "confirmed", "far though it is"),
    (25, {"multiply-lstm": 0.01}, "confirmed", "learns to multiply"),
    (26, {"roman": 0.12, "roman-better": 0.01, "roman-symbols": 0.06}, "refined", "as well or better"),
    (26, {"roman-symbols": 0.5}, "refuted", "not help"),
    (33, {"add-three": 0.9, "add-subtract": 0.9}, "refuted", "Neither"),
    (33, {"add-three": 0.9}, "refined", "One of the two"),
    (36, {"draw": 0.5, "perceive": 0.0}, "refuted", "Not every part"),
]


@pytest.mark.parametrize(("number", "world", "word", "says"), WORLDS)
def test_each_branch_says_what_is_so(number, world, word, says, stored) -> None:  # type: ignore[no-untyped-def]
    for name, error in world.items():
        stored.keep(ENTRIES[name], result(name, error))
    verdict = CLAIMS[number - 1].verdict(Evidence(stored))
    assert (verdict.word, says in verdict.why) == (word, True), verdict


def test_the_middle_of_products(stored: Results) -> None:
    for positions, word in (
        ([0, 0.1, 0.8, 0.9, 0.9, 0.8, 0], "confirmed"),
        ([0, 0.1, 0.8, 0.9, 0.9, 0.1, 0], "refined"),
    ):
        made = result("multiply-better", 0.5, score=score(0.5, positions=positions))
        stored.keep(ENTRIES["multiply-better"], made)
        assert verdicts(stored)[8] == word


def test_unreadable_products(stored: Results) -> None:
    for share, word in ((0.5, "confirmed"), (0.1, "refuted")):
        read = score(0.7, "tesseract", unreadable=int(share * 2_000))
        stored.keep(ENTRIES["multiply"], result("multiply", 0.7, tesseract=read))
        assert verdicts(stored)[9] == word


def test_every_measured_claim_can_be_refuted_or_refined(tmp_path: Path) -> None:
    """No rule says yes whatever the figures are: each claim has a world in which it does not hold."""
    not_confirmed = {35}
    for level in (0.0, 0.004, 0.02, 0.9):
        results = Results(tmp_path / str(level))
        for i, entry in enumerate(CATALOGUE):
            error = level if level in (0.0, 0.9) else level + 0.1 * (i % 3)
            tesseract = score(max(0.0, error - 0.01), "tesseract") if entry.tesseract() else None
            results.keep(entry, result(entry.name, error, tesseract=tesseract))
        not_confirmed |= {number for number, word in verdicts(results).items() if word != "confirmed"}
    assert not_confirmed == set(range(1, 38))


def test_a_failed_run_stands_in_the_table_as_failed(stored: Results) -> None:
    stored.keep(ENTRIES["halve"], Result("halve", 0, ENTRIES["halve"].experiment(0).to_json(), failed="it broke"))
    text = "".join(table.markdown() for table in group_tables(Evidence(stored)))
    assert re.search(r"`halve`.*failed: it broke", text)
    assert verdicts(stored)[21] == "open"


def test_a_result_of_other_code_is_named_and_left_out(stored: Results, capsys: pytest.CaptureFixture[str]) -> None:
    file = stored.file(ENTRIES["add"], 0)
    file.write_text(file.read_text().replace('"method": 1', '"method": 0'))
    assert main(["report", "--results", str(stored.folder), "--out", "there"]) == 0
    assert f"{file} is of other code (method 0, not 1); it is left out" in capsys.readouterr().err
    assert "is of other code" in Path("there/report.html").read_text()
    assert "not measured yet" in table_1(Evidence(stored)).rows[0][4]


def test_table_1_has_eight_cells_with_both_recipes(stored: Results) -> None:
    stored.keep(ENTRIES["add"], result("add", 0.03, seed=1))
    rows = table_1(Evidence(stored)).rows
    assert [row[3] for row in rows] == ["1.9 %", "1.7 %", "3.2 %", "2.1 %", "71.5 %", "37.6 %", "74.3 %", "0.7 %"]
    assert [row[2] for row in rows] == ["3", "1", "3", "1", "5", "3", "5", "3"]
    assert rows[0][4].startswith("**2.00 %** (0 % to 14.7 %)")
    assert rows[0][7] == "2"
    assert "entropy, 100 epochs" in rows[1][6]


def test_the_page_holds_everything_and_calls_nobody(stored: Results, tmp_path: Path) -> None:
    files = page.write(page.report(stored, tmp_path / "runs"), tmp_path / "out")
    html, text = (tmp_path / "out" / "report.html").read_text(), (tmp_path / "out" / "report.md").read_text()
    assert files[0].name == "report.html"
    assert "http" not in re.sub(r"base64,[^\"]*", "", html)
    assert 'src="data:image/png;base64,' in html
    for entry in CATALOGUE:
        assert f"<code>{entry.name}</code>" in html
        assert f"`{entry.name}`" in text
    for title in GROUPS.values():
        assert title.replace("'", "&#39;") in html
        assert title in text
    checker = _Balanced()
    checker.feed(html)
    assert checker.open == []
    assert "NOT THE PAPER" not in html


def test_a_quick_report_says_so_and_is_kept_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--quick", "--only", "add-one-hot"]) == 0
    assert "NOT THE PAPER'S SIZE" in capsys.readouterr().err
    assert "NOT THE PAPER&#39;S SIZE" in Path("runs/quick/report/report.html").read_text()
    assert not Path("results").exists()
    assert not Path("report").exists()


def test_hostile_text_is_escaped(stored: Results, tmp_path: Path) -> None:
    why = "<script>alert(1)</script> | **b**"
    stored.keep(ENTRIES["halve"], Result("halve", 0, ENTRIES["halve"].experiment(0).to_json(), failed=why))
    page.write(page.report(stored, tmp_path / "runs"), tmp_path / "out")
    assert "<script>" not in (tmp_path / "out" / "report.html").read_text()


def test_every_learner_says_what_it_is_told() -> None:
    table = learners()
    assert [row[0] for row in table.rows] == list(LEARNERS)
    assert all(len(row[1]) > 20 for row in table.rows)
    assert "neighbours" in table.rows[1][1]


def test_the_readme_table_is_short(stored: Results) -> None:
    table = readme(Evidence(stored))
    assert [row[1] for row in table.rows] == ["1.9 %", "3.2 %", "71.5 %", "74.3 %", "9.8 %"]
    assert claims(Evidence(stored)).rows[0][5] == "confirmed"


class _Balanced(HTMLParser):
    """Which elements are still open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag not in ("meta", "img", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
