"""Insight against what is known: hand-made units, coded digits, blends by hand, networks that are exactly linear."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
import torch

import visarith as va
from visarith.data.task import Examples
from visarith.errors import VisarithError
from visarith.learners.perceptron import Perceptron
from visarith.report import illegible, layers
from visarith.report.insight import Insight, summary
from visarith.studies.insight import Size, filters, measure
from visarith.studies.insight.layers import activations, clean_pictures, drive, selectivity, stack, untrained, usage
from visarith.studies.insight.mixtures import (
    PROPORTIONS,
    amounts,
    by_bins,
    calibration,
    cases,
    deviation,
    likely_share,
    respond,
    shares,
)
from visarith.studies.insight.probes import (
    Fact,
    columns,
    explained,
    facts,
    gates,
    match,
    probe,
    squared_correlations,
    totals,
)

TASK = va.Task("add", digits=3)
SOME = np.random.default_rng(0)


@pytest.fixture(scope="module")
def pairs() -> Examples:
    return TASK.write(TASK.domain.sample(4_000, rng=np.random.default_rng(1)))


@pytest.fixture(scope="module")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """Too short to have learned anything, and long enough to have left its start."""
    size = {"examples": 512, "test_pairs": 50, "epochs": 1, "threads": 1}
    spec = va.learner_config(width=32)
    return va.learn(TASK, spec, out=tmp_path_factory.mktemp("runs") / "add", **size)  # type: ignore[arg-type]


def detector_network(task: va.Task) -> Perceptron:
    """One hidden layer: a unit for each digit at each place of each operand, one dead unit, two that are the same."""
    layout, places = task.layout, task.notation.cells
    exact = np.linalg.pinv(
        layout.patterns.astype(np.float64)
    )  # (glyph pixels, digits): 1 for its own glyph, 0 for others
    wanted = list(itertools.product(range(2), range(places), range(10)))
    weights = np.zeros((len(wanted) + 2, 2, layout.pixels))
    for unit, (operand, cell, digit) in enumerate(wanted):
        weights[unit, operand, layout.places[cell]] = exact[:, digit]
    weights[-1] = weights[15] * 3  # the same as unit 15, three times as strong
    network = Perceptron(2, 1, task.shape, hidden_layers=1, width=len(weights))
    with torch.no_grad():
        network.linear()[0].weight.copy_(torch.from_numpy(weights.reshape(len(weights), -1)))
        network.linear()[0].bias.fill_(-0.01)  # so that 0 is not what rounding makes of it
        network.linear()[0].bias[-2] = -1.0
    return network


def test_facts_are_those_of_the_numbers(pairs) -> None:  # type: ignore[no-untyped-def]
    known = facts(TASK, pairs)
    by_name = {(f.kind, f.picture, f.cell): f.values for f in known}
    for row, (a, b) in enumerate(pairs.operands[:200].tolist()):
        assert [by_name["input", 0, cell][row] for cell in range(3)] == [a // 100, a // 10 % 10, a % 10]
        assert [by_name["answer", 0, cell][row] for cell in range(3)] == [int(d) for d in f"{a + b:03}"]
        assert by_name["carry", 0, 1][row] == (a % 10 + b % 10 > 9)
        assert by_name["carry", 0, 0][row] == (a % 100 + b % 100 > 99)
        assert columns(pairs)[2].values[row] == a % 10 + 10 * (b % 10)
        assert totals(TASK, pairs)[2].values[row] == a % 10 + b % 10
    assert ("carry", 0, 2) not in by_name  # nothing is ever carried into the last cell


def test_borrows_are_carries_of_differences() -> None:
    task = va.Task("subtract", digits=2)
    some = task.write(np.array([[52, 17], [52, 12], [40, 39], [7, 7]]))
    borrowed = [f for f in facts(task, some) if f.kind == "carry"]
    assert [f.values.tolist() for f in borrowed] == [[1, 0, 1, 0]]
    product = va.Task("multiply", digits=2)
    assert not [f for f in facts(product, product.write(np.array([[2, 3], [9, 9]]))) if f.kind == "carry"]


def test_detectors_made_by_hand_are_found_and_counted(pairs) -> None:  # type: ignore[no-untyped-def]
    layer = activations(detector_network(TASK), clean_pictures(TASK, pairs))[1]
    known = [f for f in facts(TASK, pairs) if f.kind == "input"]
    found = selectivity(layer, known)
    alive = layer.any(0)  # digits 5 to 9 never lead: operands stop at 499
    assert alive.sum() == 51
    assert found.detectors[alive].all()
    assert not found.detectors[~alive].any()
    assert np.allclose(found.best[alive], 1, atol=1e-3)
    assert np.allclose(found.digit_shares[alive], 1, atol=1e-3)
    assert np.allclose(found.margins[alive], 1, atol=1e-3)
    used = usage(layer)
    assert (used.units, used.dead, used.duplicates) == (62, 11, 2)


def test_a_unit_for_two_digits_or_two_places_is_no_detector() -> None:
    digits = SOME.integers(0, 10, (5_000, 2))
    known = [Fact("input", 0, cell, digits[:, cell]) for cell in (0, 1)]
    two_digits = np.isin(digits[:, 0], (3, 8))
    two_places = (digits[:, 0] == 3) * 1.0 + (digits[:, 1] == 8)
    nearly = (digits[:, 0] == 3) + 0.1 * SOME.normal(size=5_000)
    found = selectivity(np.stack([two_digits, two_places, nearly], 1).astype(np.float32), known)
    assert found.switched_on.tolist() == [2, 1, 1]
    assert found.best == pytest.approx([1, 0.5, 0.9], abs=0.03)
    assert found.digit_shares == pytest.approx([1 / 2 - 1 / 18, 0.5, 0.9], abs=0.03)  # correlation of 1 digit of 2
    assert found.detectors[[0, 2]].tolist() == [False, True]


def test_participation_by_hand() -> None:
    spread = SOME.normal(size=(20_000, 4)) * [2, 2, 0, 0] + 10
    used = usage(spread)
    assert used.participation == pytest.approx(2, abs=0.01)
    assert (used.axes, used.always, used.dead) == (2, 4, 0)


def test_a_probe_reads_what_is_coded_and_fails_on_shuffled_labels() -> None:
    digits = SOME.integers(0, 10, (4_000, 2))
    code = SOME.normal(size=(10, 24))
    layer = (code[digits[:, 0]] + 0.05 * SOME.normal(size=(4_000, 24))).astype(np.float32)
    known = [Fact("input", 0, cell, digits[:, cell]) for cell in (0, 1)]
    right, shuffled = probe(layer[:3_000], [f[:3_000] for f in known], layer[3_000:], [f[3_000:] for f in known])
    assert right[0] == 1
    assert right[1] == pytest.approx(0.1, abs=0.04)  # it is not in the layer
    assert shuffled == pytest.approx([0.1, 0.1], abs=0.04)


def test_explained_is_the_share_of_variance() -> None:
    layer = SOME.normal(size=(6_000, 3))
    targets = np.stack([layer[:, 0], layer[:, 1] + SOME.normal(size=6_000), SOME.normal(size=6_000)], 1)
    found = explained(layer[:3_000], targets[:3_000], layer[3_000:], targets[3_000:])
    assert found == pytest.approx([1, 0.5, 0], abs=0.05)


def test_the_gates_of_the_construction_add(pairs) -> None:  # type: ignore[no-untyped-def]
    known = facts(TASK, pairs)
    detectors, thresholds, digits = gates(TASK, pairs, known)
    assert detectors.shape[1] == 10 + 40
    assert digits.shape[1] == 30
    full = np.zeros((len(pairs), 3, 21))
    for place, i in itertools.product(range(3), range(20)):  # Section 6, by plain arithmetic
        full[:, place, i] = (pairs.operands % 10 ** (place + 1)).sum(1) >= i * 10**place
    for place, n in itertools.product(range(3), range(10)):
        on = full[:, place, n] - full[:, place, n + 1] + full[:, place, n + 10] - full[:, place, n + 11]
        if n == 9:
            on = full[:, place, 9] - full[:, place, 10] + full[:, place, 19]
        assert np.array_equal(on > 0, pairs.answers[:, 0, 2 - place] == n)
    changing = full[:, :, 1:20].reshape(len(pairs), -1)
    changing = changing[:, changing.min(0) < changing.max(0)]
    assert np.array_equal(thresholds, changing)
    assert gates(va.Task("subtract", digits=3), pairs, known) == []


def test_a_layer_of_gates_is_found_also_in_another_basis(pairs) -> None:  # type: ignore[no-untyped-def]
    detectors = gates(TASK, pairs, facts(TASK, pairs))[0]
    itself = match(detectors * 3 + 1, detectors, 3_000)
    assert itself["gates_found"] == itself["units_that_are_gates"] == 1
    turned = match(detectors @ SOME.normal(size=(50, 60)).astype(np.float32), detectors, 3_000)
    assert turned["gates_found"] == 0
    assert turned["linear"] > 0.98
    noise = match(SOME.normal(size=detectors.shape), detectors, 3_000)
    assert (noise["gates_alike"], round(noise["linear"], 1)) == (0, 0)
    assert squared_correlations(np.ones((10, 1)), SOME.normal(size=(10, 1))).tolist() == [[0]]


def test_filters_between_similar_digits_are_told_from_templates() -> None:
    glyphs = TASK.layout.patterns.astype(np.float64)
    anywhere = filters.emphasis(SOME.normal(size=(20_000, glyphs.shape[1])), glyphs)
    assert np.allclose(anywhere, 1, atol=0.05)
    between = filters.summary(filters.least_squares_detectors(glyphs), glyphs)
    alike = filters.summary(filters.templates(glyphs), glyphs)
    assert between["closest"] > 1.2 > 0.9 > alike["closest"]
    assert between["correlation"] < -0.7 < 0.7 < alike["correlation"]
    one = glyphs[3] - glyphs[8]
    found = filters.emphasis(one[None], glyphs)
    assert found.argmax() == list(itertools.combinations(range(10), 2)).index((3, 8))
    assert found.max() == pytest.approx(9)  # all the energy, in nine dimensions


def test_the_share_of_a_known_blend_is_exact() -> None:
    glyphs = TASK.plain_answer_layout.patterns.astype(np.float64)
    true = np.array([0, 0.25, 0.5, 0.9, 1])
    one, other = np.tile(glyphs[5], (5, 1)), np.tile(glyphs[8], (5, 1))
    faint = 0.6 * ((1 - true)[:, None] * one + true[:, None] * other)
    share, ink = shares(faint, one, other)
    assert np.allclose(share, true)
    assert np.allclose(ink, 1)
    share, ink = shares(np.zeros((1, glyphs.shape[1])), one[:1], other[:1])
    assert np.isnan(share).all()
    share, ink = shares(glyphs[[1]], one[:1], other[:1])
    assert ink[0] < 0.8  # a third digit is not explained by two others
    share, _ = shares(one[:1] - 0.3 * other[:1], one[:1], other[:1])
    assert share[0] == 0  # no less than nothing


@pytest.mark.parametrize("carried", [False, True])
def test_cases_differ_as_they_are_said_to(carried: bool) -> None:
    found = cases(TASK, 3, carried=carried)
    assert len(found) > 200
    for low, high, cell, (one, other) in zip(found.low, found.high, found.cells, found.digits, strict=True):
        changed = np.flatnonzero(low != high)
        assert len(changed) == 1
        texts = [f"{number:03}" for number in (low[changed[0]], high[changed[0]])]
        assert [i for i in range(3) if texts[0][i] != texts[1][i]] == [cell]
        assert [text[cell] for text in texts] == [str(one), str(other)]
        answers = [f"{int(numbers.sum()):03}" for numbers in (low, high)]
        differ = [i for i in range(3) if answers[0][i] != answers[1][i]]
        assert cell in differ
        assert (len(differ) > 1) == carried


def linear_answer(pictures: np.ndarray) -> np.ndarray:
    """A stand-in that adds 0 and is exactly linear: it draws the difference of input 1 from a blank layout as it is."""
    return pictures[:, :1]


def test_a_linear_network_is_on_the_diagonal_and_a_switch_is_not() -> None:
    tried = cases(TASK, 1, carried=False)
    plain = replace(tried, low=tried.low * [1, 0], high=tried.high * [1, 0])  # 0 is added: the answer is input 1
    keep = (plain.low != plain.high).any(1)
    plain = replace(
        plain, low=plain.low[keep], high=plain.high[keep], cells=plain.cells[keep], digits=plain.digits[keep]
    )
    share, ink = respond(TASK, linear_answer, plain)
    found = calibration(share, ink)
    assert np.allclose(share, PROPORTIONS, atol=1e-5)
    assert found["slope_of_a_case"] == pytest.approx(1, abs=1e-4)
    assert found["deviation"] == pytest.approx(0, abs=1e-5)
    assert found["ink_explained"] == pytest.approx(1, abs=1e-5)
    switch = np.where(PROPORTIONS > 0.5, 1.0, 0.0)[None]
    assert calibration(switch, switch)["slope_of_a_case"] == pytest.approx(10)
    assert deviation(switch) > 0.2
    assert calibration(1 - switch, switch) == {"cases": 1, "right_at_ends": 0}
    permuted = va.Task("add", digits=3, permutation=True)
    with pytest.raises(VisarithError, match="no permutation"):
        respond(permuted, linear_answer, plain)


def test_a_reader_who_knows_the_noise_switches() -> None:
    share = likely_share(np.eye(10), 0.3)  # any two differ by 2, squared
    assert share[10] == 0.5
    assert share[11] == pytest.approx(1 / (1 + np.exp(-2 * 0.05 / 0.09)))


def test_amounts_and_bins_by_hand() -> None:
    layout = TASK.plain_answer_layout
    picture = (0.3 * layout.typeset(np.array([1, 2, 3])) + 0.7 * layout.typeset(np.array([1, 5, 3]))) / 255
    found = amounts(TASK, picture[None])[0]
    assert np.allclose(found[1], 0.3 * np.eye(10)[2] + 0.7 * np.eye(10)[5], atol=1e-5)
    assert np.allclose(found[0], np.eye(10)[1], atol=1e-5)
    drawn = np.repeat([0.0, 0.25, 0.75, 1.0, 0.55], [40, 40, 40, 40, 3])
    true = np.concatenate([np.zeros(40), np.arange(40) < 20, np.arange(40) < 30, np.ones(40), np.zeros(3)])
    bins = by_bins(drawn, true)
    assert bins["counts"] == [40, 0, 40, 0, 0, 3, 0, 40, 0, 40]
    assert bins["apart"] == pytest.approx(0.25 / 4)  # only the second is off, and three digits do not count
    assert bins["between"] == pytest.approx(83 / 163)


def test_the_untrained_network_is_the_one_the_run_started_from(short_run: va.Run) -> None:
    before, after = untrained(short_run), stack(short_run)
    assert [w.shape for w in before.parameters()] == [w.shape for w in after.parameters()]
    assert torch.equal(before.mean, after.mean)
    assert torch.equal(before.linear()[0].weight, untrained(short_run).linear()[0].weight)
    assert not torch.equal(before.linear()[0].weight, after.linear()[0].weight)
    pictures = clean_pictures(short_run.task, short_run.task.write(np.array([[12, 345], [5, 6]])))
    assert np.allclose(np.maximum(drive(after, pictures), 0), activations(after, pictures)[1])
    top = activations(after, pictures)[-1]
    with torch.no_grad():
        assert torch.allclose(after.linear()[-1](torch.from_numpy(top)), after.logits(pictures).flatten(1), atol=1e-5)


def test_what_is_measured_of_a_run_can_be_stored_and_shown(short_run: va.Run) -> None:
    found = json.loads(json.dumps(measure(short_run, Size(600, 300, 1)), allow_nan=False))
    assert found["digit_error"] == pytest.approx(short_run.score.digit_error, abs=1e-4)
    assert [layer["layer"] for layer in found["trained"]] == [0, 1, 2, 3]
    assert [layer["layer"] for layer in found["untrained"]] == [1, 2, 3]
    assert found["trained"][0]["probes"]["input"] > 0.99  # glyphs differ
    assert found["mixtures"]["alone"]["right_at_ends"] < 0.5  # nothing was learned
    shown = Insight({"add": [{"entry": "add", "seed": 0} | found]})
    tables = (layers.units, layers.probes, layers.construction, layers.filters, illegible.mixtures)
    assert [len(table(shown).rows) for table in tables] == [6, 4, 3, 1, 2]
    assert summary(shown).head == ["what", "addition", "before training"]
