"""What can be read off a layer by a weighted sum: ridge regression to the presence of each value.

A probe answers with the value whose sum is largest. It is fitted on some pairs and judged on others. What it reads is
there in the layer; what it does not read may still be there in another form.
"""

from collections.abc import Sequence

import numpy as np

from visarith.insight.facts import Fact
from visarith.randomness import rng

STRENGTHS = (1e-5, 1e-3, 1e-1)  # of the ridge; the one that does best on a sixth of the training pairs is taken
CONSTANT = 1e-6


def probe(
    train: np.ndarray, train_facts: Sequence[Fact], test: np.ndarray, test_facts: Sequence[Fact]
) -> tuple[list[float], list[float]]:
    """The share of test pairs whose fact is read right; first with true labels, then with shuffled ones (control)."""
    order = rng(0, "shuffled labels").permutation(len(train))
    targets = [fact.one_hot for fact in train_facts]
    both = np.concatenate([*targets, *(target[order] for target in targets)], axis=1)
    held = len(train) // 6
    widths = [fact.classes for fact in train_facts]
    inside = [fact[slice(held)] for fact in train_facts]
    scores = [
        np.mean(_right(ridge(train[held:], both[held:], train[:held], strength), inside, widths))
        for strength in STRENGTHS
    ]
    predicted = ridge(train, both, test, STRENGTHS[int(np.argmax(scores))])
    return _right(predicted, test_facts, widths), _right(predicted[:, sum(widths) :], test_facts, widths)


def explained(train: np.ndarray, train_targets: np.ndarray, test: np.ndarray, test_targets: np.ndarray) -> np.ndarray:
    """The share of each target's variance over test pairs that a weighted sum gets right; 0 if it does harm."""
    left = ((ridge(train, train_targets, test, STRENGTHS[1]) - test_targets) ** 2).mean(0)
    return np.asarray(np.clip(1 - left / np.maximum(test_targets.var(0), 1e-12), 0, 1))


def ridge(train: np.ndarray, targets: np.ndarray, test: np.ndarray, strength: float) -> np.ndarray:
    """Fit weighted sums of standardised activations to targets (count, columns), and give those of the test pairs."""
    mean, deviation = train.mean(0), train.std(0)
    used = deviation > CONSTANT
    inside, outside = ((values[:, used] - mean[used]) / deviation[used] for values in (train, test))
    centre = targets.mean(0)
    if not used.any():
        return np.tile(centre, (len(test), 1))
    gram = (inside.T @ inside).astype(np.float64) / len(train) + strength * np.eye(int(used.sum()))
    weights = np.linalg.solve(gram, (inside.T @ (targets - centre)).astype(np.float64) / len(train))
    return np.asarray(outside @ weights + centre)


def _right(predicted: np.ndarray, facts: Sequence[Fact], widths: Sequence[int]) -> list[float]:
    shares, start = [], 0
    for fact, width in zip(facts, widths, strict=True):
        shares.append(float((predicted[:, start : start + width].argmax(1) == fact.values).mean()))
        start += width
    return shares
