"""What the report makes of insight: verdicts that follow the figures, tables, figures, and what is left out."""

import json
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import stored_insight
from visarith.errors import VisarithError
from visarith.experiments.results import Results
from visarith.report import insight, page
from visarith.report.claims import CLAIMS
from visarith.report.evidence import Evidence
from visarith.report.figures import figures
from visarith.report.insight_evidence import NoInsightError, Value, load

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


@pytest.mark.parametrize(("number", "world", "word", "says"), WORLDS)
def test_each_branch_says_what_is_so(number, world, word, says, tmp_path) -> None:  # type: ignore[no-untyped-def]
    stored_insight.keep(tmp_path, **world)
    verdict = CLAIMS[number - 1].verdict(Evidence(Results(tmp_path)))
    assert (verdict.word, says in verdict.why) == (word, True), verdict


def test_without_insight_the_claims_stay_open_and_say_what_to_do(tmp_path: Path) -> None:
    for number in (17, 18, 19, 20, 30):
        verdict = CLAIMS[number - 1].verdict(Evidence(Results(tmp_path)))
        assert verdict.word == "open"
        assert "python benchmarks/insight.py" in verdict.why
    assert insight.tables(load(tmp_path)) == []
    with pytest.raises(NoInsightError):
        load(tmp_path)["add"]


def test_figures_of_runs_of_other_code_are_left_out_and_named(tmp_path: Path) -> None:
    stored_insight.keep(tmp_path)
    file = tmp_path / "insight.json"
    rows = json.loads(file.read_text())
    first, *others = rows
    file.write_text(json.dumps({"add-seed0-00000000": rows[first]} | {name: rows[name] for name in others}))
    found = load(tmp_path)
    assert [row["seed"] for row in found["add"]] == [1, 2]
    assert "add-seed0-00000000" in found.complaints[0]
    assert page.report(Results(tmp_path), tmp_path / "runs").complaints == found.complaints


@pytest.mark.parametrize("text", ["{", "[]", '{"add": 3}', '{"add": {"entry": "add"}}'])
def test_a_damaged_file_is_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "insight.json").write_text(text)
    with pytest.raises(VisarithError, match=r"^\S*insight.json is damaged .*; delete it and run python [^\n]*$"):
        load(tmp_path)


def test_intervals_are_students_and_not_cut_at_nothing() -> None:
    values = [-0.5, -0.6, -0.7]
    found = Value(values)
    assert found.high - found.mean == pytest.approx(4.303 * np.std(values, ddof=1) / 3**0.5)
    assert str(Value([1.25])) == "1.25"


def test_tables_hold_every_layer_and_the_figures_of_the_file(tmp_path: Path) -> None:
    stored_insight.keep(tmp_path)
    units, probes, construction, filters, mixtures = insight.tables(load(tmp_path))
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
    stored_insight.keep(tmp_path, right=0.0)
    assert insight.mixtures(load(tmp_path)).rows[0][3:] == ["-"] * 8


def test_figures_are_drawn_from_the_file_alone(tmp_path: Path) -> None:
    stored_insight.keep(tmp_path)
    drawn = {figure.name: figure for figure in figures({}, lambda _: None, None, load(tmp_path))}
    for name in ("inside-units", "inside-probes", "illegible"):
        png = drawn[name].png
        assert png is not None
        with Image.open(BytesIO(png)) as picture:
            assert picture.width == 900
            assert np.asarray(picture.convert("L")).std() > 5


def test_the_report_in_the_docs_has_these_tables() -> None:
    root = Path(__file__).parent.parent
    said = (root / "docs" / "report" / "report.md").read_text()
    for table in insight.tables(load(root / "results")):
        assert table.markdown() in said, f"{table.title}: run make docs"


def test_the_stored_figures_are_of_this_code() -> None:
    folder = Path(__file__).parent.parent / "results"
    found = load(folder)
    assert found.complaints == []
    assert {name: len(rows) for name, rows in found.rows.items()} == {
        "add": 3,
        "subtract": 3,
        "multiply": 3,
        "noise": 3,
        "noise-better": 1,
    }
    assert (folder / "insight.json").stat().st_size < 200_000
    for rows in found.rows.values():
        for row in rows:
            for layer in row["trained"]:  # the control that must fail
                for kind, chance in row["chance"].items():
                    assert chance is None or layer["shuffled"][kind] < chance + 0.05
