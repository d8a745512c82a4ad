"""Every figure of the paper, and some of our own, from stored runs and results; what is missing says what it needs."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from visarith.experiments.catalogue import ENTRIES
from visarith.experiments.learn import WATCHED
from visarith.experiments.results import Result
from visarith.experiments.run import Run
from visarith.report.boards import draw_growth
from visarith.report.boards_evidence import Boards
from visarith.report.charts import CURVES, POSITIONS, draw_curves, draw_positions
from visarith.report.construction import PAIR, draw_construction
from visarith.report.exact import LINES, draw_lengths
from visarith.report.examples import Example, draw_examples, draw_operations, right_and_wrong
from visarith.report.few import Rows, draw_few
from visarith.report.insight_evidence import Insight
from visarith.report.insight_figures import draw_blends, draw_probes, draw_units
from visarith.report.mixture import draw_mixture, mix
from visarith.report.network import draw_network
from visarith.report.weights import bottom, draw_weights, top

SAMPLE = (1234567, 2345678)  # the pair in the drawing of the network where there is no run


@dataclass(frozen=True)
class Figure:
    """A picture with its words; without a picture, `missing` says why."""

    name: str
    title: str
    caption: str
    png: bytes | None
    missing: str


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
        _examples(add, examples),
        _network(add, examples),
        _operations({name: run for name, run in runs.items() if run}, noisy),
        _weights(add),
        _mixture(noise, noisy, add),
        _construction(),
        _lengths(scored),
        _growth(boards or {}),
        _few(few or {}),
        *_inside(inside or Insight({})),
        _curves(scored),
        _positions(scored),
    ]


def _examples(add: Run | None, examples: list[Example]) -> Figure:
    name, title = "fig1-examples", "Fig. 1: examples of addition"
    if add is None:
        return Figure(name, title, "Inputs, answer and truth of three test pairs.", None, _needs("add"))
    right = sum(not example.wrong.any() for example in examples)
    wrong = len(examples) - right
    what = "the first two that are right and the first that is wrong, its wrong digits framed"
    if not wrong:
        what = f"the first {right}; not one of them all is wrong"
    elif (right, wrong) != (2, 1):
        what = f"{right} that are right and {wrong} that are wrong, wrong digits framed"
    what = f"Of the {add.experiment.test_pairs:,} test pairs, {what}"
    return Figure(name, title, f"{what} ({_source(add, 'add')}).", draw_examples(add, examples), "")


def _network(add: Run | None, examples: list[Example]) -> Figure:
    """Drawn with the first pair of Fig. 1 or, without a run, with a typeset one: it is a drawing, not a result."""
    experiment = add.experiment if add else ENTRIES["add"].experiment(0)
    if examples:
        inputs, answer = examples[0].inputs, examples[0].answer
        origin = f"The pictures are the first pair of Fig. 1 ({_source(add, 'add')})"
    else:
        task = experiment.task
        symbols = task.notation.write([*SAMPLE, sum(SAMPLE)])
        *pictures, answer = task.plain_page.typeset(symbols) / 255
        inputs, origin = np.stack(pictures), "The pictures are typeset, since there is no run of add"
    caption = (
        "Every pixel of both inputs is connected with every unit of the first hidden layer, and so on to the answer; "
        f"a few units stand for all. {origin}."
    )
    png = draw_network(experiment, list(inputs), answer)
    return Figure("fig2-network", "Fig. 2: the network", caption, png, "")


def _operations(runs: dict[str, Run], noisy: str) -> Figure:
    """`noisy` is the entry of noisy addition that is shown."""
    name, title = "fig3-operations", "Fig. 3: subtraction, multiplication and noisy addition"
    words = {"subtract": "subtraction", "multiply": "multiplication", noisy: "noisy addition"}
    absent = [entry for entry in words if entry not in runs]
    if not runs:
        return Figure(name, title, "The first test pair of each operation.", None, _needs(*absent))
    sources = ", ".join(words[entry] for entry in runs)
    caption = f"The first test pair of {sources} (entries {', '.join(runs)}), wrong digits framed."
    if noisy in runs:
        caption += " The last picture of noisy addition is not the truth but a target as it was trained with."
    if absent:
        caption += f" Not shown: it {_needs(*absent)}."
    png = draw_operations({words[entry]: run for entry, run in runs.items()})
    return Figure(name, title, caption, png, "")


def _weights(add: Run | None) -> Figure:
    name, title = "fig4-weights", "Fig. 4: weights at the bottom and at the top"
    if add is None:
        return Figure(name, title, "Weights of single units.", None, _needs("add"))
    caption = (
        "For each cell from the left, the unit whose squared weights lie most in it, then the next most concentrated "
        f"({_source(add, 'add')}). Red is positive and blue negative; grey pixels never bear ink."
    )
    return Figure(name, title, caption, draw_weights(bottom(add), top(add)), "")


def _mixture(noise: Run | None, noisy: str, add: Run | None) -> Figure:
    name, title = "fig5-mixture", "Fig. 5: an illegible digit"
    run = noise or add
    if run is None:
        return Figure(name, title, "What the network makes of half a 5 and half an 8.", None, _needs("noise"))
    mixture = mix(run)
    caption = (
        "The framed digit of input 1 is a 5, the mean of a 5 and an 8, and an 8; 5 + 3 and 8 + 3 end in 8 and 1 "
        f"({_source(run, noisy if noise else 'add')}). Below each answer stands what the templates read, "
        "with ? for a digit that is too much of a mixture."
    )
    return Figure(name, title, caption, draw_mixture(run, mixture), "")


def _construction() -> Figure:
    caption = (
        f"Addition by a network whose weights are set by hand, here for four digits: which gates are on for "
        f"{PAIR[0]} + {PAIR[1]}. The paper's own network for seven digits has 140, 140 and 70 of them."
    )
    return Figure("fig6-construction", "Fig. 6: a network by construction", caption, draw_construction(), "")


def _growth(boards: Boards) -> Figure:
    name, title = "growth", "How constructions grow"
    if not boards.get("growth"):
        return Figure(name, title, "Gates and weights against digits.", None, "needs results of benchmarks/boards.py")
    caption = (
        "Constructed networks with sigmoid gates: all gates, and weights that are not 0, against the digits of the "
        "longest number. Where float64 cannot hold the weights a line ends."
    )
    return Figure(name, title, caption, draw_growth(boards["growth"]), "")


def _lengths(results: dict[str, list[Result]]) -> Figure:
    name, title = "lengths", "Lengths never seen"
    there = [entry for entry, *_ in LINES if any(result.proof for result in results[entry])]
    if not there:
        return Figure(name, title, "Wrong numbers against digits.", None, _needs(*(entry for entry, *_ in LINES)))
    caption = (
        "Wrong numbers among 1,000 at lengths that were not trained, a line a seed: settled column learners and "
        f"the same weights without settling (entries {', '.join(there)}; trained on seven digits; 0 stands lowest)."
    )
    return Figure(name, title, caption, draw_lengths({entry: results[entry] for entry in there}), "")


def _few(rows: Rows) -> Figure:
    name, title = "few-examples", "Few examples"
    missing = "needs results of benchmarks/few_examples.py"
    if not rows:
        return Figure(name, title, "Error against the number of training pairs.", None, missing)
    caption = (
        "Wrong digits on 30,000 other pairs against the number of distinct training pairs: a dot a seed, a line "
        "through the means, dashed the paper's error from 150,000. 0 stands lowest."
    )
    return Figure(name, title, caption, draw_few(rows), "")


def _inside(found: Insight) -> list[Figure]:
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


def _curves(results: dict[str, list[Result]]) -> Figure:
    name, title = "curves", "Learning curves"
    there = [entry for entry in CURVES if any(result.curve for result in results[entry])]
    if not there:
        return Figure(name, title, "Digit error after each epoch.", None, _needs(*CURVES))
    caption = (
        f"Digit error on up to {WATCHED:,} test pairs after each epoch, a line a seed (entries {', '.join(there)}); "
        "an epoch without a wrong digit is drawn at 0, and the dashed line is the paper's error at the end."
    )
    return Figure(name, title, caption, draw_curves({entry: results[entry] for entry in there}), "")


def _positions(results: dict[str, list[Result]]) -> Figure:
    name, title = "positions", "Where the errors are"
    there = [entry for entry in POSITIONS if results[entry]]
    if not there:
        return Figure(name, title, "Digit error of each digit of the answer.", None, _needs(*POSITIONS))
    caption = f"Wrong digits in percent at each place of the answer, mean over seeds (entries {', '.join(there)})."
    return Figure(name, title, caption, draw_positions(results), "")


def _source(run: Run | None, entry: str) -> str:
    assert run is not None
    return f"entry {entry}, seed {run.experiment.seed}"


def _needs(*entries: str) -> str:
    return f"needs the run of {', '.join(entries)}; visarith reproduce --only {' '.join(entries)} makes it"
