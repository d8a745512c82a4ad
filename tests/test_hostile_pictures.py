"""Damaged pictures and bombs: an answer or a refusal, soon, in bounded memory, while others are answered."""

import base64
import json
import threading
import time
from collections.abc import Iterable, Iterator

import numpy as np
import pytest

from hostile_pictures import bombs, mutated, whole, written
from serving import Others, Server, serving

FEW, MANY = 60, 5_000
SECONDS, MEGABYTES = 2.0, 150
GOOD = written("PNG")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        running.post("/api/predict", *form(GOOD))  # what is needed is loaded
        yield running


def form(data: bytes) -> tuple[bytes, str]:
    """A form with this picture and a good one."""
    parts = [
        b'--x\r\nContent-Disposition: form-data; name="%b"; filename="%b.png"\r\n\r\n%b\r\n' % (name, name, each)
        for name, each in ((b"a", data), (b"b", GOOD))
    ]
    return b"".join(parts) + b"--x--\r\n", "multipart/form-data; boundary=x"


def as_json(data: bytes) -> tuple[bytes, str]:
    """The same as JSON."""
    pictures = [{"png": base64.b64encode(each).decode()} for each in (data, GOOD)]
    return json.dumps({"op": "add", "pictures": pictures}).encode(), "application/json"


def answered(server: Server, pictures: Iterable[tuple[str, bytes]]) -> tuple[int, list[str], float]:
    """Send pictures; return how many, those with a wrong status, and the time of the slowest."""
    wrong, times = [], []
    for number, (name, data) in enumerate(pictures):
        began = time.perf_counter()
        status, headers, body = server.post("/api/predict", *(form if number % 2 else as_json)(data))
        times.append(time.perf_counter() - began)
        if status not in (200, 413, 422) or (status != 200 and set(json.loads(body)) != {"detail"}):
            wrong.append(f"{name}: {status} {body[:200]!r} {headers}")
    return len(times), wrong, max(times)


def test_damaged_pictures_are_answered_or_refused(server: Server) -> None:
    assert answered(server, mutated(FEW, 0))[1] == []


def check_bombs(server: Server) -> None:
    """Bombs are refused, and memory stays."""
    before = server.memory()
    _, wrong, _ = answered(server, bombs().items())
    assert wrong == []
    assert server.peak() < before + MEGABYTES


def test_bombs_are_refused_and_memory_stays(server: Server) -> None:
    check_bombs(server)


@pytest.mark.long
def test_this_notices_pictures_of_any_size() -> None:
    spoilt = "import visarith.web.pictures as p; p.MOST_PIXELS = p.MOST_SIDE = 10**9"
    with serving(spoilt=spoilt) as server, pytest.raises(AssertionError):
        check_bombs(server)


def test_large_pictures_wait_for_each_other_and_then_are_refused(server: Server) -> None:
    """Forty at once: some are answered, some are told to come again, and others do not notice."""
    body = form(whole(2000, 2000, 16, 0))
    statuses: list[int] = []
    threads = [
        threading.Thread(target=lambda: statuses.append(server.post("/api/predict", *body)[0])) for _ in range(40)
    ]
    for thread in threads:
        thread.start()
    others = [server.get()[0] for _ in range(10)]
    for thread in threads:
        thread.join()
    assert others == [200] * 10
    assert set(statuses) == {200, 503}
    assert server.get()[0] == 200


@pytest.mark.long
def test_five_thousand_damaged_pictures(counted) -> None:  # type: ignore[no-untyped-def]
    with serving() as server:
        server.post("/api/predict", *form(GOOD))
        before = server.memory()
        tried, wrong, slowest = answered(server, mutated(MANY, 1))
        some, more, slower = answered(server, bombs().items())
        assert server.peak() < before + MEGABYTES
    counted("damaged PNG, JPEG and WebP pictures: an answer or a 4xx", tried, len(wrong))
    counted("pictures that are bombs: refused", some, len(more))
    assert wrong + more == []
    assert max(slowest, slower) < SECONDS


@pytest.mark.long
def test_large_pictures_of_ten_clients_keep_nobody_waiting(counted) -> None:  # type: ignore[no-untyped-def]
    body = form(whole(2000, 2000, 16, 0))
    ended = threading.Event()
    statuses: list[int] = []

    def send() -> None:
        while not ended.is_set():
            statuses.append(server.post("/api/predict", *body)[0])

    with serving() as server:
        clients = [threading.Thread(target=send) for _ in range(10)]
        with Others(server) as others:
            for client in clients:
                client.start()
            time.sleep(60)
            ended.set()
        for client in clients:
            client.join()
    failed = int(np.sum(np.array(others.statuses) != 200))
    counted("answers to others while ten clients send pictures of 4 million pixels", len(others.times), failed)
    assert set(statuses) == {200, 503}
    assert failed == 0
    assert others.prompt, f"{others.late:.3f} s"
