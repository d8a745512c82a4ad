"""After set-up nothing connects anywhere, by what Python reports and by what the kernel sees."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from counts import scaled
from visarith.studies.ray_session import QUIET

ROOT = Path(__file__).parent.parent
SIZES = ["--digits", "2", "--examples", "200", "--epochs", "1"]
SMALL = [*SIZES, "--test-pairs", "50", "--width", "8", "--hidden-layers", "1", "--threads", "1"]
COMMANDS = (
    ["train", "add", *SMALL, "--tesseract", "5", "--out", "run"],
    ["evaluate", "run", "--pairs", "20"],
    ["calculate", "1234567 + 2345678"],
    ["certify", "run"],
    ["learnable", "a + b", "--digits", "2"],
    ["construct", "add", "--digits", "2", "--check", "10", "--out", "built"],
    ["runs", "."],
    ["page", "--out", "site"],
    ["report", "--results", str(ROOT / "results"), "--out", "report"],
    ["sweep", "add", "--seeds", "1", *SIZES, "--out", "swept"],
)
WATCHED = """
import json, sys
seen = []
def watch(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname"):
        seen.append([event, repr(arguments[1:])])
sys.addaudithook(watch)
from visarith.cli import main
for words in json.loads(sys.argv[1]):
    try:
        main(words)
    except SystemExit:
        pass
print(json.dumps(seen))
"""
AF_INET = re.compile(
    r'\b(?:connect|sendto|sendmsg)\(.*sa_family=AF_INET6?,.*?(?:inet_addr\("|inet_pton\(AF_INET6, ")([^"]+)'
)


def test_python_connects_to_nothing(tmp_path: Path) -> None:
    some = json.dumps([COMMANDS[0], *COMMANDS[2:4], COMMANDS[6]])
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, some], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_ray_says_nothing_to_anybody() -> None:
    assert QUIET["RAY_USAGE_STATS_ENABLED"] == "0"


def test_what_sends_telemetry_is_told_not_to_or_is_never_imported() -> None:
    """onnxruntime reports its use unless it is told not to before it is imported."""
    root = ROOT / "src"
    importing = [
        path for path in root.rglob("*.py") if re.search(r"^\s*(import|from) onnxruntime", path.read_text(), re.M)
    ]
    assert all("ORT_DISABLE_TELEMETRY" in path.read_text() for path in importing)


@pytest.mark.long
def test_the_kernel_sees_no_connection(tmp_path: Path, counted) -> None:  # type: ignore[no-untyped-def]
    """Each command under strace, in a network namespace of its own where the kernel allows it."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    inside = ["unshare", "--map-root-user", "--net"]
    alone = inside if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode == 0 else []
    elsewhere: list[str] = []
    commands = COMMANDS[: scaled(len(COMMANDS))]
    for words in commands:
        log = tmp_path / "strace.log"
        command = [*alone, strace, "-f", "-qq", "-e", "trace=connect,sendto,sendmsg", "-o", str(log)]
        done = subprocess.run(
            [*command, sys.executable, "-m", "visarith", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        assert done.returncode in (0, 3), (words, done.stderr)
        found = {address for line in log.read_text().splitlines() for address in AF_INET.findall(line)}
        if found - {"127.0.0.1", "::1"}:
            elsewhere.append(f"{words[0]}: {sorted(found)}")
    counted("commands that connect nowhere, as the kernel sees them", len(commands), len(elsewhere))
    assert elsewhere == []
