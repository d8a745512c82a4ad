"""Pictures in requests and responses: as base64 JSON, as PNG, and files of any size fitted into a layout."""

import base64
import binascii
import io
import struct
from typing import Any

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from visarith.errors import VisarithError
from visarith.pictures.layout import Layout
from visarith.pictures.png import grey
from visarith.web.foreign import fit

Json = dict[str, Any]

FORMATS = ("PNG", "JPEG", "WEBP")
MOST_BYTES, MOST_SIDE = 1_000_000, 4000
MOST_PIXELS = 4_000_000  # 80 MB while a WebP file is decoded
MOST_FITTED = 500  # pixels a side; larger pictures are reduced before they are fitted
STRIP = 64  # rows of the reduced picture that are computed at once


class TooLargeError(VisarithError):
    """A request or a picture that is larger than the server accepts."""


def encoded(picture: np.ndarray) -> Json:
    """Return a picture in [0, 1] as JSON: base64 of one byte a pixel."""
    pixels = _bytes(picture)
    return {"height": pixels.shape[0], "width": pixels.shape[1], "pixels": to_base64(pixels)}


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
    """Return a picture file of any size as a picture of this layout, (height, width) in [0, 1]."""
    return fit(_opened(data), layout)


def _opened(data: bytes) -> np.ndarray:
    """Return a picture file as intensities in [0, 1], upright as its maker says, at most MOST_FITTED pixels a side."""
    if len(data) > MOST_BYTES:
        raise TooLargeError(f"a picture has {len(data):,} bytes; send up to {MOST_BYTES:,}")
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as file:
            _check_size(*file.size)  # known from the header, before pixels are decoded
            if getattr(file, "n_frames", 1) > 1:
                raise VisarithError("a picture is animated; send a still one")
            return grey(Image.fromarray(_reduced(file)))
    except UnidentifiedImageError:
        raise VisarithError("a picture is not a PNG, JPEG or WebP file; send one of these") from None
    except VisarithError:
        raise
    except Image.DecompressionBombError:
        raise TooLargeError(f"a picture has too many pixels; send up to {MOST_PIXELS:,}") from None
    except (OSError, ValueError, SyntaxError, EOFError, struct.error):
        raise VisarithError("a picture is damaged; send one that can be opened") from None


def _check_size(width: int, height: int) -> None:
    if max(width, height) > MOST_SIDE or width * height > MOST_PIXELS:
        most = f"{MOST_SIDE} a side and {MOST_PIXELS:,} in all"
        raise TooLargeError(f"a picture is {height} x {width} pixels; send up to {most}")


def _reduced(file: Image.Image) -> np.ndarray:
    """Return (height, width, 4) bytes: means over squares, so that the longest side is at most MOST_FITTED."""
    if file.mode.startswith("I"):  # 16 bits a pixel
        whole = Image.fromarray((np.asarray(file) // 256).clip(0, 255).astype(np.uint8))
    else:
        ImageOps.exif_transpose(file, in_place=True)
        whole = file
    factor = -(-max(whole.size) // MOST_FITTED)
    high = STRIP * factor
    tops = range(0, whole.height, high)  # a strip at a time, since colours of all pixels would take much memory
    strips = (whole.crop((0, top, whole.width, min(top + high, whole.height))) for top in tops)
    return np.concatenate([_means(np.asarray(strip.convert("RGBA")), factor) for strip in strips])


def _means(pixels: np.ndarray, factor: int) -> np.ndarray:
    """Return the means over squares of this side; those at the right and at the bottom may be cut."""
    if factor == 1:
        return pixels
    high, wide = pixels.shape[:2]
    rows, columns = np.arange(0, high, factor), np.arange(0, wide, factor)
    sums = np.add.reduceat(np.add.reduceat(pixels, rows, 0, np.uint32), columns, 1)
    sides = [np.diff([*edges, size]) for edges, size in ((rows, high), (columns, wide))]
    return np.asarray((sums / np.outer(*sides)[..., None]).round(), np.uint8)
