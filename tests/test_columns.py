"""The column learner: exact through its distinct cells, chosen by trial, and without error where it should be."""

import copy
import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import visarith as va
from conftest import HARDLY, Stop, dice, refusal
from visarith.data.task import Examples
from visarith.data.task_set import TaskSet
from visarith.data.view import View
from visarith.learners.columns import SCANS, quantising, trials
from visarith.learners.columns.network import Columns
from visarith.learners.columns.pairs import SUM, PairNetwork
from visarith.learners.columns.tabled import Tabled
from visarith.learners.columns.trials import decide
from visarith.learners.learner import draw_weights
from visarith.learners.tally import Tally
from visarith.runs.judge import judge
from visarith.training.computation import Dense
from visarith.training.loop import Training
from visarith.training.recipe import COLUMNS

MAXIMUM = va.Operation("max", max, digits=3)


def columns(task: va.Task, path: str = "", scan: str = "") -> Columns:
    network = va.learner_config("columns", path=path, scan=scan).build(task)
    assert isinstance(network, Columns)
    return network


def wrong(network: Columns, test: TaskSet) -> tuple[float, float]:
    """The shares of wrong digits and of wrong numbers."""
    score = judge(network, test, test.task.legend, seed=0).score
    assert score is not None
    return score.digit_error, score.number_error


def taught(task: va.Task, count: int, epochs: int, path: str = "", scan: str = "") -> tuple[Columns, float]:
    """A learner after training, and its share of wrong numbers on 1,000 others."""
    train, test = task.split(count, 1_000, seed=0)
    network, recipe = columns(task, path, scan), replace(COLUMNS, epochs=epochs, least_steps=0, attempts=1)
    network.prepare(train.view(), recipe, seed=0, tell=print)
    list(Training(network, train.view(), recipe, seed=0).epochs())
    return network, wrong(network, test)[1]


@pytest.mark.parametrize("loss", ["squares", "cross-entropy"])
@pytest.mark.parametrize(
    ("operation", "path", "scan"),
    [
        *(("subtract", "aligned", scan) for scan in SCANS),
        ("multiply", "diagonal", "right"),
        ("halve", "aligned", "left"),
        ("add-three", "aligned", "right"),
        ("add-subtract", "aligned", "right-left"),
    ],
)
def test_distinct_cells_give_the_gradients_of_all_pixels(operation: str, path: str, scan: str, loss: str) -> None:
    task = va.Task(operation, digits=3)
    shown = task.split(40, 1, seed=0)[0].view()
    recipe, rows = replace(COLUMNS, loss=loss), np.arange(40)  # type: ignore[arg-type]
    found = []
    for shortcut in (True, False):
        network = columns(task, path, scan)
        network.initialise("he", "he", dice())
        for hand in network.hands:
            torch.nn.init.normal_(hand[-1].weight, std=0.1, generator=dice(1))  # a state that is not 0 is carried
        network.frame(shown.mean_targets)
        computation = network.computation(shown, replace(recipe, shortcuts=shortcut), seed=0, bf16=False)
        assert isinstance(computation, Tabled if shortcut else Dense)
        computation.gradients(rows, dice())
        found.append([weight.grad for weight in network.trained_weights()])
        used = {id(weight) for weight in network.trained_weights()}
        assert all(weight.grad is None for weight in network.parameters() if id(weight) not in used)
    for tabled, dense in zip(*found, strict=True):
        assert dense.abs().max() > 0
        assert torch.allclose(tabled, dense, rtol=1e-3, atol=1e-4 * float(dense.abs().max()))


@pytest.mark.parametrize(("operation", "path"), [("add", "aligned"), ("multiply", "diagonal"), ("any", "both")])
def test_few_examples_show_the_columns_that_a_table_of_all_combinations_has(
    operation: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fonts have more combinations of glyphs than a batch shows, so only those of the batch are computed."""
    tables = []
    table = PairNetwork.table
    monkeypatch.setattr(PairNetwork, "table", lambda *each: tables.append(each[1]) or table(*each))
    task = va.Task(operation, digits=3)
    book = task.split(100, 1, seed=0)[0].view().codebook
    network, patterns = columns(task, path, "right"), torch.from_numpy(book.inputs.layout.patterns)
    codes = torch.from_numpy(book.inputs.codes).long()
    every = network.meeting.looked_up(patterns, codes, network.paths)
    assert tables
    tables.clear()
    few = torch.cat([network.meeting.looked_up(patterns, codes[[row]], network.paths) for row in range(100)])
    assert not tables
    assert torch.allclose(every, few, atol=1e-5)


@pytest.mark.parametrize(("operation", "path"), [("add", "aligned"), ("multiply", "diagonal"), ("multiply", "rows")])
def test_jitter_is_noise_on_columns_in_steps_of_training_only(operation: str, path: str) -> None:
    """The same noise with and without the shortcut, none without a step, and the standard deviation of the recipe."""
    task = va.Task(operation, digits=3)
    shown, rows = task.split(30, 1, seed=0)[0].view(), np.arange(20)
    found = dict[tuple[float, bool], list[torch.Tensor]]()
    for jitter, shortcut in itertools.product((0.0, 0.5), (True, False)):
        recipe = replace(COLUMNS, jitter=jitter, shortcuts=shortcut)
        network = columns(task, path, "right")
        network.start(shown, recipe, dice())
        draw_weights(list(network.painter.children())[-1], "he", dice(1))
        computation = network.computation(shown, recipe, seed=0, bf16=False)
        network.train()
        with network.dropping_out(dice(2)):
            computation.gradients(rows, dice())
        found[jitter, shortcut] = [weight.grad for weight in network.painter.parameters()]
    for jitter in (0.0, 0.5):
        for tabled, dense in zip(found[jitter, True], found[jitter, False], strict=True):
            assert torch.allclose(tabled, dense, rtol=1e-3, atol=1e-4 * float(dense.abs().max()))
    assert not torch.allclose(found[0.0, True][0], found[0.5, True][0], rtol=0.1)
    column = torch.zeros(4_000, SUM)
    assert torch.equal(network.seen(column), network.features(column))
    with network.dropping_out(dice()):
        assert network.seen(column)[:, :SUM].std() == pytest.approx(0.5, rel=0.02)
    network.jitter = 0.0
    with network.dropping_out(dice()):
        assert torch.equal(network.seen(column), network.features(column))


def test_diagonals_are_those_of_long_multiplication() -> None:
    network = columns(va.Task("multiply", digits=3), "diagonal", "right")
    met = torch.arange(9.0).view(1, 3, 3, 1)  # pair (i, j) of cells from the left is 3 i + j
    assert network.meeting.diagonals(met).flatten().tolist() == [2 + 4 + 6, 5 + 7, 8]


@pytest.mark.parametrize(
    ("task", "path", "scan"),
    [
        (va.Task("add", digits=3), "aligned", "right"),
        (va.Task("add", digits=4, base=5), "aligned", "right"),
        (va.Task("subtract", digits=3), "aligned", "right"),
        (va.Task("halve", digits=4), "aligned", "left"),
        (va.Task(MAXIMUM), "aligned", "left"),
    ],
)
def test_it_finds_its_way_and_makes_no_error(task: va.Task, path: str, scan: str) -> None:
    network, errors = taught(task, 6_000, 36)
    assert (network.path, "-".join(network.ways)) == (path, scan)
    assert errors == 0


def test_a_multiplication_wants_rows_and_every_trial_is_reported() -> None:
    network, lines = columns(task := va.Task("multiply", digits=6, base=4)), list[str]()
    recipe = replace(COLUMNS, batch=64)
    shares = decide(network, task.split(3_000, 1, seed=0)[0].view(), recipe, seed=0, tell=lines.append)
    assert (network.path, network.ways) == ("rows", ["right"])
    assert list(shares) == ["aligned, right", "aligned, left", "rows, right"]
    assert lines[::2] == [f"trying path and scan {name} ({i} of at most 4)" for i, name in enumerate(shares, 1)]
    told = [f"loss {100 * share:.1f} % of the variance" for share in shares.values()]
    assert lines[1::2] == [*told[:2], f"{told[2]}: learned"]


def test_if_no_trial_learned_those_close_to_the_best_are_tried_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of products, rows may be the last of three after 400 steps, and the only ones that learn them after 1,200."""
    losses = {"aligned, right": 0.775, "aligned, left": 0.88, "rows, right": 0.792, "aligned, right-left": 0.759}
    longer = {"aligned, right": 0.74, "rows, right": 0.63, "aligned, right-left": 0.72}
    monkeypatch.setattr(
        trials,
        "trial",
        lambda _, path, scan, *__, steps, **___: (losses if steps == 400 else longer)[f"{path}, {scan}"],
    )
    network, lines = columns(task := va.Task("multiply", digits=5)), list[str]()
    shares = decide(network, task.split(300, 1, seed=0)[0].view(), COLUMNS, seed=0, tell=lines.append)
    assert shares == losses | longer
    again = ["aligned, right-left", "aligned, right", "rows, right"]
    assert lines[8:14:2] == [f"trying path and scan {name} (again, 3 times as long)" for name in again]
    told = ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares.items())
    assert lines[14:] == [f"no trial learned the task ({told} of the variance left); the best is chosen"]
    assert (network.path, network.scan) == ("rows", "right")


def test_trials_are_judged_on_examples_that_they_were_not_trained_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answers of the last tenth say something else: to learn the others by heart does not help."""
    monkeypatch.setattr(trials, "LONGER", 1)
    task = va.Task("add", digits=2)
    book = task.split(2_000, 1, seed=0)[0].view().codebook
    assert book is not None
    codes = book.answers.codes.copy()
    codes[1_800:] = np.random.default_rng(0).permutation(codes[1_800:])
    view = View.of_codes(task.spec, book.inputs, replace(book.answers, codes=codes))
    shares = decide(columns(task, "aligned", "right"), view, replace(COLUMNS, batch=64), seed=0, tell=print)
    assert shares["aligned, right"] > 0.9


def test_trials_stop_when_the_task_is_learned() -> None:
    network, lines = columns(task := va.Task("add", digits=3)), list[str]()
    shares = decide(network, task.split(20_000, 1, seed=0)[0].view(), COLUMNS, seed=0, tell=lines.append)
    assert list(shares) == ["aligned, right"]
    assert lines[-1] == f"loss {100 * shares['aligned, right']:.1f} % of the variance: learned"


def test_shuffled_answers_are_not_learned() -> None:
    """The control: what makes no error above is what the pictures say, not the learner."""
    task = va.Task("add", digits=3)
    train, test = task.examples(6_000, 1_000, seed=0)
    order = np.random.default_rng(0).permutation(len(train))
    shuffled = Examples(train.operands, train.inputs, train.answers[order])
    network = columns(task, "aligned", "right")
    list(
        Training(
            network, task.picture_set(shuffled).view(), replace(COLUMNS, epochs=10, least_steps=0, attempts=1), seed=0
        ).epochs()
    )
    assert wrong(network, task.picture_set(test))[0] > 0.5


def test_what_is_around_the_cells_is_as_in_the_answers() -> None:
    task = va.Task("add", digits=3)
    network, _ = taught(task, 500, 1, "aligned", "right")
    drawn = network(task.inputs(task.examples(5, 1, seed=1)[0].inputs, dice()))
    outside = np.setdiff1d(np.arange(task.layout.pixels), task.layout.places)
    assert drawn.flatten(2)[:, :, outside].max() < 0.02


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"path": "crooked"}, "path 'crooked' is unknown; use one of aligned, diagonal, both"),
        ({"scan": "up"}, "scan 'up' is unknown; use one of right, left, right-left"),
        (
            {"name": "perceptron", "path": "aligned"},
            "`path` is an option of columns, tally, and perceptron has none of that name",
        ),
    ],
)
def test_choices_that_make_no_sense_are_refused(spec: dict[str, str], said: str) -> None:
    assert said in refusal(va.learner_config, **({"name": "columns"} | spec))


def test_one_input_has_no_diagonals() -> None:
    said = refusal(va.learner_config("columns", path="diagonal", scan="right").build, va.Task("halve"))
    assert said == "path 'diagonal' is not for 1 operand, 1 answer; use aligned"


@pytest.mark.usefixtures("short_trials")
def test_a_stopped_run_keeps_what_it_chose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task, few = va.Task("add", digits=2), {"recipe": HARDLY, "examples": 60, "test_pairs": 20, "threads": 1}
    whole = va.learn(task, "columns", out=tmp_path / "whole", **few)
    with pytest.raises(KeyboardInterrupt):
        va.learn(task, "columns", out=tmp_path / "stopped", watcher=Stop(epoch=1), **few)
    monkeypatch.setattr("visarith.learners.columns.network.decide", None)  # it is not tried again
    resumed = va.learn(task, "columns", out=tmp_path / "stopped", resume=True, **few)
    assert resumed.facts == whole.facts
    weights = resumed.learner.state_dict()
    for name, each in whole.learner.state_dict().items():
        assert torch.equal(weights[name].nan_to_num(), each.nan_to_num()), name


def test_quantising_keeps_drawings_clear(roman: va.Run) -> None:
    """A tally carries states that say where it is and what is carried; too few of them would blur what is drawn."""
    tally = roman.learner
    assert isinstance(tally, Tally)
    book = tally.inner(roman.task.split(1_000, 1, seed=5000)[0].view())[1].codebook
    assert book is not None
    before = quantising.clearness(tally.calculator.unquantised(), book)
    assert quantising.clearness(tally.calculator, book) > 0.9 * before  # of other examples than those that decided
    few = copy.deepcopy(tally.calculator)
    few.states[2:] = torch.nan  # the control: two states are too few
    assert quantising.clearness(few, book) < 0.5 * before
