"""Threshold circuits (Sec. 6): layers of gates, each on where a sum of the layer below is large enough."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Sum:
    """Weights on some signals of a layer, and a constant; it comes to 0 at least and `most` at most."""

    terms: Mapping[int, int]
    constant: int = 0
    most: int = 1

    @property
    def reach(self) -> int:
        """The largest number that can occur while it is added up."""
        return sum(abs(weight) for weight in self.terms.values()) + abs(self.constant)


def signal(number: int) -> Sum:
    """The sum that is one signal alone."""
    return Sum({number: 1})


def total(parts: Iterable[tuple[int, Sum]], most: int | None = None) -> Sum:
    """Sums with weights together; `most` where the parts exclude each other.

    >>> total([(1, signal(0)), (10, signal(1))])
    Sum(terms={0: 1, 1: 10}, constant=0, most=11)
    """
    terms: dict[int, int] = {}
    constant = highest = 0
    for weight, part in parts:
        constant += weight * part.constant
        highest += weight * part.most
        for number, each in part.terms.items():
            terms[number] = terms.get(number, 0) + weight * each
    kept = {number: weight for number, weight in terms.items() if weight}
    return Sum(kept, constant, highest if most is None else most)


@dataclass
class Layer:
    """Gates in order: each compares one of the sums with a threshold and is on from there."""

    sums: list[Sum] = field(default_factory=list)
    gates: list[tuple[int, int]] = field(default_factory=list)  # which sum, and its threshold

    def compare(self, compared: Sum, thresholds: Iterable[int]) -> list[Sum]:
        """A gate for each threshold of one sum."""
        self.sums.append(compared)
        first = len(self.gates)
        self.gates += [(len(self.sums) - 1, threshold) for threshold in thresholds]
        return [signal(number) for number in range(first, len(self.gates))]

    def gate(self, compared: Sum, threshold: int = 1) -> Sum:
        return self.compare(compared, [threshold])[0]


@dataclass
class Circuit:
    """Layers above the symbols that are seen; what it draws is a sum for each cell and each symbol, 0 or 1."""

    layers: list[Layer] = field(default_factory=list)
    drawn: list[list[Sum]] = field(default_factory=list)  # cells from the left, symbols

    def layer(self) -> Layer:
        self.layers.append(Layer())
        return self.layers[-1]


Steps = Mapping[int, Sum]  # for each threshold above 0, the gate that is on from there


def staircase(gates: Steps, heights: Sequence[int]) -> Sum:
    """What climbs and falls with the gates: heights[i] where a number is i, given gates for 'at least i'.

    >>> staircase({1: signal(0), 2: signal(1)}, [0, 1, 0])  # 1 where the number is 1
    Sum(terms={0: 1, 1: -1}, constant=0, most=1)
    """
    parts = [(after - before, gates[i]) for i, (before, after) in enumerate(itertools.pairwise(heights), 1)]
    climbed = total((weight, gate) for weight, gate in parts if weight)
    return Sum(climbed.terms, heights[0], max(heights))


def steps(layer: Layer, counted: Sum) -> Steps:
    """A gate for every number that a sum can reach."""
    thresholds = range(1, counted.most + 1)
    return dict(zip(thresholds, layer.compare(counted, thresholds), strict=True))


def indicators(gates: Steps, most: int, radix: int) -> list[Sum]:
    """For each digit whether a number is that digit, whatever was carried: sums of 'at least i'."""
    return [staircase(gates, [int(i % radix == digit) for i in range(most + 1)]) for digit in range(radix)]
