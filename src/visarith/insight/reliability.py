"""Whether the ink of a digit is its probability: what is drawn for noisy pictures against what is true."""

import numpy as np

from visarith.data.task import Examples, Task
from visarith.insight.mixtures import Predict
from visarith.randomness import generator

BINS = 10
ENOUGH = 30  # digits in a bin that counts


def amounts(task: Task, pictures: np.ndarray) -> np.ndarray:
    """How much of each glyph is in each cell of pictures, by least squares: (count, cells, glyphs)."""
    layout = task.plain_answer_layout
    cells = pictures.reshape(len(pictures), -1)[:, layout.places]
    return np.asarray(cells @ np.linalg.pinv(layout.patterns.astype(np.float64)))


def reliability(task: Task, predict: Predict, examples: Examples, *, seed: int = 0) -> dict[str, object]:
    """Of digits drawn with so much ink, how many are the true ones; amounts below 0 and above 1 count as 0 and 1."""
    pictures = task.inputs(examples.inputs, generator(seed, "reliability")).numpy()
    drawn = np.clip(amounts(task, predict(pictures)[:, 0]), 0, 1)
    true = np.eye(drawn.shape[-1])[examples.answers[:, 0]]
    return by_bins(drawn.ravel(), true.ravel())


def by_bins(drawn: np.ndarray, true: np.ndarray) -> dict[str, object]:
    """The mean amount and the share of true digits in each bin; how far they are apart, every bin counting alike."""
    which = np.minimum((drawn * BINS).astype(int), BINS - 1)
    counts = np.bincount(which, minlength=BINS)
    some = np.maximum(counts, 1)
    mean, share = np.bincount(which, drawn, BINS) / some, np.bincount(which, true, BINS) / some
    enough = counts >= ENOUGH
    return {
        "counts": counts.tolist(),
        "drawn": mean.tolist(),
        "true": share.tolist(),
        "apart": float(np.abs(mean - share)[enough].mean()) if enough.any() else None,
        "between": float(counts[1:-1].sum() / counts.sum()),  # neither hardly any ink nor almost all
    }
