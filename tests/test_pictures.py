"""Picture sets: made from arrays, folders, files and datasets; learned from with nothing known but pixels."""

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

import visarith as va
from command_line import complaint, run
from conftest import HARDLY, QUICK, Stop, refusal
from visarith.data.view import View
from visarith.runs.store import Store
from visarith.training.recipe import ADAM, COLUMNS, PAPER

SHAPE = (6, 9)


def dots(count: int = 600, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Pictures that have nothing to do with digits: a few dots, and the same picture mirrored."""
    dice = np.random.default_rng(seed)
    inputs = np.zeros((count, 1, *SHAPE), np.uint8)
    for picture in inputs[:, 0]:
        for _ in range(5):
            picture[dice.integers(SHAPE[0]), dice.integers(SHAPE[1])] = 255
    return inputs, inputs[:, :, :, ::-1].copy()


def sums(digits: int = 2, padded: bool = True) -> va.PictureSet:
    """Every pair of a small addition, as somebody else would bring it."""
    task = va.Task("add", digits=digits, padded=padded)
    return task.picture_set(task.write(np.array(task.domain.all()))).as_pictures()


def write_folder(folder: Path, pictures: va.PictureSet, suffix: str = "png", **more: list[str]) -> Path:
    """The pictures as files with a manifest; `more` are further columns."""
    folder.mkdir()
    inputs, answers = pictures.raw(slice(0, len(pictures)))
    columns = [f"input_{i + 1}" for i in range(inputs.shape[1])] + ["answer"] + list(more)
    with (folder / "manifest.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row, (shown, drawn) in enumerate(zip(inputs, answers, strict=True)):
            names = []
            for number, picture in enumerate([*shown, *drawn]):
                names.append(f"{row}-{number}.{suffix}")
                Image.fromarray(picture).save(folder / names[-1])
            writer.writerow([*names, *(values[row] for values in more.values())])
    return folder


def lines(pictures: va.PictureSet) -> list[str]:
    assert pictures.text is not None
    return [line for (line,) in pictures.text]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pairs of two digits, right-aligned without leading zeros, with their text."""
    pictures = sums(padded=False)
    return write_folder(tmp_path_factory.mktemp("sets") / "my sums", pictures, text=lines(pictures))


# What they are


def test_a_picture_set_is_a_dataset_and_can_be_made_from_one() -> None:
    inputs, answers = dots(20)
    pictures = va.PictureSet(inputs, answers)
    assert isinstance(pictures, Dataset)
    shown, drawn = next(iter(DataLoader(pictures, batch_size=8)))
    assert shown.shape == drawn.shape == (8, 1, *SHAPE)
    assert torch.equal(shown[3] * 255, torch.from_numpy(inputs[3]).float())
    again = va.PictureSet.from_dataset(pictures)
    assert all(np.array_equal(a, b) for a, b in zip(again.raw(slice(0, 20)), (inputs, answers), strict=True))
    plain = [(torch.from_numpy(a[0]), torch.from_numpy(b[0])) for a, b in zip(inputs, answers, strict=True)]
    assert va.PictureSet.from_dataset(plain).spec.inputs == 1
    assert len(list(iter_all(pictures))) == 20


def iter_all(pictures: va.PictureSet) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    yield from (pictures[i] for i in range(len(pictures)))


def test_floats_and_bytes_are_the_same_pictures() -> None:
    inputs, answers = dots(20)
    floats = va.PictureSet(inputs / 255, (answers / 255).astype(np.float32))
    assert floats.fingerprint == va.PictureSet(inputs, answers).fingerprint
    smooth = va.PictureSet(np.random.default_rng(0).random((4, 1, 3, 3)), answers[:4])
    assert smooth[0][0].dtype == torch.float32


def test_means_are_those_of_numpy() -> None:
    inputs, answers = dots(50)
    pictures = va.PictureSet(inputs, answers)
    assert np.allclose(pictures.mean_inputs.numpy(), inputs.mean(0) / 255, atol=1e-6)
    assert np.allclose(pictures.mean_targets.numpy(), answers.mean(0) / 255, atol=1e-6)


def test_the_codebook_says_every_pixel_and_no_meaning() -> None:
    pictures = sums()
    shown, drawn = pictures.raw(slice(0, len(pictures)))
    for book in (pictures.codebook, pictures.view().codebook):
        assert book is not None
        assert np.array_equal(book.inputs.layout.typeset(book.inputs.codes), shown)
        assert np.array_equal(book.answers.layout.typeset(book.answers.codes), drawn)
    task = va.Task("add", digits=2)
    learner_sees = task.split(100, 20, seed=0)[0].view().codebook
    assert learner_sees is not None
    assert not set(learner_sees.inputs.layout.alphabet) & set("0123456789")
    examples = task.examples(100, 20, seed=0)[0]
    assert not np.array_equal(learner_sees.inputs.codes, examples.inputs)  # a cell's number is not its digit
    assert va.PictureSet(*dots()).view().codebook is None


def test_white_ground_has_a_codebook_too() -> None:
    shown, drawn = sums().raw(slice(0, 400))
    book = va.PictureSet(255 - shown, 255 - drawn).codebook
    assert book is not None
    assert np.array_equal(book.inputs.layout.typeset(book.inputs.codes), 255 - shown)


@pytest.mark.parametrize("name", ["truth", "text", "operands", "symbols", "task", "legend"])
def test_what_a_learner_is_handed_has_no_truth(name: str) -> None:
    for pictures in (va.Task("add", digits=2).split(50, 10, seed=0)[0], sums()):
        view = pictures.view()
        assert type(view) is View
        with pytest.raises(va.VisarithError, match="a learner sees pixels only"):
            getattr(view, name)
        assert not view.spec.told


def test_noise_cannot_be_looked_behind() -> None:
    view = va.Task("add", digits=2, noise=0.3).split(50, 10, seed=0)[0].view()
    assert view.codebook is None
    with pytest.raises(va.VisarithError, match="not the clean ones behind them"):
        view.raw(slice(0, 3))


def test_a_tenth_is_held_out_by_seed_and_twins_stay_together() -> None:
    inputs, answers = dots(300)
    twice = va.PictureSet(np.concatenate([inputs, inputs]), np.concatenate([answers, answers]))
    train, test = twice.split(seed=1)
    assert len(test) == 60
    assert len(train) == 540
    assert test.seen_in(train) == 0
    again, other = twice.split(seed=1)[1], twice.split(seed=2)[1]
    assert again.fingerprint == test.fingerprint != other.fingerprint


def test_a_split_that_is_given_is_kept() -> None:
    inputs, answers = dots(10)
    marked = va.PictureSet(inputs, answers, split=["train"] * 7 + ["test"] * 3)
    train, test = marked.split(seed=5)
    assert (len(train), len(test)) == (7, 3)
    assert np.array_equal(test.raw(slice(0, 3))[0], inputs[7:])
    assert marked.sizes(seed=0) == (7, 3)
    assert refusal(marked.sizes, 8, seed=0) == "8 examples were asked for, but pictures has 7; ask for fewer"


def test_short_descriptions_and_a_picture_for_notebooks() -> None:
    pictures, task = sums(), va.Task("add", noise=0.3)
    assert repr(pictures) == "PictureSet(2,500 examples: 2 of 15 x 20 -> 1 of 15 x 20)"
    assert repr(task) == "Task('add', notation='arabic', digits=7, noise=0.3)"
    for shown in (pictures, task):
        assert shown._repr_html_().startswith('<img alt="inputs and answers" src="data:image/png;base64,')


# Learning from them


def test_the_perceptron_learns_to_mirror_dots(tmp_path: Path) -> None:
    pictures, settings = va.PictureSet(*dots(3_000)), {"recipe": replace(ADAM, batch=32), "threads": 1}
    one_layer = va.learner_config(hidden_layers=1)
    learned = va.learn(pictures, one_layer, epochs=20, out=tmp_path / "run", **settings)  # type: ignore[arg-type]
    error = learned.picture_error
    assert error is not None
    assert error.share < 0.1
    assert learned.score is None
    truth = pictures.take(slice(0, 5))
    drawn = learned.predict(truth.raw(slice(0, 5))[0] / 255)
    assert np.abs(drawn - truth.clean_answers(slice(0, 5))).mean() < 0.03
    again = va.load(learned.path)
    assert again.picture_error == error
    assert repr(again).endswith(f"pictures by 1 x 256 perceptron, picture error {error.error:.4f})")
    assert learned._repr_html_().startswith("<img")
    assert again._repr_html_().startswith("Run(")  # these pictures were not on the disk
    assert "give them as `pictures`" in refusal(again.judge)
    assert again.judge(pictures=pictures).picture == error  # of its own pictures those held out
    assert "have no text, so no reading can be scored" in refusal(va.learn, pictures, tesseract=5)
    shuffled = va.PictureSet(dots(3_000)[0], dots(3_000, seed=1)[1])  # the control: answers of other pictures
    control = va.learn(shuffled, epochs=5, out=tmp_path / "control", **settings).picture_error  # type: ignore[arg-type]
    assert control is not None
    assert control.share > 0.9


@pytest.mark.parametrize("learner", ["convolutional", "recurrent"])
def test_other_learners_learn_from_pictures(tmp_path: Path, learner: str) -> None:
    settings = {"recipe": QUICK, "epochs": 12, "threads": 1, "tesseract": 0}
    learned = va.learn(sums(), learner, out=tmp_path / "run", **settings)  # type: ignore[arg-type]
    assert learned.picture_error is not None
    assert learned.picture_error.share < 0.9
    assert learned.score is not None
    assert learned.score.reader == "templates"


def test_columns_find_cells_learn_exactly_and_remember_where_cells_are(folder: Path, tmp_path: Path) -> None:
    pictures = va.PictureSet.from_folder(folder)
    recipe = replace(COLUMNS, epochs=20, least_steps=1_000)
    learned = va.learn(pictures, "columns", recipe, threads=1, tesseract=50, out=tmp_path / "run")
    assert learned.score is not None
    assert learned.score.number_error == 0
    assert learned.facts["cells"] == "found"
    assert learned.tesseract is not None
    assert learned.tesseract.digit_error < 0.2
    weights = Store(learned.path).weights()
    assert weights["found_cells"].tolist() == [0, 10, 2]  # left, pixels a cell, cells
    assert va.load(learned.path).learner.facts() == learned.facts


def test_templates_come_from_the_training_answers_alone() -> None:
    pictures = sums()
    train, test = pictures.split(seed=0)
    legend = train.legend
    assert legend is not None
    assert legend.layout is not None
    assert set(legend.layout.alphabet) == set("0123456789 ")
    read = legend.reader("templates").read(test.clean_answers(slice(0, len(test)))[:, 0])
    assert read.texts == lines(test)


def test_pictures_without_cells_are_read_by_tesseract_alone(tmp_path: Path) -> None:
    clean = sums()
    shown, drawn = clean.raw(slice(0, 500))
    dice = np.random.default_rng(0)
    blurred = [np.clip(part + dice.normal(0, 3, part.shape), 0, 255).astype(np.uint8) for part in (shown, drawn)]
    pictures = va.PictureSet(*blurred, text=lines(clean)[:500])
    assert pictures.codebook is None
    learned = va.learn(pictures, epochs=1, threads=1, tesseract=20, out=tmp_path / "run")
    assert learned.score is None
    assert learned.tesseract is not None
    assert learned.tesseract.pairs == 20
    with pytest.raises(va.VisarithError, match=r"do not repeat exactly in these pictures; .*`learner='perceptron'`"):
        va.learn(pictures, "columns", threads=1, out=tmp_path / "columns")
    assert not (tmp_path / "columns").exists()


def test_learners_that_are_told_symbols_refuse_pictures(tmp_path: Path) -> None:
    for name in ("symbols", "tally"):
        assert "use `learner='columns'` or perceptron" in refusal(va.learn, sums(), name, out=tmp_path / name)
    assert "needs the task" in refusal(va.learner_config("constructed").build, sums())


@pytest.mark.usefixtures("short_trials")
def test_a_stopped_run_of_pictures_resumes_to_the_same_bits(folder: Path, tmp_path: Path) -> None:
    pictures = va.PictureSet.from_folder(folder)
    settings: dict[str, object] = {"epochs": 3, "threads": 1, "tesseract": 0}
    for learner, recipe in (("perceptron", PAPER), ("columns", HARDLY)):
        settings["recipe"] = recipe
        whole = va.learn(pictures, learner, out=tmp_path / f"{learner}-whole", **settings)  # type: ignore[arg-type]
        out = tmp_path / f"{learner}-stopped"
        with pytest.raises(KeyboardInterrupt):
            va.learn(pictures, learner, out=out, watcher=Stop(epoch=1), **settings)  # type: ignore[arg-type]
        resumed = va.learn(pictures, learner, out=out, resume=True, **settings)  # type: ignore[arg-type]
        name = "weights.safetensors"
        assert (resumed.path / name).read_bytes() == (whole.path / name).read_bytes()
    other = va.PictureSet(*dots(100))
    assert "holds another run (its pictures" in refusal(
        va.learn, other, out=tmp_path / "perceptron-whole", **settings | {"recipe": PAPER}
    )


def test_examples_of_training_among_the_test_examples_are_counted(tmp_path: Path) -> None:
    inputs, answers = dots(20)
    same = np.concatenate([inputs, inputs[:5]]), np.concatenate([answers, answers[:5]])
    marked = va.PictureSet(*same, split=["train"] * 20 + ["test"] * 5)
    assert va.learn(marked, epochs=1, threads=1, out=tmp_path / "run").seen == 5


# The command line


def test_train_evaluate_predict_and_runs(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = ("--width", "32", "--epochs", "2", "--threads", "1", "--tesseract", "20")
    code, out, _ = run(capsys, "train", "--pictures", folder, *few)
    assert code == 0
    assert "250 held-out pictures, compared pixel by pixel" in out
    assert "always drawing the mean answer" in out
    assert "read by Tesseract" in out
    path = tmp_path / "runs" / "my-sums-32wide-2epochs"
    assert (path / "legend.json").exists()
    code, out, _ = run(capsys, "train", "--pictures", folder, *few, "--json")
    told = json.loads(out)
    assert told["pictures"] == "my-sums"
    assert told["picture_error"]["mean_answer_error"] > 0
    code, out, _ = run(capsys, "evaluate", path, "--json")
    again = json.loads(out)
    assert again["picture_error"]["error"] == pytest.approx(told["picture_error"]["error"])
    assert again["digit_error"] == told["digit_error"]
    code, out, _ = run(capsys, "evaluate", path, "--pictures", folder, "--pairs", "40")
    assert "40 pictures, compared pixel by pixel" in out
    code, out, _ = run(
        capsys, "predict", path, folder / "7-0.png", folder / "7-1.png", "--out", tmp_path / "answer.png"
    )
    assert code == 0
    assert "reading" in out
    with Image.open(tmp_path / "answer.png") as answer:
        assert answer.size == (20, 15)
    code, out, _ = run(capsys, "runs", "--json")
    (row,) = json.loads(out)["runs"]
    assert row["pictures"] == "my sums"
    assert row["state"] == "finished"
    monkeypatch.chdir(tmp_path.parent)
    folder.rename(folder.with_name("elsewhere"))
    try:
        assert f"{folder} does not exist" in complaint(capsys, "evaluate", path)
    finally:
        folder.with_name("elsewhere").rename(folder)


def test_what_pictures_cannot_be_told_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert complaint(capsys, "train") == (
        "nothing says what is to be learned; name an operation such as add, or give --pictures DIR"
    )
    assert complaint(capsys, "train", "add", "--pictures", folder) == (
        "--pictures says what is to be learned; leave 'add' out"
    )
    assert complaint(capsys, "train", "--pictures", folder, "--noise", "0.3") == (
        "--noise is for pictures that are drawn here, not for --pictures; leave it out"
    )
    assert not Path("runs").exists()


# Bad input


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda f: (f / "0-0.png").unlink(), "0-0.png does not exist; give a PNG or JPEG file"),
        (lambda f: (f / "0-0.png").write_bytes(b"nothing"), "0-0.png is not a PNG or JPEG picture"),
        (lambda f: Image.new("L", (5, 5)).save(f / "1-0.png"), "1-0.png is 5 x 5, but"),
        (lambda f: Image.new("1", (3000, 3000)).save(f / "0-0.png"), "has 9,000,000 pixels, more than 4,000,000"),
        (lambda f: (f / "manifest.csv").unlink(), "manifest.csv does not exist"),
        (lambda f: (f / "manifest.csv").write_text("input_1,answer,size\na,b,c\n"), "unknown column 'size'"),
        (lambda f: (f / "manifest.csv").write_text("input_1\na\n"), "has no column answer"),
        (lambda f: (f / "manifest.csv").write_text("input_1,input_3,answer\na,b,c\n"), "number them input_1, input_2"),
        (lambda f: (f / "manifest.csv").write_text("input_1,answer\na.png\nb,c\n"), "line 2 of"),
        (lambda f: (f / "manifest.csv").write_text("input_1,answer\n0-0.png,0-2.png\n"), "too few examples (1)"),
        (
            lambda f: (f / "manifest.csv").write_text("input_1,answer\n../x.png,0-2.png\n" * 2),
            "is not a file of this folder",
        ),
        (
            lambda f: (f / "manifest.csv").write_text("input_1,answer\n/etc/hosts,0-2.png\n" * 2),
            "is not a file of this",
        ),
        (lambda f: (f / "manifest.csv").write_bytes(b"\xff\xfe\x00input"), "cannot be read as CSV"),
        (
            lambda f: (f / "manifest.csv").write_text("input_1,answer,split\n" + "0-0.png,0-2.png,dev\n" * 2),
            "split 'dev' of example 1 is unknown; use train or test",
        ),
        (
            lambda f: (f / "manifest.csv").write_text("input_1,answer,split\n" + "0-0.png,0-2.png,test\n" * 2),
            "split has no train example",
        ),
        (
            lambda f: (f / "manifest.csv").write_text("input_1,answer\n" + "0-0.png,0-2.png\n" * 3),
            "all inputs of bad are the same",
        ),
    ],
)
def test_a_bad_folder_is_refused_in_one_line(  # type: ignore[no-untyped-def]
    damage, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_folder(tmp_path / "bad", sums().take(slice(0, 4)))
    damage(folder)
    assert said in complaint(capsys, "train", "--pictures", folder)
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"inputs": np.zeros((3, 1, 4, 4), np.uint8)}, "has no array 'answers'"),
        ({"inputs": np.zeros((3, 4, 4), np.uint8), "answers": np.zeros((3, 1, 4, 4), np.uint8)}, "of shape (3, 4, 4)"),
        ({"inputs": np.zeros((3, 1, 4, 4)), "answers": np.zeros((3, 1, 4, 4), np.uint8)}, "inputs in"),
        ({"inputs": np.zeros((3, 1, 4, 4), np.uint8), "answers": np.zeros((2, 1, 4, 4), np.uint8)}, "3 inputs have 2"),
        ({"inputs": np.zeros((1, 1, 4, 4), np.uint8), "answers": np.zeros((1, 1, 4, 4), np.uint8)}, "1 examples are"),
        ({"inputs": np.array([None, {}], object), "answers": np.zeros(2)}, "it holds pickled objects"),
        ({"inputs": np.zeros((2, 1, 4, 4), np.uint8), "labels": np.zeros(2)}, "unknown array 'labels'"),
        (
            {
                "inputs": np.zeros((2, 1, 4, 4), np.uint8),
                "answers": np.zeros((2, 1, 4, 4), np.uint8),
                "text": np.array([1, 2]),
            },
            "text in",
        ),
    ],
)
def test_a_bad_file_is_refused_in_one_line(
    arrays: dict[str, np.ndarray], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "bad.npz", **arrays)
    assert said in complaint(capsys, "train", "--pictures", tmp_path / "bad.npz")
    assert not Path("runs").exists()


def test_what_is_no_set_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "does not exist; give a folder" in complaint(capsys, "train", "--pictures", tmp_path / "nowhere")
    (tmp_path / "a.txt").write_text("a")
    assert "is neither a folder nor an .npz file" in complaint(capsys, "train", "--pictures", tmp_path / "a.txt")
    (tmp_path / "b.npz").write_text("no archive")
    assert "is not an .npz file of arrays" in complaint(capsys, "train", "--pictures", tmp_path / "b.npz")


def test_wrong_arrays_are_named() -> None:
    fine = np.zeros((3, 1, 4, 4), np.uint8)
    assert "of shape (3, 4) are not pictures" in refusal(va.PictureSet, np.zeros((3, 4)), fine)
    assert "of type int64 are not pictures" in refusal(va.PictureSet, fine.astype(np.int64), fine)
    assert "from 0 to 2 are out of range" in refusal(va.PictureSet, fine + np.array([0.0, 2.0, 0, 0]), fine)
    assert "text does not fit 3 examples" in refusal(va.PictureSet, fine, fine, text=["1", "2"])
    assert "split has 1 entries for 3 examples" in refusal(va.PictureSet, fine, fine, split=["train"])
    assert "are not pairs of pictures of one size" in refusal(va.PictureSet.from_dataset, [1, 2])


def test_colours_and_photographs_become_grey(tmp_path: Path) -> None:
    folder = tmp_path / "colours"
    folder.mkdir()
    red = np.zeros((6, 8, 3), np.uint8)
    red[2:4, 2:4] = (255, 0, 0)
    blue = red[..., ::-1].copy()
    for name, colours in (("a.png", red), ("b.png", blue), ("a.jpg", red), ("b.jpg", blue)):
        Image.fromarray(colours).save(folder / name)
    rows = ["input_1,answer", "a.png,a.png", "b.png,b.png", "a.jpg,a.png", "b.jpg,b.png"]
    (folder / "manifest.csv").write_text("\n".join(rows) + "\n")
    shown, _ = va.PictureSet.from_folder(folder).raw(slice(0, 4))
    assert shown[0, 0, 2, 2] == round(255 * 0.299)
    assert shown[1, 0, 2, 2] == round(255 * 0.114)
    assert abs(int(shown[2, 0].max()) - 76) < 40


# What a reviewer found


def test_text_that_training_never_saw_is_wrong_and_no_error(tmp_path: Path) -> None:
    clean = sums().take(slice(0, 60))
    text = lines(clean)
    text[-1] = "Z9" * 20  # a character and a length that no training text has
    shown, drawn = clean.raw(slice(0, 60))
    marked = va.PictureSet(shown, drawn, text=text, split=["train"] * 50 + ["test"] * 10)
    learned = va.learn(marked, epochs=1, threads=1, tesseract=0, out=tmp_path / "run")
    assert learned.score is not None
    legend = learned.readable
    truth = marked.take(slice(50, 60)).truth_in(legend)
    assert truth is not None
    assert (truth[-1] == len(legend.notation.alphabet)).all()
    assert legend.notation.text(truth[-1, 0]) == "??"
    assert va.PictureSet(shown, drawn, text=[" "] * 60).legend.layout is None  # type: ignore[union-attr]
    spaced = va.PictureSet(shown, drawn, text=[f" {line[0]} {line[1:]} " for line in lines(clean)])
    assert spaced.legend.reader("templates").read(clean.clean_answers(slice(0, 60))[:, 0]).texts == lines(clean)  # type: ignore[union-attr]


def test_dark_ink_on_white_ground_is_read() -> None:
    unpadded = sums(padded=False)
    shown, drawn = unpadded.raw(slice(0, len(unpadded)))
    white = va.PictureSet(255 - shown, 255 - drawn, text=lines(unpadded))
    legend = white.legend
    assert legend is not None
    assert legend.dark
    reading = legend.reader("templates").read(white.clean_answers(slice(0, 500))[:, 0])
    assert reading.texts == lines(unpadded)[:500]
    assert np.isfinite(reading.confidence).all()
    same = unpadded.legend.reader("tesseract").read(unpadded.clean_answers(slice(0, 30))[:, 0])  # type: ignore[union-attr]
    assert legend.reader("tesseract").read(white.clean_answers(slice(0, 30))[:, 0]).texts == same.texts


def test_the_mean_answer_is_that_of_training_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs, answers = dots(60)
    answers[50:] = 255 - answers[50:]
    np.savez(tmp_path / "set.npz", inputs=inputs, answers=answers, split=np.array(["train"] * 50 + ["test"] * 10))
    few = ("--epochs", "1", "--threads", "1", "--out", tmp_path / "run", "--json")
    trained = json.loads(run(capsys, "train", "--pictures", tmp_path / "set.npz", *few)[1])["picture_error"]
    assert json.loads(run(capsys, "evaluate", tmp_path / "run", "--json")[1])["picture_error"] == trained
    same = ("evaluate", tmp_path / "run", "--pictures", tmp_path / "set.npz")
    assert json.loads(run(capsys, *same, "--json")[1])["picture_error"] == trained
    assert "--noise" in complaint(capsys, *same, "--noise", "0.3")
    assert "pairs 0 is too small" in complaint(capsys, *same, "--pairs", "0")
    assert "without text" in complaint(capsys, *same, "--reader", "tesseract")


def test_examples_of_a_task_are_a_picture_set_like_any_other() -> None:
    some = va.Task("add", digits=2).split(200, 50, seed=0)[0]
    train, test = some.split(seed=0)
    assert (len(train), len(test)) == some.sizes(seed=0) == (180, 20)
    assert some.fingerprint == some.as_pictures().fingerprint


def test_a_small_noisy_set_has_no_cells(tmp_path: Path) -> None:
    noisy = np.random.default_rng(0).integers(0, 255, (40, 1, 15, 20)).astype(np.uint8)
    assert "cells do not repeat exactly" in refusal(
        va.learn, va.PictureSet(noisy, noisy), "columns", out=tmp_path / "run"
    )


@pytest.mark.parametrize("name", ["nul\0.png", "loop.png"])
def test_a_name_that_leads_nowhere_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loop.png").symlink_to(tmp_path / "loop.png")
    (tmp_path / "manifest.csv").write_bytes(f"input_1,answer\n{name},{name}\n".encode() * 2)
    assert tmp_path.name in complaint(capsys, "train", "--pictures", tmp_path)


def test_strange_arrays_are_refused() -> None:
    fine = np.zeros((3, 1, 4, 4), np.uint8)
    assert "is not a list of strings" in refusal(va.PictureSet, fine, fine, text=5)
    assert "is not a list" in refusal(va.PictureSet, fine, fine, split=5)
    assert "not pictures of one size" in refusal(va.PictureSet, [[1, 2], [3]], fine)
    assert va.PictureSet(torch.zeros(3, 1, 4, 4, requires_grad=True), fine).spec.inputs == 1  # type: ignore[arg-type]
