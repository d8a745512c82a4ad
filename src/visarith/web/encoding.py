"""Pictures as JSON and as PNG, both ways."""

import base64
import binascii
import io

import numpy as np
from PIL import Image

from visarith.errors import VisarithError

Json = dict[str, object]


def encoded(picture: np.ndarray) -> Json:
    """A picture in [0, 1] as JSON: base64 of one byte a pixel."""
    grey = (np.clip(picture, 0, 1) * 255).round().astype(np.uint8)
    return {"height": grey.shape[0], "width": grey.shape[1], "pixels": _text(grey.tobytes())}


def signed(weights: np.ndarray) -> Json:
    """Weights as JSON: base64 of signed bytes, of which 127 stands for the largest."""
    largest = float(np.abs(weights).max()) or 1.0
    whole = (weights / largest * 127).round().astype(np.int8)
    return {"height": whole.shape[0], "width": whole.shape[1], "signed": _text(whole.tobytes()), "largest": largest}


def decoded(pixels: str, height: int, width: int, shape: tuple[int, int]) -> np.ndarray:
    """A picture in [0, 1] from its JSON, which must have this shape."""
    if (height, width) != shape:
        raise VisarithError(f"a picture is {height} x {width}; this network takes {shape[0]} x {shape[1]}")
    grey = from_base64(pixels)
    if len(grey) != height * width:
        raise VisarithError(f"pixels are {len(grey)} bytes; {height} x {width} needs {height * width}")
    return np.frombuffer(grey, np.uint8).reshape(shape).astype(np.float32) / 255


def from_base64(text: str) -> bytes:
    """The bytes; a data URL's head is left out."""
    if text.startswith("data:"):
        text = text.partition(",")[2]
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise VisarithError("a picture is no base64; encode its bytes as base64 without line ends") from None


def as_png(picture: np.ndarray) -> bytes:
    """A picture in [0, 1] as a PNG file."""
    file = io.BytesIO()
    Image.fromarray((np.clip(picture, 0, 1) * 255).round().astype(np.uint8)).save(file, format="PNG")
    return file.getvalue()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
