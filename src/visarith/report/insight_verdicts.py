"""How the claims about the inside of networks, and about illegible digits, are decided: rules on measured figures."""

from visarith.evaluation import percent
from visarith.report.evidence import Evidence, Share
from visarith.report.insight_evidence import Insight, at, hidden_layers, insight, layer
from visarith.report.verdict import Verdict, refined

MOST, MANY, SOME = 0.9, 0.5, 0.1  # shares of units, gates or cases
HELD = 0.99  # of digits that are read off a layer which holds them
OF_THE_TWO = 0.75  # of the ink, at one half
MEDIAN = 2  # of smallest, quarter, median, three quarters, largest
CALIBRATED = 0.1  # ink and truth, or ink and blend, are at most so far apart
IN_PROPORTION = (0.75, 1.33)  # slopes at one half
CLEAN, NOISY = "add", "noise-better"


def _units(found: Insight, entry: str, number: int, kind: str) -> Share:
    count = layer(number, "usage", "units")(found[entry][0])
    return found.share(entry, layer(number, "units", kind, "detectors"), count)


def _probe(found: Insight, entry: str, number: int, kind: str, network: str = "trained") -> Share:
    figure = layer(number, "probes", kind, network=network)
    return found.share(entry, figure, found[entry][0]["test_pairs"])


def mixtures(evidence: Evidence) -> Verdict:
    """A mixture if at one half most cases are mixed and their ink is of the two; in proportion if shares follow p."""
    found = insight(evidence)
    said, mixed, follows = [], [], []
    for entry, words in ((CLEAN, "trained without noise"), (NOISY, "with noise")):
        if any("mean" not in row["mixtures"]["alone"] for row in found[entry]):
            return Verdict(f"{words}: no case is right", "refuted", "Nothing that could be mixed was learned.")
        slope, apart, half, ink = (
            found.value(entry, at("mixtures", "alone", key)).mean
            for key in ("slope_of_a_case", "deviation", "mixed_at_half", "ink_explained_at_half")
        )
        mixed.append(half >= MANY and ink >= OF_THE_TWO)
        follows.append(IN_PROPORTION[0] <= slope <= IN_PROPORTION[1] and apart <= CALIBRATED)
        said.append(f"{words}: slope {slope:.1f}, {apart:.2f} from proportion, {percent(half)} mixed at one half")
    noisy = [entry for entry in ("noise", NOISY) if entry in found]
    distances = [found.value(entry, at("reliability", "apart")).mean for entry in noisy]
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


def bottom_units(evidence: Evidence) -> Verdict:
    found = insight(evidence)
    shares = {entry: _units(found, entry, 1, "input") for entry in (CLEAN, "subtract")}
    column = found.value(CLEAN, layer(1, "explained", "column", "share", MEDIAN)).mean
    place = found.value(CLEAN, layer(1, "units", "input", "place_share", MEDIAN)).mean
    measured = "one-hot detectors among bottom units: "
    measured += ", ".join(f"{entry} {share}" for entry, share in shares.items())
    noisy = [entry for entry in ("noise", NOISY) if entry in found]
    measured += "".join(f", {entry} {percent(_units(found, entry, 1, 'input').mean)}" for entry in noisy)
    measured += f"; one digit's place explains {percent(place)} of the median unit, one column {percent(column)}; "
    measured += f"the layer tells {percent(_probe(found, CLEAN, 1, 'input').mean)} of digits"
    least = min(share.mean for share in shares.values())
    if least >= MOST:
        return Verdict(measured, "confirmed", "Almost every bottom unit is a one-hot detector.")
    if least >= MANY:
        return refined(measured, "Most bottom units are, but not each.")
    if column >= MOST > place:
        why = "Few units are: most look at one column, the digits of both inputs at one place, and at several digits."
        return Verdict(measured, "refuted", why)
    return Verdict(measured, "refuted", "Few bottom units are for one digit at one place.")


def filters(evidence: Evidence) -> Verdict:
    found = insight(evidence)
    words, between = [], []
    for entry in (CLEAN, "subtract"):
        after, before, plain, sharp = (
            found.value(entry, at("filters", kind, "closest"))
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
    found = insight(evidence)
    top = {entry: _probe(found, entry, -1, "answer").mean for entry in (CLEAN, "subtract")}
    numbers = hidden_layers(found[CLEAN][0])
    ways = {kind: [_probe(found, CLEAN, n, kind).mean for n in numbers] for kind in ("input", "answer")}
    before, single = _probe(found, CLEAN, -1, "answer", "untrained").mean, _units(found, CLEAN, -1, "answer")
    measured = "answer digits read off the top layer: "
    measured += ", ".join(f"{entry} {percent(share)}" for entry, share in top.items())
    measured += f" (before training {percent(before)}); layer by layer {_way(ways['answer'])}, "
    measured += f"input digits {_way(ways['input'])}; {single} of top units are one-hot detectors"
    if min(top.values()) < HELD or top[CLEAN] < before + 0.1:
        return Verdict(measured, "refuted", "The top layer does not hold the answer's digits.")
    if ways["answer"] != sorted(ways["answer"]) or ways["input"] != sorted(ways["input"], reverse=True):
        return refined(measured, "The top layer holds them, but the layers do not lead there step by step.")
    if single.mean >= MANY:
        return Verdict(measured, "confirmed", "Most top units are for one answer digit, and the middle leads there.")
    return refined(measured, "It holds them and the middle leads there, but only some top units are for one digit.")


def arrival(evidence: Evidence) -> Verdict:
    """Arrived if the gates of every layer are there as units; runs that did not arrive cannot show that none can."""
    found = insight(evidence)
    gates, held, start = (
        [
            found.value(CLEAN, layer(number, "construction", key, network=network)).mean
            for number in hidden_layers(found[CLEAN][0])
        ]
        for key, network in (("gates_found", "trained"), ("linear", "trained"), ("linear", "untrained"))
    )
    measured = f"gates that are a unit, layer by layer: {_way(gates)}; held as weighted sums: {_way(held)} "
    measured += f"(before training {_way(start)})"
    for entry in (each for each in ("noise", NOISY) if each in found):
        first = found.value(entry, layer(1, "construction", "gates_found")).mean
        measured += f"; {entry}, layer 1: {percent(first)}"
    if min(gates) >= MOST:
        return Verdict(measured, "confirmed", "Training arrives at the construction.")
    if max(gates) >= SOME:
        return refined(measured, "In part: some gates of some layers are found, and the rest is done by other units.")
    return Verdict(measured, "open", "No run arrived there, which does not show that none can.")


def _way(shares: list[float]) -> str:
    return ", ".join(percent(share) for share in shares)
