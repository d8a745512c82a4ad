"""What a request may ask: the JSON models of requests, and the body of /api/predict, which is JSON or a form."""

import json
from enum import StrEnum
from typing import Annotated, Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.datastructures import UploadFile
from starlette.requests import Request

from visarith.errors import VisarithError
from visarith.web.pictures import MOST_BYTES, TooLargeError


class OpName(StrEnum):
    """The operations of a plain server; runs of one's own may add others."""

    ADD = "add"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    ROMAN = "roman"


class LearnerName(StrEnum):
    """The networks of a plain server; not every operation has all. Runs of one's own may add others."""

    COLUMNS = "columns"
    TALLY = "tally"
    PERCEPTRON = "perceptron"
    PERCEPTRON_NOISE = "perceptron-noise"
    CONSTRUCTED = "constructed"


Noise = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, description="sigma of Gaussian noise on the inputs")]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1, description="which noise")]
Number = Annotated[str, Field(max_length=64)]
Base64 = Annotated[str, Field(max_length=1_400_000)]
Side = Annotated[int, Field(ge=1, le=4000)]
Operation = Annotated[OpName | Annotated[str, Field(max_length=40)], Field(description="the operation")]
Learner = Annotated[
    LearnerName | Annotated[str, Field(max_length=60)],
    Field(description="the network; the first that /api/learners lists for the operation if left out"),
]


class Strict(BaseModel):
    """A model that rejects unknown fields, so that a misspelt field is an error."""

    model_config = ConfigDict(extra="forbid")


class PictureJson(Strict):
    """A picture: `pixels`, one byte each as base64, light ink on dark ground; or `png`, a picture file as base64."""

    height: Side = 15
    width: Side = 60
    pixels: Base64 = Field("", description="height x width bytes, row by row, as base64")
    png: Base64 = Field("", description="a PNG, JPEG or WebP file of any size as base64; it is fitted into cells")


class Numbers(Strict):
    """A question about two numbers, as query parameters."""

    op: Operation = OpName.ADD
    learner: Learner = ""
    a: Number = Field("", description="digits, or Roman numerals for roman", examples=["1234567"])
    b: Number = Field("", description="digits, or Roman numerals for roman", examples=["2345678"])
    noise: Noise = 0.0
    seed: Seed = 0
    permuted: bool = Field(False, description="permute the pixels of both inputs in one fixed way")

    def question(self) -> "Question":
        return Question(**self.model_dump())


class Question(Numbers):
    """A question about two numbers or two pictures."""

    pictures: Annotated[list[PictureJson], Field(max_length=2)] = Field(default_factory=list)


class ReadQuestion(Strict):
    """An answer picture of an operation and, if known, the number that it should show."""

    op: Operation = OpName.ADD
    learner: Learner = ""
    picture: PictureJson
    truth: Number = Field("", description="the right answer, if known")


_FORM = {
    "schema": {
        "type": "object",
        "required": ["a", "b"],
        "properties": {
            **{name: {"type": "string", "format": "binary"} for name in ("a", "b")},
            **{name: {"type": "string"} for name in ("op", "learner", "noise", "seed", "permuted")},
        },
    }
}


def predict_body(pictures: list[str]) -> dict[str, Any]:
    """Return the OpenAPI body of /api/predict, with these pixels as the example."""
    example = {"op": "add", "pictures": [{"height": 15, "width": 60, "pixels": pixels} for pixels in pictures]}
    as_json = {"schema": {"$ref": "#/components/schemas/Question"}, "example": example}
    return {"requestBody": {"required": True, "content": {"application/json": as_json, "multipart/form-data": _FORM}}}


async def predict_question(request: Request) -> tuple[Question, list[bytes]]:
    """Return the question in a request to /api/predict, and the picture files of its form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _from_form(request)
    if kind not in ("application/json", ""):
        raise VisarithError(f"content type {kind[:80]!r} is unknown; send application/json or multipart/form-data")
    try:
        question = _validated(json.loads(await request.body()))
    except RequestValidationError:
        raise
    except (ValueError, RecursionError):  # ValueError also for numbers of thousands of digits
        raise VisarithError("the request is not JSON; send an object with op, learner and pictures") from None
    if not question.pictures:
        raise VisarithError("pictures are missing; send two, or ask /api/calculate for numbers")
    return question, []


async def _from_form(request: Request) -> tuple[Question, list[bytes]]:
    async with request.form(max_files=2, max_fields=10, max_part_size=100_000) as form:
        files, fields = [], {}
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                files.append((name, await _bytes(value)))
            elif value:
                fields[name] = value
        names = sorted(name for name, _ in files)
        if names != ["a", "b"]:
            raise VisarithError(f"the form has {len(names)} files; send two picture files, named a and b")
        for name in ("a", "b", "pictures"):
            fields.pop(name, None)
        return _validated(fields), [data for _, data in sorted(files)]


async def _bytes(file: UploadFile) -> bytes:
    data = await file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise TooLargeError(f"a picture has more than {MOST_BYTES:,} bytes; send a smaller one")
    return data


def _validated(fields: Any) -> Question:
    if not isinstance(fields, dict):
        raise VisarithError("the request is not a JSON object; send one with op, learner and pictures")
    try:
        return Question.model_validate(fields)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False)) from None
