"""What is asked of the API: an operation, a learner, two numbers or two pictures, and what is done to them."""

import math
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Noise = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Number = Annotated[str, Field(max_length=64)]
Base64 = Annotated[str, Field(max_length=1_400_000)]
Side = Annotated[int, Field(ge=1, le=4000)]


class Strict(BaseModel):
    """Unknown fields are refused, so that a slip of the pen is not passed over."""

    model_config = ConfigDict(extra="forbid")


class PictureJson(Strict):
    """One byte a pixel as base64, light ink on dark ground, or a PNG of any size."""

    height: Side = 15
    width: Side = 60
    pixels: Base64 = ""
    png: Base64 = ""


class Unit(Strict):
    """A hidden unit of a perceptron; layers count from the bottom, both from 0."""

    layer: Annotated[int, Field(ge=0, lt=1000)]
    unit: Annotated[int, Field(ge=0, lt=100_000)]


class Question(Strict):
    """Two numbers, or two pictures."""

    op: Annotated[str, Field(max_length=40)] = "add"
    learner: Annotated[str, Field(max_length=60)] = ""
    a: Number = ""
    b: Number = ""
    pictures: Annotated[list[PictureJson], Field(max_length=2)] = []
    noise: Noise = 0.0
    seed: Seed = 0
    permuted: bool = False
    unit: Unit | None = None


class ReadQuestion(Strict):
    """An answer picture of an operation, and what it should say if that is known."""

    op: Annotated[str, Field(max_length=40)] = "add"
    picture: PictureJson
    truth: Number = ""


def noise_of(text: str) -> float:
    """The noise that a form says."""
    value = float(text or 0)
    if not math.isfinite(value) or not 0 <= value <= 1:
        raise ValueError(text)
    return value
