"""`visarith sweep`: train a grid of operations, learners, recipes and numbers of examples, some seeds of each."""

import argparse
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from visarith.cli import engines, settings
from visarith.cli.terminal import answer
from visarith.errors import VisarithError, whole

if TYPE_CHECKING:
    from visarith.runs.experiment import Experiment
    from visarith.studies.results import Result

HELP = "train a grid of operations, learners, recipes and numbers of examples, and compare them"
OUT = Path("runs") / "sweep"
MOST_JOBS = 10_000


def add_options(parser: argparse.ArgumentParser) -> None:
    """The grid, what all its cells share, where jobs run, and where everything goes."""
    add, learners = parser.add_argument, settings.learner_names()
    add("operations", nargs="+", metavar="OPERATION", help="operations, or expressions in a and b such as 'a + 2*b'")
    who = f"learners: {', '.join(learners)} (default perceptron)"
    add("--learner", action="extend", nargs="+", choices=learners, default=[], metavar="NAME", help=who)
    add("--recipe", action="extend", nargs="+", default=[], metavar="NAME", help=f"recipes: {settings.RECIPES}")
    many = "numbers of training pairs (default 150000, or as many as there are)"
    add("--examples", action="extend", nargs="+", type=int, default=[], metavar="N", help=many)
    add("--seeds", type=int, default=1, help="runs of each cell of the grid (default 1)")
    settings.add_options(parser)
    engines.add_options(parser)
    add("--out", type=Path, metavar="FOLDER", help=f"folder of runs and results (default {OUT})")


def run(options: argparse.Namespace) -> int:
    """Run the jobs that have no result yet, and print a line for each cell of the grid."""
    from visarith.studies import picked, sweep
    from visarith.studies.results import Results

    engines.check_single(options)
    out = (options.out or OUT).absolute()
    if options.font:
        options.font = str(Path(options.font).absolute())  # other machines have other working folders
    seeds = list(range(whole("seeds", options.seeds, 1, 1_000)))
    cells = _grid(options)
    whole("jobs", len(cells) * len(seeds), 1, MOST_JOBS)
    jobs, results = sweep.jobs(cells, seeds), Results(out / "results")
    if options.job:
        jobs = picked(jobs, options.job)
    if options.print_jobs:
        lines = engines.commands(options, jobs, results, out, {"out": out})
        return answer(options, {"commands": lines}, *lines)
    done = engines.run_jobs(options, jobs, results, out)
    rows = [_row(cell, [result for result in done if result.job.name == sweep.cell_name(cell)]) for cell in cells]
    rows = [row for row in rows if row["seeds"]]
    answer(options, {"cells": rows, "results": str(results.folder)}, *_lines(rows), f"results  {results.folder}")
    return 1 if any(result.failed is not None for result in done) else 0


def _grid(options: argparse.Namespace) -> "list[Experiment]":
    """Every cell; raises an error for one that makes no sense, before any work begins."""
    from visarith.runs.experiment import Experiment
    from visarith.runs.learn import with_epochs
    from visarith.studies.sweep import cell_name

    for name, asked in (("examples", options.examples), ("test pairs", [options.test_pairs or 1])):
        for count in asked:
            whole(name, count, 1)
    found: dict[str, Experiment] = {}
    learners, recipes, counts = options.learner or ["perceptron"], options.recipe or [""], options.examples or [None]
    for operation, learner, recipe, examples in product(options.operations, learners, recipes, counts):
        try:
            task, config = settings.task(options, operation), settings.learner(options, learner)
            config.build(task)
            how = with_epochs(settings.recipe(recipe or config.recipe, options.set), options.epochs)
            sizes = task.sizes(examples, options.test_pairs)
            if (there := task.domain.count(sum(sizes))) < sum(sizes):
                raise task.domain.too_few(sum(sizes), there)
            cell = Experiment(task, config, how, 0, *sizes).resolved()
        except VisarithError as error:
            raise VisarithError(f"{operation} by {learner}: {error}") from None
        found[cell_name(cell)] = cell
    return list(found.values())


def _row(cell: "Experiment", results: "list[Result]") -> dict[str, Any]:
    """A cell with the mean errors over its seeds; `over` says what the intervals are over."""
    from visarith.report.estimates import share

    scores = [result.found["score"] for result in results if result.failed is None]
    row: dict[str, Any] = {
        "operation": str(cell.task.operation),
        "learner": cell.learner.name,
        "recipe": cell.recipe_name,
        "examples": cell.examples,
        "seeds": len(scores),
        "failed": len(results) - len(scores),
    }
    for name in ("digit", "number") if scores else ():
        errors, pairs = ([score[key] for score in scores] for key in (f"{name}_error", "pairs"))
        mean = share(errors, pairs, tuple(scores[0][f"{name}_interval"]))
        row |= {f"{name}_error": mean.mean, f"{name}_interval": [mean.low, mean.high], f"{name}_over": mean.over}
    return row


def _lines(rows: list[dict[str, Any]]) -> list[str]:
    """The table; brackets hold 95 % intervals."""
    from visarith.report.estimates import Share

    shown = ("operation", "learner", "recipe", "examples", "seeds")
    table = [[*shown, "digit error", "number error"]]
    for row in rows:
        errors = [(row[f"{name}_error"], *row[f"{name}_interval"], row[f"{name}_over"]) for name in ("digit", "number")]
        values = [f"{row[key]:,}" if isinstance(row[key], int) else row[key] for key in shown]
        table.append([*values, *(str(Share(*each)) for each in errors)])
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(f"{word:{width}}" for word, width in zip(line, wide, strict=True)).rstrip() for line in table]
