"""Addition, subtraction and multiplication by threshold gates: the paper's construction and two others.

A number is a list of places, the rightmost first, each with its radix: ten everywhere, or five and two in turn for
Roman numerals. Each function turns sums of places into the digits of the answer.
"""

import math
from collections.abc import Sequence
from typing import Literal

from visarith.learners.constructed.circuit import Circuit, Layer, Sum, indicators, staircase, steps, total

Form = Literal["thresholds", "fewest", "carries"]


def by_thresholds(
    circuit: Circuit, places: Sequence[Sum], radices: Sequence[int], *, spare: bool, over: int = 0
) -> list[list[Sum]]:
    """The paper's HL2: each gate sees all places up to its own, so its weights are powers of the base.

    `over` is how often every sum contains the largest power, which the answer leaves out. With `spare` each place has
    2 x radix gates, as the paper counts them; the first is always on, and some never are.
    """
    layer, powers = circuit.layer(), [math.prod(radices[:place]) for place in range(len(places))]
    drawn = []
    for place, radix in enumerate(radices):
        running = total((power, each) for power, each in zip(powers[: place + 1], places, strict=False))
        first, last = 0, running.most // powers[place]
        if spare:
            last = max(last, 2 * radix - 1)
        elif place == len(places) - 1:  # the answer has no further place
            first, last = over * radix, over * radix + radix - 1
        begin = first if spare else first + 1
        gates = layer.compare(running, [i * powers[place] for i in range(begin, last + 1)])
        drawn.append(indicators(dict(enumerate(gates, begin - first)), last - first, radix))
    return drawn


def by_carries(circuit: Circuit, places: Sequence[Sum], radices: Sequence[int]) -> list[list[Sum]]:
    """Carry-lookahead: weights are bounded, and the number of layers grows with the logarithm of the length.

    A place carries if its own sum does, or if it is full and receives a carry. The same rule joins two neighbouring
    blocks of places, then four, then eight. Meanwhile each place keeps its digit without a carry; the last layer draws
    this digit or the next.
    """
    places = _split(circuit, list(places), radices)
    layer = circuit.layer()
    counted = [steps(layer, each) for each in places]
    carries = [gates.get(radix, NEVER) for gates, radix in zip(counted, radices, strict=True)]
    full = [gates.get(radix - 1, NEVER) for gates, radix in zip(counted, radices, strict=True)]
    digits = [indicators(gates, each.most, radix) for gates, each, radix in zip(counted, places, radices, strict=True)]
    reach = 1
    while True:
        layer, last = circuit.layer(), reach >= len(places) - 1
        if last:  # each place now knows the carry of the place to its right
            return [_drawn(layer, kept, carries[place - 1] if place else NEVER) for place, kept in enumerate(digits)]
        joined = [
            layer.gate(total([(2, carry), (1, full[place]), (1, carries[place - reach])]), 2)
            if place >= reach
            else layer.gate(carry)
            for place, carry in enumerate(carries)
        ]
        full = [
            layer.gate(total([(1, full[place]), (1, full[place - reach])]), 2) if place >= 2 * reach else NEVER
            for place in range(len(places))
        ]
        digits = [[layer.gate(each) for each in kept] for kept in digits]
        carries, reach = joined, 2 * reach


NEVER = Sum({}, most=0)


def _drawn(layer: Layer, kept: Sequence[Sum], carry: Sum) -> list[Sum]:
    """The digit of a place without a carry, or the next one with a carry: one of two candidates (Sec. 6)."""
    stays = [layer.gate(total([(1, each), (-1, carry)])) for each in kept]
    if carry is NEVER:
        return stays
    moves = [layer.gate(total([(1, kept[digit - 1]), (1, carry)]), 2) for digit in range(len(kept))]
    return [total([(1, one), (1, other)], most=1) for one, other in zip(stays, moves, strict=True)]


def _split(circuit: Circuit, places: list[Sum], radices: Sequence[int]) -> list[Sum]:
    """Write each sum in digits and add these to their places, until no place carries more than 1."""
    while any(
        each.most > 2 * radix - 2 + (not place) for place, (each, radix) in enumerate(zip(places, radices, strict=True))
    ):
        layer = circuit.layer()
        parts: list[list[tuple[int, Sum]]] = [[] for _ in places]
        for place, each in enumerate(places):
            gates, worth = steps(layer, each), 1
            for higher in range(place, len(places)):
                if worth > each.most:
                    break
                heights = [i // worth % radices[higher] for i in range(each.most + 1)]
                parts[higher].append((1, staircase(gates, heights)))
                worth *= radices[higher]
        places = [total(each) for each in parts]
    return places


def products(
    circuit: Circuit, left: Sequence[Sequence[Sum]], right: Sequence[Sequence[Sum]], places: int, *, squares: bool
) -> list[Sum]:
    """The products of all pairs of digits, summed at the place of each product."""
    layer = circuit.layer()
    parts: list[list[tuple[int, Sum]]] = [[] for _ in range(places)]
    for j, one in enumerate(left):
        for k, other in enumerate(right[: places - j]):
            parts[j + k].append((1, _by_squares(layer, one, other) if squares else _by_pairs(layer, one, other)))
    return [total(each) for each in parts]


def _by_pairs(layer: Layer, left: Sequence[Sum], right: Sequence[Sum]) -> Sum:
    """The product of two digits, with a gate for each pair of digits other than 0."""
    base = len(left)
    pairs = [(p, q) for p in range(1, base) for q in range(1, base)]
    return total(((p * q, layer.gate(total([(1, left[p]), (1, right[q])]), 2)) for p, q in pairs), most=(base - 1) ** 2)


def _by_squares(layer: Layer, left: Sequence[Sum], right: Sequence[Sum]) -> Sum:
    """The product with fewer than half as many gates: p q = ((p + q)^2 - (p - q)^2) / 4, both quarters rounded down."""
    top = len(left) - 1
    plus = total([(n, each) for digits in (left, right) for n, each in enumerate(digits)], most=2 * top)
    minus = total([(n, each) for n, each in enumerate(left)] + [(top - n, each) for n, each in enumerate(right)])
    minus = Sum(minus.terms, minus.constant, 2 * top)
    above, below = ([step(n) for n in range(2 * top + 1)] for step in (_quarter, lambda n: _quarter(n - top)))
    parts = [(1, _stairs(layer, plus, above)), (-1, _stairs(layer, minus, below))]
    return total(parts, most=top**2)


def _quarter(number: int) -> int:
    return number * number // 4


def _stairs(layer: Layer, counted: Sum, heights: Sequence[int]) -> Sum:
    """A staircase with gates only where it changes."""
    edges = [i for i in range(1, len(heights)) if heights[i] != heights[i - 1]]
    gates = layer.compare(counted, edges)
    climbs = [(heights[i] - heights[i - 1], gate) for i, gate in zip(edges, gates, strict=True)]
    return Sum(total(climbs).terms, heights[0], max(heights))


def written_roman(circuit: Circuit, digits: Sequence[Sequence[Sum]], cells: int) -> list[list[Sum]]:
    """Numerals side by side, the largest first; gates say up to which cell the numerals of each kind reach."""
    layer = circuit.layer()
    counts = [total([(n, each) for n, each in enumerate(place)], most=len(place) - 1) for place in digits]
    covered: list[list[Sum]] = []
    for smallest in range(len(counts)):
        so_far = total((1, each) for each in counts[smallest:])
        covered.append(layer.compare(so_far, range(1, so_far.most + 1)))
    drawn = []
    for cell in range(cells):
        here = [each[cell] if cell < len(each) else NEVER for each in covered]
        shown = [
            total([(1, each), *([(-1, here[n + 1])] if n + 1 < len(here) else [])], most=1)
            for n, each in enumerate(here)
        ]
        empty = Sum({number: -weight for number, weight in here[0].terms.items()}, 1)
        drawn.append([*shown, empty])
    return drawn
