"""Which hidden units of a perceptron fire, and the pictures of a unit's weights."""

import numpy as np
import torch
from torch import Tensor

from visarith.errors import VisarithError
from visarith.learners.perceptron.network import Perceptron
from visarith.web.encoding import Json, signed
from visarith.web.networks import Network
from visarith.web.question import Unit
from visarith.web.showing import Shown


@torch.no_grad()
def fired(perceptron: Perceptron, network: Network, given: Shown, unit: Unit | None) -> Json:
    """What each hidden unit says; of one unit also its weights, in the order of pixels that eyes know."""
    page = network.task.plain_layout
    seen = given.seen if given.order is None else page.permuted(given.order).plain(given.seen)
    values = (torch.from_numpy(np.ascontiguousarray(seen)) - perceptron.mean).flatten()
    *hidden, _ = perceptron.linear()
    said: list[Tensor] = []
    for layer in hidden:
        values = perceptron.activation(layer(values))
        said.append(values)
    thoughts: Json = {
        "kind": "units",
        "layers": [
            {"name": f"hidden layer {number}", "values": [round(value, 3) for value in each.tolist()]}
            for number, each in enumerate(said, 1)
        ],
    }
    if unit is not None:
        thoughts["unit"] = _weights(perceptron, said, unit)
    return thoughts


def _weights(perceptron: Perceptron, said: list[Tensor], unit: Unit) -> Json:
    """From the pixels to the unit and from it to those of the answer, through the units that fire between."""
    layers, last = perceptron.linear(), len(said) - 1
    if unit.layer > last or unit.unit >= len(said[unit.layer]):
        raise VisarithError(
            f"there is no unit {unit.unit} in layer {unit.layer}; there are {len(said)} layers of {len(said[0])}"
        )
    slopes = [values * (1 - values) if perceptron.activated == "sigmoid" else (values > 0).float() for values in said]
    below = layers[unit.layer].weight[unit.unit]
    for layer in range(unit.layer - 1, -1, -1):
        below = (below * slopes[layer]) @ layers[layer].weight
    above = layers[unit.layer + 1].weight[:, unit.unit]
    for layer in range(unit.layer + 1, len(said)):
        above = layers[layer + 1].weight @ (above * slopes[layer])
    own = ["from"] * (unit.layer == 0) + ["to"] * (unit.layer == last)
    return {
        "layer": unit.layer,
        "unit": unit.unit,
        "value": round(float(said[unit.layer][unit.unit]), 3),
        "from": [signed(each.numpy()) for each in below.view(perceptron.mean.shape)],
        "to": signed(above.view(perceptron.outputs, *perceptron.answer_shape)[0].numpy()),
        "own": " ".join(own),
    }
