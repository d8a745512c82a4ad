"""The report: means and intervals by hand, tables, and files that hold everything."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

from stored_results import keep, keep_failure, keep_seeds, verdicts
from visarith.cli import main
from visarith.errors import VisarithError
from visarith.learners import LEARNERS
from visarith.report import report
from visarith.report.abstract import abstract
from visarith.report.claims import CLAIMS, claims
from visarith.report.estimates import share
from visarith.report.evidence import Evidence, NoResultError
from visarith.report.experiments import group_tables, learners, seen
from visarith.report.table_1 import nine_cells, readme
from visarith.studies import experiments, studies
from visarith.studies.catalogue import CATALOGUE, ENTRIES, GROUPS
from visarith.studies.results import Results

ADD = experiments.job(ENTRIES["add"], 0)


def test_the_interval_over_seeds_is_students() -> None:
    errors = [0.010, 0.014, 0.012]
    found = share(errors, [100] * 3)
    reach = 4.302653 * np.std(errors, ddof=1) / 3**0.5
    assert (found.mean, found.low, found.high) == pytest.approx((0.012, 0.012 - reach, 0.012 + reach))
    assert found.over == "3 seeds"
    assert share([0.5], [100], (0.4, 0.6)).low == 0.4
    assert share([0.5], [100], (0.4, 0.6)).over == "pairs"
    assert share([0.0, 0.9], [100] * 2).low == 0


@pytest.mark.parametrize(("value", "said"), [(0.0, "0 %, at most 0.004 %"), (1.0, "100 %, at least 99.996 %")])
def test_seeds_that_agree_on_nothing_wrong_still_have_a_bound(value: float, said: str) -> None:
    bound = binomtest(round(90_000 * value), 90_000).proportion_ci(method="wilson")
    found = share([value] * 3, [30_000] * 3)
    assert (found.low, found.high) == pytest.approx((bound.low, bound.high), abs=1e-12)
    assert str(found) == said


def test_all_37_claims_are_there_in_order() -> None:
    assert [claim.number for claim in CLAIMS] == list(range(1, 38))
    for claim in CLAIMS:
        assert claim.rule.endswith("."), claim.number
        assert claim.dated.startswith("2026-")
        assert (Path(report.__file__).parent.parent / claim.where).exists(), claim.where


def test_without_results_nothing_is_claimed(tmp_path: Path) -> None:
    words = verdicts(Results(tmp_path))
    assert (words.pop(29), words.pop(35)) == ("confirmed", "confirmed")  # counted, not trained
    assert set(words.values()) == {"open"}
    with pytest.raises(NoResultError, match=r"^there is no result of add yet; visarith reproduce makes it$"):
        Evidence(Results(tmp_path))["add"]
    for study in set(studies()) - set(GROUPS):
        with pytest.raises(NoResultError, match=f"no result of {study} yet; visarith reproduce --only {study} makes"):
            Evidence(Results(tmp_path)).rows(study)


def test_without_results_there_is_no_report(stored: Results, tmp_path: Path) -> None:
    with pytest.raises(VisarithError) as caught:
        report.report(Results(tmp_path / "empty"), tmp_path)
    assert str(caught.value) == f"{tmp_path / 'empty'} has no results; visarith reproduce makes them"
    old = Results(tmp_path / "old")
    old.file(ADD).parent.mkdir(parents=True)
    old.file(ADD).write_text(stored.file(ADD).read_text().replace('"method": 1', '"method": 0'))
    with pytest.raises(VisarithError, match=r"has no results of this code \(.*add.seed0.json is of other code"):
        report.report(old, tmp_path)


def test_a_failed_run_stands_in_the_table_as_failed(stored: Results) -> None:
    keep_failure(stored, "halve", "it broke")
    text = "".join(table.markdown() for table in group_tables(Evidence(stored)))
    assert re.search(r"`halve`.*failed: it broke", text)
    assert verdicts(stored)[21] == "open"


def test_a_result_of_other_code_is_named_and_left_out(stored: Results, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in reversed(range(3)):
        file = stored.file(experiments.job(ENTRIES["add"], seed))
        file.write_text(file.read_text().replace('"method": 1', '"method": 0'))
    assert main(["report", "--results", str(stored.folder), "--out", "there"]) == 0
    assert f"{file} is of other code (method 0, not 1); it is left out" in capsys.readouterr().err
    assert "is of other code" in Path("there/report.html").read_text()
    assert "not measured yet" in nine_cells(Evidence(stored)).rows[0][4]


def test_the_nine_cells_have_both_recipes(stored: Results) -> None:
    keep(stored, "add", 0.03, seed=1)
    rows = nine_cells(Evidence(stored)).rows
    papers = ["1.9 %", "1.7 %", "3.2 %", "2.1 %", "71.5 %", "37.6 %", "74.3 %", "0.7 %", "9.8 %"]
    assert [row[3] for row in rows] == papers
    assert [row[2] for row in rows] == ["3", "1", "3", "1", "5", "3", "5", "3", "3"]
    assert rows[0][4].startswith("**1.67 %** (0 % to 4.54 % over 3 seeds)")
    assert "entropy, 50 epochs" in rows[1][6]


def test_the_report_holds_everything_and_calls_nobody(stored: Results, tmp_path: Path) -> None:
    files = report.write(report.report(stored, tmp_path / "runs"), tmp_path / "out")
    html, text = (tmp_path / "out" / "report.html").read_text(), (tmp_path / "out" / "report.md").read_text()
    assert files[0].name == "report.html"
    assert "http" not in re.sub(r"base64,[^\"]*", "", html)
    assert 'src="data:image/svg+xml;base64,' in html
    for entry in CATALOGUE:
        assert f"<code>{entry.name}</code>" in html
        assert f"`{entry.name}`" in text
    for title in GROUPS.values():
        assert title.replace("'", "&#39;") in html
        assert title.replace("'", "&#39;") in text
    checker = _Balanced()
    checker.feed(html)
    assert checker.open == []
    assert "NOT THE PAPER" not in html


def test_the_abstract_is_of_the_stored_results(stored: Results) -> None:
    lines = abstract(Evidence(stored))
    assert 6 <= len(lines) <= 10
    assert any("sums: 1.00 % (1.00 % to 1.00 % over 3 seeds) (the paper 1.9 %)" in line for line in lines)
    assert not any("recipe was the obstacle" in line for line in lines)
    keep_seeds(stored, "roman", 0.7)
    assert any("recipe was the obstacle" in line for line in abstract(Evidence(stored)))


def test_what_the_test_shares_with_training_is_stated_for_every_entry(stored: Results) -> None:
    rows = {row[0]: row[2:] for row in seen(Evidence(stored)).rows}
    assert set(rows) == {f"`{entry.name}`" for entry in CATALOGUE}
    assert rows["`add`"] == ["1.00 %", "2.00 %"]


def test_figures_can_be_had_as_pdf(stored: Results) -> None:
    assert main(["report", "--results", str(stored.folder), "--out", "there", "--pdf"]) == 0
    drawn = {file.stem for file in Path("there").glob("*.svg")}
    assert drawn
    assert {file.stem for file in Path("there").glob("*.pdf")} == drawn


def test_a_quick_report_says_so_and_is_kept_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--quick", "--only", "add-one-hot"]) == 0
    assert "NOT THE PAPER'S SIZE" in capsys.readouterr().err
    assert "NOT THE PAPER&#39;S SIZE" in Path("runs/quick/report/report.html").read_text()
    assert not Path("results").exists()
    assert not Path("report").exists()


def test_hostile_text_is_escaped(stored: Results, tmp_path: Path) -> None:
    keep_failure(stored, "halve", "<script>alert(1)</script> | **b**")
    report.write(report.report(stored, tmp_path / "runs"), tmp_path / "out")
    assert "<script>" not in (tmp_path / "out" / "report.html").read_text()


def test_every_learner_says_what_it_is_told() -> None:
    table = learners()
    assert [row[0] for row in table.rows] == list(LEARNERS)
    assert all(len(row[1]) > 20 for row in table.rows)
    assert "neighbours" in {row[0]: row[1] for row in table.rows}["convolutional"]


def test_the_readme_table_is_short(stored: Results) -> None:
    table = readme(Evidence(stored))
    assert [row[1] for row in table.rows] == ["1.9 %", "3.2 %", "71.5 %", "74.3 %", "9.8 %"]
    assert claims(Evidence(stored)).rows[0][3] == "confirmed"


class _Balanced(HTMLParser):
    """Which elements are still open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag not in ("meta", "img", "link", "br", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
