"""Calling verbs as a user does, for tests."""

import pytest

from visarith.cli import main

FEW = ["--examples", "200", "--test-pairs", "50", "--epochs", "2", "--digits", "2", "--width", "16", "--threads", "1"]


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def complaint(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one line on stderr of a wrong call."""
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("visarith: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err.removeprefix("visarith: ").rstrip("\n")
