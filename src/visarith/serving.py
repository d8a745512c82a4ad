"""The verb that serves the page."""

import argparse
import json
import socket
import sys

import torch
import uvicorn

from visarith.errors import VisarithError
from visarith.web.application import application


def serve(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    if not 0 <= options.port <= 65535:
        raise VisarithError(f"port {options.port} is no port; use --port 8000, or 0 for any that is free")
    listening = _listen(options.host, options.port)
    torch.set_num_threads(1)  # one picture is too little work for more
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else shown}:{port}/"
    if options.json:
        print(json.dumps({"address": address, "host": host, "port": port}), flush=True)
    else:
        print(f"{address}  (Ctrl-C ends it)", flush=True)
    config = uvicorn.Config(
        application(options.host),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        limit_concurrency=200,
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
    print("visarith: ended", file=sys.stderr)
    return 0


def _listen(host: str, port: int) -> socket.socket:
    """A socket on this host and port, taken before anything is loaded."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
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
