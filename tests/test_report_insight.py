"""The report on insight: verdicts follow the figures; tables, figures, and rows that are left out."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stored_insight
from visarith.report import illegible, layers, report
from visarith.report.claims import CLAIMS
from visarith.report.estimates import Value
from visarith.report.evidence import Evidence, NoResultError
from visarith.report.insight import insight
from visarith.report.parts import Table
from visarith.studies.results import Results

ROOT = Path(__file__).parent.parent

WORLDS = [  # claim, what is measured instead, the word, and what its sentence must say
    (17, {}, "refined", "ink is about probability"),
    (17, {"apart": 0.2}, "refined", "neither in proportion"),
    (17, {"slope": 1.0, "deviation": 0.05}, "confirmed", "in the proportion"),
    (17, {"slope": 1.0, "deviation": 0.15}, "refined", "not in proportion"),
    (17, {"mixed": 0.1}, "refuted", "not a mixture"),
    (17, {"ink": 0.4}, "refuted", "not a mixture"),
    (17, {"right": 0.0}, "refuted", "Nothing"),
    (18, {}, "refuted", "one column"),
    (18, {"column": 0.3}, "refuted", "Few bottom units"),
    (18, {"detectors": 0.6}, "refined", "not each"),
    (18, {"detectors": 0.95}, "confirmed", "Almost every"),
    (19, {}, "refined", "lean that way"),
    (19, {"closest": 1.7}, "confirmed", "dwell on"),
    (19, {"closest": 0.9}, "refuted", "do not prefer"),
    (20, {}, "refined", "only some top units"),
    (20, {"single": 0.7}, "confirmed", "Most top units"),
    (20, {"answers": (0.9, 0.6, 0.999)}, "refined", "step by step"),
    (20, {"answers": (0.3, 0.5, 0.7)}, "refuted", "does not hold"),
    (20, {"start": 0.95}, "refuted", "does not hold"),
    (30, {}, "refined", "In part"),
    (30, {"gates": (0.95, 0.95, 0.95)}, "confirmed", "arrives"),
    (30, {"gates": (0.0, 0.0, 0.0)}, "open", "does not show"),
]


def stored(folder: Path, **world: Any) -> Evidence:
    """The evidence of a made-up world."""
    results = Results(folder)
    stored_insight.keep(results, **world)
    return Evidence(results)


def tables(evidence: Evidence) -> list[Table]:
    return [*layers.tables(evidence), illegible.table(evidence)]


@pytest.mark.parametrize(("number", "world", "word", "says"), WORLDS)
def test_each_branch_says_what_is_so(number, world, word, says, tmp_path) -> None:  # type: ignore[no-untyped-def]
    verdict = CLAIMS[number - 1].verdict(stored(tmp_path, **world))
    assert (verdict.word, says in verdict.why) == (word, True), verdict


def test_without_insight_the_claims_stay_open_and_say_what_to_do(tmp_path: Path) -> None:
    nothing = Evidence(Results(tmp_path))
    for number in (17, 18, 19, 20, 30):
        verdict = CLAIMS[number - 1].verdict(nothing)
        assert verdict.word == "open"
        assert "`visarith reproduce --only insight`" in verdict.why
    with pytest.raises(NoResultError):
        tables(nothing)
    with pytest.raises(NoResultError, match="insight into multiply"):
        insight(stored(tmp_path))["multiply"]


def test_figures_of_runs_of_other_code_are_left_out_and_named(tmp_path: Path) -> None:
    stored(tmp_path)
    file = tmp_path / "insight" / "add.seed0.json"
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, "asked": {"run": "add-seed0-00000000"}}))
    evidence = Evidence(Results(tmp_path))
    assert [row["seed"] for row in insight(evidence)["add"]] == [1, 2]
    assert evidence.complaints == [f"{file} answers another question (its run differs)"]
    assert report.report(Results(tmp_path), tmp_path / "runs").complaints == evidence.complaints


def test_intervals_are_students_and_not_cut_at_nothing() -> None:
    values = [-0.5, -0.6, -0.7]
    found = Value(values)
    assert found.high - found.mean == pytest.approx(4.302653 * np.std(values, ddof=1) / 3**0.5)
    assert str(Value([1.25])) == "1.25"


def test_tables_hold_every_layer_and_the_stored_figures(tmp_path: Path) -> None:
    units, probes, construction, filters, mixtures = tables(stored(tmp_path))
    assert [row[1] for row in units.rows] == ["1", "2", "3"] * 4  # add before training too
    assert [row[1] for row in probes.rows] == ["pixels", "1", "2", "3"] * 3
    assert units.rows[0][2].startswith("3.00 %")
    assert units.rows[3][2].startswith("0 %")
    assert probes.rows[3][3].startswith("99.9 %")
    assert probes.rows[3][6].startswith("14.0 %")
    assert [row[0] for row in construction.rows] == ["`add`"] * 3 + ["`noise-better`"] * 3
    assert filters.rows[0][1].startswith("1.30")
    assert (mixtures.rows[0][2], mixtures.rows[1][2]) == ("no", "yes")
    assert "deviation 0.21" in mixtures.note
    for table in (units, probes, construction, filters, mixtures):
        assert all(len(row) == len(table.head) for row in table.rows)
    assert illegible.table(stored(tmp_path, right=0.0)).rows[0][3:] == ["-"] * 8


def test_figures_are_drawn_from_stored_results_alone(tmp_path: Path) -> None:
    evidence = stored(tmp_path)
    for draw in (layers.units_figure, layers.probes_figure, illegible.blends_figure):
        sheet, _ = draw(evidence)
        assert sheet.svg().count(b"<path") > 10


def test_the_stored_figures_are_of_this_code() -> None:
    evidence = Evidence(Results(ROOT / "results"))
    assert evidence.complaints == []
    found = insight(evidence)
    assert {name: len(rows) for name, rows in found.rows.items()} == {
        "add": 3,
        "subtract": 3,
        "multiply": 3,
        "noise": 3,
        "noise-better": 1,
    }
    assert sum(file.stat().st_size for file in (ROOT / "results" / "insight").iterdir()) < 300_000
    for rows in found.rows.values():
        for row in rows:
            for layer in row["trained"]:  # the control that must fail
                for kind, chance in row["chance"].items():
                    assert chance is None or layer["shuffled"][kind] < chance + 0.05
