"""`visarith report`: write the report again from stored results."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from visarith.cli.progress import say

if TYPE_CHECKING:
    from visarith.studies.results import Results

HELP = "write the report again from stored results"
COMMITTED = Path("results")  # of the repository


def add_options(parser: argparse.ArgumentParser) -> None:
    """Where runs, results and the report are."""
    add_folders(parser)


def add_folders(parser: argparse.ArgumentParser) -> None:
    """Options that `reproduce` and `report` share."""
    add = parser.add_argument
    add("--quick", action="store_true", help="every study in a few minutes, at a size that proves nothing")
    add("--runs", type=Path, metavar="FOLDER", help="folder of the runs (default runs/reproduce, or runs/quick)")
    add("--results", type=Path, metavar="FOLDER", help="folder of the results (default: results in that of the runs)")
    add("--out", type=Path, metavar="FOLDER", help="folder of the report (default: report in that of the runs)")


def run(options: argparse.Namespace) -> int:
    """Write the report from one's own results or, if there are none yet, from those of the repository."""
    from visarith.report import report

    runs, results, out = folders(options)
    if not (results.quick or options.results or results.folder.exists()) and COMMITTED.is_dir():
        say(f"visarith: {results.folder} does not exist; the report is of {COMMITTED}")
        results.folder = COMMITTED
    found = report.report(results, runs)
    for complaint in found.complaints:
        print(f"visarith: {complaint}; it is left out", file=sys.stderr)
    files = report.write(found, out)
    if options.json:
        print(json.dumps({"report": str(files[0]), "files": [str(file) for file in files]}))
    else:
        print(f"{found.summary}\nreport   {files[0]}")
    return 0


def folders(options: argparse.Namespace) -> "tuple[Path, Results, Path]":
    """Where runs, results and the report are: quick ones apart from the others."""
    from visarith.studies.results import Results

    runs = options.runs or Path("runs") / ("quick" if options.quick else "reproduce")
    results = Results(options.results or runs / "results", quick=options.quick)
    return runs, results, options.out or runs / "report"
