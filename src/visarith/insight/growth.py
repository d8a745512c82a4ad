"""How a count grows with the digits, said from the counts at a few lengths, and what follows for a longer one."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

STRAIGHT, CLOSE = 0.05, 0.15  # how closely a line, and how closely an exponential, must meet every count
STEEP = 2.0  # and an exponential must at least double with each digit
LAST = 4  # lengths that count; the shortest ones are often special


@dataclass(frozen=True)
class Growth:
    """In which way a count grows, and how many there are at the length that was asked for."""

    kind: str  # constant, linear, quadratic, exponential; unknown from fewer than three lengths
    count: float
    measured: bool  # whether that length was counted itself


def growth(counts: Mapping[int, int], digits: int) -> Growth:
    """Say how counts at a few lengths grow.

    >>> growth({1: 8, 2: 27, 3: 46}, 7)
    Growth(kind='linear', count=122.0, measured=False)
    >>> growth({1: 3, 2: 12, 3: 28, 4: 51}, 4).kind
    'quadratic'
    """
    lengths = np.array(sorted(counts)[-LAST:])
    found = np.array([counts[length] for length in lengths.tolist()], float)
    measured = digits in counts
    last, more = found[-1], digits - int(lengths[-1])
    if (found == last).all():
        return Growth("constant" if len(found) > 2 else "unknown", last, measured)
    if len(found) < 3:
        slope = (last - found[0]) / (lengths[-1] - lengths[0])
        return Growth("unknown", float(counts[digits] if measured else last + slope * more), measured)
    kind, later = _fitted(lengths, found, digits)
    return Growth(kind, float(counts[digits]) if measured else float(later), measured)


def _fitted(lengths: np.ndarray, found: np.ndarray, digits: int) -> tuple[str, float]:
    last, ahead = lengths[-1], found[-1]
    line = np.polyfit(lengths, found, 1)
    if _close(np.polyval(line, lengths), found, STRAIGHT):
        return "linear", ahead + (ahead - found[-2]) / (last - lengths[-2]) * (digits - last)
    logarithms = np.log(np.maximum(found, 1e-9))
    steep = np.polyfit(lengths, logarithms, 1)
    ratio = float(np.exp(steep[0]))
    if ratio >= STEEP and _close(np.exp(np.polyval(steep, lengths)), found, CLOSE):
        return "exponential", ahead * ratio ** (digits - last)
    curve = np.polyfit(lengths, found, 2)
    return "quadratic", round(ahead + float(np.polyval(curve, digits) - np.polyval(curve, last)), 6)


def _close(fit: np.ndarray, found: np.ndarray, share: float) -> bool:
    return bool((np.abs(fit - found) <= share * np.maximum(found, 1)).all())
