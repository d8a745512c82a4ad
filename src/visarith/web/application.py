"""The web application: the API, its documentation and the page, and nothing from any other host."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio.to_thread
import swagger_ui_bundle
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from visarith.errors import VisarithError
from visarith.web.api import routes
from visarith.web.fitting import TooLargeError
from visarith.web.networks import Networks
from visarith.web.protection import Protected

STATIC = Path(__file__).parent / "static"
SWAGGER = Path(swagger_ui_bundle.swagger_ui_path)
SWAGGER_FILES = ("swagger-ui-bundle.js", "swagger-ui.css")
FRESH = {"cache-control": "no-cache"}
AT_ONCE = 2  # requests


def application(host: str = "127.0.0.1") -> ASGIApp:
    """The application; requests must name this host, or a local one."""
    app = FastAPI(
        title="visarith",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=_few_at_once,
    )
    app.openapi_version = "3.0.3"  # which the bundled Swagger UI knows
    app.include_router(routes(Networks()))

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html", headers=FRESH)

    @app.get("/docs", include_in_schema=False)
    def docs() -> FileResponse:
        return FileResponse(STATIC / "docs.html", headers=FRESH)

    @app.get("/docs/{name}", include_in_schema=False)
    def docs_file(name: str) -> FileResponse:
        if name not in SWAGGER_FILES:
            raise HTTPException(404)
        return FileResponse(SWAGGER / name)

    app.mount("/static", _Static(directory=STATIC))
    app.add_exception_handler(VisarithError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _failed)
    return Protected(app, host)


@asynccontextmanager
async def _few_at_once(_: FastAPI) -> AsyncIterator[None]:
    """Requests are worked on in the order in which they come: more at once only hold each other up."""
    anyio.to_thread.current_default_thread_limiter().total_tokens = AT_ONCE
    yield


class _Static(StaticFiles):
    """Files that a browser asks again for, so that another version of the package is seen at once."""

    def file_response(self, *arguments: Any, **options: Any) -> Any:
        response = super().file_response(*arguments, **options)
        response.headers.update(FRESH)
        return response


async def _refused(_: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 413 if isinstance(error, TooLargeError) else 422)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    return JSONResponse({"detail": _in_a_sentence(error.errors())}, 422)


async def _failed(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    status = 422 if error.status_code == 400 else error.status_code  # what cannot be parsed cannot be used
    return JSONResponse({"detail": str(error.detail)}, status, dict(error.headers or {}))


def _in_a_sentence(errors: Any) -> str:
    """The first thing that is wrong, and where."""
    first = errors[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("query", "body")) or "the request"
    return " ".join(f"{where[:80]} cannot be used: {first['msg'][:200]}".split())
