"""The gates of a constructed network, as grids."""

import numpy as np
import torch

from visarith.learners.constructed.circuit import Layer
from visarith.learners.constructed.network import Constructed
from visarith.web.encoding import Json
from visarith.web.networks import Network
from visarith.web.showing import Shown

TALL = 40  # gates a place that still stand in one column
WRAP = 20


@torch.no_grad()
def gated(network: Constructed, about: Network, given: Shown) -> Json:
    """What each hidden layer says, from HL1 on."""
    page = about.task.plain_layout
    pictures = torch.from_numpy(np.ascontiguousarray(given.seen))[None]
    first, *others = [signals[0].double().numpy() for signals in network.signals(pictures)]
    places = [str(cell + 1) for cell in range(page.cells)]
    symbols = list(page.alphabet.replace(" ", "␣"))
    seen = first.reshape(network.operands, network.cells, network.symbols)
    grids = [
        _grid(title, symbols, places, each.T.tolist())
        for title, each in zip(("first number", "second number"), seen, strict=True)
    ]
    layers = [_layer(1, "which symbol stands in which cell", first, grids)]
    for number, (signals, layer) in enumerate(zip(others, network.circuit.layers, strict=True)):
        what, grids = _described(network, about, number, layer, signals)
        layers.append(_layer(number + 2, what, signals, grids))
    return {"kind": "gates", "layers": layers}


def _described(
    network: Constructed, about: Network, number: int, layer: Layer, signals: np.ndarray
) -> tuple[str, list[Json]]:
    page, kind = about.task.plain_layout, about.task.operation.construction
    cells = [str(cell + 1) for cell in range(page.cells)]
    if kind == "product" and number == 0:
        size = len(page.alphabet) - 1
        digits = [str(digit) for digit in range(1, size + 1)]
        tables = signals.reshape(-1, size, size)
        side = round(len(tables) ** 0.5)
        titles = [f"digits {i // side + 1} and {i % side + 1} from the right" for i in range(len(tables))]
        return "which digit meets which, wherever they stand", [
            _grid(title, digits, digits, table.tolist()) for title, table in zip(titles, tables, strict=True)
        ]
    if len(layer.sums) == len(layer.gates) == network.cells * network.symbols:
        drawn = signals.reshape(network.cells, network.symbols)
        return "which symbol is drawn in which cell", [_grid("answer", list(page.alphabet), cells, drawn.T.tolist())]
    return _by_places(about, number, layer, signals)


def _by_places(about: Network, number: int, layer: Layer, signals: np.ndarray) -> tuple[str, list[Json]]:
    """Gates that compare one sum with several thresholds belong together: a column of a grid, the right place last."""
    roman = about.task.notation.additive
    which = np.array([sum_ for sum_, _ in layer.gates])
    groups = [signals[which == sum_].tolist() for sum_ in range(len(layer.sums))][::-1]
    names = list(about.task.notation.alphabet.strip()) if roman else [str(i + 1) for i in range(len(groups))]
    names = names[::-1] if roman else names
    what = "how large the sum up to each place is, step by step"
    if roman and number:
        what = "how far the numerals of each kind, and all larger ones, reach to the right"
    tallest = max(map(len, groups))
    if tallest <= TALL:
        columns = [[*group, *[None] * (tallest - len(group))] for group in groups]
        rows = [str(i + 1) for i in range(tallest)]
        return what, [_grid("", rows, names, [list(row) for row in zip(*columns, strict=True)])]
    return what, [_wrapped(f"place {name}", group) for name, group in zip(names, groups, strict=True)]


def _wrapped(title: str, gates: list[float]) -> Json:
    padded: list[float | None] = [*gates, *[None] * (-len(gates) % WRAP)]
    rows = [padded[i : i + WRAP] for i in range(0, len(padded), WRAP)]
    return _grid(title, [str(WRAP * i + 1) for i in range(len(rows))], [""] * WRAP, rows)


def _grid(title: str, rows: list[str], columns: list[str], values: list[list[float | None]]) -> Json:
    rounded = [[None if value is None else round(value, 2) + 0.0 for value in row] for row in values]
    return {"title": title, "rows": rows, "columns": columns, "values": rounded}


def _layer(number: int, what: str, signals: np.ndarray, grids: list[Json]) -> Json:
    return {
        "name": f"HL{number}",
        "what": what,
        "gates": len(signals),
        "on": int((signals > 0.5).sum()),
        "grids": grids,
    }
