"""The web application: the routes of the API, its documentation, the page's files and its error responses.

Everything is served from the package; nothing is loaded from another host.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import anyio
import numpy as np
import swagger_ui_bundle
from anyio import to_thread
from fastapi import APIRouter, Body, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from visarith.errors import VisarithError
from visarith.runs.run import Run
from visarith.web import STATIC
from visarith.web.answering import answer, read
from visarith.web.models import Answer, Offered, Read, Refusal
from visarith.web.networks import CONSTRUCTED, Networks, offered
from visarith.web.openapi import VERSION, as_3_0
from visarith.web.pictures import TooLargeError, as_png, to_base64
from visarith.web.protection import Protected
from visarith.web.question import Numbers, ReadQuestion, predict_body, predict_question
from visarith.web.site import Site

SWAGGER = Path(swagger_ui_bundle.swagger_ui_path)
SWAGGER_FILES = ("swagger-ui-bundle.js", "swagger-ui.css")
DOCS_FILES = ("docs.js", "docs.css")
NO_CACHE = {"cache-control": "no-cache"}
THREADS = 2  # that compute answers; picture files have one of their own
MOST_WAITING = 8  # requests with picture files
ANYWHERE: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": why}
    for status, why in {
        403: "The request comes from a page of another web site.",
        405: "The path does not take this method; `Allow` says which it takes.",
        408: "The request did not arrive in time.",
        421: "The server does not answer for this host.",
        503: "Too many requests at once, or the server is ending; ask again.",
    }.items()
}
ERRORS: dict[int | str, dict[str, Any]] = ANYWHERE | {
    422: {"model": Refusal, "description": "The request is invalid; `detail` says why in one sentence."},
    413: {"model": Refusal, "description": "The request, or a picture in it, is too large."},
}
AS_PNG: dict[int | str, dict[str, Any]] = {
    200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}, "description": "The answer"}
}
KINDS = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "png": "image/png", "html": "text/html"}
ABOUT = """Trained networks that see pictures of two numbers and draw the picture of the answer.

[The page](/) runs the same networks in the browser. In Python:

    import json, urllib.request
    url = "http://127.0.0.1:8000/api/calculate?a=1234&b=2345&op=multiply"
    with urllib.request.urlopen(url) as response:
        answer = json.load(response)
    print(answer["reading"]["text"], answer["correct"])
"""


def application(host: str = "127.0.0.1", runs: Sequence[Run] = ()) -> ASGIApp:
    """Return the application, with runs of one's own. It accepts requests that name `host` or a local host."""
    app = FastAPI(
        title="visarith",
        description=ABOUT,
        version=version("visarith"),
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_limit_threads,
    )
    app.openapi_version = VERSION
    networks = Networks(runs)
    app.include_router(_api(networks))
    site = Site(networks, served=True)

    @app.get("/docs", include_in_schema=False)
    def docs() -> FileResponse:
        return FileResponse(STATIC / "docs.html", headers=NO_CACHE)

    @app.get("/docs/{name}", include_in_schema=False)
    def docs_file(name: str) -> FileResponse:
        if name in SWAGGER_FILES:
            return FileResponse(SWAGGER / name)
        if name in DOCS_FILES:
            return FileResponse(STATIC / name, headers=NO_CACHE)
        raise HTTPException(404)

    @app.get("/{name:path}", include_in_schema=False)
    def page(name: str) -> Response:
        """A file of the page, as `visarith page` would write it."""
        name = name or "index.html"
        if name not in site.files:
            raise HTTPException(404)
        return Response(site.read(name), media_type=KINDS[name.rpartition(".")[2]], headers=NO_CACHE)

    app.openapi_schema = as_3_0(app.openapi())
    app.add_exception_handler(VisarithError, _visarith_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    return Protected(app, host)


def _api(networks: Networks) -> APIRouter:
    """Return the routes below /api."""
    api = APIRouter(prefix="/api", tags=["networks"])
    layout = networks.find("add", CONSTRUCTED).task.plain_layout
    shown = [to_base64(layout.typeset(np.array(list(map(int, text))))) for text in ("1234567", "2345678", "3580245")]
    decoding = anyio.CapacityLimiter(1)  # one picture file at a time, so that others are answered meanwhile
    sum_ = {"op": "add", "picture": {"height": 15, "width": 60, "pixels": shown[2]}, "truth": "3580245"}

    @api.get("/learners", responses=ANYWHERE)
    def learners() -> Offered:
        """List the operations, the networks of each, and the layouts of their pictures."""
        return Offered.model_validate(offered(networks))

    @api.get("/calculate", responses=AS_PNG | ERRORS, response_model=Answer)
    def calculate(asked: Annotated[Numbers, Query()], request: Request) -> Response:
        """Draw the answer to two numbers. With `Accept: image/png` the response is the picture as a PNG."""
        return _answered(request, *answer(asked.question(), networks))

    @api.post("/predict", responses=AS_PNG | ERRORS, response_model=Answer, openapi_extra=predict_body(shown[:2]))
    async def predict(request: Request) -> Response:
        """Draw the answer to two pictures, sent as JSON or as a form with the picture files `a` and `b`."""
        question, files = await predict_question(request)
        limiter = decoding if files or any(each.png for each in question.pictures) else None
        if limiter and limiter.statistics().tasks_waiting >= MOST_WAITING:
            raise HTTPException(503, "too many pictures are waiting; ask again soon", {"retry-after": "1"})
        return _answered(request, *await to_thread.run_sync(answer, question, networks, files, limiter=limiter))

    @api.post("/read", responses=ERRORS)
    def read_by_tesseract(question: Annotated[ReadQuestion, Body(openapi_examples={"sum": {"value": sum_}})]) -> Read:
        """Read an answer picture with Tesseract and with templates."""
        return read(question, networks)

    return api


def _answered(request: Request, response: Answer, picture: np.ndarray) -> Response:
    if "image/png" in request.headers.get("accept", ""):
        return Response(as_png(picture), media_type="image/png")
    return JSONResponse(response.model_dump())


@asynccontextmanager
async def _limit_threads(_: FastAPI) -> AsyncIterator[None]:
    """Answer requests in the order of their arrival: more threads would only slow each other down."""
    to_thread.current_default_thread_limiter().total_tokens = THREADS
    yield


async def _visarith_error(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 413 if isinstance(error, TooLargeError) else 422)


async def _validation_error(_: Request, error: Exception) -> JSONResponse:
    """Report the first invalid field in one sentence."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("query", "body")) or "the request"
    sentence = " ".join(f"{where[:80]} cannot be used: {first['msg'][:200]}".split())
    return JSONResponse({"detail": sentence}, 422)


async def _http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    status = 422 if error.status_code == 400 else error.status_code  # 422 for every invalid request
    return JSONResponse({"detail": str(error.detail)}, status, dict(error.headers or {}))
