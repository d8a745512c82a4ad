"""Reliability: the table of ten fresh seeds of each task."""

from visarith.report.evidence import Evidence
from visarith.report.parts import NOTHING, Table
from visarith.studies.reliability import SEEDS, TASKS


def reliable(evidence: Evidence) -> Table:
    """A line a task, with all its seeds; one that failed or was not run counts as neither exact nor certified."""
    stored, lines = evidence.rows("reliability"), []
    by_run, seeds = {(row["task"], row["run_seed"]): row for row in stored}, SEEDS[:1] if evidence.quick else SEEDS
    for name in TASKS:
        rows = [by_run.get((name, seed)) for seed in seeds]
        found = [row for row in rows if row]
        certified = sum(row["certificate"]["certified"] for row in found)
        exact = sum(not row["wrong"] for row in found)
        lines.append(
            [
                name,
                ", ".join(f"{row['wrong']:,}" if row else NOTHING for row in rows),
                f"{exact} of {len(seeds)}",
                f"{certified} of {len(seeds)}",
                ", ".join(str(row["attempts"]) if row else NOTHING for row in rows),
                f"{sum(row['core_seconds'] for row in found) / len(found):.0f}" if found else NOTHING,
            ]
        )
    pairs = max(row["fresh"] for row in stored)
    note = (
        f"Runs at the defaults with the seeds {seeds[0]} to {seeds[-1]}, on which nothing was developed, each run once "
        f"and judged on {pairs:,} fresh pairs. Core seconds: training with its trials and further attempts."
    )
    if len(stored) < len(TASKS) * len(seeds):
        note += f" {NOTHING}: this seed has no result."
    head = ["task", f"wrong of {pairs:,}, a seed each", "exact", "certified", "attempts", "core seconds, mean"]
    return Table("Ten fresh seeds", note, head, lines)
