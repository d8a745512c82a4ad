"""How numbers are added, subtracted and multiplied by threshold gates: the paper's way, and two of our own.

A number is a row of places, the right one first, each with its radix: ten everywhere, or five and two in turn for Roman
numerals. Everything here turns sums of places into the digits of the answer.
"""

import math
from collections.abc import Sequence
from typing import Literal

from visarith.learners.constructed.circuit import Circuit, Layer, Sum, indicators, staircase, steps, total

Form = Literal["thresholds", "fewest", "carries"]


def by_thresholds(
    circuit: Circuit, places: Sequence[Sum], radices: Sequence[int], *, spare: bool, over: int = 0
) -> list[list[Sum]]:
    """The paper's HL2: each gate weighs everything to the right of its place, so its weights are powers of the base.

    `over` says how often the largest power is in the sum whatever the operands, and not in the answer. With `spare` all
    2 x radix gates of a place are there, as the paper counts them: the first is always on, and some are never.
    """
    layer, powers = circuit.layer(), [math.prod(radices[:place]) for place in range(len(places))]
    drawn = []
    for place, radix in enumerate(radices):
        running = total((power, each) for power, each in zip(powers[: place + 1], places, strict=False))
        first, last = 0, running.most // powers[place]
        if spare:
            last = max(last, 2 * radix - 1)
        elif place == len(places) - 1:  # nothing else is carried out of the picture
            first, last = over * radix, over * radix + radix - 1
        begin = first if spare else first + 1
        gates = layer.compare(running, [i * powers[place] for i in range(begin, last + 1)])
        drawn.append(indicators(dict(enumerate(gates, begin - first)), last - first, radix))
    return drawn


def by_carries(circuit: Circuit, places: Sequence[Sum], radices: Sequence[int]) -> list[list[Sum]]:
    """Bounded weights: what is carried is found by doubling, so layers grow with the logarithm of the length.

    A place hands on a carry if it has one by itself, or if it is full and is handed one. Two neighbouring blocks of
    places do the same together, then four, then eight. All the while each place keeps what it would be without a carry;
    in the end that is drawn, or the digit after it.
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
        if last:  # a carry comes from the place to the right
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
    """The digit that a place has without a carry, or with one the next: one of two candidates (Sec. 6)."""
    stays = [layer.gate(total([(1, each), (-1, carry)])) for each in kept]
    if carry is NEVER:
        return stays
    moves = [layer.gate(total([(1, kept[digit - 1]), (1, carry)]), 2) for digit in range(len(kept))]
    return [total([(1, one), (1, other)], most=1) for one, other in zip(stays, moves, strict=True)]


def _split(circuit: Circuit, places: list[Sum], radices: Sequence[int]) -> list[Sum]:
    """Until no place hands on more than one: what a place holds is written in digits, which go to their places."""
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
    """Digit times digit, wherever they stand, summed where they belong."""
    layer = circuit.layer()
    parts: list[list[tuple[int, Sum]]] = [[] for _ in range(places)]
    for j, one in enumerate(left):
        for k, other in enumerate(right[: places - j]):
            parts[j + k].append((1, _by_squares(layer, one, other) if squares else _by_pairs(layer, one, other)))
    return [total(each) for each in parts]


def _by_pairs(layer: Layer, left: Sequence[Sum], right: Sequence[Sum]) -> Sum:
    """A gate for each two digits that are not 0."""
    base = len(left)
    pairs = [(p, q) for p in range(1, base) for q in range(1, base)]
    return total(((p * q, layer.gate(total([(1, left[p]), (1, right[q])]), 2)) for p, q in pairs), most=(base - 1) ** 2)


def _by_squares(layer: Layer, left: Sequence[Sum], right: Sequence[Sum]) -> Sum:
    """Less than half as many: p x q is a quarter of (p + q) squared, less one of (p - q) squared, rounded alike."""
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
    """A staircase with gates only where it climbs or falls."""
    edges = [i for i in range(1, len(heights)) if heights[i] != heights[i - 1]]
    gates = layer.compare(counted, edges)
    climbs = [(heights[i] - heights[i - 1], gate) for i, gate in zip(edges, gates, strict=True)]
    return Sum(total(climbs).terms, heights[0], max(heights))


def written_roman(circuit: Circuit, digits: Sequence[Sequence[Sum]], cells: int) -> list[list[Sum]]:
    """Numerals side by side, the largest first: a gate for each cell says whether numerals of a kind reach it."""
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
