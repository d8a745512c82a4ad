"""Rows of operands as one number each, so that ten million of them take little memory."""

from collections.abc import Callable, Iterator

import numpy as np

AT_A_TIME = 100_000  # rows that are Python objects at the same time


class Keys:
    """A sorted set of rows of numbers in 0..limit.

    >>> known = Keys(9, 2).with_rows(np.array([[1, 2], [3, 4], [1, 2]]))
    >>> len(known), known.has(np.array([[3, 4], [4, 3]])).tolist()
    (2, [True, False])
    """

    def __init__(self, limit: int, width: int, keys: np.ndarray | None = None) -> None:
        self.limit, self.width = limit, width
        self._keys = np.zeros(0, np.int64) if keys is None else keys

    @staticmethod
    def fit(limit: int, width: int) -> bool:
        """Whether such a row is a number below 2^62."""
        return bool((limit + 1) ** width <= 2**62)

    def __len__(self) -> int:
        return len(self._keys)

    def with_rows(self, rows: np.ndarray) -> "Keys":
        """Return the set with these rows too."""
        return Keys(self.limit, self.width, np.union1d(self._keys, self._of(rows)))

    def has(self, rows: np.ndarray) -> np.ndarray:
        """Whether each row is in the set: (count,)."""
        keys = self._of(rows)
        if not len(self._keys):
            return np.zeros(len(keys), bool)
        at = np.searchsorted(self._keys, keys).clip(max=len(self._keys) - 1)
        return np.asarray(self._keys[at] == keys)

    def fresh(self, rows: np.ndarray) -> np.ndarray:
        """Whether each row is neither in the set nor an earlier one: (count,)."""
        first = np.zeros(len(rows), bool)
        first[np.unique(self._of(rows), return_index=True)[1]] = True
        return np.asarray(first & ~self.has(rows))

    def _of(self, rows: np.ndarray) -> np.ndarray:
        keys = np.zeros(len(rows), np.int64)
        for column in rows.T:
            keys = keys * (self.limit + 1) + column
        return keys


def blocks(rows: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the rows, some at a time."""
    for start in range(0, len(rows), AT_A_TIME):
        yield rows[start : start + AT_A_TIME]


def mapped(rule: Callable[[np.ndarray], np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Return what a rule gives for the rows, some at a time."""
    found = [rule(block) for block in blocks(rows)] or [rule(rows)]
    return np.asarray(np.concatenate(found) if len(found) > 1 else found[0])
