"""Figures: drawn from stored runs and results, and honest where there are none."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import stored_insight
import visarith as va
from visarith.evaluation import Score
from visarith.experiments.catalogue import ENTRIES
from visarith.experiments.results import Result
from visarith.report import charts, drawing, weights
from visarith.report.exact import LINES
from visarith.report.examples import examples_of, right_and_wrong
from visarith.report.few import Rows, few_examples
from visarith.report.figure import Figure
from visarith.report.figures import figures
from visarith.report.insight_evidence import Insight
from visarith.report.mixture import mix

NAMES = [
    "fig1-examples",
    "fig2-network",
    "fig3-operations",
    "fig4-weights",
    "fig5-mixture",
    "fig6-construction",
    "lengths",
    "growth",
    "few-examples",
    "inside-units",
    "inside-probes",
    "illegible",
    "curves",
    "positions",
]
RUNS = ("add", "subtract", "multiply", "noise")
Stored = tuple[dict[str, list[Result]], Callable[[str], va.Run | None]]


def result(name: str, errors: tuple[float, ...], per_position: list[float], seed: int = 0) -> Result:
    """A result as a run would have left it."""
    last = errors[-1]
    score = Score("templates", 400, last, (0, 1), last, last, (0, 1), last, 0, per_position)
    return Result(name, seed, {}, score=score, curve=tuple((1.0, error) for error in errors))


def quick_run(name: str, folder: Path) -> va.Run:
    """A run of an entry, too short to have learned anything."""
    entry = ENTRIES[name].experiment(0)
    size = {"examples": 512, "test_pairs": 200, "epochs": 1, "threads": 1}
    return va.learn(entry.task, entry.learner, entry.recipe, out=folder / name, **size)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    """Runs of four entries; two results of each entry with a curve, an epoch of which has no error."""
    folder = tmp_path_factory.mktemp("runs")
    runs = {name: quick_run(name, folder) for name in RUNS}
    names = [*charts.CURVES, *charts.POSITIONS]
    results = {name: [result(name, (0.5, 0.0, 0.25), [0.25] * 7, seed) for seed in (0, 1)] for name in names}
    return results | {name: [proved(name)] for name, *_ in LINES}, runs.get


def proved(name: str) -> Result:
    """A result that says how it did at other lengths."""
    rows = [{"digits": n, "pairs": 1000, "wrong": wrong, "hard": 4, "hard_wrong": 0} for n, wrong in ((8, 0), (100, 7))]
    return replace(result(name, (0.0,), [0.0] * 7), proof={"lengths": rows, "unsettled": rows})


def few() -> Rows:
    """Stored rows of benchmarks/few_examples.py: two counts, two seeds, columns without an error at the larger one."""
    rows = {}
    for learner, operation, count in itertools.product(("perceptron", "columns"), ("add", "multiply"), (30, 300)):
        error = 0.0 if (learner, count) == ("columns", 300) else 0.5
        rows[learner, operation, count] = [{"digit_error": error, "wrong": round(error * 30_000)}] * 2
    return rows


@pytest.fixture(scope="module")
def drawn(stored: Stored) -> list[Figure]:
    inside = {name: [stored_insight.row(name)] for name in ("add", "noise-better")}
    grown = {"add": {"operation": "add", "form": "carries", "digits": 7, "gates": [140, 126], "parameters": 9}}
    return figures(*stored, few(), Insight(inside), {"growth": grown})


def nothing(_: str) -> None:
    return None


def test_every_figure_is_drawn(drawn: list[Figure]) -> None:
    assert [figure.name for figure in drawn] == NAMES
    for figure in drawn:
        assert figure.title
        assert figure.caption.endswith(".")
        assert figure.png is not None
        assert figure.missing == ""
        assert len(figure.png) < 150_000
        with Image.open(BytesIO(figure.png), formats=("PNG",)) as picture:
            assert picture.width == 900
            assert np.asarray(picture.convert("L")).std() > 5  # it is not empty


def test_how_many_examples_are_enough() -> None:
    table = few_examples(few())
    assert table.head[2:] == ["30", "300", "the paper's error from", "0 wrong from"]
    by_name = {(row[0], row[1]): list(row[2:]) for row in table.rows}
    assert by_name["addition", "columns"] == ["50.0 %", "0 %", "300", "300"]
    assert by_name["addition", "perceptron"] == ["50.0 %", "50.0 %", "none", "none"]
    assert by_name["multiplication", "perceptron"] == ["50.0 %", "50.0 %", "30", "none"]  # the paper's is 71.5 %


def test_the_same_runs_give_the_same_bytes(stored: Stored, drawn: list[Figure]) -> None:
    assert figures({}, stored[1])[:6] == drawn[:6]


def test_without_runs_and_results_it_says_what_is_needed() -> None:
    empty = {figure.name: figure for figure in figures({}, nothing)}
    assert list(empty) == NAMES
    assert empty.pop("fig6-construction").png is not None
    drawing_only = empty.pop("fig2-network")
    assert drawing_only.png is not None
    assert "typeset" in drawing_only.caption
    for figure in empty.values():
        assert figure.png is None
        assert figure.missing
    needs = "needs the run of add; visarith reproduce --only add makes it"
    assert empty["fig1-examples"].missing == empty["fig4-weights"].missing == needs
    assert "--only subtract multiply noise makes" in empty["fig3-operations"].missing


def test_what_is_there_is_drawn_without_the_rest(stored: Stored) -> None:
    results, load = stored
    one = {"multiply": results["multiply"], "add": []}
    some = {figure.name: figure for figure in figures(one, lambda name: load(name) if name == "add" else None)}
    assert some["fig3-operations"].png is None
    assert "entry add" in some["fig5-mixture"].caption  # there is no run with noise
    assert "(entries multiply)" in some["curves"].caption
    assert "(entries multiply)" in some["positions"].caption
    two = {figure.name: figure for figure in figures({}, lambda name: load(name) if name == "multiply" else None)}
    assert two["fig3-operations"].png is not None
    assert "needs the run of subtract, noise" in two["fig3-operations"].caption


def test_failed_results_count_as_missing(stored: Stored) -> None:
    failed = {name: [Result(name, 0, {}, failed="killed")] for name in ENTRIES}
    last = figures(failed, nothing)[-2:]
    assert [figure.png for figure in last] == [None, None]
    mixed = failed | {"add": [*failed["add"], *stored[0]["add"]]}
    assert all(figure.png for figure in figures(mixed, nothing)[-2:])


def test_right_is_right_and_wrong_is_wrong(small_run: va.Run) -> None:
    examples = list(examples_of(small_run))
    _, test = small_run.task.examples(2125, 375, seed=0)
    for example, (a, b) in zip(examples, test.operands.tolist(), strict=True):
        assert example.wrong.any() == (small_run.calculate(a, b) != a + b)
        assert np.array_equal(
            example.inputs * 255, small_run.task.layout.typeset(np.array([divmod(a, 10), divmod(b, 10)]))
        )
    assert np.mean([example.wrong.any() for example in examples]) == small_run.score.number_error
    chosen = right_and_wrong(small_run)
    failures = sum(example.wrong.any() for example in examples)
    assert [bool(example.wrong.any()) for example in chosen] == [False, False, failures > 0]


def test_a_run_that_knows_nothing_shows_failures(stored: Stored, drawn: list[Figure]) -> None:
    run = stored[1]("add")
    assert run is not None
    assert [bool(example.wrong.any()) for example in right_and_wrong(run)] == [True, True, True]
    assert drawn[0].caption.startswith("Of the 200 test pairs, 0 that are right and 3 that are wrong")


def test_noise_falls_on_the_examples_as_when_they_were_judged(stored: Stored) -> None:
    run = stored[1]("noise")
    assert run is not None
    examples = list(examples_of(run))
    assert np.mean([example.wrong for example in examples]) == pytest.approx(run.score.digit_error)
    pixels = np.stack([example.target for example in examples])
    assert pixels[:, 0].std() == pytest.approx(0.3, rel=0.05)  # the top row bears no ink


def test_the_mixture_is_the_mean_of_the_glyphs(stored: Stored) -> None:
    run = stored[1]("noise")
    assert run is not None
    layout = run.task.plain_layout
    five, mixed, eight = mix(run).inputs
    top, left = layout.corners[-3]
    cell = (slice(top, top + layout.glyphs.shape[1]), slice(left, left + layout.glyphs.shape[2]))
    assert np.array_equal(five[0][cell] * 255, layout.glyphs[5])
    assert np.array_equal(eight[0][cell] * 255, layout.glyphs[8])
    assert np.allclose(mixed[0][cell], (layout.glyphs[5] / 255 + layout.glyphs[8] / 255) / 2)
    elsewhere = np.ones(layout.pixels, bool).reshape(layout.height, layout.width)
    elsewhere[cell] = False
    for picture in (five, eight):
        assert np.array_equal(picture[0][elsewhere], mixed[0][elsewhere])
        assert np.array_equal(picture[1], mixed[1])


def test_concentration_by_hand() -> None:
    shares = weights.concentration(np.array([[3.0, 0, 0, 4], [1, 1, 0, 0]]), np.array([[0, 1], [2, 3]]))
    assert np.allclose(shares, [[9 / 25, 16 / 25], [1, 0]])


def test_permuted_pixels_are_put_back(tmp_path: Path) -> None:
    """The weights of a permuted run are shown as a person would see them: never-inked pixels are the margins."""
    block = weights.bottom(quick_run("permuted", tmp_path))
    assert np.isnan(block.pictures[:, 0]).all()
    assert not np.isnan(block.pictures[:, 5:9]).all(axis=(1, 2)).any()


def test_a_pixel_is_a_square() -> None:
    pattern = np.indices((15, 60)).sum(0) % 2.0
    with drawing.new_sheet(100) as sheet:
        sheet.picture(pattern, 20, 10, 4)
        png = sheet.png()
    with Image.open(BytesIO(png)) as picture:
        shown = 1 - np.asarray(picture.convert("L"))[10:70, 20:260] / 255
    inner = np.kron(pattern, np.ones((4, 4)))[4:-4, 4:-4]  # the border is drawn over the edge
    assert np.allclose(shown[4:-4, 4:-4], inner, atol=0.01)


def test_positions_are_means_over_seeds() -> None:
    results = [result("add", (0.1,), [0.2, 0.0], 0), result("add", (0.1,), [0.4, 0.1], 1)]
    assert np.allclose(charts.positions(results), [0.3, 0.05])
