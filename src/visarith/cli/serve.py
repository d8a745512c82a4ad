"""`visarith serve`: serve the page and its API."""

import argparse
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from visarith.cli.progress import warn
from visarith.cli.terminal import answer
from visarith.errors import VisarithError, whole

HELP = "open the page: calculate, paint and watch in the browser"
EVERYWHERE = ("0.0.0.0", "::")
SECONDS_TO_END = 30  # for what is under way when the server is told to end


def add_options(parser: argparse.ArgumentParser) -> None:
    """Where to listen, and what to show."""
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default 127.0.0.1, this machine only)")
    parser.add_argument("--port", type=int, default=8000, help="port; 0 takes any that is free (default 8000)")
    parser.add_argument(
        "--run", type=Path, action="append", default=[], metavar="RUN", help="show this run of yours too, and first"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open the page in a browser")


def run(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    listening = listen(options.host, whole("port", options.port, 0, 65535))
    import torch
    import uvicorn

    from visarith.runs.run import load
    from visarith.web.application import application
    from visarith.web.connections import Connection

    try:
        app = application(options.host, [load(path) for path in options.run])
    except VisarithError:
        listening.close()
        raise
    torch.set_num_threads(1)  # one picture is too little work for more
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{'127.0.0.1' if host in EVERYWHERE else shown}:{port}/"
    elsewhere = f", from elsewhere http://{socket.gethostname()}:{port}/" if host in EVERYWHERE else ""
    answer(options, {"address": address, "host": host, "port": port}, f"{address}{elsewhere}  (Ctrl-C ends it)")
    if not is_local(host):
        warn(f"anybody who reaches {host} port {port} can use this server; it has no passwords (SECURITY.md)")
    sys.stdout.flush()
    if not options.json and not options.no_browser and has_display():
        webbrowser.open(address)  # the socket listens already, so the browser waits for the server
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_level="error",  # that strangers send nonsense is no news
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SECONDS_TO_END,
    )
    try:
        with ended_as_by_ctrl_c():
            uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
    warn("ended")
    return 0


@contextmanager
def ended_as_by_ctrl_c() -> Iterator[None]:
    """Within this context SIGTERM is KeyboardInterrupt; uvicorn answers what is under way and raises it again."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def is_local(host: str) -> bool:
    """Whether only this machine reaches an address."""
    return host == "::1" or host.startswith("127.")


def has_display() -> bool:
    """Whether a browser has a screen to open on; on Linux a text browser would take over the terminal."""
    return not sys.platform.startswith("linux") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def listen(host: str, port: int) -> socket.socket:
    """A socket on this host and port, taken before anything is loaded."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError, ValueError):
        raise VisarithError(f"host {host!r} is unknown; use --host 127.0.0.1") from None
    family, kind, protocol, _, where = found[0]
    listening = socket.socket(family, kind, protocol)  # without the protocol asyncio leaves small answers waiting
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(where)
        listening.listen(128)
    except OSError as error:
        listening.close()
        why = (error.strerror or str(error)).lower()
        raise VisarithError(f"{host} port {port} cannot be served ({why}); use another --port or --host") from None
    return listening
