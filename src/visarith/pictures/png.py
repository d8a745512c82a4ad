"""Picture files: reading PNG and JPEG, writing PNG, and sheets of examples as in the paper's Fig. 1."""

import base64
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont, ImageOps

from visarith.errors import VisarithError
from visarith.files import MB, read_bytes

MOST_PIXELS = 4_000_000  # of one picture
MOST = 100 * MB  # of its file
ZOOM, GAP, MARGIN = 4, 10, 16  # of a sheet, in pixels
MOST_SHOWN, MOST_SIDE = 4_000_000, 10_000  # pixels of all pictures on a sheet, and beside each other; more shrink
PAPER, INK = (250, 250, 248), (40, 40, 44)


def read_picture(path: Path) -> np.ndarray:
    """Read a PNG or JPEG file as greys, (height, width) uint8, turned upright."""
    with _opened(path, "PNG", "JPEG") as file:
        upright = ImageOps.exif_transpose(file)
        if upright.mode in ("1", "L"):
            return np.asarray(upright.convert("L"))
        greys: np.ndarray = np.rint(grey(upright) * 255).astype(np.uint8)
        return greys


def load_png(path: str | Path, shape: tuple[int, int]) -> tuple[np.ndarray, bool]:
    """Read a picture of this height and width in [0, 1] with light ink, and whether it was inverted for that."""
    with _opened(path, "PNG") as file:
        check_size(path, (file.height, file.width), shape)
        picture = grey(file)
    inverted = bool(picture.mean() > 0.5)  # ink never covers half of a picture
    return (1 - picture if inverted else picture), inverted


@contextmanager
def _opened(path: str | Path, *formats: str) -> Iterator[Image.Image]:
    """Open a picture; refuse a file that is missing, damaged, too large or of another format."""
    kind = " or ".join(formats)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(read_bytes(Path(path), MOST)), formats=formats) as file:
                if file.width * file.height > MOST_PIXELS:
                    raise VisarithError(
                        f"{path} has {file.width * file.height:,} pixels, more than {MOST_PIXELS:,}; make it smaller"
                    )
                yield file
    except VisarithError:
        raise
    except FileNotFoundError:
        raise VisarithError(f"{path} does not exist; give a {kind} file") from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise VisarithError(f"{path} has more than {MOST_PIXELS:,} pixels; make it smaller") from None
    except (OSError, ValueError, SyntaxError):
        raise VisarithError(f"{path} is not a {kind} picture; give another file") from None


def check_size(path: str | Path, size: tuple[int, int], shape: tuple[int, int]) -> None:
    """Refuse a picture whose height and width are not those of a run."""
    if size != shape:
        raise VisarithError(
            f"{path} is {size[0]} x {size[1]}, but this run takes {shape[0]} x {shape[1]} "
            f"(height x width); scale it first"
        )


def grey(file: Image.Image) -> np.ndarray:
    """Return intensities in [0, 1]; transparent pixels become white if the ink is dark, otherwise black."""
    if file.mode.startswith("I"):  # 16 bits a pixel
        return np.asarray(file, np.float32) / 65535
    colours = np.asarray(file.convert("RGBA"), np.float32) / 255
    light, opaque = colours[..., :3] @ np.array([0.299, 0.587, 0.114], np.float32), colours[..., 3]
    ground = 1.0 if (light * opaque).sum() < 0.5 * opaque.sum() and opaque.min() < 0.5 else 0.0
    return np.clip(light * opaque + ground * (1 - opaque), 0, 1)


def save_png(picture: np.ndarray, path: str | Path) -> None:
    """Write a picture in [0, 1], (height, width) or (height, width, 3)."""
    _image(picture).save(path, format="PNG")


def write_png(picture: np.ndarray, path: Path) -> None:
    """Write a picture to a file that the user has named; raise a `VisarithError` if that fails."""
    try:
        save_png(picture, path)
    except OSError as error:
        raise VisarithError(f"{path} cannot be written ({error.strerror or error}); choose another file") from None


def _image(picture: np.ndarray) -> Image.Image:
    return Image.fromarray((np.clip(picture, 0, 1) * 255).round().astype(np.uint8))


def examples_sheet(inputs: np.ndarray, answers: np.ndarray, truths: np.ndarray) -> np.ndarray:
    """Draw one column an example, (height, width, 3) in [0, 1]; arguments are (examples, pictures, height, width)."""
    rows = []
    for name, pictures in (("input", inputs), ("answer", answers), ("truth", truths)):
        count = pictures.shape[1]
        rows += [(f"{name} {i + 1}" if count > 1 else name, pictures[:, i]) for i in range(count)]
    beside = len(inputs) * max(pictures.shape[2] for _, pictures in rows)
    shown = sum(pictures.size for _, pictures in rows)
    zoom: float = min(ZOOM, (MOST_SHOWN / shown) ** 0.5, MOST_SIDE / beside)

    def zoomed(side: int) -> int:
        return max(1, round(zoom * side))

    wide = zoomed(max(pictures.shape[2] for _, pictures in rows))
    font = ImageFont.load_default(size=16)
    label = max(round(font.getlength(name)) for name, _ in rows) + GAP
    heights = [zoomed(pictures.shape[1]) for _, pictures in rows]
    size = (
        2 * MARGIN + label + len(inputs) * (wide + GAP) - GAP,
        2 * MARGIN + sum(high + GAP for high in heights) - GAP,
    )
    sheet = Image.new("RGB", size, PAPER)
    pen = ImageDraw.Draw(sheet)
    way = Image.Resampling.NEAREST if zoom >= 1 else Image.Resampling.BOX
    y = MARGIN
    for (name, pictures), high in zip(rows, heights, strict=True):
        pen.text((MARGIN, y + high // 2), name, INK, font, anchor="lm")
        for column, picture in enumerate(pictures):
            tile = _image(picture).resize((zoomed(picture.shape[1]), high), way)
            sheet.paste(tile, (MARGIN + label + column * (wide + GAP), y))
        y += high + GAP
    return np.asarray(sheet) / 255


def as_html(inputs: np.ndarray, answers: np.ndarray, truths: np.ndarray | None = None) -> str:
    """Return the sheet as an HTML image for a notebook."""
    file = io.BytesIO()
    _image(examples_sheet(inputs, answers, answers[:, :0] if truths is None else truths)).save(file, format="PNG")
    return f'<img alt="inputs and answers" src="data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}">'
