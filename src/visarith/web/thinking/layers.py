"""The layers of a network: the hidden units of a perceptron with their weights, the gates of a constructed network."""

import numpy as np
import torch
from torch import Tensor

from visarith.errors import VisarithError
from visarith.learners.constructed.circuit import Layer
from visarith.learners.constructed.network import Constructed
from visarith.learners.perceptron import Perceptron
from visarith.web.answering import Inputs
from visarith.web.networks import Network
from visarith.web.pictures import Json, signed
from visarith.web.question import Unit

TALLEST = 40  # gates a place in one column of a grid
WRAP = 20  # gates a row, where there are more


@torch.no_grad()
def hidden_units(perceptron: Perceptron, network: Network, inputs: Inputs, unit: Unit | None) -> Json:
    """Return the activation of every hidden unit and, if asked, the weights of one, with pixels in the usual order."""
    layout = network.task.plain_layout
    seen = inputs.seen if inputs.order is None else layout.permuted(inputs.order).plain(inputs.seen)
    values = (torch.from_numpy(np.ascontiguousarray(seen)) - perceptron.mean).flatten()
    *hidden, _ = perceptron.linear()
    activations: list[Tensor] = []
    for layer in hidden:
        values = perceptron.activation(layer(values))
        activations.append(values)
    thoughts: Json = {
        "kind": "units",
        "layers": [
            {"name": f"hidden layer {number}", "values": [round(value, 3) for value in each.tolist()]}
            for number, each in enumerate(activations, 1)
        ],
    }
    if unit is not None:
        thoughts["unit"] = _weights(perceptron, activations, unit)
    return thoughts


def _weights(perceptron: Perceptron, activations: list[Tensor], unit: Unit) -> Json:
    """Return the weights from the input pixels to a unit and from it to the answer's pixels.

    Weights that pass through other layers are linearised at the current activations.
    """
    layers, last = perceptron.linear(), len(activations) - 1
    if unit.layer > last or unit.unit >= len(activations[unit.layer]):
        size = f"{len(activations)} layers of {len(activations[0])}"
        raise VisarithError(f"there is no unit {unit.unit} in layer {unit.layer}; there are {size}, counted from 0")
    is_sigmoid = perceptron.activated == "sigmoid"
    slopes = [values * (1 - values) if is_sigmoid else (values > 0).float() for values in activations]
    below = layers[unit.layer].weight[unit.unit]
    for layer in range(unit.layer - 1, -1, -1):
        below = (below * slopes[layer]) @ layers[layer].weight
    above = layers[unit.layer + 1].weight[:, unit.unit]
    for layer in range(unit.layer + 1, len(activations)):
        above = layers[layer + 1].weight @ (above * slopes[layer])
    own = ["from"] * (unit.layer == 0) + ["to"] * (unit.layer == last)  # not linearised
    return {
        "layer": unit.layer,
        "unit": unit.unit,
        "value": round(float(activations[unit.layer][unit.unit]), 3),
        "from": [signed(each.numpy()) for each in below.view(perceptron.mean.shape)],
        "to": signed(above.view(perceptron.outputs, *perceptron.answer_shape)[0].numpy()),
        "own": " ".join(own),
    }


@torch.no_grad()
def gates(learner: Constructed, network: Network, inputs: Inputs) -> Json:
    """Return the signals of every hidden layer as grids."""
    layout = network.task.plain_layout
    pictures = torch.from_numpy(np.ascontiguousarray(inputs.seen))[None]
    first, *others = [signals[0].double().numpy() for signals in learner.signals(pictures)]
    symbols = list(layout.alphabet.replace(" ", "␣"))
    grids = [
        _grid(title, symbols, _numbered(layout.cells), each.T.tolist())
        for title, each in zip(
            ("first number", "second number"),
            first.reshape(learner.operands, learner.cells, learner.symbols),
            strict=True,
        )
    ]
    layers = [_layer(1, "which symbol stands in which cell", first, grids)]
    for number, (signals, layer) in enumerate(zip(others, learner.circuit.layers, strict=True)):
        what, grids = _described(learner, network, number, layer, signals)
        layers.append(_layer(number + 2, what, signals, grids))
    return {"kind": "gates", "layers": layers}


def _described(
    learner: Constructed, network: Network, number: int, layer: Layer, signals: np.ndarray
) -> tuple[str, list[Json]]:
    """Return what the gates of a layer compute, and their grids."""
    alphabet = network.task.plain_layout.alphabet
    if network.task.operation.construction == "product" and number == 0:
        size = len(alphabet) - 1
        tables = signals.reshape(-1, size, size)
        side = round(len(tables) ** 0.5)
        titles = [f"digits {i // side + 1} and {i % side + 1} from the right" for i in range(len(tables))]
        return "which digit of one number is multiplied by which of the other", [
            _grid(title, _numbered(size), _numbered(size), table.tolist())
            for title, table in zip(titles, tables, strict=True)
        ]
    if len(layer.sums) == len(layer.gates) == learner.cells * learner.symbols:
        drawn = signals.reshape(learner.cells, learner.symbols)
        cells = _numbered(network.task.plain_layout.cells)
        return "which symbol is drawn in which cell", [_grid("answer", list(alphabet), cells, drawn.T.tolist())]
    return _by_places(network, number, layer, signals)


def _by_places(network: Network, number: int, layer: Layer, signals: np.ndarray) -> tuple[str, list[Json]]:
    """Group the gates that compare the same sum with different thresholds: a column of a grid, the right place last."""
    roman = network.task.notation.additive
    which = np.array([sum_ for sum_, _ in layer.gates])
    groups = [signals[which == sum_].tolist() for sum_ in range(len(layer.sums))][::-1]
    names = list(network.task.notation.alphabet.strip())[::-1] if roman else _numbered(len(groups))
    what = "how large the sum up to each place is, step by step"
    if roman and number:
        what = "how far the numerals of each kind, and all larger ones, reach to the right"
    tallest = max(map(len, groups))
    if tallest <= TALLEST:
        columns = [[*group, *[None] * (tallest - len(group))] for group in groups]
        return what, [_grid("", _numbered(tallest), names, [list(row) for row in zip(*columns, strict=True)])]
    return what, [_wrapped(f"place {name}", group) for name, group in zip(names, groups, strict=True)]


def _wrapped(title: str, signals: list[float]) -> Json:
    padded: list[float | None] = [*signals, *[None] * (-len(signals) % WRAP)]
    rows = [padded[i : i + WRAP] for i in range(0, len(padded), WRAP)]
    return _grid(title, [str(WRAP * i + 1) for i in range(len(rows))], [""] * WRAP, rows)


def _numbered(count: int) -> list[str]:
    return [str(i + 1) for i in range(count)]


def _grid(title: str, rows: list[str], columns: list[str], values: list[list[float | None]]) -> Json:
    # + 0.0 turns -0.0 into 0.0
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
