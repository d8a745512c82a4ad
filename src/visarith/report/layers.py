"""What the layers of trained perceptrons hold: claims 18, 19, 20 and 30, and their tables."""

from visarith.evaluation import percent
from visarith.report.estimates import Share
from visarith.report.evidence import Evidence
from visarith.report.insight import CLEAN, KINDS, MEDIAN, NOISY, SUMS, Insight, Keys, at, insight, layer
from visarith.report.layer_figures import probes_figure, units_figure
from visarith.report.parts import FIRST, NOTHING, Claim, Plate, Table, Topic, Verdict, refined
from visarith.report.weights import weights_figure

MOST, MANY, SOME = 0.9, 0.5, 0.1  # shares of units or gates
HELD = 0.99  # of digits that are read off a layer which holds them
SHOWN = ("add", "subtract", "multiply", "noise", "noise-better")
GATES = {
    "units_that_are_gates": "units that are a gate",
    "gates_found": "gates that are a unit",
    "gates_alike": "gates like a unit",
    "linear": "held by the layer",
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


UNITS, PROBES = "studies/insight/layers.py", "studies/insight/probes.py"
TOPIC = Topic(
    "Inside the network",
    "What units are for, what a weighted sum of a layer tells, and how near the layers come to the gates of the "
    "network that Sec. 6 constructs; always beside the same network before training, and beside shuffled labels.",
    claims=(
        Claim(
            18,
            "Each bottom unit looks for one digit at one place",
            "5",
            "Fig. 4",
            UNITS,
            bottom_units,
            "By the share of bottom units that are one-hot detectors, for addition and subtraction: confirmed from "
            "90 % on, refined from 50 %, else refuted.",
            FIRST,
        ),
        Claim(
            19,
            "Filters sit between digits that look alike",
            "6",
            "",
            "studies/insight/filters.py",
            similar_digits,
            "Confirmed if filters prefer similar digits more than templates and untrained ones do, and as much as "
            "detectors by least squares; refined without the last; else refuted.",
            FIRST,
        ),
        Claim(
            20,
            "The top layer holds the answer's digits, the middle maps one to the other",
            "5",
            "Fig. 4",
            PROBES,
            top_layer,
            "Refuted if less than 99 % of answer digits can be read off the top layer; confirmed if layers lead there "
            "step by step and half of the top units are for one digit; else refined.",
            FIRST,
        ),
        Claim(
            30,
            "Training can arrive at such weights, without guarantee",
            "6",
            "",
            PROBES,
            arrival,
            "Confirmed if 90 % of the gates of every layer are units, refined if 10 % of some layer are, else open: "
            "runs that did not arrive cannot refute it.",
            FIRST,
        ),
    ),
    plates=(
        Plate("fig4-weights", "Fig. 4: weights at the bottom and at the top", weights_figure),
        Plate("inside-units", "What explains a unit", units_figure),
        Plate("inside-probes", "What each layer tells", probes_figure),
    ),
    appendix=(tables,),
)
