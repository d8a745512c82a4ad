"""Everything that is measured of one trained stack of layers, as small figures that can be stored."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from visarith.data.task import Examples, Task
from visarith.insight import filters
from visarith.insight.construction import gates, match
from visarith.insight.facts import Fact, columns, facts, totals
from visarith.insight.layers import activations, clean_pictures, drive, stack, untrained
from visarith.insight.mixtures import calibration, cases, likely_share, respond, right_at_ends, slopes
from visarith.insight.probes import probe
from visarith.insight.reliability import reliability
from visarith.insight.units import EXPLAINED, selectivity, usage
from visarith.learners.learner import Network
from visarith.runs.run import Run

TRAIN, TEST = 6_000, 3_000  # pairs on which probes are fitted and judged
EACH = 6  # cases of a mixture for every place and two digits
UNSEEN_NOISE = 0.3  # the noise of the paper, for networks that were trained without
KINDS, DIGITS = ("input", "answer", "carry"), ("input", "answer")
ALMOST_ALL = 0.9


def measure(run: Run) -> dict[str, Any]:
    """Units, probes, filters and construction of a run and of the network that it started from; mixtures of sums."""
    trained, _ = run.experiment.task.examples(
        run.experiment.examples, run.experiment.test_pairs, seed=run.experiment.seed
    )
    pairs = run.task.fresh(TRAIN + TEST, seed=run.experiment.seed, exclude=trained.operands)
    known = facts(run.task, pairs)
    assert run.score is not None  # answers to a task can be read
    found: dict[str, Any] = {
        "digit_error": run.score.digit_error,
        "train_pairs": TRAIN,
        "test_pairs": TEST,
        "chance": {kind: _mean([_chance(fact) for fact in known if fact.kind == kind]) for kind in KINDS},
        "trained": _inside(run, stack(run), pairs, known, 0),
        "untrained": _inside(run, untrained(run), pairs, known, 1),
        "filters": _filters(run, known),
    }
    if run.task.operation.name == "add":
        found["mixtures"] = _mixtures(run)
        found["reliability"] = reliability(_noisy(run), run.predict, pairs[TRAIN:])
    rounded: dict[str, Any] = _rounded(found)
    return rounded


def _inside(run: Run, network: Network, pairs: Examples, known: list[Fact], first: int) -> list[dict[str, Any]]:
    """The pixels (0), then each hidden layer; from the layer `first` on."""
    pictures = clean_pictures(run.task, pairs)
    layers = activations(network, pictures)
    together = {"column": columns(pairs), "total": totals(run.task, pairs)}
    constructed = gates(run.task, pairs, known) or []
    described: list[dict[str, Any]] = []
    for number, layer in list(enumerate(layers))[first:]:
        right, shuffled = probe(
            layer[:TRAIN], [f[slice(TRAIN)] for f in known], layer[TRAIN:], [f[slice(TRAIN, None)] for f in known]
        )
        found: dict[str, Any] = {
            "layer": number,
            "probes": _by_kind(known, right),
            "shuffled": _by_kind(known, shuffled),
            "answer_by_cell": [share for fact, share in zip(known, right, strict=True) if fact.kind == "answer"],
        }
        if number:
            found["usage"] = asdict(usage(layer))
            found["units"] = {kind: _selective(layer, [f for f in known if f.kind == kind]) for kind in DIGITS}
            found["explained"] = {kind: _explained(layer, each) for kind, each in together.items() if each}
            if number == 1:  # where weights can be seen, as in Fig. 4: what they add up to
                found["drive"] = _driven(drive(network, pictures), known, together["column"])
            found["explained"]["carry"] = _explained(layer, [f for f in known if f.kind == "carry"])
        if 1 <= number <= len(constructed):
            found["construction"] = match(layer, constructed[number - 1], TRAIN)
        described.append(found)
    return described


def _by_kind(known: Sequence[Fact], values: Sequence[float]) -> dict[str, float | None]:
    return {kind: _mean([v for f, v in zip(known, values, strict=True) if f.kind == kind]) for kind in KINDS}


def _selective(layer: np.ndarray, known: list[Fact]) -> dict[str, Any]:
    found = selectivity(layer, known)
    return {
        "place_share": _quantiles(found.best),
        "digit_share": _quantiles(found.digit_shares),
        "margin": _quantiles(found.margins),
        "for_one_place": float((found.best >= EXPLAINED).mean()),
        "for_one_digit": float((found.switched_on == 1).mean()),
        "detectors": float(found.detectors.mean()),
        "switched_on": np.bincount(found.switched_on, minlength=11).tolist(),  # units by how many digits do that
    }


def _driven(sums: np.ndarray, known: list[Fact], columns: list[Fact]) -> dict[str, Any]:
    """The same of the weighted sums, which add up over pixels; a unit may as well be held down by one digit."""
    inputs = [fact for fact in known if fact.kind == "input"]
    up, down = selectivity(sums, inputs), selectivity(-sums, inputs)
    return {
        "place_share": _quantiles(up.best),
        "column_share": _quantiles(selectivity(sums, columns).best),
        "detectors": float((up.detectors | down.detectors).mean()),
    }


def _explained(layer: np.ndarray, known: list[Fact]) -> dict[str, Any] | None:
    """How much of a unit's variance the best of these facts explains, and of how many units at least nine tenths."""
    if not known:
        return None
    best = selectivity(layer, known).best
    return {"share": _quantiles(best), "almost_all": float((best >= ALMOST_ALL).mean())}


def _filters(run: Run, known: list[Fact]) -> dict[str, Any]:
    """Of cells in which every digit occurs: trained, at the start, and two kinds that are known."""
    layout, base = run.task.layout, len(run.task.notation.alphabet)
    cells = [
        (fact.picture, fact.cell) for fact in known if fact.kind == "input" and len(np.unique(fact.values)) == base
    ]
    glyphs = layout.patterns.astype(np.float64)
    found: dict[str, Any] = {"cells": len(cells)}
    for name, network in (("trained", stack(run)), ("untrained", untrained(run))):
        weights = network.linear()[0].weight.detach().numpy().astype(np.float64)
        weights = weights.reshape(len(weights), run.task.operation.operands, layout.pixels)
        found[name] = filters.summary(filters.cell_filters(weights, layout.places, cells), glyphs)
    found["templates"] = filters.summary(filters.templates(glyphs), glyphs)
    found["least squares"] = filters.summary(filters.least_squares_detectors(glyphs), glyphs)
    return found


def _mixtures(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, carried in (("alone", False), ("carried", True)):
        tried = cases(run.task, EACH, carried=carried, seed=run.experiment.seed)
        share, ink = respond(run.task, run.predict, tried)
        found[name] = calibration(share, ink)
        right = right_at_ends(share)
        by_cell = [slopes(share[right & (tried.cells == cell)]) for cell in range(run.task.notation.cells)]
        found[name]["slope_by_cell"] = [float(np.median(each)) if len(each) else None for each in by_cell]
    noise = _noisy(run).corruption.noise
    found["likely"] = likely_share(run.task.plain_layout.patterns.astype(np.float64), noise).tolist()
    return found


def _noisy(run: Run) -> Task:
    return run.task if run.task.corruption.noise else run.task.with_noise(UNSEEN_NOISE)


def _chance(fact: Fact) -> float:
    """How often the most frequent value is right."""
    return float(np.bincount(fact.values).max() / len(fact.values))


def _quantiles(values: np.ndarray) -> list[float]:
    """Smallest, quarter, median, three quarters, largest."""
    return [float(value) for value in np.quantile(values, (0, 0.25, 0.5, 0.75, 1))]


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None


def _rounded(value: Any) -> Any:
    """To four decimals, all the way down: no figure here is known better."""
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return round(float(value), 4) if isinstance(value, float | np.floating) else value
