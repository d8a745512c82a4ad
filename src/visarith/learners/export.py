"""Weights as JSON for the browser, in the smallest number type that is exact."""

import base64
from collections.abc import Iterable
from typing import Any

import numpy as np
from torch import Tensor, nn


def tensor(values: Any) -> dict[str, Any]:
    """An array as base64; floats are stored in half precision where that is exact."""
    array = values.detach().cpu().numpy() if isinstance(values, Tensor) else values
    kind = {"i": "int32", "u": "uint8"}.get(array.dtype.kind, str(array.dtype))
    if array.dtype.kind == "f":
        kind = next((smaller for smaller in ("float16", "float32") if _holds(array, smaller)), kind)
    little = np.ascontiguousarray(array).astype(np.dtype(kind).newbyteorder("<"))
    return {"kind": kind, "shape": list(array.shape), "data": base64.b64encode(little.tobytes()).decode()}


def _holds(array: np.ndarray, kind: str) -> bool:
    with np.errstate(over="ignore"):
        return bool(np.array_equal(array.astype(kind).astype(array.dtype), array))


def layers(modules: Iterable[nn.Module]) -> list[dict[str, Any]]:
    """The linear layers among these, in their order."""
    linear = [layer for layer in modules if isinstance(layer, nn.Linear)]
    return [{"weight": tensor(layer.weight), "bias": tensor(layer.bias)} for layer in linear]


def mean(picture: Tensor) -> dict[str, Any] | None:
    """The mean picture, or None if it is 0."""
    return tensor(picture.flatten(1)) if bool(picture.any()) else None
