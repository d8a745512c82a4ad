"""The web application: the API, its documentation and the page, and nothing from any other host."""

from pathlib import Path
from typing import Annotated, Any

import swagger_ui_bundle
from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from visarith.errors import VisarithError
from visarith.web.answering import answer, read
from visarith.web.encoding import Json, as_png
from visarith.web.fitting import TooLargeError
from visarith.web.forms import prediction
from visarith.web.networks import Networks
from visarith.web.offering import offered
from visarith.web.protection import Protected
from visarith.web.question import Question, ReadQuestion
from visarith.web.thinking import think

STATIC = Path(__file__).parent / "static"
SWAGGER = Path(swagger_ui_bundle.swagger_ui_path)
SWAGGER_FILES = ("swagger-ui-bundle.js", "swagger-ui.css")
REFUSALS: dict[int | str, dict[str, Any]] = {
    422: {"description": "What was asked cannot be used; `detail` is one sentence that says why."},
    413: {"description": "The request or a picture in it is too large."},
}


def application(host: str = "127.0.0.1") -> ASGIApp:
    """The application; requests must name this host, or a local one."""
    networks = Networks()
    api = FastAPI(title="visarith", version="1", docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    everything = offered(networks)

    @api.get("/api/learners", tags=["networks"])
    def learners() -> Json:
        """Operations, networks, and how numbers look."""
        return everything

    @api.get("/api/calculate", tags=["networks"], responses=REFUSALS)
    def calculate(question: Annotated[Asked, Query()], request: Request) -> Response:
        """The picture of the answer to two numbers, drawn by a network; as PNG for `Accept: image/png`."""
        return _answered(request, *answer(question, networks))

    @api.post("/api/predict", tags=["networks"], responses=REFUSALS, openapi_extra=_BODY)
    async def predict(request: Request) -> Response:
        """The picture of the answer to two pictures: as JSON, or as a form with the PNG files `a` and `b`."""
        question, files = await prediction(request)
        return _answered(request, *await run_in_threadpool(answer, question, networks, files))

    @api.get("/api/think", tags=["networks"], responses=REFUSALS)
    def think_of_numbers(question: Annotated[Asked, Query()]) -> Json:
        """What happens in the network on the way to the answer."""
        return think(question, networks)

    @api.post("/api/think", tags=["networks"], responses=REFUSALS)
    def think_of_pictures(question: Question) -> Json:
        """The same for pictures, and the weights of one hidden unit."""
        return think(question, networks)

    @api.post("/api/read", tags=["networks"], responses=REFUSALS)
    def read_by_tesseract(question: ReadQuestion) -> Json:
        """What Tesseract reads in an answer picture."""
        return read(question, networks)

    @api.get("/docs", include_in_schema=False)
    def docs() -> FileResponse:
        return FileResponse(STATIC / "docs.html")

    @api.get("/docs/{name}", include_in_schema=False)
    def docs_file(name: str) -> FileResponse:
        if name not in SWAGGER_FILES:
            raise HTTPException(404)
        return FileResponse(SWAGGER / name)

    @api.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    api.mount("/static", StaticFiles(directory=STATIC))
    for kind, handler in ((VisarithError, _refused), (RequestValidationError, _invalid), (HTTPException, _failed)):
        api.add_exception_handler(kind, handler)
    return Protected(api, host)


class Asked(Question):
    """A question in an address has no pictures."""

    pictures: Annotated[list[Any], Query(include_in_schema=False, max_length=0)] = []
    unit: Annotated[None, Query(include_in_schema=False)] = None


_PICTURE = {"schema": {"$ref": "#/components/schemas/Question"}}
_FORM = {
    "schema": {
        "type": "object",
        "properties": {
            **{name: {"type": "string", "format": "binary"} for name in ("a", "b")},
            **{name: {"type": "string"} for name in ("op", "learner", "noise", "seed", "permuted")},
        },
    }
}
_BODY = {"requestBody": {"content": {"application/json": _PICTURE, "multipart/form-data": _FORM}}}


def _answered(request: Request, said: Json, picture: Any) -> Response:
    if "image/png" in request.headers.get("accept", ""):
        reading = said["reading"]
        assert isinstance(reading, dict)
        return Response(as_png(picture), media_type="image/png", headers={"x-reading": str(reading["text"])})
    return JSONResponse(said)


async def _refused(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 413 if isinstance(error, TooLargeError) else 422)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"detail": in_a_sentence(error.errors())}, 422)


async def _failed(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return JSONResponse({"detail": str(error.detail)}, error.status_code, dict(error.headers or {}))


def in_a_sentence(errors: Any) -> str:
    """The first thing that is wrong, and where."""
    first = errors[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("query", "body")) or "the request"
    return " ".join(f"{where[:80]} cannot be used: {first['msg'][:200]}".split())
