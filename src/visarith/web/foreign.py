"""Fit a picture from anywhere into cells: ink is told from ground, turned upright, parted into symbols, and scaled.

`static/foreign.js` does the same step by step in the browser; tests/test_foreign.py holds both together.
"""

import math
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from visarith.errors import VisarithError
from visarith.pictures.layout import Layout

FAINT = 0.1  # the least difference of ink and ground
LEAST = 0.1  # of what ink could add to its ground
BINS = 128  # of the histogram in which ink and ground are parted
TALL = 0.5  # symbols have at least this share of the height of the tallest; commas and specks have not
OFF = 0.5  # symbols stand on one line: their middles are at most this share of a height away from it
TURN = 0.02  # radians from which a line is turned
SIDEWAYS = 2.0  # a picture is turned by a right angle if its symbols are spread so much more down than across
OVERLAP = 0.5  # parts that stand above each other by this share of the narrower are one symbol
LOW = 5  # pixels that a line is high at least, so that there is something to read
WIDE = 1.4  # a symbol is at most so many times as wide as the line is high
SHEET = 0.05  # a sheet on a table has at least this share of a picture,
FULL = 0.5  # and fills at least this share of its box, as few digits do


@dataclass(frozen=True)
class Box:
    """Where ink hangs together: rows top to bottom, columns left to right, ends excluded."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def width(self) -> int:
        return self.right - self.left


def fit(seen: np.ndarray, layout: Layout) -> np.ndarray:
    """Return a picture (height, width) in [0, 1], dark or light ink, as a picture of this layout.

    A multiple of the layout's size is scaled as a whole, since its cells are where they should be.
    """
    high, wide = seen.shape
    if high % layout.height == 0 and high * layout.width == wide * layout.height:
        light = 1 - seen if seen.mean() > 0.5 else seen
        return _scaled(light, layout.height, layout.width)
    ink = levelled(seen)
    sheet = sheet_in(ink)
    if sheet is None:
        return _upright(ink, layout)[0]
    ways = []
    for part in (seen[sheet.top : sheet.bottom, sheet.left : sheet.right], seen):
        with suppress(VisarithError):
            ways.append(_upright(levelled(part), layout))
    return max(ways, key=lambda way: way[1])[0] if ways else _upright(ink, layout)[0]


def _upright(ink: np.ndarray, layout: Layout) -> tuple[np.ndarray, float]:
    """Turn a picture by a right angle where its symbols stand above each other; return cells and how sure they are."""
    boxes = symbols(ink)
    across, down = (np.ptp([getattr(box, side) for box in boxes]) for side in ("left", "top"))
    turns = (1, 3) if len(boxes) > 1 and down > SIDEWAYS * across else (0,)
    return max((_on_its_line(np.rot90(ink, each), layout) for each in turns), key=lambda way: way[1])


def levelled(seen: np.ndarray) -> np.ndarray:
    """Return how much ink each pixel has, 0 to 1, whatever the ground and the light."""
    middle = _at_share(seen, 0.5)
    dark = middle - _at_share(seen, 0.02) > _at_share(seen, 0.98) - middle
    value = 1 - seen if dark else seen.astype(np.float64)
    reach = math.ceil(max(seen.shape) / 8)
    every = np.ones_like(value)
    first = _box(value, reach) / _box(every, reach)
    ground = (value <= first + FAINT / 4).astype(np.float64)
    count = _box(ground, reach)
    level = np.where(count > 0, _box(value * ground, reach) / np.maximum(count, 1), first)
    above = np.maximum(value - level, 0) / np.maximum(1 - level, LEAST)  # in the shade, ink and ground differ less
    split = _split(above)
    inked = above > split
    low, high = (float(above[part].mean()) if part.any() else 0.0 for part in (~inked, inked))
    if high - low < FAINT:
        raise VisarithError("a picture cannot be read: no ink stands out from the ground")
    full = _at_share(above[above > (low + high) / 2], 0.75)
    return np.asarray(np.clip((above - low) / (full - low), 0, 1))


def sheet_in(ink: np.ndarray) -> Box | None:
    """Return the largest light sheet on a dark table, which is taken for ink, or None if there is none."""
    sheets = [
        (box.height * box.width, box)
        for box, inked in _components(ink)
        if box.height * box.width >= SHEET * ink.size and inked >= FULL * box.height * box.width
    ]
    return max(sheets, key=lambda each: each[0])[1] if sheets else None


def _components(ink: np.ndarray) -> list[tuple[Box, int]]:
    """Return the boxes of the ink that hangs together, diagonally too, and how many pixels are inked in each."""
    from scipy.ndimage import find_objects, label

    marked, _ = label(ink > 0.5, structure=np.ones((3, 3)))
    inked = np.bincount(marked.ravel())[1:].tolist()
    return [
        (Box(rows.start, rows.stop, columns.start, columns.stop), count)
        for (rows, columns), count in zip(find_objects(marked), inked, strict=True)
    ]


def symbols(ink: np.ndarray) -> list[Box]:
    """Return the symbols of a line, from the left: what hangs together, without specks and what the border cuts."""
    high, wide = ink.shape
    boxes = [box for box, _ in _components(ink)]
    whole = [box for box in boxes if box.top > 0 and box.bottom < high and box.left > 0 and box.right < wide]
    boxes = whole or boxes
    tallest = max(box.height for box in boxes)
    return sorted((box for box in boxes if box.height >= TALL * tallest), key=lambda box: (box.left, box.top))


def _on_its_line(ink: np.ndarray, layout: Layout) -> tuple[np.ndarray, float]:
    """Turn the line level, part it into symbols, and put these into cells; return these, and how sure they are."""
    boxes = symbols(ink)
    if len(boxes) > 1:
        across = np.array([(box.left + box.right) / 2 for box in boxes])
        down = np.array([(box.top + box.bottom) / 2 for box in boxes])
        spread = across - across.mean()
        slope = float((spread * (down - down.mean())).sum() / max(float((spread**2).sum()), 1e-9))
        if TURN < abs(math.atan(slope)) < math.pi / 4:
            ink = turned(ink, math.atan(slope))
            boxes = symbols(ink)
    middle = sorted((box.top + box.bottom) / 2 for box in boxes)[len(boxes) // 2]
    tallest = max(box.height for box in boxes)
    line = _merged([box for box in boxes if abs((box.top + box.bottom) / 2 - middle) <= OFF * tallest])
    if len(line) > layout.cells:
        raise VisarithError(f"a picture cannot be read: it has {len(line)} symbols, and there are {layout.cells} cells")
    high = max(box.bottom for box in line) - min(box.top for box in line)
    if high < LOW:
        raise VisarithError(f"a picture cannot be read: its symbols are {high} pixels high; crop it to the number")
    if max(box.width for box in line) > WIDE * high:
        raise VisarithError("a picture cannot be read: no single digits were found; crop it to one line of print")
    return _in_cells(ink, line, layout)


def _merged(boxes: list[Box]) -> list[Box]:
    """Join the parts of one symbol, which stand above each other."""
    line: list[Box] = []
    for box in boxes:
        last = line[-1] if line else None
        common = min(last.right, box.right) - box.left if last else 0
        if last and common >= OVERLAP * min(last.right - last.left, box.right - box.left):
            line[-1] = Box(min(last.top, box.top), max(last.bottom, box.bottom), last.left, max(last.right, box.right))
        else:
            line.append(box)
    return line


def turned(ink: np.ndarray, angle: float) -> np.ndarray:
    """Turn a picture about its middle so that a line at this angle becomes level; what comes from outside is 0."""
    high, wide = ink.shape
    y, x = np.mgrid[:high, :wide] - np.array([(high - 1) / 2, (wide - 1) / 2])[:, None, None]
    across = math.cos(angle) * x - math.sin(angle) * y + (wide - 1) / 2
    down = math.sin(angle) * x + math.cos(angle) * y + (high - 1) / 2
    left, top = np.floor(across).astype(int), np.floor(down).astype(int)
    padded = np.pad(ink, 1)

    def at(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        return np.asarray(padded[rows.clip(-1, high) + 1, columns.clip(-1, wide) + 1])

    right, below = across - left, down - top
    upper = at(top, left) * (1 - right) + at(top, left + 1) * right
    lower = at(top + 1, left) * (1 - right) + at(top + 1, left + 1) * right
    return np.asarray(upper * (1 - below) + lower * below)


def _in_cells(ink: np.ndarray, line: list[Box], layout: Layout) -> tuple[np.ndarray, float]:
    """Centre each symbol in a cell: digits right-aligned after zeros, Roman numerals left-aligned."""
    _, high, wide = layout.glyphs.shape
    inked_rows = np.flatnonzero(layout.glyphs.any((0, 2)))
    top, bottom = int(inked_rows[0]), int(inked_rows[-1]) + 1
    begin, end = min(box.top for box in line), max(box.bottom for box in line)
    digits = layout.alphabet.startswith("0")
    first = layout.cells - len(line) if digits else 0
    zeros = layout.typeset(np.zeros(layout.cells, np.int64)) / 255
    drawn = (zeros if digits else np.zeros_like(zeros)).astype(np.float32)
    for number, box in enumerate(line):
        y, x = layout.corners[first + number]
        width = min(wide, max(1, round((box.right - box.left) * (bottom - top) / (end - begin))))
        drawn[y : y + high, x : x + wide] = 0
        left = x + (wide - width) // 2
        drawn[y + top : y + bottom, left : left + width] = _scaled(
            ink[begin:end, box.left : box.right], bottom - top, width
        )
    return drawn, _confidence(drawn.ravel()[layout.places[first : first + len(line)]], layout)


def _confidence(cells: np.ndarray, layout: Layout) -> float:
    """How much nearer each cell is to its glyph than to the next one, on average."""
    squares = np.sort(((cells[:, None] - layout.patterns) ** 2).sum(2), axis=1)
    return float((squares[:, 1] - squares[:, 0]).mean())


def _box(values: np.ndarray, reach: int) -> np.ndarray:
    """Return the sum over a square around each pixel, as far as it is in the picture."""
    high, wide = values.shape
    total = np.pad(values.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    top, bottom = np.arange(high) - reach, np.arange(high) + reach + 1
    left, right = np.arange(wide) - reach, np.arange(wide) + reach + 1
    top, bottom, left, right = top.clip(0), bottom.clip(max=high), left.clip(0), right.clip(max=wide)
    rows = total[bottom] - total[top]
    return np.asarray(rows[:, right] - rows[:, left])


def _at_share(values: np.ndarray, share: float) -> float:
    """The value below which this share of all values lies."""
    return float(np.sort(values, axis=None)[int(share * (values.size - 1))])


def _split(values: np.ndarray) -> float:
    """The threshold that parts values into two kinds that differ most (Otsu's method)."""
    most = max(float(values.max()), 1e-9)
    bins = np.minimum((values.ravel() / most * BINS).astype(int), BINS - 1)
    counts = np.bincount(bins, minlength=BINS).astype(np.float64)
    centres = np.arange(BINS) + 0.5
    below, sums = counts.cumsum(), (counts * centres).cumsum()
    above = below[-1] - below
    apart = np.where(
        (below > 0) & (above > 0),
        below * above * (sums / np.maximum(below, 1) - (sums[-1] - sums) / np.maximum(above, 1)) ** 2,
        0,
    )
    return float((int(apart.argmax()) + 1) / BINS * most)


def _scaled(picture: np.ndarray, height: int, width: int) -> np.ndarray:
    """Scale a picture; each new pixel is the mean of the area that it covers."""
    return np.asarray(_shares(height, len(picture)) @ picture @ _shares(width, picture.shape[1]).T, np.float32)


def _shares(new: int, old: int) -> np.ndarray:
    """Return how much each of `old` pixels in a row contributes to each of `new` ones: (new, old)."""
    edges, pixels = np.arange(new + 1)[:, None] * old / new, np.arange(old)
    overlaps = np.minimum(edges[1:], pixels + 1) - np.maximum(edges[:-1], pixels)
    return np.asarray(overlaps.clip(0) * new / old)
