"""The web application: the routes of the API, its documentation, the page and its error responses.

Everything is served from the package; nothing is loaded from another host.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import anyio.to_thread
import numpy as np
import swagger_ui_bundle
from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from visarith.errors import VisarithError
from visarith.web import STATIC
from visarith.web.answering import answer, read
from visarith.web.networks import Networks, offered
from visarith.web.pictures import Json, TooLargeError, as_png
from visarith.web.protection import Protected
from visarith.web.question import PREDICT_BODY, Numbers, Question, ReadQuestion, predict_question
from visarith.web.thinking import think

SWAGGER = Path(swagger_ui_bundle.swagger_ui_path)
SWAGGER_FILES = ("swagger-ui-bundle.js", "swagger-ui.css")
NO_CACHE = {"cache-control": "no-cache"}
THREADS = 2  # that compute answers
ERRORS: dict[int | str, dict[str, Any]] = {
    422: {"description": "The request is invalid; `detail` says why in one sentence."},
    413: {"description": "The request, or a picture in it, is too large."},
}


def application(host: str = "127.0.0.1") -> ASGIApp:
    """Return the application. It accepts requests that name `host` or a local host."""
    app = FastAPI(
        title="visarith",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_limit_threads,
    )
    app.openapi_version = "3.0.3"  # the newest version that the bundled Swagger UI supports
    app.include_router(_api(Networks()))

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers=NO_CACHE)

    @app.get("/docs", include_in_schema=False)
    def docs() -> FileResponse:
        return FileResponse(STATIC / "docs.html", headers=NO_CACHE)

    @app.get("/docs/{name}", include_in_schema=False)
    def docs_file(name: str) -> FileResponse:
        if name not in SWAGGER_FILES:
            raise HTTPException(404)
        return FileResponse(SWAGGER / name)

    app.mount("/static", _Static(directory=STATIC))
    app.add_exception_handler(VisarithError, _visarith_error)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    return Protected(app, host)


def _api(networks: Networks) -> APIRouter:
    """Return the routes below /api."""
    api = APIRouter(prefix="/api", tags=["networks"])
    everything = offered(networks)

    @api.get("/learners")
    def learners() -> Json:
        """List the operations, the networks of each, and the layouts of their pictures."""
        return everything

    @api.get("/calculate", responses=ERRORS)
    def calculate(asked: Annotated[Numbers, Query()], request: Request) -> Response:
        """Draw the answer to two numbers. With `Accept: image/png` the response is the picture as a PNG."""
        return _answered(request, *answer(asked.question(), networks))

    @api.post("/predict", responses=ERRORS, openapi_extra=PREDICT_BODY)
    async def predict(request: Request) -> Response:
        """Draw the answer to two pictures, sent as JSON or as a form with the PNG files `a` and `b`."""
        question, files = await predict_question(request)
        return _answered(request, *await run_in_threadpool(answer, question, networks, files))

    @api.get("/think", responses=ERRORS)
    def think_of_numbers(asked: Annotated[Numbers, Query()]) -> Json:
        """Return the intermediate steps of a network for two numbers."""
        return think(asked.question(), networks)

    @api.post("/think", responses=ERRORS)
    def think_of_pictures(question: Question) -> Json:
        """Return the intermediate steps for two numbers or two pictures and, on request, one hidden unit's weights."""
        return think(question, networks)

    @api.post("/read", responses=ERRORS)
    def read_by_tesseract(question: ReadQuestion) -> Json:
        """Read an answer picture with Tesseract and with templates."""
        return read(question, networks)

    return api


def _answered(request: Request, response: Json, picture: np.ndarray) -> Response:
    if "image/png" in request.headers.get("accept", ""):
        return Response(as_png(picture), media_type="image/png")
    return JSONResponse(response)


@asynccontextmanager
async def _limit_threads(_: FastAPI) -> AsyncIterator[None]:
    """Answer requests in the order of their arrival: more threads would only slow each other down."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    yield


class _Static(StaticFiles):
    """Static files that a browser revalidates, so that a new version of the package takes effect at once."""

    def file_response(self, *arguments: Any, **options: Any) -> Any:
        response = super().file_response(*arguments, **options)
        response.headers.update(NO_CACHE)
        return response


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
