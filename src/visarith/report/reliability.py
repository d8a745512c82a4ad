"""Reliability: the table of ten fresh seeds of each task."""

from visarith.report.evidence import Evidence
from visarith.report.parts import Table
from visarith.studies.reliability import TASKS


def reliable(evidence: Evidence) -> Table:
    """A line a task, with all its seeds."""
    stored, lines = evidence.rows("reliability"), []
    for name in TASKS:
        if found := sorted((row for row in stored if row["task"] == name), key=lambda row: row["run_seed"]):
            certified = sum(row["certificate"]["certified"] for row in found)
            exact = sum(not row["wrong"] for row in found)
            seconds = sum(row["core_seconds"] for row in found) / len(found)
            lines.append(
                [
                    name,
                    ", ".join(f"{row['wrong']:,}" for row in found),
                    f"{exact} of {len(found)}",
                    f"{certified} of {len(found)}",
                    ", ".join(str(row["attempts"]) for row in found),
                    f"{seconds:.0f}",
                ]
            )
    pairs, seeds = max(row["fresh"] for row in stored), sorted({row["run_seed"] for row in stored})
    note = (
        f"Runs at the defaults with the seeds {seeds[0]} to {seeds[-1]}, on which nothing was developed, each run once "
        f"and judged on {pairs:,} fresh pairs. Core seconds: training with its trials and further attempts."
    )
    head = ["task", f"wrong of {pairs:,}, a seed each", "exact", "certified", "attempts", "core seconds, mean"]
    return Table("Ten fresh seeds", note, head, lines)
