"""Cells that are found by looking: the grid, and the codebook of what stands in it."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

import visarith as va
from conftest import refusal
from visarith.pictures.codebook import Cells, Grid, find_grid
from visarith.pictures.typeface import shipped_font

LOOKS = {
    "the default": va.Task("add"),
    "unpadded, one bit": va.Task("add", padded=False, typeface=va.Typeface(ink="bit")),
    "wide and high": va.Task("add", typeface=va.Typeface(width=97, height=20)),
    "small letters, large margin": va.Task("add", typeface=va.Typeface(font_size=9, width=90)),
    "another font": va.Task("add", typeface=va.Typeface(font=str(shipped_font("STIXGeneral.ttf")), height=18)),
    "products": va.Task("multiply"),
    "base 16": va.Task("subtract", base=16),
    "base 2": va.Task("add", digits=12, base=2),
    "two cells": va.Task("add", digits=2),
}


def pictures(task: va.Task, count: int = 300) -> np.ndarray:
    some, _ = task.examples(count, 1, seed=0)
    both = np.concatenate([some.inputs, some.answers], axis=1)
    return task.layout.typeset(both).reshape(-1, *task.shape)


def same_cells(grid: Grid, task: va.Task) -> bool:
    """Whether each cell of the grid holds all the ink of one cell of the layout, and no other's."""
    inked = np.flatnonzero(task.layout.glyphs.any((0, 1)))
    lefts = [left for _, left in task.layout.corners]
    starts = [left for _, left in grid.corners]
    return len(starts) == len(lefts) and all(
        start <= left + inked[0] and left + inked[-1] < start + grid.pitch
        for start, left in zip(starts, lefts, strict=True)
    )


@pytest.mark.parametrize("look", LOOKS)
def test_the_grid_is_found(look: str) -> None:
    task = LOOKS[look]
    grid = find_grid(pictures(task))
    assert grid.pitch == task.layout.corners[1][1] - task.layout.corners[0][1]
    assert same_cells(grid, task)


def test_the_authors_layout_drawn_without_our_typeface() -> None:
    """DejaVu Sans 12, one bit, right-aligned, no leading zeros, on 15 x 60: each number drawn as one string."""
    font = ImageFont.truetype(str(shipped_font("DejaVuSans.ttf")), 12, layout_engine=ImageFont.Layout.BASIC)
    drawn = []
    for number in np.random.default_rng(0).integers(0, 10**7, 600).tolist():
        canvas = Image.new("1", (60, 15))
        pen = ImageDraw.Draw(canvas)
        pen.fontmode = "1"
        pen.text((58 - font.getlength(str(number)), 1), str(number), font=font, fill=1)
        drawn.append(np.asarray(canvas.convert("L")))
    grid = find_grid(np.stack(drawn))
    assert (grid.pitch, grid.cells) == (8, 7)
    cells = np.stack(drawn).reshape(600, -1)[:, grid.places]
    assert len(np.unique(cells.reshape(-1, cells.shape[2]), axis=0)) == 11  # ten digits and the blank


def test_pictures_without_cells_are_refused() -> None:
    assert "all pictures are the same" in refusal(find_grid, np.zeros((5, 15, 60), np.uint8))


def test_a_codebook_writes_the_same_pictures_again() -> None:
    task = va.Task("add", padded=False)
    some, _ = task.split(200, 1, seed=0)
    cells, parts = Cells(find_grid(pictures(task))), some.raw(slice(None))
    codes = [cells.encode([part]) for part in parts]
    assert len(cells.layout.glyphs) == 11
    for part, drawn in zip(codes, parts, strict=True):
        assert np.array_equal(cells.layout.typeset(part), drawn)


def test_a_view_in_other_cells_shows_the_same_pictures() -> None:
    task = va.Task("add", padded=False)
    some = task.split(200, 1, seed=0)[0].view()
    coded = some.coded(find_grid(pictures(task)))
    assert coded.codebook is not None
    assert np.array_equal(coded.codebook.inputs.layout.glyphs, coded.codebook.answers.layout.glyphs)
    for ours, theirs in zip(coded.raw(slice(None)), some.raw(slice(None)), strict=True):
        assert np.array_equal(ours, theirs)


def test_a_wrong_grid_is_no_codebook() -> None:
    task = va.Task("add")
    some, _ = task.split(500, 1, seed=0)
    wrong = Grid(0, 20, 3, task.shape)
    assert "more than 200 different cells" in refusal(Cells(wrong).encode, [some.raw(slice(None))[0]])
    assert "more than 200 different cells" in refusal(some.view().coded, wrong)
