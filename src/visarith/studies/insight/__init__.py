"""Study `insight`: what trained perceptrons hold inside (claims 17 to 20 and 30), one job a run of the catalogue."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from visarith.data.task import Examples, Task
from visarith.learners.learner import Network
from visarith.runs.run import Run
from visarith.studies import experiments
from visarith.studies.catalogue import ENTRIES, Entry
from visarith.studies.insight import filters, layers, mixtures
from visarith.studies.insight.layers import selectivity, stack, untrained
from visarith.studies.insight.probes import Fact, columns, facts, gates, match, probe, totals
from visarith.studies.study import Context, Found, Job, Study

NAMES = ("add", "subtract", "multiply", "noise", "noise-better")  # of the catalogue
COST = 45.0
KEYS = ("entry", "seed", "train_pairs", "test_pairs", "trained", "untrained", "filters")
BLENDS = ("mixtures", "reliability")  # measured of sums only
UNSEEN_NOISE = 0.3  # the paper's noise, for networks that were trained without noise
KINDS, DIGITS = ("input", "answer", "carry"), ("input", "answer")
ALMOST_ALL = 0.9


@dataclass(frozen=True)
class Size:
    """How many pairs and blends are measured."""

    train: int = 6_000  # pairs on which probes are fitted
    test: int = 3_000  # pairs on which probes are tested
    each: int = 6  # blends for every place and two digits
    candidates: int = mixtures.CANDIDATES  # pairs that are tried for these


QUICK = Size(200, 100, 1, 40)


def _jobs(seeds: Sequence[int], quick: bool) -> list[Job]:
    jobs = []
    for seed in seeds:
        for entry in (ENTRIES[name] for name in NAMES):
            folder = experiments.run_folder(Path(), entry, seed, quick=quick).name
            asked = {"run": folder, **asdict(QUICK if quick else Size())}
            needs, work = (experiments.job(entry, seed, quick=quick),), partial(_measure_entry, entry, seed)
            keys = KEYS + (BLENDS if entry.task.operation.name == "add" else ())
            jobs.append(Job(STUDY.name, entry.name, asked, work, COST, seed, keys=keys, needs=needs))
    return jobs


def _measure_entry(entry: Entry, seed: int, context: Context) -> Found:
    run = experiments.trained_run(entry, seed, context)
    return {"entry": entry.name, "seed": seed} | measure(run, QUICK if context.quick else Size())


STUDY = Study("insight", "What trained networks hold inside, and what they draw for illegible digits", _jobs)


def measure(run: Run, size: Size = Size()) -> Found:  # noqa: B008
    """Units, probes, filters and gates of a run and of the network that it started from; for sums also blends."""
    experiment = run.experiment
    trained, _ = experiment.task.examples(experiment.examples, experiment.test_pairs, seed=experiment.seed)
    pairs = run.task.fresh(size.train + size.test, seed=experiment.seed, exclude=trained.operands)
    known = facts(run.task, pairs)
    assert run.score is not None  # answers to a task can be read
    found: Found = {
        "digit_error": run.score.digit_error,
        "train_pairs": size.train,
        "test_pairs": size.test,
        "chance": {kind: _mean([_chance(fact) for fact in known if fact.kind == kind]) for kind in KINDS},
        "trained": _inside(run, stack(run), pairs, known, 0, size.train),
        "untrained": _inside(run, untrained(run), pairs, known, 1, size.train),
        "filters": _filters(run, known),
    }
    if run.task.operation.name == "add":
        found["mixtures"] = _mixtures(run, size)
        found["reliability"] = mixtures.reliability(_noisy(run), run.predict, pairs[size.train :])
    rounded: Found = _rounded(found)
    return rounded


def _inside(
    run: Run, network: Network, pairs: Examples, known: list[Fact], first: int, train: int
) -> list[dict[str, Any]]:
    """Describe each layer from `first` on; layer 0 is the pixels."""
    pictures = layers.clean_pictures(run.task, pairs)
    together = {"column": columns(pairs), "total": totals(run.task, pairs)}
    constructed = gates(run.task, pairs, known)
    described: list[dict[str, Any]] = []
    for number, layer in list(enumerate(layers.activations(network, pictures)))[first:]:
        right, shuffled = probe(
            layer[:train], [f[slice(train)] for f in known], layer[train:], [f[slice(train, None)] for f in known]
        )
        found: dict[str, Any] = {
            "layer": number,
            "probes": _by_kind(known, right),
            "shuffled": _by_kind(known, shuffled),
            "answer_by_cell": [share for fact, share in zip(known, right, strict=True) if fact.kind == "answer"],
        }
        if number:
            found["usage"] = asdict(layers.usage(layer))
            found["units"] = {kind: _selective(layer, [f for f in known if f.kind == kind]) for kind in DIGITS}
            found["explained"] = {kind: _explained(layer, each) for kind, each in together.items() if each}
            if number == 1:  # the layer whose weights Fig. 4 shows
                found["drive"] = _driven(layers.drive(network, pictures), known, together["column"])
            found["explained"]["carry"] = _explained(layer, [f for f in known if f.kind == "carry"])
        if 1 <= number <= len(constructed):
            found["construction"] = match(layer, constructed[number - 1], train)
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
        "for_one_place": float((found.best >= layers.EXPLAINED).mean()),
        "for_one_digit": float((found.switched_on == 1).mean()),
        "detectors": float(found.detectors.mean()),
        "switched_on": np.bincount(found.switched_on, minlength=11).tolist(),  # units by digits that do so
    }


def _driven(sums: np.ndarray, known: list[Fact], columns: list[Fact]) -> dict[str, Any]:
    """The selectivity of the pre-activations; a unit may also be switched off by one digit."""
    inputs = [fact for fact in known if fact.kind == "input"]
    up, down = selectivity(sums, inputs), selectivity(-sums, inputs)
    return {
        "place_share": _quantiles(up.best),
        "column_share": _quantiles(selectivity(sums, columns).best),
        "detectors": float((up.detectors | down.detectors).mean()),
    }


def _explained(layer: np.ndarray, known: list[Fact]) -> dict[str, Any] | None:
    """Quantiles of the variance that the best fact explains of a unit, and the share of units above nine tenths."""
    if not known:
        return None
    best = selectivity(layer, known).best
    return {"share": _quantiles(best), "almost_all": float((best >= ALMOST_ALL).mean())}


def _filters(run: Run, known: list[Fact]) -> dict[str, Any]:
    """Emphasis of the bottom filters, trained and untrained, beside two known kinds of filter."""
    layout, base = run.task.layout, len(run.task.notation.alphabet)
    whole = [fact for fact in known if fact.kind == "input" and len(np.unique(fact.values)) == base]
    cells = [(fact.picture, fact.cell) for fact in whole]
    glyphs = layout.patterns.astype(np.float64)
    found: dict[str, Any] = {"cells": len(cells)}
    for name, network in (("trained", stack(run)), ("untrained", untrained(run))):
        weights = network.linear()[0].weight.detach().numpy().astype(np.float64)
        weights = weights.reshape(len(weights), run.task.operation.operands, layout.pixels)
        found[name] = filters.summary(filters.cell_filters(weights, layout.places, cells), glyphs)
    found["templates"] = filters.summary(filters.templates(glyphs), glyphs)
    found["least squares"] = filters.summary(filters.least_squares_detectors(glyphs), glyphs)
    return found


def _mixtures(run: Run, size: Size) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, carried in (("alone", False), ("carried", True)):
        tried = mixtures.cases(
            run.task, size.each, carried=carried, seed=run.experiment.seed, candidates=size.candidates
        )
        share, ink = mixtures.respond(run.task, run.predict, tried)
        found[name] = mixtures.calibration(share, ink)
        right = mixtures.right_at_ends(share)
        by_cell = [mixtures.slopes(share[right & (tried.cells == cell)]) for cell in range(run.task.notation.cells)]
        found[name]["slope_by_cell"] = [float(np.median(each)) if len(each) else None for each in by_cell]
    glyphs = run.task.plain_layout.patterns.astype(np.float64)
    found["likely"] = mixtures.likely_share(glyphs, _noisy(run).corruption.noise).tolist()
    return found


def _noisy(run: Run) -> Task:
    return run.task if run.task.corruption.noise else run.task.with_noise(UNSEEN_NOISE)


def _chance(fact: Fact) -> float:
    """The accuracy of always guessing the most frequent value."""
    return float(np.bincount(fact.values).max() / len(fact.values))


def _quantiles(values: np.ndarray) -> list[float]:
    """Smallest, quarter, median, three quarters, largest."""
    return [float(value) for value in np.quantile(values, (0, 0.25, 0.5, 0.75, 1))]


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if len(values) else None


def _rounded(value: Any) -> Any:
    """Round every number in nested lists and dicts to four decimals."""
    if isinstance(value, dict):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return round(float(value), 4) if isinstance(value, float | np.floating) else value
