"""Pictures that are not as in training: foreign ones of several kinds, and clean ones that are moved, faded and noisy.

The limits of perception (`learners/perception.py`) were chosen on other fonts, other handwriting and other seeds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product

import numpy as np
import torch
from PIL import Image, ImageDraw

from visarith.pictures.layout import Layout
from visarith.pictures.typeface import Typeface, shipped_font
from visarith.randomness import rng, untouched

KINDS = {  # pictures of each kind
    "other fonts": 500,
    "other weights of the font": 300,
    "handwritten digits": 300,
    "random strokes": 300,
    "upside down": 300,
    "no ink": 100,
    "noise": 200,
}
FONTS = (
    *("DejaVuSansMono", "DejaVuSansMono-Bold", "DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSerif-Italic"),
    *("STIXGeneral", "STIXGeneralBol", "STIXGeneralItalic", "cmr10", "cmb10", "cmss10", "cmtt10"),
)
WEIGHTS = ("DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSans-BoldOblique")
TURNED = np.array([0, -1, -1, -1, -1, -1, 9, -1, 8, 6])  # what a digit shows that is turned by half a turn
FIRST_HAND = 800  # earlier handwritten digits were for choosing limits
SEED = 5100


@dataclass(frozen=True, eq=False)
class Foreign:
    """Pictures of one kind, and the digits that they really show, -1 where there is none."""

    kind: str
    pictures: np.ndarray  # (count, height, width) in [0, 1], noise apart
    digits: np.ndarray  # (count, cells)


def foreign(*, share: int = 1, seed: int = SEED) -> Iterator[Foreign]:
    """All kinds of pictures that are not of the training font, for seven digits in cells of 15 x 8 pixels."""
    for kind, count in KINDS.items():
        made = _MAKERS[kind](max(1, count // share), rng(seed, f"foreign {kind}"))
        yield Foreign(kind, made[0].astype(np.float32), made[1])


def _layout(font: str) -> Layout:
    return Typeface(font=str(shipped_font(f"{font}.ttf")) if font else "").layout("0123456789", 7)


def _typeset(fonts: Sequence[str], count: int, dice: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    digits = dice.integers(0, 10, (count, 7))
    layouts = [_layout(font) for font in fonts]
    pictures = [layouts[number % len(layouts)].typeset(row) for number, row in enumerate(digits)]
    return np.stack(pictures) / 255, digits


def _upside_down(count: int, dice: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    pictures, digits = _typeset([""], count, dice)
    return pictures[:, ::-1, ::-1], TURNED[digits[:, ::-1]]


def _handwritten(count: int, dice: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Digits of scikit-learn, 8 x 8 pixels, drawn 8 to 12 pixels high."""
    with untouched():
        from sklearn.datasets import load_digits  # slow to import

    stored = load_digits()
    chosen = dice.integers(FIRST_HAND, len(stored.images), (count, 7))
    pictures = np.zeros((count, 15, 60))
    for picture, row in zip(pictures, chosen, strict=True):
        for cell, image in enumerate(stored.images[row]):
            high = int(dice.integers(8, 13))
            drawn = Image.fromarray((image * 255 / 16).astype(np.uint8)).resize((8, high), Image.Resampling.BILINEAR)
            top, left = (15 - high) // 2, 2 + 8 * cell
            picture[top : top + high, left : left + 8] = np.asarray(drawn) / 255
    return pictures, stored.target[chosen]


def _strokes(count: int, dice: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A line of two to five corners in each cell."""
    pictures = []
    for _ in range(count):
        canvas = Image.new("L", (240, 60))
        for cell in range(7):
            across, down = dice.uniform(10, 38, 5) + 32 * cell, dice.uniform(6, 54, 5)
            corners = [(float(x), float(y)) for x, y in zip(across, down, strict=True)][: int(dice.integers(2, 6))]
            ImageDraw.Draw(canvas).line(corners, fill=255, width=int(dice.integers(3, 7)), joint="curve")
        pictures.append(np.asarray(canvas.resize((60, 15), Image.Resampling.BOX)) / 255)
    return np.stack(pictures), np.full((count, 7), -1)


def _no_ink(count: int, dice: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Half of them black, the others of any grey."""
    greys = dice.uniform(0, 1, count) * (np.arange(count) % 2)
    return np.broadcast_to(greys[:, None, None], (count, 15, 60)).copy(), np.full((count, 7), -1)


def _noise(count: int, dice: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Normal, uniform, and single pixels of ink."""
    shape = (count, 15, 60)
    kinds = [dice.normal(0.5, 0.3, shape), dice.uniform(0, 1, shape), (dice.uniform(0, 1, shape) < 0.2).astype(float)]
    return np.choose((np.arange(count) % 3)[:, None, None], kinds), np.full((count, 7), -1)


_MAKERS: dict[str, Callable[[int, np.random.Generator], tuple[np.ndarray, np.ndarray]]] = {
    "other fonts": partial(_typeset, FONTS),
    "other weights of the font": partial(_typeset, WEIGHTS),
    "handwritten digits": _handwritten,
    "random strokes": _strokes,
    "upside down": _upside_down,
    "no ink": _no_ink,
    "noise": _noise,
}


@dataclass(frozen=True)
class Disturbance:
    """Pictures are moved, then faded, then noise is added."""

    down: int = 0
    right: int = 0
    contrast: float = 1.0
    noise: float = 0.0
    ground: float = 0.0  # 1 is ink that is darker than its ground

    def of(self, pictures: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """Disturb pictures (..., height, width); pixels that enter are ground."""
        height, width = pictures.shape[-2:]
        padded = torch.nn.functional.pad(pictures, (2, 2, 2, 2))
        top, left = 2 - self.down, 2 - self.right
        moved = padded[..., top : top + height, left : left + width]
        ink = self.contrast if not self.ground else -self.contrast
        return self.ground + ink * moved + self.noise * torch.randn(moved.shape, generator=generator, device="cpu")


@cache
def disturbances() -> dict[str, list[Disturbance]]:
    """By name; where pictures are moved, one for every shift."""
    shifts = [shift for shift in product(range(-2, 3), range(-2, 3)) if shift != (0, 0)]
    return {
        "moved, each of 24 shifts": [Disturbance(*shift) for shift in shifts],
        "half contrast": [Disturbance(contrast=0.5)],
        "contrast 0.3": [Disturbance(contrast=0.3)],
        "noise 0.1": [Disturbance(noise=0.1)],
        "dark ink on light ground": [Disturbance(ground=1.0)],
        "moved, half contrast, noise 0.1": [Disturbance(*shift, 0.5, 0.1) for shift in shifts],
        "moved, contrast 0.3, noise 0.1": [Disturbance(*shift, 0.3, 0.1) for shift in shifts],
    }
