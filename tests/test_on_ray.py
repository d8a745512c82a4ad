"""Ray: a real cluster of two nodes gives what the processes of this machine give, and nothing outlives a driver."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from command_line import complaint
from ray_cluster import RayCluster, ray_cluster
from test_studies import Unloadable, die, fail, job
from visarith.errors import VisarithError
from visarith.studies.on_ray import OnRay, _Mark
from visarith.studies.reproduce import ATTEMPTS, reproduce
from visarith.studies.results import Results

FOUR = ["add", "subtract", "--examples", "300", "--seeds", "2"]
TWELVE = ["add", "subtract", "--examples", "300", "600", "--seeds", "3"]
TINY = ["--digits", "2", "--test-pairs", "50", "--width", "32", "--epochs", "40"]
LONG = ["--digits", "2", "--test-pairs", "50", "--epochs", "100000", "--examples", "2000"]  # hours
SECONDS = ["add", "--digits", "2", "--test-pairs", "50", "--width", "64", "--epochs", "300", "--examples", "1500"]
TIMES = ("seconds", "core_seconds")


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    with tempfile.TemporaryDirectory(prefix="rc-") as folder, ray_cluster(Path(folder)) as found:
        yield found


def sweep(out: Path, *arguments: str, **environment: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "visarith", "sweep", *arguments, "--out", str(out)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731 - where tests run in the background it is not
    return subprocess.Popen(command, **pipes, env=os.environ | environment, start_new_session=True, preexec_fn=heard)


def ended(process: "subprocess.Popen[str]") -> tuple[str, str]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out.partition("results  ")[0], err


def results(out: Path) -> dict[str, Any]:
    """What is stored, without times, and the bytes of all weights."""
    found: dict[str, Any] = {}
    for file in (out / "results").rglob("*.json"):
        data = json.loads(file.read_text())
        data["found"] = {key: value for key, value in data["found"].items() if key not in TIMES}
        found[file.name] = {key: value for key, value in data.items() if key not in TIMES}
    weights = {str(file.relative_to(out)): file.read_bytes() for file in out.rglob("weights.safetensors")}
    assert len(weights) == len(found)
    return found | weights


def in_training(out: Path) -> int:
    """The process that trains one of the runs, in the middle of it: who holds its lock, says the kernel."""
    for _ in range(15_000):
        for file in out.glob("sweep/*/metrics.jsonl"):
            lock = file.with_name(".lock").stat()
            for line in Path("/proc/locks").read_text().splitlines():
                _, _, _, _, pid, place, *_ = line.split()
                if place.endswith(f":{lock.st_ino}") and not file.with_name("score.json").exists():
                    return int(pid)
        time.sleep(0.02)
    raise AssertionError("nothing was trained within five minutes")


@pytest.mark.parametrize(("grid", "cells", "jobs"), [(FOUR, 2, 4), pytest.param(TWELVE, 4, 12, marks=pytest.mark.long)])
def test_two_nodes_with_a_worker_killed_give_the_table_of_a_calm_local_run(
    grid: list[str], cells: int, jobs: int, cluster: RayCluster, tmp_path: Path
) -> None:
    engine = ["--engine", "ray", "--address", cluster.address]
    on_ray = sweep(tmp_path / "ray", *grid, *TINY, *engine, **cluster.environment)
    os.kill(in_training(tmp_path / "ray"), signal.SIGKILL)
    table, said = ended(on_ray)
    assert said.count("its process was killed (out of memory?); it goes on from its last epoch") == 1
    assert len(said.splitlines()) == 1 + 1 + jobs  # nothing of Ray's
    calm, _ = ended(sweep(tmp_path / "local", *grid, *TINY, "--workers", "1"))
    assert table == calm
    assert len(table.splitlines()) == 1 + cells
    assert results(tmp_path / "ray") == results(tmp_path / "local")
    assert len(results(tmp_path / "ray")) == 2 * jobs
    _, again = ended(sweep(tmp_path / "ray", *grid, *TINY, "--workers", "1"))  # finished on the other engine
    assert f"0 jobs to do, {jobs} stored already" in again


@pytest.mark.long
@pytest.mark.parametrize("what", ["driver", "node"])
def test_a_driver_or_a_node_that_is_killed_loses_nothing(what: str, tmp_path: Path) -> None:
    grid = [*SECONDS, "--seeds", "2"]
    with tempfile.TemporaryDirectory(prefix="rc-") as folder, ray_cluster(Path(folder)) as cluster:
        engine = ["--engine", "ray", "--address", cluster.address]
        on_ray = sweep(tmp_path / "ray", *grid, *engine, **cluster.environment)
        worker = in_training(tmp_path / "ray")
        if what == "driver":
            on_ray.kill()
            on_ray.communicate()
            on_ray = sweep(
                tmp_path / "ray", *grid, *engine, **cluster.environment
            )  # at once: the worker may still live
        else:
            (raylet,) = (each for each, command in processes("cmdline", folder) if is_second_node(command))
            while not (workers := [each for each in children(raylet) if b"ray::sweep" in each[1]]):
                time.sleep(0.1)
            for each, _ in [(raylet, b""), *workers]:
                os.kill(each, signal.SIGKILL)
        table, said = ended(on_ray)
        assert ("it goes on from its last epoch" in said) == (what == "node")
        assert worker not in [each for each, _ in processes("cmdline", "ray::sweep")]
    calm, _ = ended(sweep(tmp_path / "local", *grid, "--workers", "1"))
    assert table == calm
    assert results(tmp_path / "ray") == results(tmp_path / "local")


def is_second_node(command: bytes) -> bool:
    return b"raylet/raylet\0" in command and b"--head" not in command


def children(pid: int) -> list[tuple[int, bytes]]:
    parents = {each: stat.rpartition(b")")[2].split()[1] for each, stat in processes("stat", "")}
    return [(each, command) for each, command in processes("cmdline", "") if parents.get(each) == str(pid).encode()]


@pytest.mark.long
def test_failures_are_recorded_as_on_this_machine_and_strange_nodes_refused(
    cluster: RayCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    jobs = [job(1, work=partial(fail, "1 is no number; use 2")), job(2, work=die), job(3, work=Unloadable()), job(4)]
    runs = tmp_path / "runs"
    found = reproduce(jobs, Results(tmp_path), runs=runs, executor=OnRay(runs, address=cluster.address))
    assert [result.failed for result in found[:2]] == [
        "1 is no number; use 2",
        f"its process was killed (out of memory?), {ATTEMPTS} times",
    ]
    assert found[2].failed
    assert found[3].found == {"twice": 8, "threads": 1}
    strange = _Mark(runs / ".shared", "of another folder", patience=0.0)
    monkeypatch.setattr(_Mark, "left_in", lambda _: strange)
    again = OnRay(runs, address=cluster.address)
    with pytest.raises(VisarithError, match=r"^the node 127.0.0.1 \(.+\) does not see .+/runs; keep the runs in"):
        reproduce([job(5)], Results(tmp_path), runs=runs, executor=again)


def test_a_node_must_see_the_file_that_the_driver_left(tmp_path: Path) -> None:
    mark = _Mark.left_in(tmp_path / "runs")
    mark.check()
    assert _Mark.left_in(tmp_path / "runs") == mark
    for other in (_Mark(tmp_path / "elsewhere", mark.text, 0.0), _Mark(mark.file, "another", 0.0)):
        with pytest.raises(VisarithError, match="keep the runs in a folder that all nodes share"):
            other.check()


def test_without_ray_the_remedy_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    said = complaint(capsys, "sweep", "add", "--engine", "ray", "--out", tmp_path / "sweep")
    assert said == "--engine ray needs Ray, which is not installed; pip install 'visarith[ray]' installs it"


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_ray_of_its_own_listens_on_loopback_and_nothing_outlives_its_driver(
    how: signal.Signals, tmp_path: Path
) -> None:
    sign = uuid.uuid4().hex
    home = tmp_path / "home"
    home.mkdir()
    driver = sweep(tmp_path / "out", "add", *LONG, "--engine", "ray", "--workers", "1", SIGN=sign, HOME=str(home))
    in_training(tmp_path / "out")
    there = with_environment(sign)
    assert len(there) > 4
    listening = [place for pid in there for place in listens(pid)]
    assert listening
    assert {place for place in listening if not loopback(place)} == set()
    if how == signal.SIGINT:
        os.killpg(driver.pid, how)  # as a terminal does
    else:
        driver.send_signal(how)
    _, said = driver.communicate(timeout=60)
    assert "Traceback" not in said
    if how != signal.SIGKILL:
        assert driver.returncode == 130
        assert said.splitlines()[-1] == "visarith: stopped; the same command goes on from there"
        assert said.splitlines()[0] == "1 job to do"
        assert len(said.splitlines()) == 2  # nothing of Ray's
        assert with_environment(sign) == []
    for _ in range(300):
        if not with_environment(sign):
            break
        time.sleep(0.1)
    assert with_environment(sign) == []
    assert list(home.iterdir()) == []  # no token


def with_environment(sign: str) -> list[int]:
    """The living processes whose environment has this sign."""
    return [pid for pid, _ in processes("environ", sign)]


def processes(file: str, sign: str) -> list[tuple[int, bytes]]:
    """The living processes of which the kernel's file has this sign, and all that the file says."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            said = (folder / file).read_bytes()
        except OSError:  # it has just ended
            continue
        found += [(int(folder.name), said)] if sign.encode() in said else []
    return found


def listens(pid: int) -> list[str]:
    """The addresses, in hexadecimal, on which a process listens for TCP."""
    links = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in links:
                found.append(words[1].partition(":")[0])
    return found


def loopback(address: str) -> bool:
    """Whether it is 127.0.0.1, alone or as a part of an IPv6 address, or ::1."""
    return address.endswith("0100007F") or address == "00000000000000000000000001000000"
