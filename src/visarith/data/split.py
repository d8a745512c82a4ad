"""Training and test operands that have nothing in common, mirrored pairs included.

Who has seen the sum of 12 and 34 knows that of 34 and 12 by comparing pictures, so (b, a) is not fresh where it has the
same answer.
"""

import numpy as np

from visarith.operations import Domain
from visarith.operations.compact import Keys, mapped
from visarith.operations.operation import ENUMERABLE
from visarith.randomness import rng

ROOM = 4  # times as many candidates as are drawn: with fewer, there may be no other operands to draw


def split(domain: Domain, train: int, test: int, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw operands for training (train, operands) and for testing (test, operands)."""
    drawn = domain.sample(train + test, rng=rng(seed, "examples"))
    shown, tested = drawn[:train], drawn[train:]
    again = _mirrored(domain, shown, tested)
    if not len(again):
        return shown, tested
    if domain.candidates <= min(ENUMERABLE, ROOM * (train + test)):
        return _by_groups(domain, train, test, seed)
    taken = np.concatenate([with_mirrors(domain, shown), tested])
    tested[again] = domain.sample(len(again), rng=rng(seed, "examples", 1), exclude=taken)
    return shown, tested


def with_mirrors(domain: Domain, rows: np.ndarray) -> np.ndarray:
    """Return these operands and their mirrors."""
    width = rows.shape[1]

    def mirrored(block: np.ndarray) -> np.ndarray:
        mirrors = [mirror for row in block.tolist() for mirror in domain.mirrors(tuple(row))]
        return np.array(mirrors, rows.dtype).reshape(len(mirrors), width)

    return np.concatenate([rows, mapped(mirrored, rows)]) if len(rows) else rows


def _mirrored(domain: Domain, shown: np.ndarray, tested: np.ndarray) -> list[int]:
    """Return which of the tested operands have a mirror among those that are shown."""
    tried = list(map(tuple, tested.tolist()))
    if Keys.fit(domain.limit, domain.operation.operands):
        known = domain.known(shown)
        orders = [(number, order) for number, row in enumerate(tried) for order in domain.orders(row)]
        there = known.has(np.array([order for _, order in orders], np.int64))
        near = sorted({number for (number, _), found in zip(orders, there.tolist(), strict=True) if found})
        mirrors = ((number, np.array(list(domain.mirrors(tried[number])), np.int64)) for number in near)
        return [number for number, rows in mirrors if len(rows) and known.has(rows).any()]
    rows = set(map(tuple, shown.tolist()))
    near = [number for number, row in enumerate(tried) if not rows.isdisjoint(domain.orders(row))]
    return [number for number in near if not rows.isdisjoint(domain.mirrors(tried[number]))]


def _by_groups(domain: Domain, train: int, test: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Split all legal operands, mirrors together: first those to test, then those to train on.

    A group that is larger than what is still to be tested is left for training. If only such groups are left, a part of
    one is tested and the rest of it is not used.
    """
    legal = domain.all()
    rows = [legal[number] for number in rng(seed, "examples", 1).permutation(len(legal))]
    tested: dict[tuple[int, ...], None] = {}
    left: list[set[tuple[int, ...]]] = []
    seen: set[tuple[int, ...]] = set()
    for row in rows:
        if row not in seen:
            group = {row, *domain.mirrors(row)}
            seen |= group
            if len(tested) + len(group) <= test:
                tested |= dict.fromkeys(sorted(group))
            else:
                left.append(group)
    while len(tested) < test:
        tested |= dict.fromkeys(sorted(left.pop())[: test - len(tested)])
    usable = set().union(*left)
    shown = [row for row in rows if row in usable][:train]
    if len(shown) < train:
        raise domain.too_few(train + test, len(shown) + test)
    return np.array(shown), np.array(list(tested))
