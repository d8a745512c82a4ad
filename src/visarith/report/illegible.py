"""An illegible digit, a blend of two, and what networks draw for it: claim 17.

The table "An illegible digit", Fig. 5 (half a 5 and half an 8) and the figure "Illegible digits".
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from visarith.evaluation import percent
from visarith.report import drawing
from visarith.report.drawing import BLUE, DASHED, DOTTED, GREEN, MUTED, ORANGE, PINK, TEXT, Sheet
from visarith.report.estimates import Value
from visarith.report.evidence import Evidence, Row
from visarith.report.insight import CLEAN, NOISY, SUMS, Insight, insight
from visarith.report.parts import FIRST, NOTHING, Claim, Plate, Table, Topic, Verdict, refined
from visarith.runs.run import Run
from visarith.studies.catalogue import ENTRIES

MANY = 0.5  # of the cases
OF_THE_TWO = 0.75  # of the ink, at one half
CALIBRATED = 0.1  # ink and truth, or ink and blend, are at most so far apart
IN_PROPORTION = (0.75, 1.33)  # slopes at one half
CURVES = {"add": "Trained without noise", "noise-better": "Trained with noise"}
RELIABLE = {  # and where it is named
    "noise-better": ("noise, better recipe", BLUE, (0.03, 0.92)),
    "noise": ("noise, the paper's recipe", GREEN, (0.03, 0.84)),
    "add": ("trained without noise", PINK, (0.42, 0.22)),
}
ENOUGH = 30  # digits in a bin that is drawn
EITHER = (2310512, 2310812)  # what input 1 of Fig. 5 may be: its third digit from the right is 5 or 8
SECOND = 1241325  # 3 stands there, and nothing is carried to it: 5 + 3 = 8, 8 + 3 = 11
THIRD = -3  # that digit's cell


def mixed_answers(evidence: Evidence) -> Verdict:
    """Claim 17: a mixture if most cases are mixed at one half, of the two digits; in proportion if shares follow it."""
    found = insight(evidence)
    said, mixed, follows = [], [], []
    for entry, words in ((CLEAN, "trained without noise"), (NOISY, "with noise")):
        if any("mean" not in row["mixtures"]["alone"] for row in found[entry]):
            return Verdict(f"{words}: no case is right", "refuted", "Nothing that could be mixed was learned.")
        slope, apart, half, ink = (
            found.mean(entry, "mixtures", "alone", key)
            for key in ("slope_of_a_case", "deviation", "mixed_at_half", "ink_explained_at_half")
        )
        mixed.append(half >= MANY and ink >= OF_THE_TWO)
        follows.append(IN_PROPORTION[0] <= slope <= IN_PROPORTION[1] and apart <= CALIBRATED)
        said.append(f"{words}: slope {slope:.1f}, {apart:.2f} from proportion, {percent(half)} mixed at one half")
    noisy = [entry for entry in ("noise", NOISY) if entry in found]
    distances = [found.mean(entry, "reliability", "apart") for entry in noisy]
    said.append(f"in noisy pictures ink and truth are {' and '.join(f'{each:.2f}' for each in distances)} apart")
    measured = "; ".join(said)
    if all(follows) and all(mixed):
        return Verdict(measured, "confirmed", "The answer is a mixture in the proportion of the blend.")
    if not any(mixed):
        return Verdict(measured, "refuted", "Half and half gives one answer or neither, not a mixture.")
    if max(distances) <= CALIBRATED:
        why = "Mixtures there are, not in proportion to the blend; but after noisy training ink is about probability."
        return refined(measured, why)
    return refined(measured, "Mixtures there are, but neither in proportion to the blend nor to what is likely.")


def table(evidence: Evidence) -> Table:
    """The stored blends, a line an entry and kind."""
    return mixtures(insight(evidence))


def mixtures(found: Insight) -> Table:
    """How the answer to a blend goes with the blend, and whether ink is probability."""
    shown = [name for name in SUMS if name in found]
    rows = [_blends(found, entry, kind) for entry in shown for kind in ("alone", "carried")]
    switches = [row["mixtures"]["alone"].get("deviation_of_a_switch") for name in shown for row in found[name]]
    switch = next((f"{each:.2f}" for each in switches if each is not None), NOTHING)
    note = (
        "One digit of one input is a blend of two, for all places and all two digits; the share of one answer digit in "
        "the ink of both, against the proportion of the blend. In proportion: slope 1, deviation 0; a switch at one "
        f"half: deviation {switch}. Curves are of cases that are right where the digit is no blend. Mixed: a share of "
        "0.25 to 0.75. Ink and truth: in noisy pictures, mean distance over tenths of ink between the ink of a digit "
        "and how often it is the true one; `add` was trained without noise, and is here for comparison."
    )
    head = ["experiment", "what", "carry differs", "cases", "right at the ends", "slope of the mean"]
    head += ["slope of the median case", "deviation", "mixed at one half", "ink explained at one half", "ink and truth"]
    return Table("An illegible digit", note, head, rows)


def _blends(found: Insight, entry: str, kind: str) -> list[str]:
    line = [f"`{entry}`", ENTRIES[entry].title, "yes" if kind == "carried" else "no"]
    if any("mean" not in row["mixtures"][kind] for row in found[entry]):
        return [*line, *[NOTHING] * 8]

    def value(key: str) -> Value:
        return found.value(entry, "mixtures", kind, key)

    line += [f"{value('cases').mean:,.0f}", percent(value("right_at_ends").mean)]
    line += [str(value(key)) for key in ("slope_of_the_mean", "slope_of_a_case", "deviation")]
    line += [percent(value(key).mean) for key in ("mixed_at_half", "ink_explained_at_half")]
    return [*line, str(found.value(entry, "reliability", "apart"))]


@dataclass(frozen=True, eq=False)
class Mixture:
    """Input and answer pictures of three pairs: pure 5, half and half, pure 8."""

    inputs: np.ndarray  # (3, 2, height, width)
    answers: np.ndarray  # (3, height, width)
    readings: list[str]  # what the templates read in the answers, '?' for an unreadable digit


def mix(run: Run) -> Mixture:
    """Show the network the pure pictures and their mean, which differs from them in the third digit alone."""
    symbols = run.task.notation.write(np.array([[first, SECOND] for first in EITHER]).ravel()).reshape(2, 2, -1)
    pure = (run.task.plain_layout.typeset(symbols) / 255).astype(np.float32)
    inputs = np.stack([pure[0], pure.mean(0), pure[1]])
    answers = run.predict(inputs)[:, 0]
    return Mixture(inputs, answers, run.read(answers).texts)


def mixture_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """Fig. 5: a column for each reading of the digit and, between them, one for the mixture; and the caption."""
    stored = evidence.run(NOISY, "noise")
    mixture = mix(stored.run)
    half = mixture.readings[1][THIRD]
    caption = (
        "The framed digit of input 1 is a 5, the mean of a 5 and an 8, and an 8; 5 + 3 and 8 + 3 end in 8 and 1 "
        f"({stored.source}). Below each answer stands what the templates read. "
    )
    if half == "?":
        caption += "The answer to the mean is too much of a mixture to be read, which is shown as ?."
    elif half in "81":
        caption += f"The answer to the mean is read as {half}, one of the two."
    else:
        caption += f"The answer to the mean is read as {half}, which is neither: a mixture may look like a third digit."
    layout, frames = stored.run.task.plain_layout, {0: [THIRD], 2: [THIRD]}
    titles = ("a 5", "half 5, half 8", "an 8")
    columns = [
        drawing.Column(title, [*inputs, answer], layout, frames, f"read as {text}", frame_colour=BLUE)
        for title, inputs, answer, text in zip(titles, mixture.inputs, mixture.answers, mixture.readings, strict=True)
    ]
    return drawing.draw_columns(["input 1", "input 2", "network's answer"], columns), caption


def blends_figure(evidence: Evidence) -> tuple[Sheet, str]:
    """Curves of networks trained with and without noise, and ink against truth; and the caption."""
    caption = (
        "A digit is blended into another, for all places and all two digits, where nothing else of the answer differs: "
        "the share of the second answer digit in the ink of both (entries add and noise-better, mean over seeds). "
        "Dotted is what a reader would believe who knows the noise of training. Right: in noisy pictures, how often a "
        "digit is the true one, by how much of its ink is drawn, a line a seed."
    )
    found = insight(evidence)
    entries = [name for name in CURVES if all("mean" in row["mixtures"]["alone"] for row in found[name])]
    side, apart = 226, 62
    with drawing.new_sheet(side + 118) as sheet:
        for number, entry in enumerate(entries):
            axes = sheet.axes(60 + number * (side + apart), 62, side, side)
            _draw_curve(axes, found[entry], CURVES[entry])
            axes.set(ylabel="share in the answer" if number == 0 else "")
            if entry != "add":
                likely = np.mean([row["mixtures"]["likely"] for row in found[entry]], 0)
                axes.plot(
                    found[entry][0]["mixtures"]["alone"]["proportions"],
                    likely,
                    color=TEXT,
                    linestyle=DOTTED,
                    linewidth=1.1,
                )
        axes = sheet.axes(60 + len(CURVES) * (side + apart) + 6, 62, side, side)
        _draw_reliability(axes, found)
        handles: list[Line2D | Patch] = [
            Line2D([], [], color=BLUE, linewidth=1.8, label="median case"),
            Line2D([], [], color=ORANGE, linewidth=1.4, label="mean"),
            Patch(color=BLUE, alpha=0.32, label="half of the cases"),
            Patch(color=BLUE, alpha=0.13, label="nine tenths"),
            Line2D([], [], color=MUTED, linestyle=DASHED, linewidth=0.9, label="in proportion"),
            Line2D([], [], color=TEXT, linestyle=DOTTED, linewidth=1.1, label="if the noise is known"),
        ]
        drawing.legend_above(sheet, handles, 54)
        return sheet, caption


def _draw_curve(axes: Axes, rows: Sequence[Row], title: str) -> None:
    curves = [row["mixtures"]["alone"] for row in rows]
    across = curves[0]["proportions"]
    bounds = {q: np.mean([curve["quantiles"][q] for curve in curves], 0) for q in curves[0]["quantiles"]}
    axes.fill_between(across, bounds["0.05"], bounds["0.95"], color=BLUE, alpha=0.13, linewidth=0)
    axes.fill_between(across, bounds["0.25"], bounds["0.75"], color=BLUE, alpha=0.22, linewidth=0)
    axes.plot(across, bounds["0.5"], color=BLUE, linewidth=1.8)
    axes.plot(across, np.mean([curve["mean"] for curve in curves], 0), color=ORANGE, linewidth=1.4)
    _square(axes, title)
    axes.set(xlabel="proportion of the second digit")


def _draw_reliability(axes: Axes, found: Insight) -> None:
    for entry, (words, colour, place) in RELIABLE.items():
        if entry not in found:
            continue
        for bins in (row["reliability"] for row in found[entry]):
            there = [i for i, count in enumerate(bins["counts"]) if count >= ENOUGH]
            drawn, true = ([bins[name][i] for i in there] for name in ("drawn", "true"))
            axes.plot(drawn, true, color=colour, linewidth=1.3, marker="o", markersize=3)
        axes.text(*place, words, color=colour, size=8)
    _square(axes, "Noisy pictures: ink and truth")
    axes.set(xlabel="ink of a digit", ylabel="how often it is the true one")


def _square(axes: Axes, title: str) -> None:
    axes.plot([0, 1], [0, 1], color=MUTED, linestyle=DASHED, linewidth=0.9, zorder=1.9)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    for set_ticks in (axes.set_xticks, axes.set_yticks):
        set_ticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.grid()
    axes.set_title(title)


TOPIC = Topic(
    "An illegible digit",
    "One digit of one input is a blend of two. The paper says that the answer is then a blend too, in proportion to "
    "what the digit may be. Blends of all pairs of digits at all places were tried, from one to the other in steps.",
    claims=(
        Claim(
            17,
            "An illegible digit gives a mixture, in proportion to what it may be",
            "3.2, 5",
            "Fig. 5",
            "studies/insight/mixtures.py",
            mixed_answers,
            "A mixture if at one half most cases are mixed, of the two digits; in proportion if the slope there is "
            "0.75 to 1.33 and the curve within 0.1. Confirmed if both, with and without noise; refuted if there is no "
            "mixture; else refined.",
            FIRST,
        ),
    ),
    plates=(
        Plate("fig5-mixture", "Fig. 5: an illegible digit", mixture_figure),
        Plate("illegible", "Illegible digits: proportion, switch or probability", blends_figure),
    ),
    appendix=(table,),
)
