"""Where there is no browser, make test installs one or says what to do; it never goes on without."""

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def finding(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("finding", Path(__file__).parent.parent / "scripts" / "chromium.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "find", lambda: None)
    monkeypatch.setattr(module.Path, "exists", lambda _: False)  # nor has Playwright one of its own
    return module


@pytest.mark.parametrize(("user", "tried"), [(0, 2), (1000, 1)])
def test_without_a_browser_it_fails_with_the_remedy(
    finding: ModuleType,
    user: int,
    tried: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    commands: list[list[str]] = []

    def refused(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 1)

    monkeypatch.setattr(finding.os, "geteuid", lambda: user)
    monkeypatch.setattr(finding.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(finding.subprocess, "run", refused)
    assert finding.main() == 2
    assert len(commands) == tried  # only who may installs packages of the system
    assert capsys.readouterr().err.strip() == finding.REMEDY


def test_a_browser_that_could_be_installed_is_enough(finding: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 0))
    assert finding.main() == 0
