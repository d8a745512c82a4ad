"""Middleware that checks the host and the size of every request, and adds security headers to every response."""

import json

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})
MOST_BYTES = 3_000_000  # of a request body: two pictures of 1 MB each, as base64
TOO_LARGE = f"the request is too large; send up to {MOST_BYTES:,} bytes"
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Protected:
    """An application behind these checks.

    Requests that name an unknown host are rejected, so that a web site cannot reach this server through a name of its
    own (DNS rebinding). Local names are accepted, and `host`; with "", 0.0.0.0 or :: any name is.
    """

    def __init__(self, app: ASGIApp, host: str = "127.0.0.1") -> None:
        self.app = app
        self.hosts = None if host in ("", "0.0.0.0", "::") else LOCAL | {host.lower(), f"[{host.lower()}]"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        name = _host(headers.get(b"host", b"").decode("latin-1"))
        if self.hosts is not None and name not in self.hosts:
            await _refuse(send, 421, f"this server does not answer for the host {name[:80]!r}; use 127.0.0.1")
            return
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 12 or int(length) > MOST_BYTES:
            await _refuse(send, 413, TOO_LARGE)
            return
        await self.app(scope, _counting(receive), _with_headers(send))


def _counting(receive: Receive) -> Receive:
    """Stop reading a body that is too large, whatever its content-length says."""
    count = 0

    async def receiving() -> Message:
        nonlocal count
        message = await receive()
        count += len(message.get("body", b""))
        if count > MOST_BYTES:
            raise HTTPException(413, TOO_LARGE)
        return message

    return receiving


def _host(value: str) -> str:
    """Return a host without its port, in lower case."""
    value = value.strip().lower()
    if value.startswith("["):
        return value.partition("]")[0] + "]"
    return value.partition(":")[0]


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in present]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sending


async def _refuse(send: Send, status: int, why: str) -> None:
    body = json.dumps({"detail": why}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(b"connection", b"close"), *((name.encode(), value.encode()) for name, value in HEADERS.items())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
