"""Linear probes: which facts ridge regression reads off a layer, and how far a layer is a layer of Section 6's gates.

A probe answers with the value whose output is largest. It is fitted on some pairs and judged on others. What it reads
is in the layer; what it does not read may still be there in another form.
"""

from collections.abc import Sequence

import numpy as np

from visarith.randomness import rng
from visarith.studies.insight.facts import Fact

STRENGTHS = (1e-5, 1e-3, 1e-1)  # of the ridge, chosen on a sixth of the training pairs
CONSTANT = 1e-6
FOUND = 0.9  # a unit with this squared correlation is the gate
ALIKE = 0.5


def probe(
    train: np.ndarray, train_facts: Sequence[Fact], test: np.ndarray, test_facts: Sequence[Fact]
) -> tuple[list[float], list[float]]:
    """The accuracy of probes on test pairs for each fact: with true labels, and with shuffled labels as a control."""
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
    """The R² of each target on test pairs, at least 0."""
    left = ((ridge(train, train_targets, test, STRENGTHS[1]) - test_targets) ** 2).mean(0)
    return np.asarray(np.clip(1 - left / np.maximum(test_targets.var(0), 1e-12), 0, 1))


def ridge(train: np.ndarray, targets: np.ndarray, test: np.ndarray, strength: float) -> np.ndarray:
    """Fit standardised activations to targets (count, columns), and predict those of the test pairs."""
    from sklearn.linear_model import Ridge  # slow to import
    from sklearn.preprocessing import StandardScaler

    used = train.std(0) > CONSTANT
    if not used.any():
        return np.tile(targets.mean(0), (len(test), 1))
    scaler = StandardScaler()
    inside = scaler.fit_transform(train[:, used].astype(np.float64))
    fitted = Ridge(alpha=strength * len(train), solver="cholesky").fit(inside, targets.astype(np.float64))
    return np.asarray(fitted.predict(scaler.transform(test[:, used].astype(np.float64))))


def _right(predicted: np.ndarray, facts: Sequence[Fact], widths: Sequence[int]) -> list[float]:
    shares, start = [], 0
    for fact, width in zip(facts, widths, strict=True):
        shares.append(float((predicted[:, start : start + width].argmax(1) == fact.values).mean()))
        start += width
    return shares


def squared_correlations(activations: np.ndarray, indicators: np.ndarray) -> np.ndarray:
    """The squared correlation of every unit with every gate: (units, gates); 0 for a constant unit."""
    columns = []
    for values in (activations, indicators):
        centred = values.astype(np.float64) - values.mean(0, dtype=np.float64)
        length = np.linalg.norm(centred, axis=0)
        columns.append(centred / np.where(length > 1e-9 * len(values), length, np.inf))
    return np.asarray((columns[0].T @ columns[1]) ** 2)


def match(activations: np.ndarray, indicators: np.ndarray, train: int) -> dict[str, float]:
    """How well units match gates, one by one and as linear combinations; the first `train` pairs are for fitting."""
    found = squared_correlations(activations, indicators)
    held = explained(activations[:train], indicators[:train], activations[train:], indicators[train:])
    return {
        "gates": float(indicators.shape[1]),
        "units_that_are_gates": float((found.max(1) >= FOUND).mean()),
        "units_like_gates": float((found.max(1) >= ALIKE).mean()),
        "gates_found": float((found.max(0) >= FOUND).mean()),
        "gates_alike": float((found.max(0) >= ALIKE).mean()),
        "best_unit": float(found.max(0).mean()),  # squared correlation of a gate with the unit most like it
        "linear": float(held.mean()),  # R² of a gate by a linear combination of the units
    }
