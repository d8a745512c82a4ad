"""The paper's six figures, from stored runs."""

import numpy as np

from visarith.experiments.catalogue import ENTRIES
from visarith.report.construction import PAIR, draw_construction
from visarith.report.examples import Example, draw_examples, draw_operations
from visarith.report.figure import Figure, needs, source
from visarith.report.mixture import draw_mixture, mix
from visarith.report.network import draw_network
from visarith.report.weights import bottom, draw_weights, top
from visarith.runs.run import Run

SAMPLE = (1234567, 2345678)  # the pair in the drawing of the network where there is no run


def examples_figure(add: Run | None, examples: list[Example]) -> Figure:
    name, title = "fig1-examples", "Fig. 1: examples of addition"
    if add is None:
        return Figure(name, title, "Inputs, answer and truth of three test pairs.", None, needs("add"))
    right = sum(not example.wrong.any() for example in examples)
    wrong = len(examples) - right
    what = "the first two that are right and the first that is wrong, its wrong digits framed"
    if not wrong:
        what = f"the first {right}; not one of them all is wrong"
    elif (right, wrong) != (2, 1):
        what = f"{right} that are right and {wrong} that are wrong, wrong digits framed"
    what = f"Of the {add.experiment.test_pairs:,} test pairs, {what}"
    return Figure(name, title, f"{what} ({source(add, 'add')}).", draw_examples(add, examples), "")


def network_figure(add: Run | None, examples: list[Example]) -> Figure:
    """Drawn with the first pair of Fig. 1 or, without a run, with a typeset one: it is a drawing, not a result."""
    experiment = add.experiment if add else ENTRIES["add"].experiment(0)
    if examples:
        inputs, answer = examples[0].inputs, examples[0].answer
        origin = f"The pictures are the first pair of Fig. 1 ({source(add, 'add')})"
    else:
        task = experiment.task
        symbols = task.notation.write([*SAMPLE, sum(SAMPLE)])
        *pictures, answer = task.plain_layout.typeset(symbols) / 255
        inputs, origin = np.stack(pictures), "The pictures are typeset, since there is no run of add"
    caption = (
        "Every pixel of both inputs is connected with every unit of the first hidden layer, and so on to the answer; "
        f"a few units stand for all. {origin}."
    )
    png = draw_network(experiment, list(inputs), answer)
    return Figure("fig2-network", "Fig. 2: the network", caption, png, "" if examples else needs("add"))


def operations_figure(runs: dict[str, Run], noisy: str) -> Figure:
    """`noisy` is the entry of noisy addition that is shown."""
    name, title = "fig3-operations", "Fig. 3: subtraction, multiplication and noisy addition"
    words = {"subtract": "subtraction", "multiply": "multiplication", noisy: "noisy addition"}
    absent = [entry for entry in words if entry not in runs]
    if not runs:
        return Figure(name, title, "The first test pair of each operation.", None, needs(*absent))
    sources = ", ".join(words[entry] for entry in runs)
    caption = f"The first test pair of {sources} (entries {', '.join(runs)}), wrong digits framed."
    if noisy in runs:
        caption += " The last picture of noisy addition is not the truth but a target as it was trained with."
    if absent:
        caption += f" Not shown: it {needs(*absent)}."
    png = draw_operations({words[entry]: run for entry, run in runs.items()})
    return Figure(name, title, caption, png, "")


def weights_figure(add: Run | None) -> Figure:
    name, title = "fig4-weights", "Fig. 4: weights at the bottom and at the top"
    if add is None:
        return Figure(name, title, "Weights of single units.", None, needs("add"))
    caption = (
        "For each cell from the left, the unit whose squared weights lie most in it, then the next most concentrated "
        f"({source(add, 'add')}). Red is positive and blue negative; grey pixels never bear ink."
    )
    return Figure(name, title, caption, draw_weights(bottom(add), top(add)), "")


def mixture_figure(noise: Run | None, noisy: str, add: Run | None) -> Figure:
    name, title = "fig5-mixture", "Fig. 5: an illegible digit"
    run = noise or add
    if run is None:
        return Figure(name, title, "What the network makes of half a 5 and half an 8.", None, needs("noise"))
    mixture = mix(run)
    caption = (
        "The framed digit of input 1 is a 5, the mean of a 5 and an 8, and an 8; 5 + 3 and 8 + 3 end in 8 and 1 "
        f"({source(run, noisy if noise else 'add')}). Below each answer stands what the templates read, "
        "with ? for a digit that is too much of a mixture."
    )
    return Figure(name, title, caption, draw_mixture(run, mixture), "")


def construction_figure() -> Figure:
    caption = (
        f"Addition by a network whose weights are set by hand, here for four digits: which gates are on for "
        f"{PAIR[0]} + {PAIR[1]}. The paper's own network for seven digits has 140, 140 and 70 of them."
    )
    return Figure("fig6-construction", "Fig. 6: a network by construction", caption, draw_construction(), "")
