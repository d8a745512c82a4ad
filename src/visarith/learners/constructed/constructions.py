"""Addition, subtraction and multiplication by threshold gates: the paper's construction and two others.

A number is a list of places, the rightmost first, each with its radix: ten everywhere, or five and two in turn for
Roman numerals. Each function turns sums of places into the digits of the answer.
"""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from visarith.data.task import Task
from visarith.learners.constructed.circuit import Circuit, Gate, Layer, Sum, indicators, signal, staircase, steps, total

Form = Literal["thresholds", "fewest", "carries"]
NEVER = Sum({}, most=0)
SURE = 1 / 8  # the largest error of a sum; gates tolerate 1/4


def circuit_for(task: Task, form: Form) -> Circuit:
    """The gates between the symbols of the inputs and those of the answer."""
    circuit, notation, kind = Circuit(), task.notation, task.operation.construction
    layout, operands, base = task.layout, task.operation.operands, task.notation.place_base
    symbols = len(layout.alphabet)
    seen = [
        [
            [signal((operand * layout.cells + cell) * symbols + s) for s in range(symbols)]
            for cell in range(layout.cells)
        ]
        for operand in range(operands)
    ]
    faithful = form == "thresholds"
    if base is not None:
        right_first = [cells[::-1] for cells in seen]
        radices = [base] * notation.cells
        if kind == "product":
            length = len(np.base_repr(task.domain.largest, base))
            left, right = (cells[:length] for cells in right_first)
            places = products(circuit, left, right, notation.cells, squares=form == "fewest")
        else:
            places = _added(right_first, kind == "difference")
    else:
        radices = [5, 2] * notation.digits
        places = [  # how often each numeral occurs
            total(((1, cell[numeral]) for cells in seen for cell in cells), most=operands * (radix - 1))
            for numeral, radix in enumerate(radices)
        ]
    if form == "carries":
        digits = by_carries(circuit, places, radices)
    else:
        spare = faithful and base is not None and kind in ("sum", "difference") and operands == 2
        over = int(kind == "difference")  # the complement adds one power of the base
        digits = by_thresholds(circuit, places, radices, spare=spare, over=over)
    if base is None:
        circuit.drawn = written_roman(circuit, digits, layout.cells)
    elif faithful:  # HL3
        layer = circuit.layer()
        circuit.drawn = [[layer.gate(each) for each in cell] for cell in reversed(digits)]
    else:
        circuit.drawn = digits[::-1]
    return circuit


def _added(seen: list[list[list[Sum]]], subtract: bool) -> list[Sum]:
    """The sum of the digits at each place; to subtract, the nines' complement is added, and 1."""
    places = []
    for place in range(len(seen[0])):
        parts: list[tuple[int, Sum]] = []
        for operand, cells in enumerate(seen):
            top = len(cells[place]) - 1
            worth = [top - n if subtract and operand else n for n in range(top + 1)]
            parts.append((1, total(zip(worth, cells[place], strict=True), most=top)))
        if subtract and not place:
            parts.append((1, Sum({}, 1)))
        places.append(total(parts))
    return places


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
    layer, product = circuit.layer(), _by_squares if squares else _by_pairs
    parts: list[list[tuple[int, Sum]]] = [[] for _ in range(places)]
    for j, one in enumerate(left):
        for k, other in enumerate(right[: places - j]):
            parts[j + k].append((1, product(layer, one, other)))
    return [total(each) for each in parts]


def _by_pairs(layer: Layer, left: Sequence[Sum], right: Sequence[Sum]) -> Sum:
    """The product of two digits, with a gate for each pair of digits other than 0."""
    base = len(left)
    pairs = [(p, q) for p in range(1, base) for q in range(1, base)]
    return total(((p * q, layer.gate(total([(1, left[p]), (1, right[q])]), 2)) for p, q in pairs), most=(base - 1) ** 2)


def _by_squares(layer: Layer, left: Sequence[Sum], right: Sequence[Sum]) -> Sum:
    """The product with fewer than half as many gates: p q = ((p + q)^2 - (p - q)^2) / 4, both quarters rounded down."""
    top = len(left) - 1
    plus = total([*enumerate(left), *enumerate(right)], most=2 * top)
    minus = total([*enumerate(left), *((top - n, each) for n, each in enumerate(right))], most=2 * top)
    above = _stairs(layer, plus, [n**2 // 4 for n in range(2 * top + 1)])
    below = _stairs(layer, minus, [(n - top) ** 2 // 4 for n in range(2 * top + 1)])
    return total([(1, above), (-1, below)], most=top**2)


def _stairs(layer: Layer, counted: Sum, heights: Sequence[int]) -> Sum:
    """A staircase with gates only where it changes."""
    edges = [i for i in range(1, len(heights)) if heights[i] != heights[i - 1]]
    return staircase(dict(zip(edges, layer.compare(counted, edges), strict=True)), heights)


def written_roman(circuit: Circuit, digits: Sequence[Sequence[Sum]], cells: int) -> list[list[Sum]]:
    """Numerals side by side, the largest first; gates say up to which cell the numerals of each kind reach."""
    layer = circuit.layer()
    counts = [total(enumerate(place), most=len(place) - 1) for place in digits]
    so_far = [total((1, each) for each in counts[smallest:]) for smallest in range(len(counts))]
    covered = [layer.compare(each, range(1, each.most + 1)) for each in so_far]
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


def precision_for(circuit: Circuit, gate: Gate, reads: bool) -> str:
    """The smallest floating-point type in which no sum is off by more than SURE, or ""."""
    for name, bits in (("float32", 24), ("float64", 53)):
        rounding = 2.0 ** (2 - bits)
        off = (0.0 if gate == "sigmoid" else 4 * rounding) if reads else 2.0 ** (9 - bits)
        for layer in circuit.layers:
            reach = max((layer.sums[which].reach + abs(threshold) for which, threshold in layer.gates), default=0)
            error = reach * (off + (rounding if gate == "relu" or off else 0))
            if error >= SURE or reach >= 2.0 ** (bits - 2):
                break
            off = 0.0 if gate == "sigmoid" else 2 * rounding * reach
        else:
            return name
    return ""
