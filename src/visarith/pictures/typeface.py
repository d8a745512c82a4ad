"""Typefaces: the font, its size and ink, and the size of the picture, drawn once into a table of glyphs."""

import importlib.util
import io
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from visarith.errors import VisarithError, option, whole
from visarith.files import MB, digest, read_bytes
from visarith.pictures.layout import Layout

Ink = Literal["bit", "smooth"]
MOST = 50 * MB  # of a font file
PITCH = 8  # pixels a cell by default: 7 cells and a margin of 4 make 60


@dataclass(frozen=True)
class Typeface:
    """The font and the size of pictures.

    The defaults are the paper's 15 x 60 pixels and the font of the authors' code. Their code draws one-bit ink; here
    anti-aliased ink is the default, after measurements (docs/paper.md).

    >>> Typeface().layout("0123456789", cells=7).typeset(np.zeros((1, 7), np.uint8)).shape
    (1, 15, 60)
    """

    font: str = ""  # a file; "" is DejaVu Sans, or DejaVu Sans Mono for alphabets with letters
    font_size: int = 0  # in pixels; 0 is the largest that fits, at most 4/5 of the height
    ink: Ink = "smooth"
    height: int = 15
    width: int = 0  # 0 is 8 pixels a cell and a margin of 4
    fonts: str = ""  # a set of fonts (pictures/fonts.py), in which input pictures are drawn instead of `font`

    def __post_init__(self) -> None:
        if self.ink not in ("bit", "smooth"):
            raise VisarithError(f"ink {self.ink!r} is unknown; use bit or smooth")
        if self.fonts and self.font:
            raise VisarithError(
                f"{option('fonts', self.fonts)} and {option('font', self.font)} are both given; leave one out"
            )
        whole("font size", self.font_size, 0, 1000)
        whole("picture height", self.height, 1, 1000)
        whole("picture width", self.width, 0, 100_000)

    def size(self, cells: int) -> tuple[int, int]:
        """Return height and width of a picture without drawing it."""
        return self.height, self.width or PITCH * cells + 4

    def layout(self, alphabet: str, cells: int) -> Layout:
        """Draw each glyph of the alphabet once, and place the cells."""
        _, width = self.size(cells)
        pitch = width // cells
        sizes = [self.font_size] if self.font_size else range(max(1, min(self.height * 4 // 5, 2 * pitch)), 0, -1)
        for size in sizes:
            glyphs = self._draw(alphabet, size, pitch)
            if glyphs is not None:
                break
        else:
            asked = f"font size {self.font_size}" if self.font_size else "any font size"
            raise VisarithError(
                f"{asked} is too large for cells of {self.height} x {pitch} pixels; "
                f"use a smaller {option('font_size')} or a larger {option('picture', python='Typeface(height, width)')}"
            )
        first: dict[bytes, str] = {}
        for symbol, glyph in zip(alphabet, glyphs, strict=True):
            twin = first.setdefault(glyph.tobytes(), symbol)
            if twin != symbol:
                raise VisarithError(
                    f"{twin!r} and {symbol!r} look the same in {self._file(alphabet).name} at this size; "
                    f"use another {option('font')} or a larger {option('picture', python='Typeface(height, width)')}"
                )
        left = (width - pitch * cells) // 2
        corners = tuple((0, left + pitch * cell) for cell in range(cells))
        return Layout(alphabet, glyphs, corners, self.height, width)

    @property
    def each(self) -> "list[Typeface]":
        """The typefaces of the set of fonts, one for each; the first is that of the answers."""
        from visarith.pictures.fonts import font_file, font_set

        return [replace(self, font=str(font_file(font)), fonts="") for font in font_set(self.fonts)]

    def fingerprint(self, alphabet: str) -> str:
        """Return the SHA-256 of the font file or files, which a run stores to detect another font."""
        if self.fonts:
            return digest("".join(each.fingerprint(alphabet) for each in self.each).encode())
        return digest(_bytes(self._file(alphabet)))

    def _file(self, alphabet: str) -> Path:
        if self.font:
            return Path(self.font)
        letters = any(symbol.isalpha() for symbol in alphabet)
        return shipped_font("DejaVuSansMono.ttf" if letters else "DejaVuSans.ttf")

    def _draw(self, alphabet: str, size: int, pitch: int) -> np.ndarray | None:
        """Draw the glyphs (symbols, height, pitch) on a common baseline; None if one does not fit its cell."""
        if size > 4 * self.height:  # cannot fit, and the canvas would be huge
            return None
        file = self._file(alphabet)
        try:
            font = ImageFont.truetype(io.BytesIO(_bytes(file)), size, layout_engine=ImageFont.Layout.BASIC)
        except OSError:
            raise _no_font(file) from None
        mode = "1" if self.ink == "bit" else "L"
        if _overflows(font, alphabet, mode, self.height, pitch):
            return None
        room = size
        canvases = []
        for symbol in alphabet:
            canvas = Image.new(mode, (2 * room + pitch, 2 * (room + self.height)))
            pen = ImageDraw.Draw(canvas)
            pen.fontmode = mode
            at = (room + _centred(font, symbol, pitch), room + self.height)
            pen.text(at, symbol, font=font, fill=1 if mode == "1" else 255)
            canvases.append(np.asarray(canvas.convert("L")))
        drawn = np.stack(canvases)
        inked_rows = np.flatnonzero(drawn.any(axis=(0, 2)))
        if not len(inked_rows):
            raise VisarithError(f"{file.name} draws nothing for {alphabet!r}; use another {option('font')}")
        ink_height = inked_rows[-1] - inked_rows[0] + 1
        top = inked_rows[0] - (self.height - ink_height) // 2
        glyphs = drawn[:, top : top + self.height, room : room + pitch]
        return np.ascontiguousarray(glyphs) if glyphs.sum() == drawn.sum() else None


def _centred(font: ImageFont.FreeTypeFont, symbol: str, pitch: int) -> int:
    """Where a glyph begins in its cell."""
    return (pitch - round(font.getlength(symbol))) // 2


def _overflows(font: ImageFont.FreeTypeFont, alphabet: str, mode: str, height: int, pitch: int) -> bool:
    """Whether the ink of a glyph, or of all on one line, is outside its cell; far faster than drawing large ones."""
    tops, bottoms = [], []
    for symbol in alphabet:
        mask, (beside, above) = font.getmask2(symbol, mode)
        inked = mask.getbbox()
        if inked is None:
            continue
        left, top, right, bottom = inked
        at = _centred(font, symbol, pitch) + beside
        if at + left < 0 or at + right > pitch:
            return True
        tops.append(above + top)
        bottoms.append(above + bottom)
    return bool(tops) and max(bottoms) - min(tops) > height


def _bytes(file: Path) -> bytes:
    """The content of a font file, which a stranger's run may name."""
    try:
        return read_bytes(file, MOST)
    except OSError:
        raise _no_font(file) from None


def _no_font(file: Path) -> VisarithError:
    return VisarithError(f"{file} is not a readable font; give a .ttf or .otf file to {option('font')}")


def shipped_font(name: str) -> Path:
    """Return a DejaVu font of matplotlib's wheel, without importing matplotlib."""
    spec = importlib.util.find_spec("matplotlib")
    if spec is None or not spec.submodule_search_locations:
        raise VisarithError("matplotlib, which provides the fonts, is not installed; run make setup")
    return Path(spec.submodule_search_locations[0]) / "mpl-data" / "fonts" / "ttf" / name
