"""The verbs that run the paper's experiments and report on them."""

import argparse
import json
import signal
import sys
from pathlib import Path

from visarith import pool_display
from visarith.errors import VisarithError, whole
from visarith.experiments.catalogue import chosen
from visarith.experiments.pool import reproduce_all
from visarith.experiments.results import Result, Results
from visarith.report import page


def reproduce(options: argparse.Namespace) -> int:
    """Run the paper's experiments, all or some, and write the report."""
    entries = chosen(options.only)
    if options.list:
        rows = [{"name": entry.name, "group": entry.group, "what": entry.title} for entry in entries]
        print(json.dumps({"experiments": rows}) if options.json else pool_display.listed(entries))
        return 0
    whole("seeds", options.seeds, 1)
    workers = whole("workers", options.workers, 1, 64) if options.workers is not None else None
    runs, results, out = _reproduction(options)
    if options.quick:
        print(f"visarith: {page.QUICK}", file=sys.stderr)
    show = pool_display.audience()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that no run outlives its pool
    try:
        done = reproduce_all(entries, range(options.seeds), results, runs=runs, workers=workers, audience=show)
    except KeyboardInterrupt:
        print("visarith: stopped; the same command goes on from there", file=sys.stderr)
        return 130
    files = page.write(page.report(results, runs), out)
    failed = [result for result in done if result.failed is not None]
    if options.json:
        summaries = [{"experiment": r.entry, "seed": r.seed, "failed": r.failed, **_errors(r)} for r in done]
        print(json.dumps({"runs": summaries, "quick": options.quick, "report": str(files[0])}))
    else:
        print(f"report   {files[0]}")
    for result in failed:
        print(f"visarith: {result.entry} seed {result.seed} failed: {result.failed}", file=sys.stderr)
    return 1 if failed else 0


def _errors(result: Result) -> dict[str, float | None]:
    score, tesseract = result.score, result.tesseract
    return {
        "digit_error": score.digit_error if score else None,
        "tesseract_digit_error": tesseract.digit_error if tesseract else None,
        "seconds": result.seconds,
    }


def report(options: argparse.Namespace) -> int:
    """Write the report again from what is stored."""
    runs, results, out = _reproduction(options)
    if not results.folder.is_dir():
        raise VisarithError(f"{results.folder} has no results; visarith reproduce makes them")
    said = page.report(results, runs)
    for complaint in said.complaints:
        print(f"visarith: {complaint}; it is left out", file=sys.stderr)
    files = page.write(said, out)
    if options.json:
        print(json.dumps({"report": str(files[0]), "files": [str(file) for file in files]}))
    else:
        print(f"{said.summary}\nreport   {files[0]}")
    return 0


def _reproduction(options: argparse.Namespace) -> tuple[Path, Results, Path]:
    """Where runs, results and report are: one's own, apart from the committed ones; quick ones apart again."""
    runs = options.runs or Path("runs") / ("quick" if options.quick else "reproduce")
    results = Results(options.results or runs / "results", quick=options.quick)
    return runs, results, options.out or runs / "report"
