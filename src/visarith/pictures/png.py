"""Pictures from and to PNG files: light ink on dark ground, one pixel a pixel."""

import warnings
from pathlib import Path

import numpy as np
from PIL import Image

from visarith.errors import VisarithError


def save_png(picture: np.ndarray, path: str | Path) -> None:
    """Write a picture (height, width) in [0, 1], or with a last axis of three colours."""
    Image.fromarray((np.clip(picture, 0, 1) * 255).round().astype(np.uint8)).save(path, format="PNG")


def write_png(picture: np.ndarray, path: Path) -> None:
    """Write a picture to a file that a user has named."""
    try:
        save_png(picture, path)
    except OSError as error:
        raise VisarithError(f"{path} cannot be written ({error.strerror or error}); choose another file") from None


def load_png(path: str | Path, shape: tuple[int, int]) -> tuple[np.ndarray, bool]:
    """A picture of this height and width, in [0, 1], and whether it was dark on light and has been inverted."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path, formats=("PNG",)) as file:
                size = (file.height, file.width)
                if size != shape:
                    raise VisarithError(
                        f"{path} is {size[0]} x {size[1]}, but this run takes {shape[0]} x {shape[1]} "
                        f"(height x width); scale it first"
                    )
                picture = grey(file)
    except VisarithError:
        raise
    except FileNotFoundError:
        raise VisarithError(f"{path} does not exist; give a PNG file") from None
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise VisarithError(f"{path} is no PNG picture; give a PNG file of {shape[0]} x {shape[1]} pixels") from None
    inverted = bool(picture.mean() > 0.5)  # ink never covers half of a picture
    return (1 - picture if inverted else picture), inverted


def grey(file: Image.Image) -> np.ndarray:
    """Intensities in [0, 1]; where a picture is transparent, its ground is what its ink is not."""
    if file.mode.startswith("I"):  # 16 bits a pixel
        return np.asarray(file, np.float32) / 65535
    colours = np.asarray(file.convert("RGBA"), np.float32) / 255
    light, opaque = colours[..., :3] @ np.array([0.299, 0.587, 0.114], np.float32), colours[..., 3]
    ground = 1.0 if (light * opaque).sum() < 0.5 * opaque.sum() and opaque.min() < 0.5 else 0.0
    return np.clip(light * opaque + ground * (1 - opaque), 0, 1)
