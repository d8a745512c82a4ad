"""Strangers at the server's socket: slow, half-open, endless, nonsensical; and the end of the server."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from serving import LONGEST, Others, Server, exchange, serving
from visarith.cli.serve import listen
from visarith.web import connections
from visarith.web.connections import MOST_AT_ALL, MOST_CONNECTIONS, MOST_LATE, Connection
from visarith.web.protection import HEADERS, MOST_BYTES, Protected

POST = b"POST /api/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNK = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
FORM = b"POST /api/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\n"
PART = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'
NONSENSE = {
    "no HTTP": (b"\x00\x01\x02 nonsense\r\n\r\n", 400),
    "a huge header": (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 200_000 + b"\r\n\r\n", 431),
    "a thousand headers": (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: a\r\n" * 100_000, 431),
    "a huge path": (b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 431),
    "two lengths": (POST + b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde", 400),
    "a negative length": (POST + b"Content-Length: -5\r\n\r\nabcde", 400),
    "a huge length": (POST + b"Content-Length: 99999999999999999999\r\n\r\nabcde", 413),
    "a length of many digits": (POST + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n", 400),
    "a length beyond the limit": (POST + b"Content-Length: 3000001\r\n\r\n", 413),
    "a chunk of no size": (CHUNKED + b"zz\r\nabc", 400),
    "a chunk of a huge size": (CHUNKED + b"f" * 5_000 + b"\r\nabc", 400),
    "more than its length": (POST + b"Content-Length: 2\r\n\r\n{} and more", 422),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", 400),
    "two hosts": (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n", 400),
    "a foreign host": (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
    "a foreign origin": (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\n\r\n", 403),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 421),
    "a form of a thousand parts": (FORM + b"Content-Length: %d\r\n\r\n" % (1001 * len(PART)) + 1001 * PART, 422),
    "a form without an end": (FORM + b"Content-Length: %d\r\n\r\n" % len(PART) + PART, 422),
    "a number of thousands of digits": (POST + b"Content-Length: 5000\r\n\r\n" + b"9" * 5000, 422),
    "deep nesting": (POST + b"Content-Length: 100000\r\n\r\n" + b"[" * 100_000, 422),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def check_nonsense(server: Server, name: str) -> None:
    """It is refused in one sentence with all headers."""
    data, expected = NONSENSE[name]
    status, headers, body = server.send(data)
    assert status == expected
    assert {each: headers.get(each) for each in HEADERS} == HEADERS
    assert body.startswith(b'{"detail":')


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused_in_one_sentence_with_all_headers(server: Server, name: str) -> None:
    check_nonsense(server, name)


def check_endless(server: Server) -> None:
    """An endless body is answered and not read on."""
    before = server.memory()
    with server.connect() as stranger:
        stranger.sendall(CHUNKED)
        sent = 0
        with suppress(BrokenPipeError, ConnectionResetError):
            while sent < 100 * MOST_BYTES:
                sent += stranger.send(CHUNK)
    assert sent < MOST_BYTES + MOST_LATE + 20_000_000  # and what both kernels hold
    assert server.memory() < before + 50
    assert server.send(CHUNKED + 80 * CHUNK)[0] == 413  # an answer that arrives, though it was sent before the end


def test_an_endless_body_is_answered_and_not_read_on(server: Server) -> None:
    check_endless(server)


def check_held(server: Server) -> None:
    """Whoever only keeps a connection open locks nobody out."""
    held = [server.connect() for _ in range(MOST_AT_ALL + 100)]
    for number, stranger in enumerate(held):
        with suppress(OSError):  # the first have made room
            stranger.sendall(b"GET / HTTP/1.1\r\nHost: 127" if number % 2 else POST + b"Content-Length: 9\r\n\r\nabc")
    statuses = [server.get()[0] for _ in range(20)]
    for stranger in held:
        stranger.close()
    assert statuses == [200] * 20


def test_whoever_only_keeps_a_connection_open_locks_nobody_out(server: Server) -> None:
    check_held(server)


def test_clients_that_leave_are_no_news(server: Server) -> None:
    for _ in range(10):
        for data in (
            POST + b"Content-Length: 1000\r\n\r\nabc",
            FORM + b"Content-Length: 1000\r\n\r\n--x\r\n",
            CHUNKED + CHUNK,
            b"GET /weights/perceptron-add.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"GET /",
        ):
            with server.connect() as stranger:
                stranger.sendall(data)
    assert server.get()[0] == 200  # `serving` looks for tracebacks at the end


def ended_under_way(requests: int, how: int, spoilt: str = "") -> tuple[Server, list[int]]:
    """Tell a server to end while it has so many requests to answer; return it, and the answers' statuses."""
    statuses: list[int] = []
    number = "9" * 60
    data = f"GET /api/calculate?op=multiply&a={number}&b={number} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
    with serving(spoilt=spoilt) as server:
        strangers = [server.connect() for _ in range(requests)]
        half, idle = server.connect(), server.connect()
        half.sendall(POST + b"Content-Length: 1000\r\n\r\nabc")
        threads = [
            threading.Thread(target=lambda each=each: statuses.append(exchange(each, data)[0]))  # type: ignore[misc]
            for each in strangers
        ]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        assert server.end(how) == 0 or spoilt
        for thread in threads:
            thread.join(LONGEST)
        for stranger in (*strangers, half, idle):
            stranger.close()
    return server, statuses


def test_what_is_under_way_is_answered_before_the_end() -> None:
    server, statuses = ended_under_way(20, signal.SIGTERM)
    assert statuses == [200] * 20
    assert server.log == "visarith: ended\n"


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The port of a server in this process that has little patience."""
    monkeypatch.setattr(connections, "TIMES", dict.fromkeys(connections.TIMES, 0.5))
    monkeypatch.setattr(connections, "TIME_TO_READ", 0.5)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        while scope["method"] == "POST" and (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 100_000_000 if scope["path"] == "/huge" else b""})

    with listen("127.0.0.1", 0) as listening:
        config = uvicorn.Config(Protected(application), http=Connection, lifespan="off", log_level="error", ws="none")
        running = uvicorn.Server(config)
        thread = threading.Thread(target=running.run, args=([listening],))
        thread.start()
        yield listening.getsockname()[1]
        running.should_exit = True
        thread.join(LONGEST)


@pytest.mark.parametrize("begun", [b"GET / HTTP/1.1\r\n", POST + b"Content-Length: 1000\r\n\r\n", CHUNKED])
def test_a_byte_now_and_then_is_not_enough(hasty: int, begun: bytes) -> None:
    with Server.to(hasty) as stranger:
        stranger.sendall(begun)
        for _ in range(20):
            time.sleep(0.1)
            with suppress(BrokenPipeError, ConnectionResetError):
                stranger.send(b"1")
        status, headers, body = exchange(stranger, b"")
    assert status == 408
    assert headers["x-content-type-options"] == "nosniff"
    assert b"in time" in body


def test_whoever_does_not_read_the_answer_is_left(hasty: int) -> None:
    with Server.to(hasty) as stranger:
        stranger.sendall(b"GET /huge HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        time.sleep(2)
        assert exchange(stranger, b"")[2] == b""  # cut off


def test_an_idle_connection_is_closed_without_an_answer(hasty: int) -> None:
    with Server.to(hasty) as stranger:
        assert exchange(stranger, b"")[0] == 0
    with Server.to(hasty) as stranger:
        assert exchange(stranger, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")[0] == 200
        stranger.settimeout(5)
        assert stranger.recv(1) == b""


@pytest.mark.long
def test_strangers_do_not_keep_others_waiting(counted) -> None:  # type: ignore[no-untyped-def]
    with serving() as server:
        before, failed, asked = server.memory(), 0, 0
        for attack in (half_open, a_byte_a_second, endless, quick):
            with Others(server) as others:
                attack(server, 30)
            asked += len(others.times)
            failed += sum(status != 200 for status in others.statuses)
            assert others.prompt, f"{attack.__name__}: {others.late:.3f} s"
            assert server.get()[0] == 200
        assert server.memory() < before + 100
    counted("answers to others while strangers hold 400 connections or send without an end", asked, failed)
    assert failed == 0


def half_open(server: Server, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        held = [server.connect() for _ in range(2 * MOST_CONNECTIONS)]
        time.sleep(5)
        for stranger in held:
            stranger.close()


def a_byte_a_second(server: Server, seconds: float) -> None:
    held = [server.connect() for _ in range(2 * MOST_CONNECTIONS)]
    data = POST + b"Content-Length: 1000\r\n\r\n" + b"x" * 1000
    for second in range(int(seconds)):
        for stranger in held:
            with suppress(OSError):
                stranger.send(data[second : second + 1])
        time.sleep(1)
    for stranger in held:
        stranger.close()


def endless(server: Server, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        with server.connect() as stranger, suppress(OSError):
            stranger.sendall(CHUNKED)
            while time.monotonic() < until:
                stranger.sendall(CHUNK)
        time.sleep(0.1)


def quick(server: Server, seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for data, _ in NONSENSE.values():
            with suppress(OSError):
                server.send(data)


@pytest.mark.long
def test_nonsense_many_times(counted) -> None:  # type: ignore[no-untyped-def]
    with serving() as server:
        wrong = [
            name for name, (data, status) in NONSENSE.items() for _ in range(100) if server.send(data)[0] != status
        ]
    counted(
        "requests that are no HTTP, lie about their length or are huge: refused with 4xx",
        100 * len(NONSENSE),
        len(wrong),
    )
    assert wrong == []


@pytest.mark.long
def test_ends_under_way(counted) -> None:  # type: ignore[no-untyped-def]
    statuses = [
        status for how in (signal.SIGTERM, signal.SIGINT) for _ in range(3) for status in ended_under_way(50, how)[1]
    ]
    counted("requests under way at SIGTERM or Ctrl-C that are answered first", 300, 300 - statuses.count(200))
    assert statuses == [200] * 300


SPOILT = {
    "import visarith.web.protection as p; p.MOST_BYTES = 10**12": check_endless,
    "import visarith.web.connections as c; c.MOST_LATE = 10**12; c.TIME_LATE = 60": check_endless,
    "import visarith.web.connections as c; c.Connection.waits = False": check_held,
    "import visarith.web.protection as p; p.HEADERS.pop('x-content-type-options')": lambda server: check_nonsense(
        server, "no HTTP"
    ),
    "import visarith.web.protection as p; p.Protected._wrong = lambda *_: None": lambda server: check_nonsense(
        server, "a foreign origin"
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("spoilt", SPOILT, ids=range(len(SPOILT)))
def test_these_tests_notice_a_spoilt_server(spoilt: str) -> None:
    with serving(spoilt=spoilt) as server, pytest.raises(AssertionError):
        SPOILT[spoilt](server)


@pytest.mark.long
def test_these_tests_notice_a_server_that_does_not_wait() -> None:
    _, statuses = ended_under_way(50, signal.SIGTERM, "import visarith.cli.serve as s; s.SECONDS_TO_END = 0")
    assert statuses != [200] * 50
