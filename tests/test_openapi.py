"""The description of the API: valid by its own rules, and true by a fuzzer that knows nothing else."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from openapi_spec_validator import OpenAPIV30SpecValidator
from starlette.testclient import TestClient

from serving import serving
from visarith.web.application import application

FEW, MANY = 10, 1_000  # examples of each operation
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "allow_header_conformance",
)


def test_the_description_is_valid_as_the_version_that_it_names() -> None:
    with TestClient(application(), base_url="http://127.0.0.1") as client:
        said = client.get("/api/openapi.json").json()
    assert said["openapi"] == "3.0.3"
    OpenAPIV30SpecValidator(said).validate()
    text = json.dumps(said)
    assert '"null"' not in text  # 3.0 writes nullable
    assert not re.search(r'"exclusiveM\w+": \d', text)  # and numbers as minimum or maximum


def fuzzed(examples: int, phases: str, folder: Path) -> int:
    """Let schemathesis try so many examples of each operation; return how many requests it sent."""
    with serving() as server:
        address = server.said["address"]
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{address}api/openapi.json", "--seed", "18"]
        command += [
            "--checks",
            ",".join(CHECKS),
            "--max-examples",
            str(examples),
            "--phases",
            phases,
        ]
        command += ["--report", "ndjson", "--report-ndjson-path", str(folder / "said.ndjson"), "--warnings", "off"]
        done = subprocess.run([*command, "--suppress-health-check", "all"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    return (folder / "said.ndjson").read_text().count('"status_code"')


def test_a_fuzzer_finds_nothing_in_a_moment(tmp_path: Path) -> None:
    assert fuzzed(FEW, "fuzzing", tmp_path) > 2 * FEW


@pytest.mark.long
def test_a_fuzzer_finds_nothing(tmp_path: Path, counted) -> None:  # type: ignore[no-untyped-def]
    counted(
        "requests of schemathesis, 1,000 examples an operation: no 5xx, nothing undescribed",
        fuzzed(MANY, "examples,coverage,fuzzing", tmp_path),
        0,
    )
