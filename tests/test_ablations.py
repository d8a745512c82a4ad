"""Ablations: what each variant changes, against hand computations; a job end to end; and the table by hand."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import visarith as va
from conftest import dice
from stored_results import keep_row
from visarith.data.view import View
from visarith.learners.columns import rounds
from visarith.learners.columns.ablated import (
    AllPairs,
    Gated,
    WithAllGradients,
    WithGru,
    WithoutRounding,
    WithoutStages,
    WithoutWaves,
)
from visarith.learners.columns.certificate import column_machine
from visarith.learners.columns.machine import NoMachineError
from visarith.learners.columns.network import Columns
from visarith.learners.columns.pairs import SUM
from visarith.learners.columns.scan import ALL_WEIGHTS, READ_AGAIN, TURN
from visarith.learners.columns.tabled import Tabled
from visarith.report import beyond
from visarith.report.ablations import CHANGES, TASKS, ablated
from visarith.report.evidence import Evidence
from visarith.studies.ablations import KEYS, STUDY, VARIANTS, Variant, built, measured, wrong
from visarith.studies.results import Results
from visarith.studies.study import Context
from visarith.training.computation import Dense
from visarith.training.loop import Training
from visarith.training.recipe import COLUMNS

PRODUCT = va.Task("multiply", digits=3, base=4)
SHORT = replace(COLUMNS, epochs=1, least_steps=0, attempts=1)


def made(kind: type[Columns], path: str, task: va.Task = PRODUCT) -> Columns:
    return built(Variant(task.operation.name, path, 1, kind), task)


def test_without_waves_a_column_is_seen_as_it_is() -> None:
    """A column and one that is a whole turn away look alike to sine and cosine, and not to what is left."""
    column = torch.randn(5, SUM, generator=dice())
    turned = column + 2 * math.pi / TURN
    full, plain = (kind.features(column) - kind.features(turned) for kind in (Columns, WithoutWaves))
    assert torch.allclose(full[:, SUM:], torch.zeros(5, 2 * SUM), atol=1e-4)
    assert torch.allclose(plain, torch.full((5, 3 * SUM), -2 * math.pi / TURN), atol=1e-4)
    assert WithoutWaves.features(column).shape == Columns.features(column).shape


def test_the_gru_by_its_equations() -> None:
    gated, seen = Gated(), torch.randn(2, 3, 3 * SUM, generator=dice())
    weights = {name: value.double().numpy() for name, value in gated.cell.state_dict().items()}
    x, memory = seen.double().numpy(), seen[..., :SUM].double().numpy()
    given = np.split(x @ weights["weight_ih"].T + weights["bias_ih"], 3, -1)
    kept = np.split(memory @ weights["weight_hh"].T + weights["bias_hh"], 3, -1)
    reset, update = (1 / (1 + np.exp(-(given[gate] + kept[gate]))) for gate in (0, 1))
    expected = (1 - update) * np.tanh(given[2] + reset * kept[2]) + update * memory
    assert np.allclose(gated(seen).detach().numpy(), expected, atol=1e-5)


@pytest.mark.parametrize(("kind", "part"), [(WithGru, "hands.0.cell.weight_hh"), (AllPairs, "meeting.wiring")])
def test_weights_are_those_of_the_seed(kind: type[Columns], part: str) -> None:
    starts = []
    for seed in (1, 1, 2):
        network = made(kind, "diagonal")
        network.initialise("he", "he", dice(seed))
        starts.append(network.get_parameter(part).detach())
        assert any(weight is network.get_parameter(part) for weight in network.trained_weights())
    assert torch.equal(starts[0], starts[1])
    assert not torch.isclose(starts[0], starts[2]).any()


def test_learned_wiring_can_be_that_of_places() -> None:
    network = made(AllPairs, "diagonal")
    assert isinstance(network, AllPairs)
    met = torch.arange(9.0).view(1, 3, 3, 1)  # pair (i, j) of cells from the left is 3 i + j
    with torch.no_grad():
        for column, one, other in np.ndindex(3, 3, 3):
            network.meeting.wiring[column, one, other] = float(one + other == column + 2)
        assert network.meeting.diagonals(met).flatten().tolist() == [2 + 4 + 6, 5 + 7, 8]
        for column, one, other in np.ndindex(3, 3, 3):
            network.meeting.wiring[column, one, other] = float(one == other == column)
        assert network.meeting.diagonals(met).flatten().tolist() == [0, 4, 8]
        network.meeting.kept = torch.ones(3, 3)
        network.meeting.kept[1] = 0  # dropout of a cell takes its pairs away
        assert network.meeting.diagonals(met).flatten().tolist() == [0, 0, 8]
    with pytest.raises(va.VisarithError, match=r"which of 3 x 3 pairs of cells belong to which column.*train it again"):
        network.lengthened(PRODUCT.at(5).spec)


@pytest.mark.parametrize(
    ("kind", "path"), [(WithoutWaves, "rows"), (WithGru, "rows"), (WithAllGradients, "rows"), (AllPairs, "diagonal")]
)
def test_distinct_cells_give_the_gradients_of_all_pixels(kind: type[Columns], path: str) -> None:
    shown = PRODUCT.split(20, 1, seed=5000)[0].view()
    found = []
    for shortcut in (True, False):
        network = made(kind, path)
        network.initialise("he", "he", dice())
        for weight in network.hands.parameters():
            torch.nn.init.normal_(weight, std=0.1, generator=dice(1))  # a state that is not 0 is carried
        network.train()
        network.stage = ALL_WEIGHTS
        computation = network.computation(shown, replace(COLUMNS, shortcuts=shortcut), seed=0, bf16=False)
        assert isinstance(computation, Tabled if shortcut else Dense)
        computation.gradients(np.arange(20), dice())
        found.append([weight.grad for weight in network.trained_weights()])
    for tabled, dense in zip(*found, strict=True):
        assert dense.abs().max() > 0
        assert torch.allclose(tabled, dense, rtol=1e-3, atol=1e-4 * float(dense.abs().max()))


@pytest.mark.parametrize(("kind", "rounded"), [(Columns, True), (WithoutRounding, False), (WithAllGradients, False)])
def test_without_rounding_training_reads_what_was_drawn(kind: type[Columns], rounded: bool) -> None:
    """As trained and as used, an unquantised learner draws the same, unless training takes drawings for glyphs."""
    shown = PRODUCT.split(50, 1, seed=5000)[0].view()
    network = made(kind, "rows")
    list(Training(network, shown, SHORT, seed=5000, rounds=[rounds.Round(1, 3, 3e-3, stage=ALL_WEIGHTS)]).epochs())
    assert shown.codebook is not None
    patterns = torch.from_numpy(shown.codebook.inputs.layout.patterns)
    codes = torch.from_numpy(shown.codebook.inputs.codes).long()
    network.places_in_rows = 0
    drawn = [network.train(training).looked_up(patterns, codes) for training in (True, False)]
    assert torch.allclose(*drawn, atol=1e-5) != rounded
    network.eval().finish(shown)
    assert network.quantised == rounded


@pytest.mark.parametrize(("kind", "passes"), [(Columns, False), (WithoutRounding, False), (WithAllGradients, True)])
def test_gradients_pass_a_drawing_only_with_all_gradients(kind: type[Columns], passes: bool) -> None:
    network = made(kind, "rows").train()
    pictures = torch.rand(2, 5, network.places.shape[1], generator=dice(), requires_grad=True)
    network.training_glyphs = torch.rand(4, network.places.shape[1], generator=dice(1))
    assert network.passed_on(pictures).requires_grad == passes
    assert torch.equal(network.eval().passed_on(pictures), pictures)


def test_rows_without_rounding_have_no_machine_and_it_says_why() -> None:
    with pytest.raises(NoMachineError, match="not rounded to glyphs"):
        column_machine(made(WithoutRounding, "rows"), PRODUCT)


def test_without_stages_rows_learn_everything_from_the_first_step() -> None:
    shown = PRODUCT.split(60, 1, seed=5000)[0].view()
    recipe = replace(SHORT, epochs=4, batch=20)
    full, single = (Training(made(kind, "rows"), shown, recipe, seed=5000) for kind in (Columns, WithoutStages))
    assert [each.stage for each in full.rounds] == [0, READ_AGAIN]
    assert [(each.stage, each.epochs, each.steps) for each in single.rounds] == [(ALL_WEIGHTS, 4, 3)]
    assert isinstance(single.network, Columns)
    assert single.network.path == "rows"
    used = {id(weight) for weight in single.computation.trained()}
    parts = [single.network.again, single.network.painter, single.network.meeting.reader, single.network.hands[0]]
    assert all(id(weight) in used for part in parts for weight in part.parameters())
    last = list(single.epochs())[-1]
    assert (last.number, last.steps) == (4, 12)


def test_one_stage_is_as_long_as_all_stages() -> None:
    """By the plan of the full learner at the paper's size: nine epochs of 586 steps, and two stages of 12 % of them."""
    asked = {job.name: job.asked["recipe"] for job in STUDY.jobs([5000], False)}
    diagonals = 9 * math.ceil(150_000 / 256)
    assert asked["multiply-full"]["epochs"] == 6  # times 1.5 for diagonals
    for name in ("multiply-without-reading-again", "multiply-without-stages", "multiply-all-pairs"):
        steps = asked[name]["epochs"] * math.ceil(150_000 / 256)
        assert diagonals + 2 * math.ceil(0.12 * diagonals) <= steps < 1.1 * (diagonals + 2 * 0.12 * diagonals)
    assert {recipe.get("attempts", 1) for recipe in asked.values()} == {1}


def test_jobs_are_of_all_variants_and_seeds() -> None:
    jobs = STUDY.jobs([0, 1, 2], False)
    assert len(jobs) == 3 * len(VARIANTS) == 45
    assert {job.asked["sizes"][0] for job in jobs if "few" not in job.name} == {150_000}
    assert {job.asked["sizes"][0] for job in jobs if "few" in job.name} == {3_000}
    assert {job.asked["recipe"].get("jitter") for job in jobs if "without-jitter" in job.name} == {None}
    assert {job.asked["recipe"]["jitter"] for job in jobs if "without-jitter" not in job.name} == {COLUMNS.jitter}
    assert STUDY.long
    assert {name.partition("-")[2] for name in VARIANTS} == set(CHANGES)
    assert {name.partition("-")[0] for name in VARIANTS} == set(TASKS)
    assert all(name.startswith(f"{each.operation}-") for name, each in VARIANTS.items())


def test_wrong_numbers_are_counted_as_python_counts_them() -> None:
    task = va.Task("add", digits=2)
    train, test = task.split(500, 100, seed=5000)
    network = made(Columns, "aligned", task)
    list(Training(network, train.view(), replace(SHORT, epochs=16), seed=5000).epochs())
    drawn = network.drawn(test.inputs(np.arange(100), dice()))
    read = task.notation.parse(task.legend.reader("templates").read(drawn[:, 0]).symbols)
    expected = sum(answer != a + b for answer, (a, b) in zip(read, test.operands.tolist(), strict=True))
    assert 0 < expected < 100
    assert wrong(network, task, test, 5000) == expected


def test_a_learner_that_comes_through_is_exact_at_every_length(tmp_path: Path) -> None:
    task, recipe = va.Task("add", digits=3, base=4), replace(SHORT, epochs=100)
    sizes = 500, 100, 60
    found = measured(VARIANTS["add-full"], task, recipe, 5000, sizes=sizes, lengths=(9, 20), context=Context(tmp_path))
    assert set(KEYS) <= set(found)
    assert (found["wrong"], found["exact"], found["wrong_examples"]) == (0, True, 0)
    assert [(each["digits"], each["pairs"], each["wrong"]) for each in found["longer"]] == [(9, 60, 0), (20, 60, 0)]
    assert found["certificate"]["certified"]
    assert found["steps"] == 100 * 2


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_is_measured(name: str, tmp_path: Path) -> None:
    """A few steps teach nothing: the answers are wrong, it says so, and there is no certificate."""
    variant = VARIANTS[name]
    task = va.Task(variant.operation, digits=3, base=4)
    steps = list[float]()
    context = Context(tmp_path, progress=lambda done, _: steps.append(done))
    found = measured(variant, task, SHORT, 5000, sizes=(50, 12, 5), lengths=(5, 8), context=context)
    assert set(KEYS) <= set(found)
    assert (found["exact"], found["examples"], found["pairs"]) == (False, 50, 12)
    assert found["wrong"] > 0
    assert found["wrong_examples"] > 0
    assert not found["certificate"]["certified"]
    goes = variant.path != "diagonal"
    assert [each["wrong"] is not None for each in found["longer"]] == [goes, goes]
    assert all(("why" in each) != goes for each in found["longer"])
    assert steps == sorted(steps)


class Spoilt(Columns):
    """Its rows draw the same in every cell."""

    @torch.no_grad()
    def enter(self, stage: int, data: View) -> None:
        super().enter(stage, data)
        if stage:
            self.painter.get_parameter("4.weight").zero_()


def test_rows_are_measured_where_the_learner_keeps_its_diagonals(tmp_path: Path) -> None:
    sizes, recipe = (55, 9, 5), replace(SHORT, epochs=100)
    found = measured(
        Variant("multiply", "rows", 1, Spoilt),
        PRODUCT,
        recipe,
        5000,
        sizes=sizes,
        lengths=(5,),
        context=Context(tmp_path),
    )
    assert found["kept_wrong"] < found["wrong"]
    assert found["wrong_examples"] > 27
    assert not found["exact"]
    assert found["longer"][0]["wrong"] > 0  # rows go there, and the diagonals do not


def row(seed: int, wrong: int, longer: tuple[int | None, int | None], why: str = "") -> dict[str, object]:
    certificate = {"certified": not why, "why": why or "every case is right"}
    counts = [{"digits": d, "pairs": 1_000, "wrong": count} for d, count in zip((20, 100), longer, strict=True)]
    scores = {
        "examples": 150_000,
        "pairs": 30_000,
        "wrong": wrong,
        "exact": not wrong,
        "kept_wrong": None,
        "core_seconds": 100.0 + seed,
    }
    return {"seed": seed, "longer": counts, "certificate": certificate, **scores}


def test_the_table_by_hand(tmp_path: Path) -> None:
    results = Results(tmp_path)
    for seed in (1, 0):
        keep_row(results, STUDY.name, "add-gru", row(seed, 0, (0, seed)), seed)
        keep_row(results, STUDY.name, "multiply-full", row(seed, 0, (0, 0)), seed)
    keep_row(
        results,
        STUDY.name,
        "multiply-without-rounding",
        row(0, 1_234, (1_000, 999), "not rounded") | {"kept_wrong": 7},
        0,
    )
    keep_row(results, STUDY.name, "multiply-without-rounding", row(1, 0, (None, None), "it has no columns"), 1)
    table = ablated(Evidence(results))
    assert ablated in beyond.EXACT.appendix
    assert "150,000 examples" in table.note
    assert "seeds 0, 1." in table.note
    assert table.head[2:] == [
        "exact",
        "wrong of 30,000, a seed each",
        "wrong of 1,000 at 20 digits",
        "wrong of 1,000 at 100 digits",
        "certified",
        "core seconds, mean",
    ]
    lines = {line[0]: list(line[2:]) for line in table.rows}
    assert list(lines) == [
        "multiplication, full",
        "multiplication, without rounding to glyphs",
        "addition, a GRU for the carry",
    ]
    full, unrounded, gru = lines.values()
    assert full == ["2 of 2", "0, 0", "0, 0", "0, 0", "2 of 2", "100"]
    why = "0 of 2; not rounded; it has no columns"
    assert unrounded == ["1 of 2", "1,234 (7), 0", "1,000, -", "999, -", why, "100"]
    assert gru[2:5] == ["0, 0", "0, 1", "2 of 2"]
    assert all(len(line) == len(table.head) for line in table.rows)
