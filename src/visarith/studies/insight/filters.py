"""Whether bottom filters emphasise the differences of similar digits (Section 6).

A filter's emphasis on two digits is the share of its energy along the difference of their glyphs, times the number of
dimensions that glyphs differ in: 1 for every two digits if filters point anywhere. A plain template emphasises digits
that look different; least-squares detectors, which must undo the overlap of glyphs, those that look alike.
"""

import itertools
from collections.abc import Sequence

import numpy as np

CLOSEST = 10  # pairs of digits that look most alike


def emphasis(filters: np.ndarray, glyphs: np.ndarray) -> np.ndarray:
    """The emphasis of filters (count, glyph pixels) on each pair of glyphs (symbols, glyph pixels)."""
    centred = glyphs - glyphs.mean(0)
    _, values, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[values > 1e-6 * values[0]]  # in which glyphs differ
    energy = ((filters @ axes.T) ** 2).sum()
    differences = _differences(glyphs)
    along = differences / np.linalg.norm(differences, axis=1, keepdims=True)
    return np.asarray(((filters @ along.T) ** 2).sum(0) / energy * len(axes))


def summary(filters: np.ndarray, glyphs: np.ndarray) -> dict[str, float]:
    """Emphasis on the most similar digits, and its correlation with how different two digits look."""
    distances = np.linalg.norm(_differences(glyphs), axis=1)
    found = emphasis(filters, glyphs)
    closest = np.argsort(distances, kind="stable")[:CLOSEST]
    return {
        "closest": float(found[closest].mean() / found.mean()),  # on the most similar digits, as a multiple of all
        "correlation": float(np.corrcoef(distances, found)[0, 1]),
    }


def templates(glyphs: np.ndarray) -> np.ndarray:
    """A filter for each glyph that is the glyph itself, less the mean of all."""
    return np.asarray(glyphs - glyphs.mean(0))


def least_squares_detectors(glyphs: np.ndarray) -> np.ndarray:
    """The filters of least norm that give 1 for their glyph and 0 for every other, up to a constant."""
    return np.asarray(np.linalg.pinv(glyphs - glyphs.mean(0)).T)


def cell_filters(weights: np.ndarray, places: np.ndarray, cells: Sequence[tuple[int, int]]) -> np.ndarray:
    """Bottom weights (units, operands, pixels) as one filter for every unit and every (operand, cell)."""
    return np.concatenate([weights[:, operand][:, places[cell]] for operand, cell in cells])


def _differences(glyphs: np.ndarray) -> np.ndarray:
    return np.stack([one - other for one, other in itertools.combinations(glyphs, 2)])
