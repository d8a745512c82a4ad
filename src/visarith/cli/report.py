"""`visarith report`: write the report again from stored results."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from visarith.cli.progress import warn
from visarith.cli.terminal import answer
from visarith.errors import VisarithError

if TYPE_CHECKING:
    from visarith.studies.results import Results

HELP = "write the report again from stored results"
COMMITTED = Path("results")  # of the repository


def add_options(parser: argparse.ArgumentParser) -> None:
    """Where runs, results and the report are; `reproduce` has these options too."""
    add = parser.add_argument
    add("--quick", action="store_true", help="every study in a few minutes, at a size that proves nothing")
    add("--runs", type=Path, metavar="FOLDER", help="folder of the runs (default runs/reproduce, or runs/quick)")
    add("--results", type=Path, metavar="FOLDER", help="folder of the results (default: results in that of the runs)")
    add("--out", type=Path, metavar="FOLDER", help="folder of the report (default: report in that of the runs)")
    add("--pdf", action="store_true", help="write the figures as PDF too")


def run(options: argparse.Namespace) -> int:
    """Write the report from one's own results or, if there are none yet, from those of the repository."""
    from visarith.report import report

    runs, results, out = folders(options)
    if not (results.quick or options.results or results.folder.exists()) and COMMITTED.is_dir():
        warn(f"{results.folder} does not exist; the report is of {COMMITTED}")
        results.folder = COMMITTED
    found = report.report(results, runs)
    for complaint in found.complaints:
        warn(f"{complaint}; it is left out")
    files = report.write(found, out, pdf=options.pdf)
    data = {"report": str(files[0]), "files": [str(file) for file in files]}
    return answer(options, data, found.summary, f"report   {files[0]}")


def folders(options: argparse.Namespace) -> "tuple[Path, Results, Path]":
    """Where runs, results and the report are: quick ones apart from the others."""
    from visarith.studies.results import Results

    runs = options.runs or Path("runs") / ("quick" if options.quick else "reproduce")
    results, out = options.results or runs / "results", options.out or runs / "report"
    for option, folder in (("runs", runs), ("results", results), ("out", out)):
        there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        if not there.is_dir():
            raise VisarithError(f"{there} is a file and no folder; choose another --{option}")
    return runs, Results(results, quick=options.quick), out
