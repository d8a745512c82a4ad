"""Every figure of the report, in its order."""

from collections.abc import Callable

from visarith.experiments.catalogue import ENTRIES
from visarith.experiments.results import Result
from visarith.report.boards_evidence import Boards
from visarith.report.examples import right_and_wrong
from visarith.report.few import Rows
from visarith.report.figure import Figure
from visarith.report.insight_evidence import Insight
from visarith.report.own_figures import (
    curves_figure,
    few_figure,
    growth_figure,
    inside_figures,
    lengths_figure,
    positions_figure,
)
from visarith.report.paper_figures import (
    construction_figure,
    examples_figure,
    mixture_figure,
    network_figure,
    operations_figure,
    weights_figure,
)
from visarith.runs.run import Run


def figures(
    results: dict[str, list[Result]],
    load: Callable[[str], Run | None],
    few: Rows | None = None,
    inside: Insight | None = None,
    boards: Boards | None = None,
) -> list[Figure]:
    """All figures, in the order of the paper; `load` gives the first run of an entry, if it is stored."""
    scored = {name: [result for result in results.get(name, []) if result.score] for name in ENTRIES}
    add = load("add")
    noisy = "noise-better" if load("noise-better") else "noise"
    noise = load(noisy)
    examples = right_and_wrong(add) if add else []
    runs = {"subtract": load("subtract"), "multiply": load("multiply"), noisy: noise}
    return [
        examples_figure(add, examples),
        network_figure(add, examples),
        operations_figure({name: run for name, run in runs.items() if run}, noisy),
        weights_figure(add),
        mixture_figure(noise, noisy, add),
        construction_figure(),
        lengths_figure(scored),
        growth_figure(boards or {}),
        few_figure(few or {}),
        *inside_figures(inside or Insight({})),
        curves_figure(scored),
        positions_figure(scored),
    ]
