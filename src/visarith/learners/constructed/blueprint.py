"""The circuit for a task, and the floating-point type that it needs."""

import numpy as np

from visarith.data.task import Task
from visarith.learners.constructed.circuit import Circuit, Gate, Sum, signal, total
from visarith.learners.constructed.constructions import Form, by_carries, by_thresholds, products, written_roman

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
        places = [
            Sum(each.terms, 0, operands * (radix - 1))
            for each, radix in zip(_counted(seen, symbols - 1), radices, strict=True)
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


def _counted(seen: list[list[list[Sum]]], numerals: int) -> list[Sum]:
    """How often each numeral occurs in the pictures."""
    return [total((1, symbols[n]) for cells in seen for symbols in cells) for n in range(numerals)]


def precision_for(circuit: Circuit, gate: Gate, reads: bool) -> str:
    """The smallest floating-point type in which no sum is off by more than SURE, or ""."""
    for name, bits in (("float32", 24), ("float64", 53)):
        rounding = 2.0 ** (2 - bits)
        off = (0.0 if gate == "sigmoid" else 4 * rounding) if reads else 2.0 ** (9 - bits)
        sure = True
        for layer in circuit.layers:
            reach = max((layer.sums[which].reach + abs(threshold) for which, threshold in layer.gates), default=0)
            sure = (
                sure and reach * (off + (rounding if gate == "relu" or off else 0)) < SURE and reach < 2.0 ** (bits - 2)
            )
            off = 0.0 if gate == "sigmoid" else 2 * rounding * reach
        if sure:
            return name
    return ""
