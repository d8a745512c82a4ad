"""`visarith reproduce`: run studies, all or some, and write the report."""

import argparse
from typing import TYPE_CHECKING, Any

from visarith.cli import engines
from visarith.cli import report as report_verb
from visarith.cli.progress import warn
from visarith.cli.terminal import answer
from visarith.errors import VisarithError, whole

if TYPE_CHECKING:
    from visarith.studies.results import Result

HELP = "run the paper's experiments and our studies, and write the report"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which studies, how often, how many at a time, and where everything goes."""
    add = parser.add_argument
    only = "studies or experiments; --list names them (default: all that the paper's claims need)"
    add("--only", action="extend", nargs="+", default=[], metavar="NAME", help=only)
    add("--full", action="store_true", help="add the long studies (about three hours more on two cores)")
    add("--list", action="store_true", help="list the studies and experiments, and end")
    add("--seeds", type=int, default=1, help="runs of each experiment (default 1)")
    engines.add_options(parser)
    report_verb.add_options(parser)


def run(options: argparse.Namespace) -> int:
    """Run the jobs that have no result yet, and write the report; single jobs write none."""
    from visarith.cli.displays import listed
    from visarith.report import report
    from visarith.studies import chosen, with_keys

    if options.full and options.only:
        raise VisarithError(f"--full and --only {options.only[0]} contradict each other; leave one out")
    engines.check_single(options, "only", "full", "list", "out", "pdf")
    seeds = list(range(whole("seeds", options.seeds, 1, 1_000)))
    if options.list:
        jobs = chosen(options.only, [0], quick=options.quick, full=True)
        rows = [{"study": job.study, "name": job.name, "cost": job.cost} for job in jobs]
        return answer(options, {"jobs": rows}, listed(jobs))
    if options.job:
        jobs = with_keys(options.job, quick=options.quick)
    else:
        jobs = chosen(options.only, seeds, quick=options.quick, full=options.full)
    runs, results, out = report_verb.folders(options)
    if options.print_jobs:
        places = {"runs": runs.absolute(), "results": results.folder.absolute()}
        chosen_by = dict.fromkeys(("only", "full", "seeds", "out", "pdf"))  # --job says it all
        lines = engines.commands(options, jobs, results, runs, {**places, **chosen_by})
        return answer(options, {"commands": lines}, *lines)
    if options.quick:
        warn(report.QUICK)
    done = engines.run_jobs(options, jobs, results, runs)
    good = [result for result in done if result.failed is None]
    files = report.write(report.report(results, runs), out, pdf=options.pdf) if good and not options.job else []
    where = str(files[0]) if files else None
    data = {"jobs": list(map(_summary, done)), "quick": options.quick, "report": where}
    said = f"report   {where}" if where else f"results  {results.folder}"
    answer(options, data, said if good else "no job gave a result, so there is no report")
    return 0 if len(good) == len(done) else 1


def _summary(result: "Result") -> dict[str, Any]:
    found, job = result.found, result.job
    scores = {name: found[name]["digit_error"] if found.get(name) else None for name in ("score", "tesseract")}
    return {
        "study": job.study,
        "name": job.name,
        "seed": job.seed,
        "failed": result.failed,
        "digit_error": found.get("digit_error", scores["score"]),
        "tesseract_digit_error": scores["tesseract"],
        "seconds": result.seconds,
    }
