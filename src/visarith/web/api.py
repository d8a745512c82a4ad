"""The HTTP API: what can be asked of the networks."""

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from starlette.concurrency import run_in_threadpool

from visarith.web.answering import answer, read
from visarith.web.encoding import Json, as_png
from visarith.web.forms import prediction
from visarith.web.networks import Networks
from visarith.web.offering import offered
from visarith.web.question import Numbers, Question, ReadQuestion
from visarith.web.thinking import think

REFUSALS: dict[int | str, dict[str, Any]] = {
    422: {"description": "What was asked cannot be used; `detail` is one sentence that says why."},
    413: {"description": "The request or a picture in it is too large."},
}
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
BODY = {"requestBody": {"content": {"application/json": _JSON, "multipart/form-data": _FORM}}}


def routes(networks: Networks) -> APIRouter:
    """All that can be asked, over these networks."""
    api = APIRouter(prefix="/api", tags=["networks"])
    everything = offered(networks)

    @api.get("/learners")
    def learners() -> Json:
        """Operations, networks, and how numbers look."""
        return everything

    @api.get("/calculate", responses=REFUSALS)
    def calculate(asked: Annotated[Numbers, Query()], request: Request) -> Response:
        """The picture of the answer to two numbers, drawn by a network; as PNG for `Accept: image/png`."""
        return _answered(request, *answer(asked.question(), networks))

    @api.post("/predict", responses=REFUSALS, openapi_extra=BODY)
    async def predict(request: Request) -> Response:
        """The picture of the answer to two pictures: as JSON, or as a form with the PNG files `a` and `b`."""
        question, files = await prediction(request)
        return _answered(request, *await run_in_threadpool(answer, question, networks, files))

    @api.get("/think", responses=REFUSALS)
    def think_of_numbers(asked: Annotated[Numbers, Query()]) -> Json:
        """What happens in the network on the way to the answer."""
        return think(asked.question(), networks)

    @api.post("/think", responses=REFUSALS)
    def think_of_pictures(question: Question) -> Json:
        """The same for pictures, and the weights of one hidden unit."""
        return think(question, networks)

    @api.post("/read", responses=REFUSALS)
    def read_by_tesseract(question: ReadQuestion) -> Json:
        """What Tesseract reads in an answer picture."""
        return read(question, networks)

    return api


def _answered(request: Request, said: Json, picture: np.ndarray) -> Response:
    if "image/png" in request.headers.get("accept", ""):
        return Response(as_png(picture), media_type="image/png")
    return JSONResponse(said)
