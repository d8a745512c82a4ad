"""Pictures in requests and responses: as base64 JSON, as PNG, and a PNG of any size fitted into a layout."""

import base64
import binascii
import io
import struct
import threading
from typing import Any

import numpy as np
from PIL import Image

from visarith.errors import VisarithError
from visarith.pictures.layout import Layout
from visarith.pictures.png import grey

Json = dict[str, Any]

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MOST_BYTES, MOST_SIDE = 1_000_000, 4000
MOST_FITTED = 1000  # pixels a side; larger pictures are reduced before they are fitted
INK = 0.25  # pixels above this share of the lightest pixel are ink
SAME_SHAPE = 0.02  # largest relative difference in aspect ratio at which a picture is scaled as a whole
_decoding = threading.Semaphore(2)  # bounds the memory that large pictures take at the same time


class TooLargeError(VisarithError):
    """A request or a picture that is larger than the server accepts."""


def encoded(picture: np.ndarray) -> Json:
    """Return a picture in [0, 1] as JSON: base64 of one byte a pixel."""
    pixels = _bytes(picture)
    return {"height": pixels.shape[0], "width": pixels.shape[1], "pixels": to_base64(pixels)}


def signed(weights: np.ndarray) -> Json:
    """Return weights as JSON: base64 of signed bytes, where 127 stands for the largest weight."""
    largest = float(np.abs(weights).max()) or 1.0
    whole = (weights / largest * 127).round().astype(np.int8)
    return {"height": whole.shape[0], "width": whole.shape[1], "signed": to_base64(whole), "largest": largest}


def as_png(picture: np.ndarray) -> bytes:
    """Return a picture in [0, 1] as a PNG file."""
    file = io.BytesIO()
    Image.fromarray(_bytes(picture)).save(file, format="PNG")
    return file.getvalue()


def _bytes(picture: np.ndarray) -> np.ndarray:
    return np.asarray((np.clip(picture, 0, 1) * 255).round(), np.uint8)


def to_base64(array: np.ndarray) -> str:
    return base64.b64encode(array.tobytes()).decode()


def from_base64(text: str) -> bytes:
    """Return the decoded bytes; the text may be a data URL."""
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise VisarithError("a picture is not base64; encode its bytes as base64 without line breaks") from None


def decoded(pixels: str, height: int, width: int, shape: tuple[int, int]) -> np.ndarray:
    """Return the picture of a JSON, in [0, 1]. It must have this shape."""
    if (height, width) != shape:
        raise VisarithError(f"a picture is {height} x {width}; this network takes {shape[0]} x {shape[1]}")
    data = from_base64(pixels)
    if len(data) != height * width:
        raise VisarithError(f"pixels are {len(data)} bytes; {height} x {width} needs {height * width}")
    return np.frombuffer(data, np.uint8).reshape(shape).astype(np.float32) / 255


def fitted(data: bytes, layout: Layout) -> np.ndarray:
    """Return a PNG of any size as a picture of this layout, (height, width) in [0, 1]."""
    return fit(_opened(data), layout)


def _opened(data: bytes) -> np.ndarray:
    """Return a PNG as light ink on dark ground, in [0, 1]."""
    if len(data) > MOST_BYTES:
        raise TooLargeError(f"a picture has {len(data):,} bytes; send up to {MOST_BYTES:,}")
    if not data.startswith(SIGNATURE):
        raise VisarithError("a picture is not a PNG; send a PNG file")
    try:
        _check_size(*struct.unpack(">II", data[16:24]))  # in the header, before Pillow allocates anything
        with _decoding, Image.open(io.BytesIO(data), formats=("PNG",)) as file:
            _check_size(*file.size)
            seen = grey(_reduced(file))
    except VisarithError:
        raise
    except (OSError, ValueError, SyntaxError, EOFError, struct.error, Image.DecompressionBombError):
        raise VisarithError("a picture is a damaged PNG; send a PNG file that can be opened") from None
    return 1 - seen if seen.mean() > 0.5 else seen


def _check_size(width: int, height: int) -> None:
    if max(width, height) > MOST_SIDE:
        raise TooLargeError(f"a picture is {height} x {width} pixels; send up to {MOST_SIDE} x {MOST_SIDE}")


def _reduced(file: Image.Image) -> Image.Image:
    factor = -(-max(file.size) // MOST_FITTED)
    if file.mode.startswith("I"):  # 16 bits a pixel
        return Image.fromarray((np.asarray(file) // 256).clip(0, 255).astype(np.uint8)).reduce(factor)
    return file.convert("RGBA").reduce(factor)


def fit(seen: np.ndarray, layout: Layout) -> np.ndarray:
    """Return ink of any size as a picture of this layout.

    A picture with the layout's aspect ratio is scaled as a whole. Otherwise each symbol, found by the gaps between
    them, goes into a cell. If there are more symbols than cells, the ink is centred.
    """
    high, wide = seen.shape
    if abs(wide * layout.height / (high * layout.width) - 1) < SAME_SHAPE:
        return _scaled(seen, layout.height, layout.width)
    ink = seen > INK * max(float(seen.max()), 1e-6)
    if not ink.any():
        return np.zeros((layout.height, layout.width), np.float32)
    rows = np.flatnonzero(ink.any(1))
    line = seen[rows[0] : rows[-1] + 1]
    runs = _runs(np.asarray(ink.any(0)))
    inked_rows = np.flatnonzero(layout.glyphs.any((0, 2)))
    top, bottom = int(inked_rows[0]), int(inked_rows[-1]) + 1
    if len(runs) <= layout.cells:
        return _in_cells([line[:, a:b] for a, b in runs], layout, top, bottom)
    whole = line[:, runs[0][0] : runs[-1][1]]
    width = min(layout.width, max(1, round(whole.shape[1] * (bottom - top) / len(whole))))
    drawn, left = np.zeros((layout.height, layout.width), np.float32), (layout.width - width) // 2
    drawn[top:bottom, left : left + width] = _scaled(whole, bottom - top, width)
    return drawn


def _in_cells(symbols: list[np.ndarray], layout: Layout, top: int, bottom: int) -> np.ndarray:
    """Centre each symbol in a cell: digits right-aligned after zeros, Roman numerals left-aligned."""
    _, high, wide = layout.glyphs.shape
    digits = layout.alphabet.startswith("0")
    first = layout.cells - len(symbols) if digits else 0
    zeros = layout.typeset(np.zeros(layout.cells, np.int64)) / 255
    drawn = (zeros if digits else np.zeros_like(zeros)).astype(np.float32)
    for number, symbol in enumerate(symbols):
        y, x = layout.corners[first + number]
        width = min(wide, max(1, round(symbol.shape[1] * (bottom - top) / len(symbol))))
        drawn[y : y + high, x : x + wide] = 0
        left = x + (wide - width) // 2
        drawn[top:bottom, left : left + width] = _scaled(symbol, bottom - top, width)
    return drawn


def _runs(inked: np.ndarray) -> list[tuple[int, int]]:
    """Return where each run of inked columns begins and ends, from the left."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], inked.astype(np.int8), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _scaled(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """Scale a picture; each new pixel is the mean of the area that it covers."""
    return np.asarray(_shares(height, len(picture)) @ picture @ _shares(width, picture.shape[1]).T, np.float32)


def _shares(new: int, old: int) -> np.ndarray:
    """Return how much each of `old` pixels in a row contributes to each of `new` ones: (new, old)."""
    edges, pixels = np.arange(new + 1)[:, None] * old / new, np.arange(old)
    overlaps = np.minimum(edges[1:], pixels + 1) - np.maximum(edges[:-1], pixels)
    return np.asarray(overlaps.clip(0) * new / old)
