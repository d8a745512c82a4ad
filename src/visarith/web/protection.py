"""Middleware that checks the sender, method and size of every request, and adds security headers to every response."""

import asyncio
import json

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})
MOST_BYTES = 3_000_000  # of a request body: two pictures of 1 MB each, as base64
TOO_LARGE = f"the request is too large; send up to {MOST_BYTES:,} bytes"
ENDING = "the server is ending; ask again when it has started"
POSTED = frozenset({"/api/predict", "/api/read"})  # every other path is read
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


class Protected:
    """An application behind these checks.

    Requests that name an unknown host are rejected, so that a web site cannot reach this server through a name of its
    own (DNS rebinding). Local names are accepted, and `host`; with "", 0.0.0.0 or :: any name is. A request of a page
    of another web site names that site as its origin, and is rejected.
    """

    def __init__(self, app: ASGIApp, host: str = "127.0.0.1") -> None:
        self.app = app
        self.hosts = None if host in ("", "0.0.0.0", "::") else LOCAL | {host.lower(), f"[{host.lower()}]"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        wrong = self._wrong(scope, headers)
        if wrong:
            await refuse(send, *wrong)
            return
        request = _Request(receive, send, has_body=_has_body(headers), head=scope["method"] == "HEAD")
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        try:
            await self.app({**scope, "method": method}, request.receive, request.send)
        except ClientDisconnect:  # nobody is there to be answered
            pass
        except asyncio.CancelledError:  # the server did not wait any longer
            if not request.begun:
                await refuse(send, 503, ENDING)

    def _wrong(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str] | tuple[int, str, str] | None:
        """Return the status and the reason with which a request is refused before it is read, and what is allowed."""
        named = headers.get("host", "").strip().lower()
        if self.hosts is not None and _host(named) not in self.hosts:
            return 421, f"this server does not answer for the host {named[:80]!r}; use 127.0.0.1"
        origin = headers.get("origin", "").strip().lower()
        if origin and origin.partition("://")[2] != named:
            return 403, f"requests from pages of {origin[:80]!r} are not answered; ask from this server's own page"
        methods = ("POST", "OPTIONS") if scope["path"] in POSTED else ("GET", "HEAD", "OPTIONS")
        if scope["method"] == "OPTIONS":
            return 204, "", ", ".join(methods)
        if scope["method"] not in methods:
            return 405, f"{scope['path'][:80]!r} takes {' and '.join(methods)}; use one of these", ", ".join(methods)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or len(length) > 12 or int(length) > MOST_BYTES:
            return 413, TOO_LARGE
        return None


class _Request:
    """Counts what is received of a request, and adds headers to the response."""

    def __init__(self, receive: Receive, send: Send, *, has_body: bool, head: bool) -> None:
        self._receive, self._send = receive, send
        self.unread, self.head = has_body, head
        self.count, self.begun = 0, False

    async def receive(self) -> Message:
        """Stop reading a body that is too large, whatever its content-length says."""
        message = await self._receive()
        self.count += len(message.get("body", b""))
        if message["type"] == "http.request" and not message.get("more_body", False):
            self.unread = False
        if self.count > MOST_BYTES:
            raise HTTPException(413, TOO_LARGE)
        return message

    async def send(self, message: Message) -> None:
        """Add security headers, and close the connection if the rest of the request is not wanted."""
        if message["type"] == "http.response.start":
            self.begun = True
            present = {name for name, _ in message["headers"]}
            more = [(name, value) for name, value in _encoded() if name not in present]
            more += [(b"connection", b"close")] if self.unread else []
            message = {**message, "headers": [*message["headers"], *more]}
        elif self.head:
            message = {**message, "body": b""}
        await self._send(message)


def _has_body(headers: dict[str, str]) -> bool:
    return "transfer-encoding" in headers or int(headers.get("content-length", "0")) > 0


def _host(value: str) -> str:
    """Return a host without its port."""
    if value.startswith("["):
        return value.partition("]")[0] + "]"
    return value.partition(":")[0]


def _encoded() -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in HEADERS.items()]


def refusal(status: int, why: str, allow: str = "") -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Return the headers and the body of a refusal, after which the connection is closed."""
    body = json.dumps({"detail": why}).encode() if why else b""
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())] if why else []
    headers += [(b"allow", allow.encode())] if allow else []
    headers += [(b"retry-after", b"1")] if status == 503 else []
    return [*headers, (b"connection", b"close"), *_encoded()], body


async def refuse(send: Send, status: int, why: str, allow: str = "") -> None:
    """Answer a request with a refusal."""
    headers, body = refusal(status, why, allow)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
