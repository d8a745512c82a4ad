"""Perception: moved, faded and noisy pictures are read, foreign ones are called unreadable, and the answer says so."""

import base64
import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
from starlette.testclient import TestClient

import visarith as va
from browser import Browser
from command_line import run as call
from visarith.cli.terminal import input_lines
from visarith.learners.perception import Glyphs, Perceived, perceive
from visarith.pictures.png import write_png
from visarith.pictures.typeface import Typeface, shipped_font
from visarith.runs.pretrained import find
from visarith.studies.foreign import TURNED, foreign
from visarith.studies.perception import digits_of_glyphs
from visarith.web.application import application
from visarith.web.export import exported

DIGITS = "0123456789"
PAIRS = 12
SHIFTS = [shift for shift in product(range(-2, 3), repeat=2) if any(shift)]
RULES = {"add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b}


def pairs(operation: str, count: int, seed: int = 5000) -> np.ndarray:
    numbers = np.random.default_rng(seed).integers(0, 3160 if operation == "multiply" else 4_999_999, (count, 2))
    return np.sort(numbers, 1)[:, ::-1] if operation == "subtract" else numbers


def typeset(numbers: np.ndarray, font: str = "") -> np.ndarray:
    """Numbers (...) as pictures (..., 15, 60) of seven digits."""
    layout = Typeface(font=str(shipped_font(f"{font}.ttf")) if font else "").layout(DIGITS, 7)
    symbols = np.array([[int(digit) for digit in f"{number:07}"] for number in numbers.ravel()])
    return (layout.typeset(symbols) / 255).astype(np.float32).reshape(*numbers.shape, 15, 60)


def moved(pictures: np.ndarray, down: int, right: int) -> np.ndarray:
    """Pictures moved by so many pixels; what leaves is lost, what enters is ground."""
    out = np.zeros_like(pictures)
    height, width = pictures.shape[-2:]
    for y, x in product(range(height), range(width)):
        if 0 <= y - down < height and 0 <= x - right < width:
            out[..., y, x] = pictures[..., y - down, x - right]
    return out


def noise(shape: tuple[int, ...], seed: int = 5001) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def perceived(run: va.Run, pictures: np.ndarray) -> Perceived:
    found = run.perceive(pictures)
    assert found is not None
    return found


def check(operation: str, numbers: np.ndarray, pictures: np.ndarray) -> None:
    """Every cell is readable, and every answer is what Python calculates."""
    run = find(operation, learner="columns").load()
    assert bool(perceived(run, pictures).readable.all())
    texts = run.read(run.predict(pictures)[:, 0]).texts
    assert texts == [f"{RULES[operation](int(a), int(b)):07}" for a, b in numbers]


# What is read although it was not trained on


@pytest.mark.parametrize("operation", RULES)
def test_every_shift_of_up_to_two_pixels_costs_nothing(operation: str) -> None:
    numbers = pairs(operation, len(SHIFTS))
    pictures = np.stack([moved(each, *shift) for each, shift in zip(typeset(numbers), SHIFTS, strict=True)])
    check(operation, numbers, pictures)


@pytest.mark.parametrize("operation", RULES)
@pytest.mark.parametrize(
    ("contrast", "ground", "sigma"),
    [(0.5, 0, 0), (0.3, 0, 0), (0.3, 0.6, 0), (-1, 1, 0), (1, 0, 0.1), (0.5, 0.2, 0.1), (-0.5, 0.9, 0.1)],
)
def test_contrast_ground_and_noise_cost_nothing(operation: str, contrast: float, ground: float, sigma: float) -> None:
    numbers = pairs(operation, PAIRS)
    inputs = moved(typeset(numbers), 2, -1) if sigma else typeset(numbers)
    check(operation, numbers, ground + contrast * inputs + sigma * noise(inputs.shape))


def test_both_inputs_are_moved_and_faded_each_in_its_own_way() -> None:
    numbers = pairs("add", PAIRS)
    pictures = typeset(numbers)
    pictures[:, 0], pictures[:, 1] = 0.4 * moved(pictures[:, 0], 2, 2), 1 - 0.6 * moved(pictures[:, 1], -1, -2)
    check("add", numbers, pictures)


def test_clean_pictures_are_read_with_full_confidence() -> None:
    for operation in RULES:
        found = perceived(find(operation).load(), typeset(pairs(operation, 2_000)))
        assert bool(found.readable.all())
        assert float(found.sure.min()) > 0.999


def test_a_learner_of_other_lengths_perceives_too() -> None:
    run = find("add").load().at(12)
    pictures = run.task.typeset((123456789012, 210987654321))
    assert bool(perceived(run, moved(pictures, 1, 2)[None] * 0.5).readable.all())
    assert run.read(run.predict(moved(pictures, 1, 2)[None] * 0.5)[:, 0]).texts == ["334444443333"]


# What cannot be read


def test_foreign_pictures_are_unreadable_or_read_right() -> None:
    run = find("add").load()
    for each in foreign(share=10, seed=5200):
        found = perceived(run, np.repeat(each.pictures[:, None], 2, 1))
        read = digits_of_glyphs(run)[found.which[:, 0].numpy()]
        wrong = found.legible.numpy() & (read != each.digits).any(1)
        assert not wrong.any(), each.kind
        assert not found.legible.any() or each.kind.startswith("other"), each.kind


def test_what_upside_down_digits_show() -> None:
    """A turned 6 is a 9; the digits that show none are marked."""
    assert [int(digit) for digit in TURNED] == [0, -1, -1, -1, -1, -1, 9, -1, 8, 6]
    shown = next(each for each in foreign(share=100, seed=5200) if each.kind == "upside down")
    again = shown.pictures[:, ::-1, ::-1]
    run = find("add").load()
    found = perceived(run, np.stack([again, again], 1))
    assert bool(found.readable.all())  # turned back they are of the training font
    read = digits_of_glyphs(run)[found.which[:, 0].numpy()]
    assert (TURNED[read[:, ::-1]] == shown.digits).all()


def test_one_foreign_cell_does_not_spoil_the_others() -> None:
    numbers = pairs("add", 40)
    pictures, other = typeset(numbers), typeset(numbers, "DejaVuSerif-Bold")
    pictures[:, 1, :, 26:34] = other[:, 1, :, 26:34]  # the fourth cell of the second input
    disturbed = 0.6 * moved(pictures, -1, 2) + 0.2 + 0.03 * noise(pictures.shape)
    for shown in (pictures, disturbed):
        found = perceived(find("add").load(), shown)
        for row in range(len(numbers)):
            assert found.unreadable(row) == [[], [3]]
            assert found.confidence(row) == 0


@pytest.mark.parametrize("grey", [0.0, 0.5, 1.0])
def test_a_picture_without_ink_is_unreadable(grey: float) -> None:
    shown = np.stack([np.full((15, 60), grey, np.float32), typeset(np.array([42]))[0]])[None]
    assert perceived(find("add").load(), shown).unreadable() == [list(range(7)), []]


def test_permuted_pixels_are_not_moved() -> None:
    """Their neighbours are unknown: exact pictures are read, moved ones are not."""
    layout = Typeface().layout(DIGITS, 7).permuted(np.random.default_rng(5000).permutation(900))
    symbols = np.random.default_rng(5001).integers(0, 10, (20, 7))
    pictures = torch.from_numpy(layout.typeset(symbols) / 255).float()[:, None]
    places, glyphs = torch.from_numpy(layout.places), torch.from_numpy(layout.patterns)
    found = perceive(0.5 * pictures, places, glyphs)
    assert found.which[:, 0].tolist() == symbols.tolist()
    assert bool(found.readable.all())
    assert not perceive(pictures.roll(1, -1), places, glyphs).legible.any()


def test_copies_of_a_glyph_are_no_rivals() -> None:
    """Clusters without cells of their own are copies of the first."""
    layout = Typeface().layout(DIGITS, 7)
    glyphs = torch.from_numpy(np.concatenate([layout.patterns, layout.patterns[:1]]))
    pictures = torch.from_numpy(layout.typeset(np.zeros((1, 1, 7), int)) / 255).float()
    found = perceive(0.5 * pictures, torch.from_numpy(layout.places), glyphs)
    assert bool(found.readable.all())
    assert found.which.tolist() == [[[0] * 7]]


# Roman numerals, in which blank is a symbol


def test_roman_numerals_are_perceived() -> None:
    run = find("add", "roman").load()
    pictures = run.task.typeset((1666, 333))[None]
    for shown in (pictures, moved(pictures, 1, -2), 0.3 + 0.5 * moved(pictures, -2, 1), 1 - pictures):
        assert bool(perceived(run, shown).readable.all())
        assert run.read(run.predict(shown)[:, 0]).texts == ["MDCCCCLXXXXVIIII"]
    assert not perceived(run, pictures[..., ::-1, :].copy()).legible.any()


def test_no_roman_numeral_at_all_is_zero_but_grey_is_unreadable() -> None:
    run = find("add", "roman").load()
    shown = run.task.typeset((0, 7))[None]
    assert not shown[0, 0].any()
    assert perceived(run, shown).legible.all()
    shown[0, 0] = 0.5
    assert not perceived(run, shown).legible.any()


# What is said of it


def test_learners_without_perception_say_nothing() -> None:
    run = find("add", learner="perceptron").load()
    assert run.perceive(typeset(pairs("add", 1))) is None
    assert run.judge(pairs=20).unreadable_inputs is None
    assert input_lines(None) == []


def test_answers_to_unreadable_inputs_count_as_wrong(adder: va.Run) -> None:
    task = va.Task("add", digits=4, typeface=Typeface(font=str(shipped_font("DejaVuSans-Bold.ttf"))))
    inputs = task.fresh(50, seed=5000)
    shown = va.PictureSet.from_arrays(
        task.plain_layout.typeset(inputs.inputs),
        adder.task.plain_layout.typeset(inputs.answers),
        text=[adder.task.notation.text(row[0]) for row in inputs.answers],
    )
    judged = adder.judge(pictures=shown)
    assert judged.unreadable_inputs == 50
    assert judged.score
    assert judged.score.digit_error == 1
    assert adder.judge(pairs=200, seed=5000).unreadable_inputs == 0


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pictures")
    shown = {"clean": typeset(np.array([1234567]))[0], "bold": typeset(np.array([2]), "DejaVuSans-Bold")[0]}
    shown["one"] = shown["clean"].copy()
    shown["one"][:, 10:18] = shown["bold"][:, 10:18]
    for name, picture in shown.items():
        write_png(picture, folder / f"{name}.png")
    return {name: folder / f"{name}.png" for name in shown}


def test_predict_says_which_cells_are_unreadable(capsys: pytest.CaptureFixture[str], files: dict[str, Path]) -> None:
    folder = find("add").folder
    arguments = "predict", folder, files["clean"], files["one"], "--out", "out.png"
    code, out, _ = call(capsys, *arguments)
    assert code == 0
    assert "inputs   unreadable: input 2, cell 2\n" in out
    _, out, _ = call(capsys, *arguments, "--json")
    told = json.loads(out)
    assert (told["unreadable"], told["input_confidence"]) == ([[], [1]], 0.0)
    assert told["confidence"] > 0.9  # that of the drawing is another
    _, out, _ = call(capsys, "predict", folder, files["clean"], files["clean"], "--out", "out.png")
    assert "inputs   confidence 1.00\nreading  2469134" in out


def test_calculate_tells_both_confidences(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "calculate", "12 + 30", "--json")
    told = json.loads(out)
    assert (told["correct"], told["input_confidence"], told["unreadable"]) == (True, 1.0, [[], []])
    _, out, _ = call(capsys, "calculate", "12 + 30", "--learner", "perceptron", "--json")
    told = json.loads(out)
    assert (told["input_confidence"], told["unreadable"]) == (None, None)


def test_calculate_never_calls_unreadable_inputs_right(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: va.Run, pictures: np.ndarray) -> Perceived:
        cells = torch.zeros(*pictures.shape[:2], 7)
        return Perceived(cells.long(), cells, cells.bool())

    monkeypatch.setattr(va.Run, "perceive", refused)
    _, out, _ = call(capsys, "calculate", "12 + 30")
    assert out.endswith("truth    0000042\nunreadable\n")
    assert "unreadable: input 1, cells 1, 2, 3, 4, 5, 6, 7; input 2" in out
    _, out, _ = call(capsys, "calculate", "12 + 30", "--json")
    assert json.loads(out)["correct"] is None


def as_json(picture: np.ndarray) -> dict[str, object]:
    text = base64.b64encode((255 * picture).round().astype(np.uint8).tobytes()).decode()
    return {"height": 15, "width": 60, "pixels": text}


def test_the_api_says_it_and_never_calls_it_correct() -> None:
    clean = typeset(np.array([1234567]))[0]
    one = clean.copy()
    one[:, 10:18] = typeset(np.array([2345678]), "DejaVuSans-Bold")[0][:, 10:18]
    question = {"op": "add", "learner": "columns", "pictures": [as_json(clean), as_json(one)]}
    with TestClient(application(), base_url="http://127.0.0.1:8000") as client:
        told = client.post("/api/predict", json=question).json()
        assert (told["unreadable"], told["input_confidence"], told["correct"]) == ([[], [1]], 0.0, None)
        assert {cell["right"] for cell in told["reading"]["cells"]} == {None}
        question["pictures"] = [as_json(clean), as_json(moved(clean, 1, -2))]
        told = client.post("/api/predict", json=question).json()
        assert (told["unreadable"], told["reading"]["text"]) == ([[], []], "2469134")
        told = client.post("/api/predict", json=question | {"learner": "perceptron"}).json()
        assert told["unreadable"] == [[], list(range(7))]  # templates tell, and they know no shifts


# The copy in JavaScript

PERCEIVE = """(stored, all) => {
    const run = new visarithModules["networks.js"].Run(JSON.parse(stored));
    return all.map((pictures) => run.perceived(pictures));
}"""


@pytest.mark.parametrize(("operation", "notation"), [("add", "arabic"), ("multiply", "arabic"), ("add", "roman")])
def test_the_browser_perceives_alike(bare: Browser, operation: str, notation: str) -> None:
    run = find(operation, notation).load()
    clean = np.concatenate([run.task.typeset(pair)[None] for pair in ((1666, 333), (7, 2998))])
    shown = [clean, moved(clean, 2, -1), 0.5 * clean + 0.1 * noise(clean.shape), 1 - 0.3 * moved(clean, -2, 2)]
    shown += [clean[..., ::-1, ::-1], 0 * clean + 0.4, noise(clean.shape), clean + 0.3 * noise(clean.shape, 5002)]
    pictures = np.concatenate(shown).astype(np.float32)
    expected = perceived(run, pictures)
    assert 0 < int(expected.legible.sum()) < len(pictures)
    flat = [[each.ravel().tolist() for each in pair] for pair in pictures]
    told = bare.run(PERCEIVE, json.dumps(exported(run.task, run.learner)), flat)
    for row, pair in enumerate(told):
        for number, cells in enumerate(pair):
            assert [cell["readable"] for cell in cells] == expected.readable[row, number].tolist()
            known = expected.readable[row, number]
            which = torch.tensor([cell["which"] for cell in cells])
            assert bool((which == expected.which[row, number])[known].all())
            sure = torch.tensor([cell["sure"] for cell in cells])
            assert float((sure - expected.sure[row, number]).abs().max()) < 1e-2


def test_a_cell_may_differ_as_much_as_nine_of_ten_fonts_do() -> None:
    """Eleven glyphs of one kind on a line, the next one at 1, 2, ..., 10 pixels, and one glyph of another kind."""
    at = torch.tensor([0.0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 56])
    cells = torch.stack([at, torch.ones(12)], dim=1)  # two pixels
    glyphs = Glyphs(cells, torch.tensor([0] * 11 + [11]))
    nearest = torch.tensor([1.0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])  # by hand
    nine_of_ten = float(nearest.square().quantile(0.9)) / 2
    assert glyphs.like[:11].tolist() == pytest.approx([nine_of_ten] * 11)
    assert float(glyphs.like[11]) == float(glyphs.close[11])  # it is alone
