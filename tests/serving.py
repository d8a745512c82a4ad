"""A server of its own, as `visarith serve` starts it, and strangers that talk to it over plain sockets."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

QUESTION = "/api/calculate?op=add&a=1234567&b=2345678"
LONGEST = 30.0  # seconds that any answer may take before a test gives up
PROMPT = 0.25  # seconds in which 99 % of answers come, where the machine does nothing else


class Server:
    """A running server: its port, its memory, and what it has written to stderr once it has ended."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout is not None
        self.process = process
        self.said = json.loads(process.stdout.readline())
        self.port = urlsplit(self.said["address"]).port or 0
        self.log = ""

    def end(self, how: int = signal.SIGINT) -> int:
        """End it, and return its exit code."""
        self.process.send_signal(how)
        _, self.log = self.process.communicate(timeout=60)
        return self.process.returncode

    def memory(self, what: str = "VmRSS:") -> float:
        """Megabytes that it holds."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition(what)[2].split()[0]) / 1024

    def peak(self) -> float:
        """Megabytes that it has held at most."""
        return self.memory("VmHWM:")

    def connect(self) -> socket.socket:
        return self.to(self.port)

    @staticmethod
    def to(port: int) -> socket.socket:
        """A connection to a port of this machine."""
        return socket.create_connection(("127.0.0.1", port), timeout=LONGEST)

    def send(self, data: bytes) -> tuple[int, dict[str, str], bytes]:
        """Send bytes, and return the status, headers and body of the answer; status 0 if there is none."""
        with self.connect() as stranger:
            return exchange(stranger, data)

    def get(self, path: str = QUESTION) -> tuple[int, dict[str, str], bytes]:
        return self.send(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())

    def post(self, path: str, body: bytes, kind: str) -> tuple[int, dict[str, str], bytes]:
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        return self.send(head.encode() + body)


def exchange(stranger: socket.socket, data: bytes) -> tuple[int, dict[str, str], bytes]:
    """Send bytes over a connection, and return the answer."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        stranger.sendall(data)
    answer = http.client.HTTPResponse(stranger, method=data.partition(b" ")[0].decode("latin-1"))
    try:
        answer.begin()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    except (http.client.HTTPException, ConnectionError):
        return 0, {}, b""


@contextlib.contextmanager
def serving(*options: str, spoilt: str = "") -> Iterator[Server]:
    """A server on a free port of this machine, which has answered once; `spoilt` is run in it before it starts."""
    started = f"{spoilt}\nimport sys\nfrom visarith.cli import main\nsys.exit(main())"
    command = [sys.executable, "-c", started, "serve", "--port", "0", "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            server = Server(process)
            assert server.get()[0] == 200
            yield server
            if process.poll() is None and not spoilt:
                assert server.end() == 0
                assert "Traceback" not in server.log, server.log
        finally:
            process.kill()


class Others:
    """Somebody else who keeps asking meanwhile, each time over a new connection."""

    def __init__(self, server: Server) -> None:
        self.server, self.times, self.statuses = server, [], []  # type: ignore[var-annotated]
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def _ask(self) -> None:
        while not self._ended.is_set():
            began = time.perf_counter()
            self.statuses.append(self.server.get()[0])
            self.times.append(time.perf_counter() - began)
            self._ended.wait(0.01)

    def __enter__(self) -> "Others":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(60)

    @property
    def late(self) -> float:
        """The time within which 99 % of the answers came."""
        return float(sorted(self.times)[int(0.99 * (len(self.times) - 1))])

    @property
    def prompt(self) -> bool:
        """Whether that is soon enough; on a machine that has other work, after that many times as long."""
        others = os.getloadavg()[0] / (os.cpu_count() or 1)
        return self.late < PROMPT * max(1.0, others)
