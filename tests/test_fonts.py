"""Sets of fonts: each number in one of them, answers in the first; Debian's are fetched once."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch

import visarith as va
from conftest import refusal
from visarith.data.stored import task_from_json
from visarith.learners.perception import perceive
from visarith.learners.resemblance import resembled
from visarith.pictures import fonts
from visarith.pictures.fonts import SETS, Font, font_file
from visarith.pictures.typeface import Typeface, shipped_font

THREE = (Font("Sans", "DejaVuSans.ttf"), Font("Serif", "DejaVuSerif.ttf"), Font("STIX", "STIXGeneral.ttf"))


@pytest.fixture(autouse=True)
def three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SETS, "three", THREE)


def test_no_font_is_in_both_sets() -> None:
    sets = [SETS[name] for name in ("twenty", "unseen", "fresh")]
    assert [len(set(fonts)) for fonts in sets] == [20, 5, 5]
    families = [{font.name.split()[0] for font in fonts} for fonts in sets]
    assert not families[0] & (families[1] | families[2])
    assert not set(sets[1]) & set(sets[2])


def test_each_picture_has_one_font_and_answers_have_the_first() -> None:
    task = va.Task("add", digits=3, typeface=Typeface(fonts="three"))
    train, _ = task.split(300, 1, seed=5000)
    inputs, answers = train.view().raw(slice(None))
    alone = [Typeface(font=str(shipped_font(font.file))).layout("0123456789", 3) for font in THREE]
    seen = set()
    for pair, operands, answer in zip(inputs, train.operands.tolist(), answers, strict=True):
        for picture, number in zip(pair, operands, strict=True):
            digits = np.array([int(digit) for digit in f"{number:03}"])
            drawn = [font for font, layout in enumerate(alone) if (layout.typeset(digits) == picture).all()]
            assert len(drawn) == 1
            seen.add(drawn[0])
        total = np.array([int(digit) for digit in f"{sum(operands):03}"])
        assert (alone[0].typeset(total) == answer[0]).all()
    assert seen == {0, 1, 2}


def test_the_font_of_a_picture_does_not_depend_on_the_others() -> None:
    task = va.Task("add", digits=3, typeface=Typeface(fonts="three"))
    rows = np.array([[12, 34], [56, 78]])
    assert (task.symbols(rows)[1] == task.symbols(rows[1:])[0]).all()


def test_a_task_with_a_set_of_fonts_is_stored() -> None:
    task = va.Task("add", digits=3, typeface=Typeface(fonts="three"))
    again = task_from_json(task.to_json(), "here", None, None)
    assert again.typeface == task.typeface
    assert "fonts" not in va.Task("add").to_json()["typeface"]  # as it was before there were sets


def test_wrong_sets_are_refused() -> None:
    assert "'fifty'" in refusal(lambda: va.Task("add", typeface=Typeface(fonts="fifty")).plain_layout)
    assert "leave one out" in refusal(Typeface, font="x.ttf", fonts="three")
    assert "shows its sign" in refusal(va.Task, "any", typeface=Typeface(fonts="three"))
    big = va.Task("add", base=36, typeface=Typeface(fonts="twenty"))
    SETS["twenty"], kept = THREE * 7, SETS["twenty"]
    try:
        assert "255 glyphs" in refusal(lambda: big.plain_layout)
    finally:
        SETS["twenty"] = kept


def test_debian_fonts_are_fetched_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    called = []

    def fake(command: list[str], *, cwd: str, **_: object) -> None:
        called.append(command[:2])
        if command[0] == "apt-get":
            Path(cwd, "fonts-x_1.deb").touch()
        else:
            assert command[2] == str(Path(cwd, "fonts-x_1.deb"))
            Path(cwd, "files", "usr").mkdir(parents=True)
            Path(cwd, "files", "usr", "X.ttf").write_bytes(b"font")

    monkeypatch.setattr(fonts.subprocess, "run", fake)
    font = Font("X", "X.ttf", "fonts-x")
    for _ in range(2):
        assert font_file(font).read_bytes() == b"font"
    assert called == [["apt-get", "download"], ["dpkg-deb", "-x"]]
    assert "has no Y.ttf" in refusal(font_file, Font("Y", "Y.ttf", "fonts-x"))


def test_what_cannot_be_fetched_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def fail(*_: object, **__: object) -> None:
        raise subprocess.CalledProcessError(100, "apt-get")

    monkeypatch.setattr(fonts.subprocess, "run", fail)
    said = refusal(font_file, Font("X", "X.ttf", "fonts-x"))
    assert "X cannot be fetched (apt-get download failed)" in said
    assert str(tmp_path / "visarith" / "fonts") in said


# Glyphs of many fonts


def glyphs(*files: str) -> np.ndarray:
    layouts = [Typeface(font=str(shipped_font(file))).layout("0123456789", 7) for file in files]
    return np.concatenate([layout.patterns for layout in layouts])


def test_glyphs_of_a_kind_are_no_rivals_and_widen_what_is_read() -> None:
    """Between two fonts there is a third: it is read if both are known to mean the same, and not otherwise."""
    known = torch.from_numpy(glyphs("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"))
    layout = Typeface().layout("0123456789", 7)
    symbols = np.random.default_rng(5000).integers(0, 10, (20, 7))
    between = (known[:10] + known[10:]) / 2
    pictures = torch.zeros(20, 1, 900)
    for row, digits in enumerate(symbols):
        pictures[row, 0, layout.places.ravel()] = between[digits].flatten()
    shown, places = pictures.view(20, 1, 15, 60), torch.from_numpy(layout.places)
    alone = perceive(shown, places, known)
    assert not alone.legible.any()
    found = perceive(shown, places, known, kinds=torch.arange(20) % 10)
    assert bool(found.readable.all())
    assert (found.which[:, 0].numpy() % 10 == symbols).all()


def test_a_glyph_resembles_itself_moved_and_faded() -> None:
    known = torch.from_numpy(glyphs("DejaVuSans.ttf", "DejaVuSerif.ttf"))
    moved = known.view(20, 15, 8).roll((1, -1), (1, 2)).flatten(1)[None]
    assert resembled(0.4 * moved + 0.1, torch.ones_like(moved), known, 8).tolist() == [list(range(20))]


@pytest.mark.long
def test_a_trained_learner_knows_which_glyphs_mean_the_same(tmp_path: Path) -> None:
    task = va.Task("add", digits=3, typeface=Typeface(fonts="three"))
    config = va.learner_config("columns", path="aligned", scan="right")
    run = va.learn(task, config, seed=5000, examples=20_000, test_pairs=500, threads=1, out=tmp_path / "run")
    assert run.score
    assert run.score.digit_error == 0
    pictures = np.stack([task.plain_layout.typeset(np.array([symbol] * 3)) for symbol in range(30)]) / 255
    found = run.perceive(pictures.reshape(15, 2, *task.shape))
    assert found is not None
    kinds = run.learner.kinds[found.which.view(30, 3)[:, 0]].tolist()  # type: ignore[index, union-attr]
    assert kinds == kinds[:10] * 3
    assert len(set(kinds)) == 10
