"""The table of what the long tests tried."""

import re

import pytest

from counts import BEGIN, END, FILE, Row, rows_in, with_rows

EMPTY = f"# Title\n\n{BEGIN}{END}\n\nmore\n"


@pytest.mark.parametrize(("tried", "failed"), [(1, 0), (59, 0), (300, 0), (40_000, 0), (20, 3)])
def test_the_bound_leaves_five_percent_to_so_few_failures(tried: int, failed: int) -> None:
    """Against the binomial distribution itself, summed by hand."""
    chance, total, term = Row("", tried, failed).bound, 0.0, 0.0
    for count in range(failed + 1):
        term = (1 - chance) ** tried if count == 0 else term * (tried - count + 1) / count * chance / (1 - chance)
        total += term
    assert total == pytest.approx(0.05)


def test_whoever_always_fails_may_always_fail() -> None:
    assert Row("", 3, 3).bound == 1.0


def test_rows_are_written_between_the_marks_and_nothing_else_changes() -> None:
    text = with_rows(EMPTY, [Row("kills", 1200, 0), Row("flips", 10, 1)], whole=True)
    assert text.startswith("# Title\n")
    assert text.endswith(f"{END}\n\nmore\n")
    assert "| kills | 1,200 | 0 | 0.25 % |" in text
    assert rows_in(text) == {"flips": Row("flips", 10, 1), "kills": Row("kills", 1200, 0)}


def test_a_part_of_the_tests_replaces_its_own_rows_only() -> None:
    text = with_rows(EMPTY, [Row("kills", 5, 0), Row("flips", 10, 0)], whole=True)
    assert set(rows_in(with_rows(text, [Row("kills", 6, 0)], whole=False))) == {"kills", "flips"}
    assert rows_in(with_rows(text, [Row("kills", 6, 0)], whole=True)) == {"kills": Row("kills", 6, 0)}


def test_the_committed_table_has_no_failure() -> None:
    text = FILE.read_text()
    assert text.count(BEGIN) == 1
    assert [row for row in rows_in(text).values() if row.failed] == []
    assert not re.search(r"^\|.*nan", text, re.M)


def test_a_test_counts_through_the_fixture(counted, request: pytest.FixtureRequest) -> None:  # type: ignore[no-untyped-def]
    counted("tries", 3, 0)
    assert request.node.user_properties == [("counted", ("tries", 3, 0))]
