"""A PNG of any size becomes a picture that a network takes: inverted if need be, scaled, each symbol in a cell."""

import io
import struct
import threading

import numpy as np
from PIL import Image

from visarith.errors import VisarithError
from visarith.pictures.layout import Layout
from visarith.pictures.png import grey

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_BYTES, MOST_SIDE = 1_000_000, 4000
WORKED_ON = 1000  # pixels a side; larger pictures are reduced first
INK = 0.25  # of the lightest pixel
SAME_SHAPE = 0.02  # by which the proportions of a picture that is only scaled may differ
_decoding = threading.Semaphore(2)  # so that many large pictures at once do not fill the memory


class TooLargeError(VisarithError):
    """More than anyone should send."""


def fitted(data: bytes, page: Layout) -> np.ndarray:
    """The picture that the network sees, (height, width) in [0, 1]."""
    return fit(opened(data), page)


def opened(data: bytes) -> np.ndarray:
    """A PNG as light ink on dark ground, in [0, 1]."""
    if len(data) > MOST_BYTES:
        raise TooLargeError(f"a picture has {len(data):,} bytes; send up to {MOST_BYTES:,}")
    if not data.startswith(SIGNATURE):
        raise VisarithError("a picture is no PNG; send a PNG file")
    try:
        _check_size(*struct.unpack(">II", data[16:24]))  # before Pillow sees it
        with _decoding, Image.open(io.BytesIO(data), formats=("PNG",)) as file:
            _check_size(*file.size)
            seen = grey(_reduced(file))
    except VisarithError:
        raise
    except (OSError, ValueError, SyntaxError, EOFError, struct.error, Image.DecompressionBombError):
        raise VisarithError("a picture is no PNG that can be read; send a PNG file") from None
    return 1 - seen if seen.mean() > 0.5 else seen


def _check_size(width: int, height: int) -> None:
    if max(width, height) > MOST_SIDE:
        raise TooLargeError(f"a picture is {height} x {width} pixels; send up to {MOST_SIDE} x {MOST_SIDE}")


def _reduced(file: Image.Image) -> Image.Image:
    if file.mode.startswith("I"):  # 16 bits a pixel
        return Image.fromarray((np.asarray(file) // 256).clip(0, 255).astype(np.uint8)).reduce(_factor(file))
    return file.convert("RGBA").reduce(_factor(file))


def _factor(file: Image.Image) -> int:
    return -(-max(file.size) // WORKED_ON)


def fit(seen: np.ndarray, page: Layout) -> np.ndarray:
    """Scaled as a whole if it has the proportions of the page, else symbol by symbol, else its ink centred."""
    high, wide = seen.shape
    if abs(wide * page.height / (high * page.width) - 1) < SAME_SHAPE:
        return scaled(seen, page.height, page.width)
    ink = seen > INK * max(float(seen.max()), 1e-6)
    if not ink.any():
        return np.zeros((page.height, page.width), np.float32)
    rows = np.flatnonzero(ink.any(1))
    line = seen[rows[0] : rows[-1] + 1]
    runs = _runs(np.asarray(ink.any(0)))
    top, bottom = _inked_rows(page)
    if len(runs) <= page.cells:
        return _in_cells([line[:, a:b] for a, b in runs], page, top, bottom)
    whole = line[:, runs[0][0] : runs[-1][1]]
    width = min(page.width, max(1, round(whole.shape[1] * (bottom - top) / len(whole))))
    drawn, left = np.zeros((page.height, page.width), np.float32), (page.width - width) // 2
    drawn[top:bottom, left : left + width] = scaled(whole, bottom - top, width)
    return drawn


def _in_cells(symbols: list[np.ndarray], page: Layout, top: int, bottom: int) -> np.ndarray:
    """Each in the middle of its cell: digits to the right after zeros, Roman numerals from the left."""
    _, high, wide = page.glyphs.shape
    digits = page.alphabet.startswith("0")
    first = page.cells - len(symbols) if digits else 0
    zeros = page.typeset(np.zeros(page.cells, np.int64)) / 255
    drawn = (zeros if digits else np.zeros_like(zeros)).astype(np.float32)
    for number, symbol in enumerate(symbols):
        y, x = page.corners[first + number]
        width = min(wide, max(1, round(symbol.shape[1] * (bottom - top) / len(symbol))))
        drawn[y : y + high, x : x + wide] = 0
        left = x + (wide - width) // 2
        drawn[top:bottom, left : left + width] = scaled(symbol, bottom - top, width)
    return drawn


def _runs(inked: np.ndarray) -> list[tuple[int, int]]:
    """Where ink begins and ends, from the left."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], inked.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _inked_rows(page: Layout) -> tuple[int, int]:
    rows = np.flatnonzero(page.glyphs.any((0, 2)))
    return int(rows[0]), int(rows[-1]) + 1


def scaled(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """Each pixel is the mean of the area that it covers."""
    return np.asarray(_shares(height, len(picture)) @ picture @ _shares(width, picture.shape[1]).T, np.float32)


def _shares(new: int, old: int) -> np.ndarray:
    """How much of each of `new` pixels in a row each of `old` ones is: (new, old)."""
    edges, pixels = np.arange(new + 1)[:, None] * old / new, np.arange(old)
    overlaps = np.minimum(edges[1:], pixels + 1) - np.maximum(edges[:-1], pixels)
    return np.asarray(overlaps.clip(0) * new / old)
