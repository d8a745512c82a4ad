"""What set-up installs: pinned, with hashes, above the versions with known holes; and what an audit says."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from audit import main, pins, verdict  # noqa: E402

FLOORS = {  # the first versions without holes that are known
    "h11": "0.16",
    "jinja2": "3.1.6",
    "pillow": "12.3",
    "python-multipart": "0.0.27",
    "ray": "2.52.1",
    "starlette": "0.49.1",
    "torch": "2.10",
}
LOCK = (ROOT / "requirements.lock").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def versions(lines: list[str]) -> dict[str, Version]:
    """The pinned version of each package."""
    named = (line.split("==") for line in lines)
    return {canonicalize_name(name): Version(version) for name, version in named}


def asked() -> list[Requirement]:
    """What pyproject.toml asks for, all extras included."""
    extras = [each for listed in PROJECT["optional-dependencies"].values() for each in listed]
    found = [Requirement(each) for each in (*PROJECT["dependencies"], *extras)]
    return [each for each in found if each.name != PROJECT["name"]]


def test_the_lock_has_the_pins_of_the_constraints_and_hashes() -> None:
    constrained = versions((ROOT / "constraints.txt").read_text().split())
    assert versions(pins(LOCK)) == constrained
    for block in re.split(r"^(?=[\w.-]+==)", LOCK, flags=re.M)[1:]:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", block), block
    assert "://" not in LOCK  # no address of any index


def test_every_requirement_is_locked_at_a_version_that_it_allows() -> None:
    locked = versions(pins(LOCK))
    for each in asked():
        assert locked[canonicalize_name(each.name)] in each.specifier, each


def test_versions_with_known_holes_are_not_allowed() -> None:
    for name, floor in FLOORS.items():
        (wanted,) = {str(each.specifier) for each in asked() if canonicalize_name(each.name) == name}
        assert Version(wanted.removeprefix(">=")) >= Version(floor), name


def test_an_audit_that_could_not_look_something_up_is_no_clean_audit() -> None:
    clean = {"name": "a", "version": "1", "vulns": []}
    hole = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]}
    unknown = {"name": "c", "skip_reason": "not found"}
    assert verdict([clean], 1) == (0, ["1 packages, no known hole"])
    assert verdict([clean, hole], 2)[0] == 1
    assert verdict([clean, unknown], 2)[0] == 3
    assert verdict([], 2)[0] == 3
    assert "CVE-1" in verdict([hole, unknown], 2)[1][0]


def test_an_audit_without_its_source_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody listens there
    monkeypatch.setenv("NO_PROXY", "")
    assert main() == 3
    assert "could not be looked up" in capsys.readouterr().out
