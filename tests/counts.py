"""The table of docs/reliability.md: what the long tests tried, how often, and how many tries failed.

A test calls the fixture `counted`; in a long run the rows are written at the end of the session.
"""

import os
import platform
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
import torch
from scipy.stats import beta

from visarith.runs.experiment import VERSION

FILE = Path(__file__).parent.parent / "docs" / "reliability.md"
BEGIN, END = "<!-- counts -->\n", "<!-- end -->"
HEAD = "| what was tried | times | failed | 95 % bound |\n| --- | --- | --- | --- |\n"
SHARE = "VISARITH_TEST_SHARE"  # for development: this share of the full counts, and then no table is written


@dataclass(frozen=True)
class Row:
    """How often something was tried, and how often it failed."""

    name: str
    tried: int
    failed: int

    @property
    def bound(self) -> float:
        """The largest chance of a failure that these tries do not contradict (one-sided, 95 %).

        >>> round(Row("", 300, 0).bound, 4)  # about 3 / n
        0.0099
        """
        if self.failed >= self.tried:
            return 1.0
        return float(beta.ppf(0.95, self.failed + 1, self.tried - self.failed))

    def line(self) -> str:
        return f"| {self.name} | {self.tried:,} | {self.failed:,} | {100 * self.bound:.2g} % |\n"


def scaled(full: int) -> int:
    """This many, or fewer during development.

    >>> scaled(200)
    200
    """
    return max(1, round(full * share()))


def share() -> float:
    """The share of the full counts; 1 if nothing else is asked for."""
    return min(1.0, float(os.environ.get(SHARE, "1")))


def rows_in(text: str) -> dict[str, Row]:
    """The rows of a table by name."""
    found = re.findall(r"^\| ([^|]+) \| ([\d,]+) \| ([\d,]+) \|", text, re.M)
    return {name: Row(name, int(tried.replace(",", "")), int(failed.replace(",", ""))) for name, tried, failed in found}


def with_rows(text: str, rows: Iterable[Row], *, whole: bool) -> str:
    """The document with these rows; with `whole` others go, else those with other names stay as they are."""
    before, _, rest = text.partition(BEGIN)
    table, _, after = rest.partition(END)
    found = ({} if whole else rows_in(table)) | {row.name: row for row in rows}
    where = f"{platform.machine()}, {torch.backends.cpu.get_cpu_capability()}, {os.cpu_count()} cores"
    about = f"visarith {VERSION}, Python {platform.python_version()}, torch {torch.__version__}; {where}"
    note = f"\nLast written on {datetime.now(UTC):%Y-%m-%d}: {about}.\n"
    return before + BEGIN + HEAD + "".join(found[name].line() for name in sorted(found)) + note + END + after


class Counts:
    """A pytest plugin of the process that reports: it collects rows, from workers of pytest-xdist too."""

    def __init__(self, config: pytest.Config) -> None:
        self.rows: list[Row] = []
        selected = config.option.keyword or config.args_source is not pytest.Config.ArgsSource.TESTPATHS
        self.whole = not selected

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self.rows += [Row(*value) for name, value in report.user_properties if name == "counted"]  # type: ignore[misc]

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        finished = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        if self.rows and finished and share() == 1.0:
            FILE.write_text(with_rows(FILE.read_text(), self.rows, whole=self.whole))
