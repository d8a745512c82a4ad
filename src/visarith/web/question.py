"""What is asked of the API: an operation, a learner, two numbers or two pictures, and what is done to them."""

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


class Numbers(Strict):
    """A question about two numbers, as it stands in an address."""

    op: Annotated[str, Field(max_length=40)] = "add"
    learner: Annotated[str, Field(max_length=60)] = ""
    a: Number = ""
    b: Number = ""
    noise: Noise = 0.0
    seed: Seed = 0
    permuted: bool = False

    def question(self) -> "Question":
        return Question(**self.model_dump())


class Question(Numbers):
    """The same, or about two pictures."""

    pictures: Annotated[list[PictureJson], Field(max_length=2)] = Field(default_factory=list)
    unit: Unit | None = None


class ReadQuestion(Strict):
    """An answer picture of an operation, and what it should say if that is known."""

    op: Annotated[str, Field(max_length=40)] = "add"
    picture: PictureJson
    truth: Number = ""
