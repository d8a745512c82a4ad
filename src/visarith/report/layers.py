"""What the layers of trained perceptrons hold: claims 18, 19, 20 and 30.

Tables "Inside: ..." of units, probes, the construction and filters; figures "What explains a unit" and "What each layer
tells".
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import PercentFormatter

from visarith.evaluation import percent
from visarith.report.drawing import BLUE, DOTTED, GREEN, LINE, MUTED, ORANGE, TEXT, WIDTH, legend_above, new_sheet
from visarith.report.estimates import Share
from visarith.report.evidence import Evidence, Row
from visarith.report.insight import CLEAN, MEDIAN, NOISY, SUMS, Insight, Keys, at, insight, layer
from visarith.report.parts import NOTHING, Table, Verdict, refined

MOST, MANY, SOME = 0.9, 0.5, 0.1  # shares of units or gates
HELD = 0.99  # of digits that are read off a layer which holds them
SHOWN = ("add", "subtract", "multiply", "noise", "noise-better")
KINDS = {"input": "input digits", "answer": "answer digits", "carry": "carries"}
COLOURS = {"input": BLUE, "answer": ORANGE, "carry": GREEN}
GATES = {
    "units_that_are_gates": "units that are a gate",
    "gates_found": "gates that are a unit",
    "gates_alike": "gates like a unit",
    "linear": "held by the layer",
}
PANELS = {
    "add": "Addition",
    "subtract": "Subtraction",
    "multiply": "Multiplication",
    "noise-better": "Noisy addition, better recipe",
}
EXPLAINED: dict[str, Keys] = {  # what may explain a unit: quantiles of the best one's share
    "digit at one place of one input": ("units", "input", "place_share"),
    "both digits of one column": ("explained", "column", "share"),
    "sum of one column": ("explained", "total", "share"),
    "digit at one place of the answer": ("units", "answer", "place_share"),
}


def _units(found: Insight, entry: str, number: int, kind: str) -> Share:
    count = at(found[entry][0], *layer(number, "usage", "units"))
    return found.share(entry, count, layer(number, "units", kind, "detectors"), of="units")


def _probe(found: Insight, entry: str, number: int, kind: str, network: str = "trained") -> float:
    return found.mean(entry, *layer(number, "probes", kind, network=network))


def _noisy(found: Insight) -> list[str]:
    return [entry for entry in ("noise", NOISY) if entry in found]


def bottom_units(evidence: Evidence) -> Verdict:
    """Claim 18."""
    found = insight(evidence)
    shares = {entry: _units(found, entry, 1, "input") for entry in (CLEAN, "subtract")}
    column = found.mean(CLEAN, *layer(1, "explained", "column", "share", MEDIAN))
    place = found.mean(CLEAN, *layer(1, "units", "input", "place_share", MEDIAN))
    measured = "one-hot detectors among bottom units: "
    measured += ", ".join(f"{entry} {share}" for entry, share in shares.items())
    measured += "".join(f", {entry} {percent(_units(found, entry, 1, 'input').mean)}" for entry in _noisy(found))
    measured += f"; one digit's place explains {percent(place)} of the median unit, one column {percent(column)}; "
    measured += f"the layer tells {percent(_probe(found, CLEAN, 1, 'input'))} of digits"
    least = min(share.mean for share in shares.values())
    if least >= MOST:
        return Verdict(measured, "confirmed", "Almost every bottom unit is a one-hot detector.")
    if least >= MANY:
        return refined(measured, "Most bottom units are, but not each.")
    if column >= MOST > place:
        why = "Few units are: most look at one column, the digits of both inputs at one place, and at several digits."
        return Verdict(measured, "refuted", why)
    return Verdict(measured, "refuted", "Few bottom units are for one digit at one place.")


def similar_digits(evidence: Evidence) -> Verdict:
    """Claim 19."""
    found = insight(evidence)
    words, between = [], []
    for entry in (CLEAN, "subtract"):
        after, before, plain, sharp = (
            found.value(entry, "filters", kind, "closest")
            for kind in ("trained", "untrained", "templates", "least squares")
        )
        between.append((after.low > max(before.high, plain.mean), after.high >= sharp.mean))
        words.append(f"{entry} {after}, before training {before.mean:.2f}")
    words.append(f"templates {plain.mean:.2f}, least squares {sharp.mean:.2f}")
    measured = f"energy on the most similar digits, as a multiple of all: {'; '.join(words)}"
    if all(more and most for more, most in between):
        return Verdict(measured, "confirmed", "Filters dwell on what tells similar digits apart.")
    if all(more for more, _ in between):
        why = "They lean that way, more than templates and chance, and less than detectors by least squares do."
        return refined(measured, why)
    return Verdict(measured, "refuted", "Filters do not prefer what tells similar digits apart.")


def top_layer(evidence: Evidence) -> Verdict:
    """Claim 20."""
    found = insight(evidence)
    top = {entry: _probe(found, entry, -1, "answer") for entry in (CLEAN, "subtract")}
    inputs, answers = (
        [_probe(found, CLEAN, number, kind) for number in found.hidden_layers(CLEAN)] for kind in ("input", "answer")
    )
    before, single = _probe(found, CLEAN, -1, "answer", "untrained"), _units(found, CLEAN, -1, "answer")
    measured = "answer digits read off the top layer: "
    measured += ", ".join(f"{entry} {percent(share)}" for entry, share in top.items())
    measured += f" (before training {percent(before)}); layer by layer {_way(answers)}, "
    measured += f"input digits {_way(inputs)}; {single} of top units are one-hot detectors"
    if min(top.values()) < HELD or top[CLEAN] < before + 0.1:
        return Verdict(measured, "refuted", "The top layer does not hold the answer's digits.")
    if answers != sorted(answers) or inputs != sorted(inputs, reverse=True):
        return refined(measured, "The top layer holds them, but the layers do not lead there step by step.")
    if single.mean >= MANY:
        return Verdict(measured, "confirmed", "Most top units are for one answer digit, and the middle leads there.")
    return refined(measured, "It holds them and the middle leads there, but only some top units are for one digit.")


def arrival(evidence: Evidence) -> Verdict:
    """Claim 30: arrived if the gates of every layer are there as units. Runs that did not arrive cannot refute it."""
    found = insight(evidence)
    gates, held, start = (
        [found.mean(CLEAN, *layer(n, "construction", key, network=network)) for n in found.hidden_layers(CLEAN)]
        for key, network in (("gates_found", "trained"), ("linear", "trained"), ("linear", "untrained"))
    )
    measured = f"gates that are a unit, layer by layer: {_way(gates)}; held as weighted sums: {_way(held)} "
    measured += f"(before training {_way(start)})"
    for entry in _noisy(found):
        measured += f"; {entry}, layer 1: {percent(found.mean(entry, *layer(1, 'construction', 'gates_found')))}"
    if min(gates) >= MOST:
        return Verdict(measured, "confirmed", "Training arrives at the construction.")
    if max(gates) >= SOME:
        return refined(measured, "In part: some gates of some layers are found, and the rest is done by other units.")
    return Verdict(measured, "open", "No run arrived there, which does not show that none can.")


def _way(shares: list[float]) -> str:
    return ", ".join(map(percent, shares))


def tables(evidence: Evidence) -> list[Table]:
    """All tables of this module."""
    found = insight(evidence)
    return [units(found), probes(found), construction(found), filters(found)]


def units(found: Insight) -> Table:
    """What single units are for, and how many are used."""
    networks = [(name, f"`{name}`", "trained") for name in SHOWN if name in found]
    if "add" in found:
        networks.insert(1, ("add", "`add`, before training", "untrained"))
    rows = [
        [words, str(number), *_unit_cells(found, entry, number, network)]
        for entry, words, network in networks
        for number in found.hidden_layers(entry)
    ]
    note = (
        "A one-hot detector: the digit at one place explains at least half of the variance of the unit's activation, "
        "and one digit alone lifts its mean above the middle. One digit stands out: the same without the half. A "
        "column is the digits of both inputs at one place. In brackets 95 % intervals."
    )
    head = ["experiment", "layer", "detectors of an input digit", "one input digit stands out"]
    head += ["detectors of an answer digit", "explained by one input digit's place, median", "by one column, median"]
    head += ["units explained by a column to 90 %", "dead", "duplicates", "axes with 99 % of variance", "seeds"]
    return Table("Inside: units", note, head, rows)


def _unit_cells(found: Insight, entry: str, number: int, network: str) -> list[str]:
    count = at(found[entry][0], *layer(number, "usage", "units", network=network))

    def share(*path: str | int) -> str:
        return str(found.share(entry, count, layer(number, *path, network=network), of="units"))

    def mean(*path: str | int) -> float:
        return found.mean(entry, *layer(number, *path, network=network))

    return [
        share("units", "input", "detectors"),
        percent(mean("units", "input", "for_one_digit")),
        share("units", "answer", "detectors"),
        percent(mean("units", "input", "place_share", MEDIAN)),
        percent(mean("explained", "column", "share", MEDIAN)),
        percent(mean("explained", "column", "almost_all")),
        f"{mean('usage', 'dead'):.0f} of {count}",
        f"{mean('usage', 'duplicates'):.0f}",
        f"{mean('usage', 'axes'):.0f}",
        str(len(found[entry])),
    ]


def probes(found: Insight) -> Table:
    """What a weighted sum of each layer tells, and the two controls."""
    rows = []
    for entry in (name for name in SHOWN if name in found):
        for number in (0, *found.hidden_layers(entry)):
            read = [_read(found, entry, layer(number, "probes", kind)) for kind in KINDS]
            start = [
                _read(found, entry, layer(number, "probes", kind, network="untrained")) for kind in KINDS if number
            ]
            shuffled = [_read(found, entry, layer(number, "shuffled", kind)).partition(" (")[0] for kind in KINDS]
            line = [f"`{entry}`", str(number) if number else "pixels", *read, *(start or [NOTHING] * 3)]
            rows.append([*line, " / ".join(shuffled)])
    row = found.rows[next(iter(found.rows))][0]
    note = (
        f"Digits and carries that ridge regression reads right: fitted on {row['train_pairs']:,} pairs and judged on "
        f"{row['test_pairs']:,} others, clean pictures, mean over places. Before training: the network that the run "
        "started from. Shuffled: trained layers, labels of other pairs; it must be chance (inputs / answers / carries)."
    )
    head = ["experiment", "layer", *KINDS.values(), *(f"{words}, before training" for words in KINDS.values())]
    return Table("Inside: what can be read off each layer", note, [*head, "shuffled"], rows)


def _read(found: Insight, entry: str, keys: Keys) -> str:
    row = found[entry][0]
    return NOTHING if at(row, *keys) is None else str(found.share(entry, row["test_pairs"], keys, of="pairs"))


def construction(found: Insight) -> Table:
    """How far each layer is the layer of gates that Section 6 builds."""
    columns = [("trained", key) for key in GATES] + [("untrained", "gates_alike"), ("untrained", "linear")]
    rows = []
    for entry in (name for name in SUMS if name in found):
        for number in found.hidden_layers(entry):
            gates = at(found[entry][0], *layer(number, "construction", "gates"))
            units = at(found[entry][0], *layer(number, "usage", "units"))
            cells = []
            for network, key in columns:
                path = layer(number, "construction", key, network=network)
                if key == "linear":
                    cells.append(str(found.explained(entry, path)))
                else:
                    of, count = ("units", units) if key == "units_that_are_gates" else ("gates", gates)
                    cells.append(str(found.share(entry, count, path, of=of)))
            rows.append([f"`{entry}`", str(number), f"{gates:.0f}", *cells])
    note = (
        "Gates that change over the pairs: digits at places (layer 1), thresholds (2), answer digits (3). A unit is a "
        "gate if the squared correlation of the two is at least 0.9, and like it from 0.5 on. Held by the layer: share "
        "of the gates' variance that a weighted sum of all units gets right on other pairs."
    )
    head = ["experiment", "layer", "gates", *GATES.values(), "alike before training", "held before training"]
    return Table("Inside: the construction", note, head, rows)


def filters(found: Insight) -> Table:
    """Emphasis on digits that look alike, beside three kinds of filters for which it is known."""
    figures = [(kind, figure) for kind in ("trained", "untrained") for figure in ("closest", "correlation")]
    rows = []
    for entry in (name for name in SHOWN if name in found):
        ours = [str(found.value(entry, "filters", *each)) for each in figures]
        known = [f"{found.mean(entry, 'filters', kind, 'closest'):.2f}" for kind in ("templates", "least squares")]
        rows.append([f"`{entry}`", *ours, *known])
    note = (
        "Energy of bottom filters along the difference of two glyphs, for the ten pairs of digits that look most "
        "alike, as a multiple of that for all pairs: 1 for filters that point anywhere, less for plain templates, more "
        "for detectors by least squares. Correlation: over the 45 pairs, with how different they look."
    )
    head = ["experiment", "trained", "correlation", "before training", "correlation", "templates", "least squares"]
    return Table("Inside: filters and digits that look alike", note, head, rows)


def units_figure(evidence: Evidence) -> tuple[bytes, str]:
    """A panel a layer of addition: how much of a unit's activation each of four things explains; and the caption."""
    caption = (
        "How much of the variance of a unit's activation the best of each explains: bars hold half of the units, ticks "
        "are the median one (entry add, mean over seeds)."
    )
    found = insight(evidence)
    rows, numbers, high, left, apart = found["add"], found.hidden_layers("add"), 150, 226, 36
    wide = (WIDTH - left - 30) // len(numbers) - apart + apart // len(numbers)
    with new_sheet(high + 116) as sheet:
        for place, number in enumerate(numbers):
            axes = sheet.axes(left + place * (wide + apart), 62, wide, high)
            for line, path in enumerate(EXPLAINED.values()):
                for network, colour, up in (("trained", BLUE, -0.16), ("untrained", LINE, 0.2)):
                    _, low, median, top, _ = np.mean(
                        [at(row, *layer(number, *path, network=network)) for row in rows], 0
                    )
                    axes.barh(line + up, top - low, 0.3, left=low, color=colour, alpha=0.45 if colour == BLUE else 0.6)
                    dark = colour if colour == BLUE else MUTED
                    axes.plot([median] * 2, [line + up - 0.15, line + up + 0.15], color=dark, linewidth=2)
            axes.set(xlim=(0, 1), ylim=(len(EXPLAINED) - 0.5, -0.5))
            axes.set_yticks(range(len(EXPLAINED)), list(EXPLAINED) if place == 0 else [""] * len(EXPLAINED))
            axes.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"])
            axes.tick_params(axis="y", length=0, labelcolor=TEXT)
            axes.grid(axis="x")
            axes.set_title(f"Layer {number}")
        legend_above(
            sheet,
            [Patch(color=BLUE, alpha=0.45, label="trained"), Patch(color=LINE, alpha=0.6, label="before training")],
            left,
        )
        sheet.text(left, high + 100, "of the variance of a unit's activation", size=8.5, colour=MUTED)
        return sheet.png(), caption


def probes_figure(evidence: Evidence) -> tuple[bytes, str]:
    """A panel an entry, a line a seed: what a weighted sum of each layer reads right; and the caption."""
    caption = (
        "Digits and carries that a weighted sum of each layer reads right on pairs that it was not fitted on, mean "
        "over places, a line a seed. Dotted: the same network before training. Grey: fitted to labels of other pairs."
    )
    found = insight(evidence)
    entries = [name for name in PANELS if name in found]
    high, wide, lines = 180, 372, (len(entries) + 1) // 2
    with new_sheet(40 + lines * (high + 74)) as sheet:
        for number, entry in enumerate(entries):
            down, across = divmod(number, 2)
            axes = sheet.axes(62 + across * (wide + 62), 60 + down * (high + 74), wide, high)
            _draw_probes(axes, found[entry], PANELS[entry])
        handles = [
            Line2D([], [], color=colour, marker="o", markersize=3.5, label=KINDS[kind])
            for kind, colour in COLOURS.items()
        ]
        handles.append(Line2D([], [], color=MUTED, linestyle=DOTTED, label="before training"))
        handles.append(Line2D([], [], color=LINE, linewidth=4, label="shuffled labels"))
        legend_above(sheet, handles, 56)
        return sheet.png(), caption


def _draw_probes(axes: Axes, rows: Sequence[Row], title: str) -> None:
    numbers = range(len(rows[0]["trained"]))
    for row in rows:
        for kind, colour in COLOURS.items():
            trained = [each["probes"][kind] for each in row["trained"]]
            if trained[0] is None:
                continue
            start = [trained[0], *(each["probes"][kind] for each in row["untrained"])]
            shuffled = [each["shuffled"][kind] for each in row["trained"]]
            axes.plot(numbers, shuffled, color=LINE, linewidth=4, alpha=0.6, zorder=1.5)
            axes.plot(numbers, start, color=colour, linewidth=1.2, linestyle=DOTTED, zorder=2)
            axes.plot(numbers, trained, color=colour, linewidth=1.4, marker="o", markersize=3.5, zorder=3)
    axes.set_title(title)
    axes.set(ylim=(0, 1.04), xlim=(-0.12, numbers[-1] + 0.12))
    axes.set_xticks(numbers, ["pixels", *(f"layer {number}" for number in numbers[1:])])
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.yaxis.set_major_formatter(PercentFormatter(1, 0, " %"))
    axes.grid(axis="y")
