"""What comes to /api/predict: JSON, or a form with PNG files."""

import json
from typing import Any

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.datastructures import UploadFile
from starlette.requests import Request

from visarith.errors import VisarithError
from visarith.web.fitting import MOST_BYTES, TooLargeError
from visarith.web.question import Question


async def prediction(request: Request) -> tuple[Question, list[bytes]]:
    """The question, and the files that came with it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return await _form(request)
    if kind not in ("application/json", ""):
        raise VisarithError(f"content type {kind[:80]!r} is unknown; send application/json or multipart/form-data")
    try:
        question = _checked(json.loads(await request.body()))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise VisarithError("the request is no JSON; send an object with op, learner and pictures") from None
    if not question.pictures:
        raise VisarithError("pictures are missing; send two, or ask /api/calculate for numbers")
    return question, []


async def _form(request: Request) -> tuple[Question, list[bytes]]:
    async with request.form(max_files=2, max_fields=10, max_part_size=100_000) as form:
        files, fields = [], {}
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                files.append((name, await _bytes(value)))
            elif value:
                fields[name] = value
        if sorted(name for name, _ in files) != ["a", "b"]:
            raise VisarithError("a form needs two PNG files, named a and b")
        for name in ("a", "b", "pictures", "unit"):
            fields.pop(name, None)
        return _checked(fields), [data for _, data in sorted(files)]


async def _bytes(file: UploadFile) -> bytes:
    data = await file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise TooLargeError(f"a picture has more than {MOST_BYTES:,} bytes; send a smaller one")
    return data


def _checked(fields: Any) -> Question:
    if not isinstance(fields, dict):
        raise VisarithError("the request is no object; send one with op, learner and pictures")
    try:
        return Question.model_validate(fields)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False)) from None
