"""Tables of what was measured inside trained perceptrons, and of what they draw for illegible digits."""

from visarith.evaluation import percent
from visarith.experiments.catalogue import ENTRIES
from visarith.report.evidence import Share
from visarith.report.insight_evidence import Insight, Value, at, hidden_layers, layer
from visarith.report.tables import NOTHING, Table

SHOWN = ("add", "subtract", "multiply", "noise", "noise-better")
SUMS = ("add", "noise", "noise-better")
MEDIAN = 2  # of smallest, quarter, median, three quarters, largest
KINDS = {"input": "input digits", "answer": "answer digits", "carry": "carries"}


def tables(found: Insight) -> list[Table]:
    """All of them; none if nothing is stored."""
    return [units(found), probes(found), construction(found), filters(found), mixtures(found)] if found else []


def units(found: Insight) -> Table:
    """What single units are for, and how many are used."""
    rows = []
    for entry in (name for name in SHOWN if name in found):
        for number in hidden_layers(found[entry][0]):
            rows.append([f"`{entry}`", f"{number}", *_unit_cells(found, entry, number, "trained")])
        if entry == "add":
            for number in hidden_layers(found[entry][0]):
                rows.append(
                    [f"`{entry}`, before training", f"{number}", *_unit_cells(found, entry, number, "untrained")]
                )
    note = (
        "A one-hot detector: the digit at one place explains at least half of the variance of the unit's activation, "
        "and one digit alone lifts its mean above the middle. One digit stands out: the same without the half. A "
        "column is the digits of both inputs at one place. 95 % intervals over seeds, or over units of the one run."
    )
    head = ["experiment", "layer", "detectors of an input digit", "one input digit stands out"]
    head += ["detectors of an answer digit", "explained by one input digit's place, median", "by one column, median"]
    head += ["units explained by a column to 90 %", "dead", "duplicates", "axes with 99 % of variance", "seeds"]
    return Table("Inside: units", note, head, rows)


def _unit_cells(found: Insight, entry: str, number: int, network: str) -> list[str]:
    count = layer(number, "usage", "units", network=network)(found[entry][0])

    def share(*path: str | int) -> str:
        return str(found.share(entry, layer(number, *path, network=network), count))

    def mean(*path: str | int) -> float:
        return found.value(entry, layer(number, *path, network=network)).mean

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
        for number in (0, *hidden_layers(found[entry][0])):
            line = [f"`{entry}`", str(number) if number else "pixels"]
            line += [_read(found, entry, number, "trained", kind) for kind in KINDS]
            line += [_read(found, entry, number, "untrained", kind) if number else NOTHING for kind in KINDS]
            shuffled = [_read(found, entry, number, "trained", kind, "shuffled", short=True) for kind in KINDS]
            rows.append([*line, " / ".join(shuffled)])
    row = found.rows[next(iter(found.rows))][0]
    note = (
        f"Digits and carries that ridge regression reads right: fitted on {row['train_pairs']:,} pairs and judged on "
        f"{row['test_pairs']:,} others, clean pictures, mean over places. Before training: the network that the run "
        "started from. Shuffled: trained layers, labels of other pairs; it must be chance (inputs / answers / carries)."
    )
    head = ["experiment", "layer", *KINDS.values(), *(f"{words}, before training" for words in KINDS.values())]
    return Table("Inside: what can be read off each layer", note, [*head, "shuffled"], rows)


def _read(
    found: Insight, entry: str, number: int, network: str, kind: str, what: str = "probes", *, short: bool = False
) -> str:
    figure = layer(number, what, kind, network=network)
    if figure(found[entry][0]) is None:
        return NOTHING
    shown: Share = found.share(entry, figure, found[entry][0]["test_pairs"])
    return percent(shown.mean) if short else str(shown)


def construction(found: Insight) -> Table:
    """How far each layer is the layer of gates that Section 6 builds."""
    rows = []
    for entry in (name for name in SUMS if name in found):
        for number in hidden_layers(found[entry][0]):
            cells = [_gates(found, entry, number, "trained", key) for key in GATES]
            before = [_gates(found, entry, number, "untrained", key) for key in ("gates_alike", "linear")]
            gates = layer(number, "construction", "gates")(found[entry][0])
            rows.append([f"`{entry}`", str(number), f"{gates:.0f}", *cells, *before])
    note = (
        "Gates that change over the pairs: digits at places (layer 1), thresholds (2), answer digits (3). A unit is a "
        "gate if the squared correlation of the two is at least 0.9, and like it from 0.5 on. Held by the layer: share "
        "of the gates' variance that a weighted sum of all units gets right on other pairs."
    )
    head = ["experiment", "layer", "gates", *GATES.values(), "alike before training", "held before training"]
    return Table("Inside: the construction", note, head, rows)


GATES = {
    "units_that_are_gates": "units that are a gate",
    "gates_found": "gates that are a unit",
    "gates_alike": "gates like a unit",
    "linear": "held by the layer",
}


def _gates(found: Insight, entry: str, number: int, network: str, key: str) -> str:
    count = layer(number, "construction", "gates")(found[entry][0])
    return str(found.share(entry, layer(number, "construction", key, network=network), count))


def filters(found: Insight) -> Table:
    """Emphasis on digits that look alike, beside three kinds of filters for which it is known."""
    rows = []
    for entry in (name for name in SHOWN if name in found):
        line = [f"`{entry}`"]
        for kind in ("trained", "untrained"):
            for figure in ("closest", "correlation"):
                line.append(str(found.value(entry, at("filters", kind, figure))))
        for kind in ("templates", "least squares"):
            line.append(f"{found.value(entry, at('filters', kind, 'closest')).mean:.2f}")
        rows.append(line)
    note = (
        "Energy of bottom filters along the difference of two glyphs, for the ten pairs of digits that look most "
        "alike, as a multiple of that for all pairs: 1 for filters that point anywhere, less for plain templates, more "
        "for detectors by least squares. Correlation: over the 45 pairs, with how different they look."
    )
    head = ["experiment", "trained", "correlation", "before training", "correlation", "templates", "least squares"]
    return Table("Inside: filters and digits that look alike", note, head, rows)


def mixtures(found: Insight) -> Table:
    """How the answer to a blend goes with the blend, and whether ink is probability."""
    shown = [name for name in SUMS if name in found]
    rows = [_blends(found, entry, kind) for entry in shown for kind in ("alone", "carried")]
    switches = [at("mixtures", "alone")(row).get("deviation_of_a_switch") for name in shown for row in found[name]]
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
    if any("mean" not in at("mixtures", kind)(row) for row in found[entry]):
        return [*line, *[NOTHING] * 8]

    def value(key: str) -> Value:
        return found.value(entry, at("mixtures", kind, key))

    line += [f"{value('cases').mean:,.0f}", percent(value("right_at_ends").mean)]
    line += [str(value(key)) for key in ("slope_of_the_mean", "slope_of_a_case", "deviation")]
    line += [percent(value(key).mean) for key in ("mixed_at_half", "ink_explained_at_half")]
    return [*line, str(found.value(entry, at("reliability", "apart")))]
