"""Legends: the notation and the glyphs with which answers are read."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from visarith.errors import VisarithError
from visarith.notation import Notation
from visarith.pictures.layout import Layout
from visarith.reading import Reader

READERS = ("templates", "tesseract")
USUAL_HEIGHT = 15  # pixels, for which Tesseract's scale was chosen
OTHER = "\0"  # a character outside every alphabet
MOST_LINES = 20_000  # that are used to find the character of each cell


@dataclass(frozen=True, eq=False)
class Legend:
    """How answers are read. If `layout` is None, their cells are not known and only Tesseract can read them."""

    notation: Notation
    layout: Layout | None
    pictures: bool = True  # False for tables of symbols
    dark: bool = False  # dark ink on light ground, as Tesseract needs it
    height: int = 0  # of the user's pictures; Tesseract needs small ones enlarged

    @property
    def best_reader(self) -> str:
        """The name of the default reader: templates, if the cells are known."""
        return "tesseract" if self.layout is None else "templates"

    def reader(self, name: str, *, workers: int = 1) -> Reader:
        """Return a reader by its name."""
        from visarith.reading.readers import SCALE, Templates, Tesseract  # slow to import

        if name == "templates":
            if self.layout is None:
                raise VisarithError("no cells were found in the answers, so templates cannot read them; use tesseract")
            return Templates(self.layout, self.notation, doubt=self.pictures)
        if name != "tesseract":
            raise VisarithError(f"reader {name!r} is unknown; use {' or '.join(READERS)}")
        if not self.pictures:
            raise VisarithError("Tesseract reads pictures, not medium one-hot; leave Tesseract out")
        scale = max(1, min(SCALE, round(SCALE * USUAL_HEIGHT / self.height))) if self.height else SCALE
        return Tesseract(self.notation, workers=workers, scale=scale, dark=self.dark)


class Lines(Notation):
    """Lines of text in cells, as a notation; for answers of which only the text is known.

    >>> Lines("12 ", 4).write(["21"]).tolist()
    [[2, 2, 1, 0]]
    """

    name = "text"

    def __init__(self, alphabet: str, cells: int, aligned: str = "right") -> None:
        self._alphabet, self._cells = alphabet, cells
        self.aligned = aligned  # type: ignore[misc]

    @property
    def alphabet(self) -> str:
        return self._alphabet

    @property
    def cells(self) -> int:
        return self._cells

    def write(self, numbers: Any) -> np.ndarray:
        """Write lines as symbol indices, (count, cells), without spaces.

        Characters outside the alphabet, and all characters of a line that is too long, get an index past the alphabet,
        which no reading equals.
        """
        beyond, pad = len(self.alphabet), str.rjust if self.aligned == "right" else str.ljust
        known = {symbol: number for number, symbol in enumerate(self.alphabet)}
        rows = []
        for line in map(_without_spaces, numbers):
            line = line if len(line) <= self.cells else OTHER * self.cells
            rows.append([known.get(symbol, beyond) for symbol in pad(line, self.cells)])
        return np.array(rows, np.int16).reshape(-1, self.cells)

    def parse(self, symbols: np.ndarray) -> list[int | None]:
        """Return None for each line: whether it is a number is not known."""
        return [None] * len(symbols)


def _without_spaces(line: Any) -> str:
    return "".join(str(line).split())


def read_off(
    layout: Layout | None, codes: np.ndarray | None, lines: list[str], *, dark: bool = False, height: int = 0
) -> Legend:
    """Return the legend of pictures with text: the character of each distinct cell, by majority.

    Cells of one grey level are blank. Only lines with as many characters as cells with ink are used: they tell which
    cell shows which character. Characters that no cell shows are in the alphabet, without a glyph.
    """
    lines = [_without_spaces(line) for line in lines]
    alphabet = "".join(sorted(set("".join(lines))))
    longest = max([1, *map(len, lines)])
    if layout is None or codes is None or not alphabet:
        return Legend(Lines(f"{alphabet} ", longest), None, dark=dark, height=height)
    blank = (layout.patterns == layout.patterns[:, :1]).all(1)
    inked = ~blank[codes]
    votes = np.zeros((len(layout.patterns), len(alphabet)), np.int64)
    for line, row, ink in list(zip(lines, codes, inked, strict=True))[:MOST_LINES]:
        if len(line) == ink.sum():
            np.add.at(votes, (row[ink], [alphabet.index(symbol) for symbol in line]), 1)
    shown = {}  # a cell for each character: the one that shows it most often
    for cell in votes.max(1).argsort(kind="stable"):
        if votes[cell].any():
            shown[alphabet[votes[cell].argmax()]] = layout.glyphs[cell]
    if not shown:
        return Legend(Lines(f"{alphabet} ", longest), None, dark=dark, height=height)
    known = sorted(shown)
    empty = layout.glyphs[blank][0] if blank.any() else np.zeros_like(layout.glyphs[0])
    glyphs = np.stack([*(shown[symbol] for symbol in known), empty])
    read = Layout("".join(known) + " ", glyphs, layout.corners, layout.height, layout.width, ground=layout.ground)
    aligned = "left" if inked[:, 0].mean() > inked[:, -1].mean() else "right"
    unknown = "".join(symbol for symbol in alphabet if symbol not in shown)
    return Legend(Lines(read.alphabet + unknown, layout.cells, aligned), read, dark=dark, height=height)


def to_json(legend: Legend) -> dict[str, Any]:
    """Return a legend of `Lines` as JSON, for the run folder."""
    layout, notation = legend.layout, legend.notation
    drawn = layout and {
        "alphabet": layout.alphabet,
        "glyphs": layout.glyphs.tolist(),
        "corners": layout.corners,
        "size": [layout.height, layout.width],
    }
    lines = {"alphabet": notation.alphabet, "cells": notation.cells, "aligned": notation.aligned}
    return {**lines, "page": drawn, "dark": legend.dark, "height": legend.height}


def from_json(data: dict[str, Any]) -> Legend:
    """Return the legend that `to_json` wrote."""
    layout = None
    if drawn := data["page"]:
        corners = tuple((int(top), int(left)) for top, left in drawn["corners"])
        layout = Layout(drawn["alphabet"], np.array(drawn["glyphs"], np.uint8), corners, *drawn["size"])
    lines = Lines(data["alphabet"], data["cells"], data["aligned"])
    return Legend(lines, layout, dark=data["dark"], height=data["height"])
