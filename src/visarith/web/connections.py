"""Connections of the server: how many, for how long, and refusals that look like any other response.

uvicorn waits for the rest of a request for ever, counts connections that ask nothing, and resets a connection on which
it has answered before the whole request was there, so that the answer is often lost.
"""

import asyncio
import sys
from contextlib import suppress
from http import HTTPStatus
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from visarith.web.protection import ENDING, refusal

MOST_CONNECTIONS, MOST_AT_ALL = 200, 600  # the second for as long as GRACE, in which requests that were sent arrive
GRACE = 1.0  # seconds
TIMES = {h11.IDLE: 10.0, h11.SEND_BODY: 30.0}  # seconds in which the head of a request arrives, and its body
TIME_TO_READ = 60.0  # seconds in which the sender takes a part of the answer
MOST_LATE, TIME_LATE = 10_000_000, 1.0  # bytes and seconds of a request that are read after its answer
LATE = "the request did not arrive in time; send it within {:g} seconds"
CROWDED = "too many connections are open; ask again soon"
INVALID = "this is no valid HTTP request; send HTTP/1.1"


class Connection(H11Protocol):
    """A connection; those that have been waiting longest make room where there are too many."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.phase: Any = None  # of the request, as h11 names it
        self.since = 0.0
        self.timer: asyncio.TimerHandle | None = None
        self.reading: asyncio.TimerHandle | None = None  # the time that the other end has to take an answer
        self.reading_late: int | None = None  # bytes that have arrived since the answer

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast(asyncio.Transport, _Lingering(transport, self)))
        self._watch()
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def _make_room(self) -> None:
        waiting = [each for each in self.connections if isinstance(each, Connection) and each.waits]
        waiting.sort(key=lambda each: each.since)
        late = [each for each in waiting if each.since < self.loop.time() - GRACE]
        late = late[: len(self.connections) - MOST_CONNECTIONS]
        if not late and len(self.connections) > MOST_AT_ALL:
            late = waiting[:1] or [self]
        for each in late:
            each.drop(503, CROWDED)

    def connection_lost(self, exc: Exception | None) -> None:
        self._set_timer(None)
        self.resume_writing()
        super().connection_lost(exc)

    @property
    def waits(self) -> bool:
        """Whether the other end is to send or to read something."""
        late = self.reading_late is not None
        return late or self.flow.write_paused or self.conn.their_state in TIMES

    def data_received(self, data: bytes) -> None:
        if self.reading_late is not None:
            self.reading_late += len(data)
            if self.reading_late > MOST_LATE:
                self.transport.abort()
            return
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        """Start the time of the phase in which the request is, if it is a new one."""
        if self.conn.their_state is not self.phase and self.reading_late is None:
            self.phase, self.since = self.conn.their_state, self.loop.time()
            seconds = TIMES.get(self.phase)
            self._set_timer(seconds, 408, LATE.format(seconds or 0))

    def _set_timer(self, seconds: float | None, status: int = 0, why: str = "") -> None:
        if self.timer is not None:
            self.timer.cancel()
        self.timer = None if seconds is None else self.loop.call_later(seconds, self.drop, status, why)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.since = self.loop.time()
        self.reading = self.loop.call_later(TIME_TO_READ, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.reading is not None:
            self.reading.cancel()
            self.reading = None

    def drop(self, status: int, why: str) -> None:
        """Close the connection; if part of a request has arrived and nothing was answered, say why."""
        if self.transport.is_closing() and self.reading_late is None:
            return
        answering = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if answering or self.reading_late is not None or self.flow.write_paused:
            self.transport.abort()
            return
        if self.conn.their_state is not h11.IDLE or self.conn.trailing_data[0]:
            headers, body = refusal(status, why)
            head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()
            lines = [head, *(name + b": " + value for name, value in headers)]
            self.transport.write(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        self.transport.close()
        if self.cycle is not None:  # the application need not wait for the rest
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002
        error = sys.exception()  # uvicorn calls this where it catches it
        self.drop(getattr(error, "error_status_hint", 400), INVALID)

    def shutdown(self) -> None:
        """End what has not been asked; what is under way is answered first."""
        if self.conn.their_state in TIMES and not (self.cycle and self.cycle.response_started):
            self.drop(503, ENDING)
        else:
            super().shutdown()


class _Lingering:
    """A transport that says that it ends, and reads on for a moment if the other end is still sending."""

    def __init__(self, transport: asyncio.Transport, connection: Connection) -> None:
        self._transport, self._connection = transport, connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self._connection.reading_late is not None or self._transport.is_closing()

    def close(self) -> None:
        connection = self._connection
        sending = connection.conn.their_state in (h11.SEND_BODY, h11.ERROR)
        if not sending or self._transport.is_closing():
            self._transport.close()
        elif connection.reading_late is None:
            connection.reading_late = 0
            with suppress(OSError):  # the other end has gone
                self._transport.write_eof()
            connection.flow.resume_reading()
            connection._set_timer(None)
            connection.timer = connection.loop.call_later(TIME_LATE, self._transport.abort)
