"""What the report makes of the boards: verdicts follow the figures, and what is missing is said."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from visarith.experiments.results import Results
from visarith.report import boards, boards_evidence
from visarith.report.claims import CLAIMS
from visarith.report.construction import draw_construction
from visarith.report.evidence import Evidence

SIZES = {
    "addition, thresholds": [140, 140, 70],
    "addition, fewest": [122],
    "addition, carries": [140, 126, 82],
    "multiplication, thresholds": [140, 1296, 1337, 70],
    "multiplication, fewest": [528, 1337],
    "multiplication, carries": [140, 1296, 1296, 124],
}


def _stored() -> dict[str, Any]:
    row = {"units": 9, "parameters": 99, "largest_weight": 9, "checked": 1_000, "wrong": 0, "evaluated": 0.0}
    made = {
        f"{name}, {gate}": row | {"gates": gates, "gate": gate, "precision": "float64"}
        for name, gates in SIZES.items()
        for gate in ("relu", "sigmoid")
    }
    grown = {
        f"{operation}, {digits}": {
            "operation": operation,
            "form": "carries",
            "digits": digits,
            "gates": [digits**power] * layers,
            "parameters": 5,
        }
        for operation, power in (("add", 1), ("multiply", 2))
        for digits, layers in ((7, 6), (20, 8), (40, 9))
    }
    nets = {
        "a": {"layers": 3, "width": 9, "units": 27, "parameters": 50, "digit_error": 0.01, "number_error": 0.1},
        "b": {"layers": 1, "width": 9, "units": 9, "parameters": 20, "digit_error": 0.5, "number_error": 1.0},
    }
    trained = {name: each | {"digit_interval": [0.0, 0.6]} for name, each in nets.items()}
    return {"constructed": made, "growth": grown, "trained": trained, "noise": {"constructed": {"ink": {"bit": 0.2}}}}


def _verdict(number: int, stored: dict[str, Any], folder: Path) -> tuple[str, str, str]:
    (folder / boards_evidence.FILE).write_text(json.dumps(stored))
    claim = next(claim for claim in CLAIMS if claim.number == number)
    found = claim.verdict(Evidence(Results(folder)))
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
    wrong["constructed"]["addition, thresholds, relu"]["wrong"] = 1
    assert _verdict(27, wrong, tmp_path)[0] == "refuted"
    assert _verdict(28, wrong, tmp_path)[0] == "refuted"
    flat = _stored()
    flat["constructed"]["multiplication, fewest, sigmoid"]["gates"] = [100]
    assert _verdict(31, flat, tmp_path)[0] == "refuted"
    steep = _stored()
    for row in steep["growth"].values():
        if row["operation"] == "multiply":
            row["gates"] = [row["digits"] ** 4] * row["digits"] ** 2
    assert _verdict(37, steep, tmp_path)[0] == "confirmed"


@pytest.mark.parametrize("number", [27, 28, 31, 37])
def test_without_boards_claims_stay_open(number: int, tmp_path: Path) -> None:
    word, why, _ = _verdict(number, {}, tmp_path)
    assert word == "open"
    assert "benchmarks/boards.py" in why


def test_tables_and_figures() -> None:
    made = boards.tables(_stored())
    assert [table.title for table in made] == [
        "Constructed networks",
        "How small a trained perceptron can be",
        "How constructions grow",
        "Noise",
    ]
    assert all(len(row) == len(table.head) for table in made for row in table.rows)
    assert "Fewest units: 3 x 9" in made[1].note
    assert boards.tables({}) == []
    for png in (boards.draw_growth(_stored()["growth"]), draw_construction()):
        with Image.open(BytesIO(png)) as picture:
            assert picture.width == 900
