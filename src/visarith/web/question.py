"""What a request may ask: the JSON models of the API, and the body of /api/predict, which is JSON or a form."""

import json
from typing import Annotated, Any

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.datastructures import UploadFile
from starlette.requests import Request

from visarith.errors import VisarithError
from visarith.web.pictures import MOST_BYTES, TooLargeError

Noise = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Number = Annotated[str, Field(max_length=64)]
Base64 = Annotated[str, Field(max_length=1_400_000)]
Side = Annotated[int, Field(ge=1, le=4000)]


class Strict(BaseModel):
    """A model that rejects unknown fields, so that a misspelt field is an error."""

    model_config = ConfigDict(extra="forbid")


class PictureJson(Strict):
    """A picture: `pixels`, one byte each as base64, light ink on dark ground; or `png`, a PNG of any size as base64."""

    height: Side = 15
    width: Side = 60
    pixels: Base64 = ""
    png: Base64 = ""


class Unit(Strict):
    """A hidden unit of a perceptron. Layers are numbered from the input, and both numbers start at 0."""

    layer: Annotated[int, Field(ge=0, lt=1000)]
    unit: Annotated[int, Field(ge=0, lt=100_000)]


class Numbers(Strict):
    """A question about two numbers, as query parameters."""

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
    """A question about two numbers or two pictures."""

    pictures: Annotated[list[PictureJson], Field(max_length=2)] = Field(default_factory=list)
    unit: Unit | None = None


class ReadQuestion(Strict):
    """An answer picture of an operation and, if known, the number that it should show."""

    op: Annotated[str, Field(max_length=40)] = "add"
    picture: PictureJson
    truth: Number = ""


_FORM = {
    "schema": {
        "type": "object",
        "properties": {
            **{name: {"type": "string", "format": "binary"} for name in ("a", "b")},
            **{name: {"type": "string"} for name in ("op", "learner", "noise", "seed", "permuted")},
        },
    }
}
_JSON = {"schema": {"$ref": "#/components/schemas/Question"}}
PREDICT_BODY = {"requestBody": {"content": {"application/json": _JSON, "multipart/form-data": _FORM}}}


async def predict_question(request: Request) -> tuple[Question, list[bytes]]:
    """Return the question in a request to /api/predict, and the PNG files of its form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _from_form(request)
    if kind not in ("application/json", ""):
        raise VisarithError(f"content type {kind[:80]!r} is unknown; send application/json or multipart/form-data")
    try:
        question = _validated(json.loads(await request.body()))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
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
            raise VisarithError(f"the form has {len(names)} files; send two PNG files, named a and b")
        for name in ("a", "b", "pictures", "unit"):
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
