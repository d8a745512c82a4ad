"""Perception: which glyph of the training pictures each cell shows, and which cells show none of them.

A picture may be moved by up to two pixels, and its contrast and its ground may differ from those of training, so it is
read as `contrast * glyph + ground`, with one contrast and one ground for the whole picture, at the shift at which the
least is left over. Pictures that need none of this, such as clean ones of the training font, are read as they are.

A cell is unreadable if
- what is left over is more than noise: its mean square exceeds that of the picture's noise by six standard deviations,
  and a tenth of the square of half the distance to the nearest other glyph; or
- its glyph is less than 50 times as likely as the next one, or as no ink at all.
Where glyphs of many fonts mean the same, `resemblance.py` has a say as well.
Everything is measured in units of the contrast, so that the limits follow from the glyphs.
"""

import math
from dataclasses import dataclass
from itertools import product

import torch
from torch import Tensor
from torch.nn.functional import pad

from visarith.learners.resemblance import resembled

REACH = 2  # pixels by which a picture may be moved, each way
LIKE = 0.1  # the share of the square of half the distance to another glyph
DEVIATIONS = 6
EVIDENCE = math.log(50)
MOST = 0.9  # of the fonts of training
OUTLIER = 0.1  # of the contrast: pixels that differ by more count less when contrast and ground are fitted
ROUNDS = 5  # of fitting
NORMAL = 1.4826  # the standard deviation of a normal distribution, by its median absolute deviation
BLANK = 0.01  # centres of clusters are rounded, so a blank one is not quite flat
TINY = 1e-6
AT_A_TIME = 500  # pictures
SHIFTS = sorted(product(range(-REACH, REACH + 1), repeat=2), key=lambda shift: abs(shift[0]) + abs(shift[1]))


@dataclass(frozen=True, eq=False)
class Perceived:
    """What is seen in each cell of each input: tensors (batch, inputs, cells)."""

    which: Tensor  # the number of its glyph; of the nearest one if the cell is unreadable
    sure: Tensor  # 1 for a perfect glyph, 0 if the cell is unreadable
    readable: Tensor  # bool

    @property
    def legible(self) -> Tensor:
        """Whether every cell of all inputs is readable: (batch,) bool."""
        return self.readable.flatten(1).all(1)

    def unreadable(self, row: int = 0) -> list[list[int]]:
        """The unreadable cells of each input of one example, counted from 0 from the left."""
        return [(~each).nonzero().flatten().tolist() for each in self.readable[row]]

    def confidence(self, row: int = 0) -> float:
        """How sure the least sure cell of one example is."""
        return float(self.sure[row].min())


class Glyphs:
    """Glyphs (count, pixels), the distances between them, and by how much a cell may differ from each.

    Glyphs of one kind mean the same, as a digit in several fonts does: they are no rivals, and a cell may differ from
    the nearest one by as much as most of them differ from the next one.
    """

    def __init__(self, cells: Tensor, kinds: Tensor | None = None) -> None:
        self.cells, self.pixels = cells, cells.shape[1]
        self.inked = cells.amax(1) - cells.amin(1) > BLANK
        self.apart = torch.cdist(cells, cells, compute_mode="donot_use_mm_for_euclid_dist").square()
        copies = self.apart < TINY  # itself, and others if there are any
        self.first = copies.int().argmax(1)
        self.same = copies if kinds is None else copies | (kinds[:, None] == kinds)
        self.ink = torch.where(self.inked, cells.square().sum(1), torch.inf)
        nearest = torch.minimum(self.apart.masked_fill(self.same, torch.inf).amin(1), self.ink)
        self.close = LIKE / 4 * nearest / self.pixels  # mean square of a pixel
        self.like = torch.maximum(self.close, self._spread(copies) / self.pixels)
        self.several = bool((self.same & ~copies).any())  # glyphs of a kind
        shapes = cells - cells.mean(1, keepdim=True)
        self.norms = shapes.norm(dim=1).clamp(min=TINY)
        self.shapes = shapes / self.norms[:, None]

    def _spread(self, copies: Tensor) -> Tensor:
        """For each glyph the square of the distance from a glyph of its kind to the next one; 0 if it is alone.

        Nine of ten are nearer than that, so that nine of ten fonts of training could be read if they were new.
        """
        beside = self.apart.masked_fill(~self.same | copies, torch.inf).amin(1)
        of_kind = torch.where(self.same & beside.isfinite(), beside, torch.nan)
        return of_kind.nanquantile(MOST, dim=1).nan_to_num(0)

    def nearest(self, cells: Tensor, seen: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """The nearest glyph of each cell, the square of its distance, and by how much farther the others are.

        Only pixels that are seen count, by default all. The last is (..., glyphs), infinite for the glyph itself.
        """
        shown, own = cells if seen is None else cells * seen, self.cells.square()
        squares = (own.sum(1) if seen is None else seen @ own.T) - shown @ (
            2 * self.cells.T
        )  # and the cell's own square
        which = self.first[squares.argmin(-1)]
        farther = (squares - squares.gather(-1, which[..., None])).masked_fill(self.same[which], torch.inf)
        rest = cells - self.cells[which]
        return which, (rest if seen is None else rest * seen).norm(dim=-1).square(), farther

    def margin(self, which: Tensor, farther: Tensor) -> Tensor:
        """1 at a glyph, 0 half way to another, as in the template reader."""
        return (farther / self.apart.clamp(min=TINY)[which]).amin(-1)


@torch.no_grad()
def perceive(
    pictures: Tensor, places: Tensor, cells: Tensor, *, kinds: Tensor | None = None, empty: bool = False
) -> Perceived:
    """Read pictures (batch, inputs, height, width), whose cells are at `places` (cells, pixels), by glyphs `cells`.

    `cells` is (glyphs, pixels), and `kinds` (glyphs,) numbers what they mean, by default each something else. One of
    them may be blank. A picture without any ink is unreadable, since it has no
    contrast; but if an `empty` picture shows a number, one as dark as in training is read.
    """
    shape, glyphs = (*pictures.shape[:2], len(places)), Glyphs(cells, kinds)
    flat = pictures.flatten(0, 1)
    shown = flat.flatten(1).index_select(1, places.flatten()).view(-1, *places.shape)  # fast
    which, square, farther = glyphs.nearest(shown)
    differs = square / glyphs.pixels / glyphs.close[which]
    readable = differs <= 1
    sure = torch.minimum(glyphs.margin(which, farther), 1 - differs).clamp(0, 1)
    plain = readable.all(1) if empty else readable.all(1) & glyphs.inked[which].any(1)
    rest, columns = (~plain).nonzero().flatten(), _columns(places, pictures.shape[-1])
    for start in range(0, len(rest), AT_A_TIME):
        rows = rest[start : start + AT_A_TIME]
        which[rows], sure[rows], readable[rows] = _read(*_aligned(flat[rows], places, glyphs), glyphs, columns)
    return Perceived(which.view(shape), sure.view(shape), readable.view(shape))


def _aligned(pictures: Tensor, places: Tensor, glyphs: Glyphs) -> tuple[Tensor, Tensor]:
    """The cells (batch, cells, pixels) of each picture at its best shift, and which of their pixels are inside of it.

    At the best shift glyphs leave the least variance over, if each cell may have a contrast and a ground of its own,
    with one sign of the contrast for the whole picture.
    """
    height, width = pictures.shape[1:]
    padded, inside = (pad(each, (REACH,) * 4) for each in (pictures, torch.ones_like(pictures[:1])))
    least = torch.full((len(pictures),), torch.inf, device=pictures.device)
    best = pictures.flatten(1)[:, places]
    seen = torch.ones_like(best)
    for down, right in SHIFTS if _columns(places, width) else SHIFTS[:1]:
        rows, columns = (slice(REACH + by, REACH + by + size) for by, size in ((down, height), (right, width)))
        cells, within = (each[:, rows, columns].flatten(1)[:, places] for each in (padded, inside))
        centred, shapes = _centred(cells, within), _centred(glyphs.shapes[:, None], within)
        shapes = shapes / shapes.norm(dim=-1, keepdim=True).clamp(min=TINY)
        alike = torch.einsum("bcp,gcp->bcg", centred, shapes)
        left_over = (centred.square().sum((1, 2)) - _explained(alike).amax(0)) / within.sum()
        better = left_over < least - TINY / 10
        least = torch.where(better, left_over, least)
        best[better], seen[better] = cells[better], within
    return best, seen


def _columns(places: Tensor, width: int) -> int:
    """The width of a cell, if each is a rectangle of the picture; 0 if pixels are permuted, and have no neighbours."""
    offsets, pixels = places - places[:, :1], torch.arange(places.shape[1], device=places.device)
    columns = int((offsets[0] < width).sum())
    return columns if bool((offsets == pixels // columns * width + pixels % columns).all()) else 0


def _centred(cells: Tensor, seen: Tensor) -> Tensor:
    """Cells (..., pixels) without their mean over the pixels that are seen; the others are 0."""
    mean = (cells * seen).sum(-1, keepdim=True) / seen.sum(-1, keepdim=True).clamp(min=1)
    return (cells - mean) * seen


def _explained(alike: Tensor) -> Tensor:
    """What the best glyphs explain (2, batch), with a positive and with a negative contrast."""
    return torch.stack([alike.amax(-1), -alike.amin(-1)]).clamp(min=0).square().sum(-1)


def _read(cells: Tensor, seen: Tensor, glyphs: Glyphs, columns: int) -> tuple[Tensor, Tensor, Tensor]:
    """The glyph of each cell (batch, cells, pixels), how sure that is, and whether it is readable."""
    contrast, ground = _fitted(cells, seen, glyphs)
    normal = _normal(cells, contrast, ground)
    which, square, farther = glyphs.nearest(normal, seen)
    noise = _noise(normal - glyphs.cells[which], seen).square()[:, None]
    count = seen.sum(-1).clamp(min=1)
    differs = (square / count - (1 + DEVIATIONS * (2 / count).sqrt()) * noise) / glyphs.like[which]
    no_ink = torch.where(glyphs.inked[which], (normal * seen).square().sum(-1) - square, torch.inf)
    evidence = torch.minimum(farther.amin(-1), no_ink) / (2 * (noise + glyphs.like[which]))
    readable = (differs <= 1) & (evidence >= EVIDENCE) & glyphs.inked[which].any(1, keepdim=True)
    sure = torch.minimum(glyphs.margin(which, farther), 1 - differs).clamp(0, 1)
    if glyphs.several and columns:  # both ways of reading must agree
        resembles = resembled(normal, seen, glyphs.cells, columns)
        which, readable = resembles, readable & glyphs.same[which, resembles]
    return which, torch.where(readable, sure, 0), readable


def _fitted(cells: Tensor, seen: Tensor, glyphs: Glyphs) -> tuple[Tensor, Tensor]:
    """The contrast and the ground of each picture, two tensors (batch,).

    The first guess is the mean over the cells of what fits their best glyphs, weighted by the variance that these
    explain. Then glyphs are chosen and both are fitted in turn, by least squares over all pixels. Pixels that do not
    fit count less, so that one foreign cell does not spoil the others.
    """
    alike = _centred(cells, seen) @ glyphs.shapes.T
    positive, negative = _explained(alike)
    sign = torch.where(positive >= negative, 1, -1)[:, None]
    strength, which = (alike * sign[..., None]).clamp(min=0).max(-1)
    slopes = strength * sign / glyphs.norms[which]
    grounds = ((cells - slopes[..., None] * glyphs.cells[which]) * seen).sum(-1) / seen.sum(-1).clamp(min=1)
    shares = strength.square() + TINY**2
    shares = shares / shares.sum(1, keepdim=True)
    contrast, ground = (shares * slopes).sum(1), (shares * grounds).sum(1)
    for _ in range(ROUNDS):
        normal = _normal(cells, contrast, ground)
        ink = glyphs.cells[glyphs.nearest(normal, seen)[0]]
        rest = normal - ink
        reach = (2 * _noise(rest, seen)).clamp(min=OUTLIER)[:, None, None]
        weights = seen / (1 + (rest / reach).square())
        total = weights.sum((1, 2))
        mean_ink, mean = ((weights * each).sum((1, 2)) / total for each in (ink, cells))
        apart = ink - mean_ink[:, None, None]
        spread = (weights * apart.square()).sum((1, 2))
        common = (weights * apart * (cells - mean[:, None, None])).sum((1, 2))
        contrast = torch.where(spread > TINY, common / spread.clamp(min=TINY), contrast)
        ground = mean - contrast * mean_ink
    return contrast, ground


def _normal(cells: Tensor, contrast: Tensor, ground: Tensor) -> Tensor:
    """Cells as they would be at a contrast of 1 on a ground of 0."""
    slope = torch.where(contrast < 0, -1, 1) * contrast.abs().clamp(min=TINY)
    return (cells - ground[:, None, None]) / slope[:, None, None]


def _noise(rest: Tensor, seen: Tensor) -> Tensor:
    """The standard deviation of the noise of each picture (batch,), by a median: most pixels fit any glyph."""
    return NORMAL * rest.abs().masked_fill(seen == 0, torch.nan).flatten(1).nanmedian(1).values
