"""A sweep whose workers and driver are killed again and again, here and on Ray, gives the table of a calm one."""

import os
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counts import Tally, scaled
from ray_cluster import ray_cluster
from test_on_ray import ended, results, sweep

GRID = ["add", "subtract", "--examples", "300", "600", "--seeds", "3"]  # twelve runs
SIZE = ["--digits", "2", "--test-pairs", "50", "--width", "32", "--epochs", "150"]
KILLS, ON_RAY = 45, 5
DRIVER = 5  # every so many kills hit the driver instead of a worker


class Chaos:
    """A sweep in a folder, and those who train its runs."""

    def __init__(self, out: Path) -> None:
        self.out, self.dice, self.tally = out, np.random.default_rng(7), Tally()
        self.finished: dict[Path, int] = {}  # when each run was finished

    def trainers(self) -> list[int]:
        """The processes that hold the lock of a run that has begun, says the kernel."""
        begun = [file.with_name(".lock") for file in self.out.glob("sweep/*/metrics.jsonl")]
        places = {f":{lock.stat().st_ino}" for lock in begun if not lock.with_name("score.json").exists()}
        lines = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
        return [int(words[4]) for words in lines if any(word.endswith(tuple(places)) for word in words) and places]

    def look(self) -> None:
        """A run that is finished is not touched again."""
        for score in self.out.glob("sweep/*/score.json"):
            when = score.stat().st_mtime_ns
            if self.finished.setdefault(score, when) != when:
                self.tally.failures.append(f"{score.parent.name} was done again")
                self.finished[score] = when

    def kill(self, kills: int, *how: str, drivers: bool = True, **environment: str) -> None:
        """Start the sweep, and kill what works on it, until there were so many kills."""
        driver: subprocess.Popen[str] | None = None
        last = self.tally.tried + kills
        while self.tally.tried < last:
            if driver is None or driver.poll() is not None:
                assert driver is None or driver.returncode in (0, 1, -signal.SIGKILL), driver.communicate()
                if driver:
                    driver.communicate()
                    if driver.returncode == 0:
                        break  # the sweep is done
                driver = sweep(self.out, *GRID, *SIZE, *how, **environment)
            self.look()
            if not (there := self.trainers()):
                time.sleep(0.02)
                continue
            time.sleep(self.dice.uniform(0, 0.2))
            of_driver = drivers and self.tally.tried % DRIVER == DRIVER - 1
            with suppress(ProcessLookupError):
                os.kill(driver.pid if of_driver else there[0], signal.SIGKILL)
                self.tally.add(False, "")
            while not of_driver and Path(f"/proc/{there[0]}/stat").exists() and there[0] in self.trainers():
                time.sleep(0.01)
        if driver:
            driver.kill()
            driver.communicate()


def stored(out: Path) -> dict[str, Any]:
    """The results, and the steps of each run: none lost, none doubled."""
    for file in out.glob("sweep/*/metrics.jsonl"):
        assert len(file.read_text().splitlines()) == 150
    return results(out)


@pytest.mark.long
def test_a_sweep_of_twelve_runs_with_fifty_kills_gives_the_calm_table(tmp_path: Path, counted) -> None:  # type: ignore[no-untyped-def]
    chaos = Chaos(tmp_path / "chaos")
    with tempfile.TemporaryDirectory(prefix="rc-") as folder, ray_cluster(Path(folder)) as cluster:
        engine = ["--engine", "ray", "--address", cluster.address]
        chaos.kill(scaled(ON_RAY), *engine, drivers=False, **cluster.environment)
    chaos.kill(scaled(KILLS), "--workers", "2")
    table, _ = ended(sweep(chaos.out, *GRID, *SIZE, "--workers", "2"))
    chaos.look()
    calm, _ = ended(sweep(tmp_path / "calm", *GRID, *SIZE, "--workers", "1"))
    if table != calm:
        chaos.tally.failures.append(f"another table: {table} instead of {calm}")
    if stored(chaos.out) != stored(tmp_path / "calm"):
        chaos.tally.failures.append("other results or weights")
    assert chaos.tally.tried >= scaled(ON_RAY) + scaled(KILLS), "the sweep was done before all kills"
    chaos.tally.reported("SIGKILL of a worker or driver of a sweep of twelve runs: same table, same bits", counted)
