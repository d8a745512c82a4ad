"""The report on constructed networks: verdicts follow the figures, and what is missing is said."""

from pathlib import Path
from typing import Any

import pytest

from stored_results import keep_row
from visarith.report import construction, growth
from visarith.report.claims import CLAIMS
from visarith.report.evidence import Evidence, NoResultError
from visarith.studies.results import Results

SIZES = {
    ("addition", "thresholds"): [140, 140, 70],
    ("addition", "fewest"): [122],
    ("addition", "carries"): [140, 126, 82],
    ("multiplication", "thresholds"): [140, 1296, 1337, 70],
    ("multiplication", "fewest"): [528, 1337],
    ("multiplication", "carries"): [140, 1296, 1296, 124],
}
Stored = dict[str, dict[str, dict[str, Any]]]  # by study and job


def _stored() -> Stored:
    row = {"units": 9, "parameters": 99, "largest_weight": 9, "checked": 1_000, "wrong": 0, "evaluated": 0.0}
    made = {
        f"{operation}-{form}-{gate}": row
        | {"operation": operation, "gates": gates, "form": form, "gate": gate, "precision": "float64"}
        for (operation, form), gates in SIZES.items()
        for gate in ("relu", "sigmoid")
    }
    grown = {
        f"{operation}-carries": {
            "rows": [
                {
                    "operation": operation,
                    "form": "carries",
                    "digits": digits,
                    "gates": [digits**power] * layers,
                    "parameters": 5,
                }
                for digits, layers in ((7, 6), (20, 8), (40, 9))
            ]
        }
        for operation, power in (("add", 1), ("multiply", 2))
    }
    nets = {
        "3x64": {"layers": 3, "width": 64, "units": 192, "parameters": 50, "digit_error": 0.01, "number_error": 0.1},
        "1x256": {"layers": 1, "width": 256, "units": 256, "parameters": 20, "digit_error": 0.5, "number_error": 1.0},
    }
    trained = {name: each | {"digit_interval": [0.0, 0.6]} for name, each in nets.items()}
    noisy = {"constructed-fewest": {"network": "constructed, fewest", "ink": {"bit": 0.2}}}
    return {"constructed": made, "growth": grown, "smallest": trained, "robustness": noisy}


def _evidence(stored: Stored, folder: Path) -> Evidence:
    results = Results(folder)
    for study, rows in stored.items():
        for name, found in rows.items():
            keep_row(results, study, name, found)
    return Evidence(results)


def _verdict(number: int, stored: Stored, folder: Path) -> tuple[str, str, str]:
    found = CLAIMS[number - 1].verdict(_evidence(stored, folder))
    return found.word, found.why, found.measured


def test_verdicts_on_exact_networks(tmp_path: Path) -> None:
    assert _verdict(27, _stored(), tmp_path)[0] == "confirmed"
    assert "one layer of 122 gates" in _verdict(27, _stored(), tmp_path)[2]
    word, why, _ = _verdict(28, _stored(), tmp_path)
    assert (word, "12 of the networks" in why) == ("refined", True)
    assert _verdict(29, {}, tmp_path)[0] == "confirmed"
    assert _verdict(31, _stored(), tmp_path)[0] == "confirmed"
    word, _, measured = _verdict(37, _stored(), tmp_path)
    assert (word, "n^1" in measured, "n^2" in measured) == ("refined", True, True)


def test_verdicts_on_networks_that_fail(tmp_path: Path) -> None:
    wrong = _stored()
    wrong["constructed"]["addition-thresholds-relu"]["wrong"] = 1
    assert _verdict(27, wrong, tmp_path)[0] == "refuted"
    assert _verdict(28, wrong, tmp_path)[0] == "refuted"
    flat = _stored()
    flat["constructed"]["multiplication-fewest-sigmoid"]["gates"] = [100]
    assert _verdict(31, flat, tmp_path)[0] == "refuted"
    steep = _stored()
    for row in steep["growth"]["multiply-carries"]["rows"]:
        row["gates"] = [row["digits"] ** 5]
    assert _verdict(37, steep, tmp_path)[0] == "refuted"


@pytest.mark.parametrize("number", [27, 28, 31, 37])
def test_without_results_claims_stay_open(number: int, tmp_path: Path) -> None:
    study = "growth" if number == 37 else "constructed"
    word, why, measured = _verdict(number, {}, tmp_path)
    assert (word, measured) == ("open", "not measured yet")
    assert why == f"There is no result of {study} yet; `visarith reproduce --only {study}` makes it."


def test_a_claim_needs_every_network_that_it_is_about(tmp_path: Path) -> None:
    some = _stored()
    del some["constructed"]["multiplication-fewest-sigmoid"]
    word, why, _ = _verdict(31, some, tmp_path)
    assert (word, "no result of constructed multiplication fewest sigmoid" in why) == ("open", True)


def test_tables_and_figures(tmp_path: Path) -> None:
    evidence = _evidence(_stored(), tmp_path)
    made = [construction.constructed, growth.smallest, growth.growth, construction.noise]
    tables = [make(evidence) for make in made]
    assert all(len(row) == len(table.head) for table in tables for row in table.rows)
    assert [row[0] for row in tables[0].rows] == [name.replace("-", ", ") for name in _stored()["constructed"]]
    assert "Fewest units: 3 x 64" in tables[1].note
    for draw in (growth.growth_figure, construction.gates_figure):
        assert draw(evidence)[0].svg().count(b"<path") > 10
    for make in made:
        with pytest.raises(NoResultError):
            make(Evidence(Results(tmp_path / "empty")))
