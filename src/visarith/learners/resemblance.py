"""Resemblance: the glyph that a cell in an unknown font looks most like, when there are glyphs of many fonts.

Fonts differ in where a stroke is and in how dark it is. Cells and glyphs are therefore blurred a little, the glyphs are
moved by up to one pixel, and compared by correlation. On fonts of Debian that are in no set of `pictures/fonts.py` this
reads 96 % of digits, and the nearest glyph alone 88 % (docs/log.md).
"""

import math
from itertools import product

import torch
from torch import Tensor
from torch.nn.functional import conv2d, pad

BLUR = 0.5  # pixels, the standard deviation
STEP = 1  # pixels by which a glyph may be moved, each way
AROUND = 2  # pixels


def resembled(cells: Tensor, seen: Tensor, glyphs: Tensor, columns: int) -> Tensor:
    """Which of the glyphs (glyphs, pixels) each cell (batch, cells, pixels), so many columns wide, looks most like.

    `cells` are at a contrast of 1 on a ground of 0; pixels that are not seen count as ground.
    """
    moved = torch.cat([_moved(glyphs, columns, *by) for by in product(range(-STEP, STEP + 1), repeat=2)])
    alike = _unit(_blurred((cells * seen).flatten(0, 1), columns)) @ _unit(_blurred(moved, columns)).T
    return alike.argmax(1).remainder(len(glyphs)).view(cells.shape[:-1])


def _moved(cells: Tensor, columns: int, down: int, right: int) -> Tensor:
    """Cells (count, pixels) moved by so many pixels; those that enter are 0."""
    pictures = cells.view(len(cells), -1, columns)
    return pad(pictures, (right, -right, down, -down)).flatten(1)


def _blurred(cells: Tensor, columns: int) -> Tensor:
    """Cells (count, pixels) with a margin, convolved with a normal distribution."""
    line = torch.tensor([math.exp(-((at / BLUR) ** 2) / 2) for at in range(-AROUND, AROUND + 1)], device=cells.device)
    kernel = (line[:, None] * line / line.sum() ** 2)[None, None]
    pictures = cells.view(len(cells), 1, -1, columns)
    return conv2d(pictures, kernel.to(cells.dtype), padding=2 * AROUND).flatten(1)


def _unit(cells: Tensor) -> Tensor:
    """Cells (count, pixels) without their mean, at length 1."""
    centred = cells - cells.mean(1, keepdim=True)
    unit: Tensor = centred / centred.norm(dim=1, keepdim=True).clamp(min=1e-6)
    return unit
