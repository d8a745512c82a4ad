"""Connecting to Ray: to a cluster, or to a Ray that is started here and that nobody else can use.

A Ray that is started here listens on the loopback address only and asks for a token that is made for it. Ray reads all
that from the environment when it is imported.
"""

import ipaddress
import logging
import os
import re
import secrets
import signal
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

from visarith.errors import VisarithError, option

OBJECTS = 100 * 2**20  # bytes of Ray's object store on this machine; jobs and results are small
REACHED = 5.0  # seconds in which a cluster must answer
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # no tip
    "RAY_DEDUP_LOGS": "1",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # no line of Ray's among ours; what matters comes as an error of a job
}
OWN = {"RAY_AUTH_MODE": "token", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # every port on loopback, as on macOS
THEIRS = {"RAY_NUM_REDIS_GET_RETRIES": "1"}  # attempts to connect; Ray's 20 take a quarter of an hour
ADDRESS = re.compile(r"([^\s:/]+|\[[0-9a-fA-F:]+\]):(\d{1,5})")


def connected(address: str | None, cpus: int, cleanup: ExitStack) -> Any:
    """Ray, connected to a cluster or to one of its own with so many CPUs; `cleanup` disconnects it or ends it."""
    if address is None:
        environment = QUIET | OWN | {"RAY_AUTH_TOKEN": secrets.token_hex(32)}
        folder = cleanup.enter_context(tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True))
        how = {"address": "local", "num_cpus": cpus, "object_store_memory": OBJECTS, "_temp_dir": folder}
        how["include_dashboard"] = False
    else:
        _check(address)
        environment = QUIET | THEIRS | {"RAY_AUTH_MODE": os.environ.get("RAY_AUTH_MODE", "token")}
        how = {"address": address}
    before = signal.getsignal(signal.SIGTERM)
    with _environment(environment), _silent() if address else nullcontext():
        ray = _imported()
        cleanup.callback(ray.shutdown)
        try:
            ray.init(**how, log_to_driver=False, logging_level=logging.CRITICAL)
        except (ConnectionError, RuntimeError, ValueError, OSError, ray.exceptions.RayError) as error:
            cleanup.close()
            why = re.split(r"\.\s|\n", str(error))[0] or type(error).__name__  # the first sentence
            what = f"the Ray cluster {address} cannot be used" if address else "Ray does not start on this machine"
            remedy = f"check {option('address')} and Ray's token" if address else f"leave {option('engine')} out"
            raise VisarithError(f"{what} ({why}); {remedy}") from None
        finally:
            signal.signal(signal.SIGTERM, before)  # Ray has one of its own, which would end this process at once
    here = ray.util.get_node_ip_address()
    if address is None and not ipaddress.ip_address(here).is_loopback:
        cleanup.close()
        raise VisarithError(f"Ray would listen on {here}, since it was imported before; use a new process")
    return ray


def _imported() -> Any:
    try:
        import ray
        import ray.util.scheduling_strategies
    except ModuleNotFoundError:
        raise VisarithError(
            f"{option('engine', 'ray')} needs Ray, which is not installed; pip install 'visarith[ray]' installs it"
        ) from None
    return ray


def host_and_port(address: str) -> tuple[str, int] | None:
    """The host and the port of an address; None for `auto`, the cluster of this machine.

    >>> host_and_port("10.0.0.1:6379"), host_and_port("auto")
    (('10.0.0.1', 6379), None)
    """
    match = ADDRESS.fullmatch(address)
    if address != "auto" and not match:
        raise VisarithError(f"address {address!r} is unknown; use HOST:PORT, such as 10.0.0.1:6379, or auto")
    return (match[1].strip("[]"), int(match[2])) if match else None


def _check(address: str) -> None:
    """Refuse an address where nothing listens; Ray would try for most of a minute."""
    place = host_and_port(address)
    if place is None or place[0] in ("localhost", "127.0.0.1", "::1"):
        return  # Ray takes the machine's other address for it
    try:
        socket.create_connection(place, REACHED).close()
    except (OSError, OverflowError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise VisarithError(f"no Ray cluster answers at {address} ({why}); check {option('address')}") from None


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _silent() -> Iterator[None]:
    """Without what Ray's C++ writes to stderr while it tries to connect; the error says it once."""
    kept = os.dup(2)
    with open(os.devnull, "wb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
