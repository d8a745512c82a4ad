"""Figures that the paper does not have, from stored results."""

from visarith.experiments.results import Result
from visarith.report.boards import draw_growth
from visarith.report.boards_evidence import Boards
from visarith.report.charts import CURVES, POSITIONS, draw_curves, draw_positions
from visarith.report.exact import LINES, draw_lengths
from visarith.report.few import Rows, draw_few
from visarith.report.figure import Figure, needs
from visarith.report.insight_evidence import Insight
from visarith.report.insight_figures import draw_blends, draw_probes, draw_units
from visarith.runs.learn import WATCHED


def growth_figure(boards: Boards) -> Figure:
    name, title = "growth", "How constructions grow"
    if not boards.get("growth"):
        return Figure(name, title, "Gates and weights against digits.", None, "needs results of benchmarks/boards.py")
    caption = (
        "Constructed networks with sigmoid gates: all gates, and weights that are not 0, against the digits of the "
        "longest number. Where float64 cannot hold the weights a line ends."
    )
    return Figure(name, title, caption, draw_growth(boards["growth"]), "")


def lengths_figure(results: dict[str, list[Result]]) -> Figure:
    name, title = "lengths", "Lengths never seen"
    there = [entry for entry, *_ in LINES if any(result.proof for result in results[entry])]
    if not there:
        return Figure(name, title, "Wrong numbers against digits.", None, needs(*(entry for entry, *_ in LINES)))
    caption = (
        "Wrong numbers among 1,000 at lengths that were not trained, a line a seed: quantised column learners and "
        f"the same weights before that (entries {', '.join(there)}; trained on seven digits; 0 stands lowest)."
    )
    return Figure(name, title, caption, draw_lengths({entry: results[entry] for entry in there}), "")


def few_figure(rows: Rows) -> Figure:
    name, title = "few-examples", "Few examples"
    missing = "needs results of benchmarks/few_examples.py"
    if not rows:
        return Figure(name, title, "Error against the number of training pairs.", None, missing)
    caption = (
        "Wrong digits on 30,000 other pairs against the number of distinct training pairs: a dot a seed, a line "
        "through the means, dashed the paper's error from 150,000. 0 stands lowest."
    )
    return Figure(name, title, caption, draw_few(rows), "")


def inside_figures(found: Insight) -> list[Figure]:
    """What was measured inside the networks; a figure that lacks an entry is missing."""
    units = (
        "How much of the variance of a unit's activation the best of each explains: bars hold half of the units, ticks "
        "are the median one (entry add, mean over seeds)."
    )
    probes = (
        "Digits and carries that a weighted sum of each layer reads right on pairs that it was not fitted on, mean "
        "over places, a line a seed. Dotted: the same network before training. Grey: fitted to labels of other pairs."
    )
    blends = (
        "A digit is blended into another, for all places and all two digits, where nothing else of the answer differs: "
        "the share of the second answer digit in the ink of both (entries add and noise-better, mean over seeds). "
        "Dotted is what a reader would believe who knows the noise of training. Right: in noisy pictures, how often a "
        "digit is the true one, by how much of its ink is drawn, a line a seed."
    )
    figures = (
        ("inside-units", "What explains a unit", units, draw_units, ("add",)),
        ("inside-probes", "What each layer tells", probes, draw_probes, ("add",)),
        (
            "illegible",
            "Illegible digits: proportion, switch or probability",
            blends,
            draw_blends,
            ("add", "noise-better"),
        ),
    )
    missing = "needs results of benchmarks/insight.py"
    return [
        Figure(name, title, caption, draw(found), "")
        if all(entry in found for entry in entries)
        else Figure(name, title, caption, None, missing)
        for name, title, caption, draw, entries in figures
    ]


def curves_figure(results: dict[str, list[Result]]) -> Figure:
    name, title = "curves", "Learning curves"
    there = [entry for entry in CURVES if any(result.curve for result in results[entry])]
    if not there:
        return Figure(name, title, "Digit error after each epoch.", None, needs(*CURVES))
    caption = (
        f"Digit error on up to {WATCHED:,} test pairs after each epoch, a line a seed (entries {', '.join(there)}); "
        "an epoch without a wrong digit is drawn at 0, and the dashed line is the paper's error at the end."
    )
    return Figure(name, title, caption, draw_curves({entry: results[entry] for entry in there}), "")


def positions_figure(results: dict[str, list[Result]]) -> Figure:
    name, title = "positions", "Where the errors are"
    there = [entry for entry in POSITIONS if results[entry]]
    if not there:
        return Figure(name, title, "Digit error of each digit of the answer.", None, needs(*POSITIONS))
    caption = f"Wrong digits in percent at each place of the answer, mean over seeds (entries {', '.join(there)})."
    return Figure(name, title, caption, draw_positions(results), "")
