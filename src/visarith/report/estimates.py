"""Figures with their 95 % intervals, as text that says what the interval is over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from visarith.evaluation import bounded, wilson


@dataclass(frozen=True)
class Share:
    """A share and its interval, which is `over` several seeds, or over the pairs (or units) of one run."""

    mean: float
    low: float
    high: float
    over: str

    def __str__(self) -> str:
        """As text; where nothing, or everything, was counted, there is one bound only.

        >>> print(Share(0.02, 0, 0.0448, "3 seeds"))
        2.00 % (0 % to 4.48 % over 3 seeds)
        >>> print(Share(0, 0, 0.00004, "3 seeds"))
        0 %, at most 0.004 %
        """
        return bounded(self.mean, (self.low, self.high), self.over)


def share(
    values: Sequence[float],
    trials: Sequence[float],
    of_one: tuple[float, float] | None = None,
    *,
    of: str = "pairs",
    each: str = "seeds",
) -> Share:
    """The mean of the shares of several seeds, by Student's t; of one seed, its own interval or Wilson's.

    Seeds that agree on 0 (or on 1) have no variance, so that Student's interval would be empty: then their trials are
    taken together.

    >>> print(share([0.01, 0.02, 0.03], [100] * 3))
    2.00 % (0 % to 4.48 % over 3 seeds)
    >>> print(share([0, 0, 0], [30_000] * 3))
    0 %, at most 0.004 %
    >>> print(share([0.1], [256], of="units"))
    10.0 % (6.90 % to 14.3 % over units)
    """
    mean = float(np.mean(values))
    if mean in (0.0, 1.0):
        return Share(mean, *wilson(mean, sum(trials)), of)
    if len(values) == 1:
        return Share(mean, *(of_one or wilson(mean, trials[0])), of)
    reach = _students_reach(values)
    return Share(mean, max(0.0, mean - reach), min(1.0, mean + reach), f"{len(values)} {each}")


def _two_decimals(value: float) -> str:
    return f"{value:.2f}"


class Value:
    """The mean over seeds of what is no share of trials; with one seed there is no interval."""

    def __init__(self, values: Sequence[float], form: Callable[[float], str] = _two_decimals) -> None:
        self.mean, self.form = float(np.mean(values)), form
        reach = _students_reach(values) if len(values) > 1 else 0.0
        self.seeds, self.low, self.high = len(values), self.mean - reach, self.mean + reach

    def __str__(self) -> str:
        """With the minus sign U+2212.

        >>> print(Value([-0.5, -0.6, -0.7]), Value([1.25]))
        −0.60 (−0.85 to −0.35 over 3 seeds) 1.25
        """
        mean, low, high = map(self.form, (self.mean, self.low, self.high))
        return (f"{mean} ({low} to {high} over {self.seeds} seeds)" if self.seeds > 1 else mean).replace("-", "−")


def _students_reach(values: Sequence[float]) -> float:
    """Half the width of the interval of the mean of several values."""
    return float(stdtrit(len(values) - 1, 0.975) * np.std(values, ddof=1) / len(values) ** 0.5)
