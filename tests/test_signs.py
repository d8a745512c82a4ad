"""One network in which each sign has a path of its own: trials, shortcut, one sign alone, perception, certificate."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

import visarith as va
from conftest import BRIEFLY, dice, refusal
from visarith.data.view import View, intensities
from visarith.learners.certificate import attempt, certify
from visarith.learners.columns import signs_trials
from visarith.learners.columns.network import Columns
from visarith.learners.columns.pairs import CODE
from visarith.learners.columns.scan import ALL_WEIGHTS, READ_AGAIN
from visarith.learners.columns.signs import sign_patterns
from visarith.operations import ADD, SUBTRACT
from visarith.operations.mixed import Mixed
from visarith.training.recipe import COLUMNS

TASK = va.Task("any", digits=4, base=3)
SIGNS = TASK.operation.signs
SHORT = va.Task(Mixed("plus or minus", (ADD, SUBTRACT)), digits=4, base=2)


def shown(count: int = 60, task: va.Task = TASK) -> tuple[np.ndarray, Tensor]:
    """Operands, and their pictures."""
    rows = task.domain.sample(count, rng=np.random.default_rng(1))
    return rows, intensities(task.layout.typeset(task.write(rows).inputs))


def number_of(network: Columns, sign: str, task: va.Task = TASK) -> int:
    """The number that the network gave to a sign."""
    cell = torch.from_numpy(task.layout.patterns[task.layout.alphabet.index(sign)])
    return int((network.signs.cells == cell).all(1).nonzero())


def by_sign(paths: dict[str, str], view: View) -> Columns:
    """A network with random weights, and these paths of the signs."""
    network = va.learner_config("columns", width=16).build(TASK)
    assert isinstance(network, Columns)
    book = view.codebook
    assert book is not None
    cells = sign_patterns(book, 1)
    assert cells is not None
    network.signs.set(torch.from_numpy(cells), ["aligned"] * len(cells))
    numbers = {number_of(network, sign): path for sign, path in paths.items()}
    network.signs.set_paths([numbers[number] for number in range(len(cells))])
    network.choose("signs", "right")
    network.initialise("he", "he", dice())
    for weights in (network.starts, network.again.empty, *(hand[-1].weight for hand in network.hands)):
        torch.nn.init.normal_(weights, std=0.3, generator=dice(1))
    network.training_glyphs = network.operand_patterns(book)
    return network


@pytest.fixture(scope="module")
def view() -> View:
    return TASK.split(120, 1, seed=0)[0].view()


ROWS = {"+": "aligned", "-": "aligned", "×": "rows"}


@pytest.mark.parametrize("path", ["aligned", "diagonal", "rows"])
def test_for_one_sign_it_is_a_plain_network(view: View, path: str) -> None:
    network = by_sign(ROWS | {"×": path}, view).eval().double()
    operands, pictures = shown()
    pictures = pictures.double()
    with torch.no_grad():
        whole = network(pictures)
        for which, sign in enumerate(SIGNS):
            plain, rows = network.for_sign(number_of(network, sign)), operands[:, 1] == which
            assert rows.sum() > 5
            assert (plain.path, plain.sign) == ((ROWS | {"×": path})[sign], None)
            assert torch.allclose(plain(pictures[rows][:, [0, 2]]), whole[rows], atol=1e-8)
    network.signs.set_paths(["aligned"] * 3)
    assert path == "aligned" or not torch.allclose(network(pictures), whole, atol=1e-3)


@pytest.mark.parametrize("stage", [0, READ_AGAIN, ALL_WEIGHTS])
def test_distinct_cells_give_the_gradients_of_all_pixels(view: View, stage: int) -> None:
    found = []
    for shortcut in (True, False):
        network = by_sign(ROWS if stage else ROWS | {"×": "diagonal"}, view).train()
        network.stage, network.places_in_rows = stage, 2
        computation = network.computation(view, replace(COLUMNS, shortcuts=shortcut), seed=0, bf16=False)
        computation.gradients(np.arange(60), dice())
        found.append([weight.grad for weight in network.trained_weights()])
    for tabled, dense in zip(*found, strict=True):
        assert torch.allclose(tabled, dense, rtol=1e-3, atol=1e-4 * float(dense.abs().max()))
        assert tabled.abs().max() > 0


def test_cells_that_are_constant_are_those_of_products_alone(view: View) -> None:
    network = by_sign(ROWS, view)
    network.start(view, COLUMNS, dice())
    assert network.meeting.constant.tolist() == [[True, True, False, False]] * 2  # factors below 9, sums of all digits


def losses(monkeypatch: pytest.MonkeyPatch, loss: Callable[[str, str, str, int], float]) -> list[tuple[str, str, str]]:
    """Trials whose loss is this function of sign, path, scan and steps; returns what is tried."""
    tried = []

    def trial(_: Columns, path: str, scan: str, data: View, *__: object, steps: int, **___: object) -> float:
        assert data.codebook is not None
        cells = sign_patterns(data.codebook, 1)
        assert cells is not None
        assert len(cells) == 1  # examples of one sign only
        sign = next(s for s in SIGNS if (TASK.layout.patterns[TASK.layout.alphabet.index(s)] == cells[0]).all())
        tried.append((sign, path, scan))
        return loss(sign, path, scan, steps)

    monkeypatch.setattr(signs_trials, "trial", trial)
    return tried


def decided(view: View) -> tuple[dict[str, str], str, list[str]]:
    """The path of each sign, the scan, and what was told."""
    network, told = va.learner_config("columns").build(TASK), list[str]()
    assert isinstance(network, Columns)
    network.prepare(view, COLUMNS, seed=0, tell=told.append)
    return {sign: network.own_paths[number_of(network, sign)] for sign in SIGNS}, network.scan, told


def test_each_sign_takes_the_first_path_that_learns_it(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = losses(monkeypatch, lambda sign, path, *_: 0.01 if (sign == "×") == (path == "rows") else 0.8)
    assert decided(view)[:2] == (ROWS, "right")
    expected = {("+", "aligned", "right"), ("-", "aligned", "right"), ("×", "aligned", "right"), ("×", "rows", "right")}
    assert set(tried) == expected
    assert len(tried) == 4


def test_what_no_path_learns_is_tried_for_longer(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(sign: str, path: str, _: str, steps: int) -> float:
        return 0.01 if sign != "×" else {400: 0.75, 1_600: 0.02}[steps] if path == "rows" else 0.78

    tried = losses(monkeypatch, slow)
    assert decided(view)[:2] == (ROWS, "right")
    assert [each for each in tried if each[0] == "×"] == [("×", path, "right") for path in ("aligned", "rows", "rows")]


def test_all_signs_are_scanned_from_the_same_side(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    learned = {("+", "right"), ("-", "left"), ("×", "right"), *((sign, "right-left") for sign in SIGNS)}
    losses(monkeypatch, lambda sign, path, scan, _: 0.01 if path == "aligned" and (sign, scan) in learned else 0.8)
    assert decided(view)[:2] == (dict.fromkeys(SIGNS, "aligned"), "right-left")


def test_if_no_side_is_learned_the_smallest_total_loss_is_chosen_and_told(
    view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses(monkeypatch, lambda _, path, scan, __: {"right": 0.6, "left": 0.4}.get(scan, 0.5) + 0.1 * (path == "rows"))
    paths, scan, told = decided(view)
    assert (paths, scan) == (dict.fromkeys(SIGNS, "aligned"), "left")
    assert told[-1].startswith("no scan learned every sign in 1600 steps; the best is left (40.0 %")


def test_noise_keeps_both_paths_for_every_sign() -> None:
    noisy = va.Task("any", digits=2, noise=0.1)
    network = va.learner_config("columns", scan="right").build(noisy)
    assert isinstance(network, Columns)
    assert network.choices() == [("both", "right")]
    assert not signs_trials.goes_by_sign(network, noisy.split(10, 1, seed=0)[0].view(), COLUMNS)
    asked = va.learner_config("columns", path="signs").build(noisy)
    view = noisy.split(10, 1, seed=0)[0].view()
    assert "use path 'both'" in refusal(signs_trials.goes_by_sign, asked, view, COLUMNS)


def test_the_path_is_for_pictures_with_a_sign() -> None:
    assert "path 'signs' is not for 2 operands" in refusal(
        va.learner_config("columns", path="signs", scan="right").build, va.Task("add", digits=2)
    )
    assert "path 'rows' is not for 2 operands, 1 answer and a sign" in refusal(
        va.learner_config("columns", path="rows", scan="right").build, TASK
    )


def test_runs_of_version_0_1_are_as_they_were() -> None:
    older = va.learner_config("columns", path="both", scan="right").build(TASK)
    assert isinstance(older, Columns)
    older.initialise("he", "he", dice())
    later = {"again", "signs", "record", "states_back"}
    stored = {name: value for name, value in older.state_dict().items() if name.partition(".")[0] not in later}
    loaded = va.learner_config("columns").build(TASK)
    assert isinstance(loaded, Columns)
    loaded.restore(stored, lambda: pytest.fail("nothing is missing"))
    pictures = shown()[1]
    assert torch.equal(loaded.eval()(pictures), older.eval()(pictures))
    assert loaded.path == "both"
    assert "train it again for other lengths" in refusal(loaded.lengthened, TASK.at(6).spec)


def test_a_picture_shows_one_sign_and_operands_show_none(view: View) -> None:
    network, alphabet = by_sign(ROWS, view).eval(), TASK.layout.alphabet
    assert view.codebook is not None
    patterns = network.operand_patterns(view.codebook)
    assert len(patterns) == 3
    network.glyphs[:3] = patterns

    def unreadable(*lines: str) -> list[list[int]]:
        symbols = np.array([[alphabet.index(symbol) for symbol in line] for line in lines])
        perceived = network.perceived(intensities(TASK.layout.typeset(symbols[None])))
        assert perceived is not None
        return perceived.unreadable()

    assert unreadable("0012", "   ×", "0021") == [[], [], []]
    assert unreadable("0012", " +  ", "0021") == [[], [], []]
    assert unreadable("0012", " + ×", "0021") == [[], [1, 3], []]
    assert unreadable("0012", "   1", "0021")[1] == [3]
    assert unreadable("0012", "    ", "0021")[1] == [0, 1, 2, 3]
    assert unreadable("00+2", "   -", "0021") == [[2], [], []]


@pytest.fixture(scope="module")
def plus_or_minus(tmp_path_factory: pytest.TempPathFactory) -> va.Run:
    """Sums and differences in base 2, from trials to quantising."""
    out, recipe = tmp_path_factory.mktemp("runs") / "signs", replace(BRIEFLY, batch=32, least_steps=600, attempts=3)
    spec = va.learner_config("columns", width=32, scan="right")
    return va.learn(SHORT, spec, recipe, examples=140, test_pairs=20, seed=5000, threads=1, out=out)


def test_it_is_quantised_and_certified_and_works_at_other_lengths(plus_or_minus: va.Run) -> None:
    run = va.load(plus_or_minus.path, operation=SHORT.operation)
    assert run.facts["paths"] == ["aligned", "aligned"]
    assert (run.facts["exact"], run.learner.quantised) == (True, True)
    made = certify(run.learner, run.task)
    assert (made.certified, made.every_length, made.control_failed) == (True, True, True)
    assert made.enumerated >= 2 * 2 * 4  # two signs, two states of each machine, four columns
    assert made.domain.startswith("+: all numbers of any length")
    assert "; -: all numbers of any length in base 2" in made.domain
    longer = run.at(40)
    assert [longer.calculate(2**39 - 1, 0, 1), longer.calculate(2**39, 1, 1)] == [2**39, 2**39 - 1]


def test_one_wrong_sign_refuses_the_certificate(plus_or_minus: va.Run) -> None:
    learner = va.load(plus_or_minus.path, operation=SHORT.operation).learner
    assert isinstance(learner, Columns)
    numbers = [number_of(learner, sign, SHORT) for sign in "+-"]
    plain = [
        attempt(learner.for_sign(number), replace(SHORT, operation=part))
        for number, part in zip(numbers, (ADD, SUBTRACT), strict=True)
    ]
    both = attempt(learner, SHORT)
    assert [each.certified for each in (both, *plain)] == [True, True, True]
    assert both.enumerated == sum(each.enumerated for each in plain)
    assert both.smallest_margin <= min(each.smallest_margin for each in plain)
    meeting = learner.meeting
    with torch.no_grad():
        plus, minus = meeting.sign_vector(meeting.reader(learner.signs.cells[numbers])[:, None])
        only = minus - (minus @ plus) / (plus @ plus) * plus  # weights of this direction change nothing for +
        first = meeting.meet["aligned"][0]
        noise = 3 * torch.randn(len(first.bias), generator=dice())
        first.weight[:, 2 * CODE :] += torch.outer(noise, only / (only @ only))
    wrong = attempt(learner, SHORT)
    assert not wrong.certified
    assert wrong.wrong
    assert wrong.why.startswith("-: some columns are wrong")
    assert "+" not in wrong.why


def test_another_picture_of_a_sign_has_no_certificate(plus_or_minus: va.Run) -> None:
    learner = va.load(plus_or_minus.path, operation=SHORT.operation).learner
    assert isinstance(learner, Columns)
    one = SHORT.layout.patterns[SHORT.layout.alphabet.index("1")]
    learner.signs.cells[number_of(learner, "-", SHORT)] = torch.from_numpy(one)
    assert "not those of the operation" in attempt(learner, SHORT).why


@pytest.mark.long
def test_the_third_sign_multiplies_in_rows(tmp_path: Path) -> None:
    task, recipe = va.Task("any", digits=5, base=4), replace(COLUMNS, epochs=5, least_steps=1_500, batch=128)
    sizes = {"examples": 3_000, "test_pairs": 300, "seed": 5000, "threads": 1}
    run = va.learn(task, va.learner_config("columns"), recipe, out=tmp_path / "any", **sizes)
    assert sorted(run.facts["paths"]) == ["aligned", "aligned", "rows"]
    assert run.score.number_error == 0
    check_multiplying(run)


def check_multiplying(run: va.Run) -> None:
    """The certificate of + - x in base 4, and what spoils that of x alone."""
    made = certify(run.learner, run.task)
    assert (made.certified, made.control_failed) == (True, True)
    assert made.enumerated >= 2 * 2 * 16 + 4 * 5 * sum(carry + 2 for carry in range(4))
    longer = run.at(20)
    assert longer.calculate(4**10 - 1, 2, 4**10 - 1) == (4**10 - 1) ** 2
    learner = run.learner
    assert isinstance(learner, Columns)
    with torch.no_grad():
        learner.again.reader.weight.mul_(-1)
    spoilt = attempt(learner, run.task)
    assert not spoilt.certified
    assert spoilt.why.startswith("×:")
