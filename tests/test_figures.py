"""Figures: drawn from stored runs and results, or from pretrained runs; what is missing says what it needs."""

import base64
import itertools
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import stored_insight
import visarith as va
from stored_results import keep, keep_failure, keep_row, score
from visarith.report import drawing, weights
from visarith.report.claims import TOPICS
from visarith.report.evidence import Evidence, NoResultError
from visarith.report.exact import LINES
from visarith.report.examples import examples_of, right_and_wrong
from visarith.report.experiments import CURVES, POSITIONS, curves_figure, positions_figure
from visarith.report.few_examples import few_examples
from visarith.report.illegible import mix
from visarith.report.parts import Figure
from visarith.studies.catalogue import ENTRIES
from visarith.studies.experiments import run_folder
from visarith.studies.results import Results

RUNS = ("add", "subtract", "multiply", "noise")
PLATES = [plate for topic in TOPICS for plate in topic.plates]
OF_RUNS = ("fig1-examples", "fig2-network", "fig3-operations", "fig4-weights", "fig5-mixture")


def quick_run(name: str, runs: Path) -> va.Run:
    """A run of an entry, too short to have learned anything, where the run of its experiment is kept."""
    entry = ENTRIES[name].experiment(0)
    size = {"examples": 512, "test_pairs": 200, "epochs": 1, "threads": 1}
    out = run_folder(runs, ENTRIES[name], 0, quick=False)
    return va.learn(entry.task, entry.learner, entry.recipe, out=out, **size)


def keep_curve(results: Results, name: str, seed: int = 0, **more: object) -> None:
    """Store a result with a curve, an epoch of which has no error."""
    rest = ENTRIES[name].recipe.epochs - 2
    keep(results, name, 0.25, seed, curve=[[1.0, 0.5], [1.0, 0.0], *[[1.0, 0.25]] * rest], **more)


def proof() -> dict[str, object]:
    """What a column learner's result says of other lengths."""
    rows = [{"digits": n, "pairs": 1000, "wrong": wrong, "hard": 4, "hard_wrong": 0} for n, wrong in ((8, 0), (100, 7))]
    return {"lengths": rows, "unsettled": rows}


def keep_few_examples(results: Results) -> None:
    """Two counts, two seeds, columns without an error at the larger count."""
    for learner, operation, count, seed in itertools.product(
        ("perceptron", "columns"), ("add", "multiply"), (30, 300), (0, 1)
    ):
        error = 0.0 if (learner, count) == ("columns", 300) else 0.5
        what = {"learner": learner, "operation": operation, "examples": count, "seed": seed}
        found = what | {"digit_error": error, "wrong": round(error * 30_000)}
        keep_row(results, "few-examples", f"{learner}-{operation}-{count}", found, seed)


def by_name(results: Results, runs: Path = Path("no runs")) -> dict[str, Figure]:
    return {plate.name: plate.drawn(Evidence(results, runs)) for plate in PLATES}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of four entries, results of all that is drawn, and rows of every study that is drawn."""
    folder = tmp_path_factory.mktemp("stored")
    results = Results(folder / "results")
    for name in RUNS:
        quick_run(name, folder / "runs")
    for name, seed in itertools.product(dict.fromkeys([*CURVES, *POSITIONS]), (0, 1)):
        keep_curve(results, name, seed)
    for name, *_ in LINES:
        keep(results, name, 0.0, proof=proof())
    keep_few_examples(results)
    stored_insight.keep(results)
    grown = {"operation": "add", "form": "carries", "digits": 7, "gates": [140, 126], "parameters": 9}
    keep_row(results, "growth", "add-carries", {"rows": [grown]})
    return folder


@pytest.fixture(scope="module")
def evidence(folder: Path) -> Evidence:
    return Evidence(Results(folder / "results"), folder / "runs")


@pytest.fixture(scope="module")
def drawn(evidence: Evidence) -> dict[str, Figure]:
    return {plate.name: plate.drawn(evidence) for plate in PLATES}


def test_every_figure_is_drawn(drawn: dict[str, Figure]) -> None:
    for figure in drawn.values():
        assert figure.title
        assert figure.caption.endswith(".")
        assert figure.missing == ""
        assert figure.sheet is not None
        svg = figure.sheet.svg()
        assert len(svg) < 150_000
        tree = ElementTree.fromstring(svg)
        assert tree.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(list(tree.iter("{http://www.w3.org/2000/svg}path"))) > 10  # it is not empty
        assert figure.sheet.pdf().startswith(b"%PDF")


def test_how_many_examples_are_enough(evidence: Evidence) -> None:
    table = few_examples(evidence)
    assert table.head[2:] == ["30", "300", "the paper's error from", "0 wrong from"]
    assert "up to 2 seeds" in table.note
    rows = {(row[0], row[1]): list(row[2:]) for row in table.rows}
    assert rows["addition", "columns"] == ["50.0 %", "0 %", "300", "300"]
    assert rows["addition", "perceptron"] == ["50.0 %", "50.0 %", "none", "none"]
    assert rows["multiplication", "perceptron"] == ["50.0 %", "50.0 %", "30", "none"]  # the paper's is 71.5 %


def test_the_same_runs_give_the_same_bytes(folder: Path, drawn: dict[str, Figure]) -> None:
    again = by_name(Results(folder / "results"), folder / "runs")
    for name in OF_RUNS:
        before, now = drawn[name].sheet, again[name].sheet
        assert before
        assert now
        assert now.svg() == before.svg()
        assert again[name].caption == drawn[name].caption


def test_ones_own_run_is_shown_before_a_pretrained_one(drawn: dict[str, Figure]) -> None:
    sources = {"fig1-examples": "add", "fig2-network": "add", "fig4-weights": "add", "fig5-mixture": "noise"}
    for name, entry in sources.items():
        assert f"(entry {entry}, seed 0)" in drawn[name].caption
    assert "(entry subtract, seed 0; entry multiply, seed 0; entry noise, seed 0)" in drawn["fig3-operations"].caption


def test_without_ones_own_runs_the_pretrained_ones_are_shown(tmp_path: Path) -> None:
    found = by_name(Results(tmp_path))
    sources = {"fig1-examples": "add", "fig2-network": "add", "fig4-weights": "add", "fig5-mixture": "noise"}
    for name, pretrained in sources.items():
        assert found[name].sheet
        assert f"(pretrained run perceptron-{pretrained}: entry " in found[name].caption
    for pretrained in ("subtract", "multiply", "noise"):
        assert f"pretrained run perceptron-{pretrained}: entry " in found["fig3-operations"].caption
    assert "the first two that are right and the first that is wrong" in found["fig1-examples"].caption


def test_a_pretrained_run_is_the_experiment_that_it_stands_for(tmp_path: Path) -> None:
    stored = Evidence(Results(tmp_path)).run("noise-better", "noise")
    assert stored.source == "pretrained run perceptron-noise: entry noise-better, seed 0"
    assert stored.run.experiment.task == ENTRIES["noise-better"].task
    with pytest.raises(NoResultError, match="no result of the run of noise yet; visarith reproduce --only noise makes"):
        Evidence(Results(tmp_path)).run("noise")


def test_a_quick_report_without_runs_says_what_it_needs(tmp_path: Path) -> None:
    empty = by_name(Results(tmp_path, quick=True))
    for drawn_anew in ("fig6-construction", "perception"):
        assert empty.pop(drawn_anew).sheet is not None
    for figure in empty.values():
        assert (figure.sheet, figure.caption) == (None, "")
        assert figure.missing
    needs = "needs the run of add; visarith reproduce --only add makes it"
    assert {empty[name].missing for name in ("fig1-examples", "fig2-network", "fig4-weights")} == {needs}
    assert empty["growth"].missing == "needs growth; visarith reproduce --only growth makes it"


def test_what_is_there_is_drawn_without_the_rest(folder: Path, tmp_path: Path) -> None:
    results = Results(tmp_path / "results")
    keep_curve(results, "multiply")
    some = by_name(results, folder / "runs")
    assert "(entries multiply)" in some["curves"].caption
    assert "(entries multiply)" in some["positions"].caption
    sources = "pretrained run perceptron-subtract: entry subtract, seed 0; entry multiply, seed 0; pretrained run"
    assert sources in some["fig3-operations"].caption


def test_failed_results_count_as_missing(tmp_path: Path) -> None:
    results = Results(tmp_path)
    for name in CURVES:
        keep_failure(results, name, "killed")
    for draw in (curves_figure, positions_figure):
        with pytest.raises(NoResultError):
            draw(Evidence(results))
    keep_curve(results, "add", seed=1)
    for draw in (curves_figure, positions_figure):
        assert "(entries add)" in draw(Evidence(results))[1]


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


def test_a_run_that_knows_nothing_shows_failures(evidence: Evidence, drawn: dict[str, Figure]) -> None:
    examples = right_and_wrong(evidence.run("add").run)
    assert [bool(example.wrong.any()) for example in examples] == [True, True, True]
    caption = drawn["fig1-examples"].caption
    assert caption.startswith("Of the 200 test pairs, 0 that are right and 3 that are wrong")


def test_noise_falls_on_the_examples_as_when_they_were_judged(evidence: Evidence) -> None:
    run = evidence.run("noise").run
    examples = list(examples_of(run))
    assert np.mean([example.wrong for example in examples]) == pytest.approx(run.score.digit_error)
    pixels = np.stack([example.target for example in examples])
    assert pixels[:, 0].std() == pytest.approx(0.3, rel=0.05)  # the top row bears no ink


def test_the_mixture_is_the_mean_of_the_glyphs(evidence: Evidence) -> None:
    run = evidence.run("noise").run
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


def test_a_pixel_is_kept_as_it_is() -> None:
    """A picture stands in the SVG with its own pixels, at the place and in the size that it was given."""
    pattern = np.indices((15, 60)).sum(0) % 2.0
    with drawing.new_sheet(100) as sheet:
        sheet.picture(pattern, 20, 10, 4)
        svg = ElementTree.fromstring(sheet.svg())
    (image,) = svg.iter("{http://www.w3.org/2000/svg}image")
    data = image.attrib["{http://www.w3.org/1999/xlink}href"].partition("base64,")[2]
    with Image.open(BytesIO(base64.b64decode(data))) as picture:
        shown = 1 - np.asarray(picture.convert("L")) / 255
    assert np.array_equal(shown.round(), pattern) or np.array_equal(shown[::-1].round(), pattern)
    assert "pixelated" in image.attrib["style"]


def test_positions_are_means_over_seeds(tmp_path: Path) -> None:
    results = Results(tmp_path)
    for seed, share in enumerate((0.2, 0.4)):
        keep_curve(results, "add", seed, score=score(0.25, positions=[share, *[share / 2] * 6]))
    assert Evidence(results)["add"].positions == pytest.approx([0.3, *[0.15] * 6])
