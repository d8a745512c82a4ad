"""Jobs on Ray: on a cluster, or on a Ray of its own on this machine.

Ray itself retries nothing: the run folder is the ledger, as on this machine.
"""

import importlib.metadata
import secrets
import time
from collections.abc import Iterator
from concurrent.futures import Future, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from visarith.errors import VisarithError, option
from visarith.studies.executor import WorkerLostError, cores, following, limits, perform
from visarith.studies.ray_session import connected, host_and_port
from visarith.studies.study import Context, Found, Job

MARK = ".shared"  # a file in the folder of the runs that every node must see
SOON = 10.0  # seconds in which a node must see a new file, and workers must end


class OnRay:
    """Tasks on the nodes of a Ray cluster; without an address, on a Ray that starts and stops with it."""

    def __init__(self, runs: Path, *, address: str | None = None, workers: int | None = None, threads: int = 1) -> None:
        host_and_port(address or "auto")  # refuses what is none
        self.threads = threads
        self._runs, self._address, self._most = runs.absolute(), address, workers
        self._running: dict[Future[Found], Any] = {}  # Ray's references
        self._cleanup = ExitStack()

    @property
    def workers(self) -> int:
        there = sum(int(node["Resources"].get("CPU", 0)) // self.threads for node in self._nodes())
        return there if self._most is None else min(there, self._most)

    def start(self) -> None:
        own = self.threads * (self._most or max(1, cores() // self.threads))
        ray = self._ray = connected(self._address, own, self._cleanup)
        if not self.workers:
            raise VisarithError(f"no node of the cluster has {self.threads} cores; use fewer {option('threads')}")
        self._mark = _Mark.left_in(self._runs)
        always = {"max_retries": 0, "runtime_env": {"env_vars": limits(self.threads)}}
        self._check_nodes(ray.remote(num_cpus=0, **always)(_look))
        self._work = ray.remote(num_cpus=self.threads, **always)(_run)
        here = self._on(ray.get_runtime_context().get_node_id())
        self._board = ray.remote(num_cpus=0, max_restarts=-1)(_Board).options(scheduling_strategy=here).remote()
        self._told: Any = None

    def submit(self, job: Job, context: Context) -> "Future[Found]":
        reference = self._work.options(name=job.title).remote(job, context, self._board, self._mark)
        future = following(reference.future(), self._cause)
        self._running[future] = reference
        future.add_done_callback(lambda ended: self._running.pop(ended, None))
        return future

    def progress(self) -> Iterator[tuple[str, float, str]]:
        self._told = self._told or self._board.take.remote()
        ready, _ = self._ray.wait([self._told], timeout=0)
        if ready:
            with suppress(self._ray.exceptions.RayActorError):  # the board starts again; only progress is lost
                yield from self._ray.get(self._told)
            self._told = None

    def stop(self) -> None:
        running = dict(self._running)
        for reference in running.values():
            self._ray.cancel(reference, force=True)
        wait(running, timeout=SOON)
        self._cleanup.close()

    def _nodes(self) -> list[dict[str, Any]]:
        return [node for node in self._ray.nodes() if node["Alive"]]

    def _on(self, node: str) -> Any:
        return self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node, soft=False)

    def _check_nodes(self, look: Any) -> None:
        """Every node must have this visarith and see the folder of the runs."""
        nodes = [node for node in self._nodes() if node["Resources"].get("CPU", 0) >= self.threads]
        asked = [look.options(scheduling_strategy=self._on(node["NodeID"])).remote(self._mark) for node in nodes]
        for node, reference in zip(nodes, asked, strict=True):
            where = f"the node {node['NodeManagerAddress']} ({node['NodeManagerHostname']})"
            try:
                theirs = self._ray.get(reference)
            except self._ray.exceptions.RayError as error:
                cause = self._cause(error)
                if isinstance(cause, VisarithError):
                    raise VisarithError(f"{where} {cause}") from None
                why = next(iter(str(cause).splitlines()), "")
                raise VisarithError(f"{where} cannot run visarith ({why}); install it on every node") from None
            for name, version in _versions().items():
                if theirs[name] != version:
                    why = f"has {name} {theirs[name]}, and this machine {version}"
                    raise VisarithError(f"{where} {why}; install the same on every node")

    def _cause(self, error: BaseException) -> BaseException:
        """What went wrong in a task, or that its worker is lost."""
        known = self._ray.exceptions
        if isinstance(error, known.RayTaskError):
            return error.cause if isinstance(error.cause, BaseException) else error
        if isinstance(error, known.OutOfMemoryError):
            return WorkerLostError("its node ran out of memory, so Ray killed it")
        if isinstance(error, known.NodeDiedError | known.LocalRayletDiedError | known.ObjectLostError):
            return WorkerLostError("its node died")
        if isinstance(error, known.WorkerCrashedError):
            return WorkerLostError("its process was killed (out of memory?)")
        return error


def _versions() -> dict[str, str]:
    return {name: importlib.metadata.version(name) for name in ("visarith", "torch")}


@dataclass(frozen=True)
class _Mark:
    """A file in the folder of the runs, by which a node shows that it has the same folder."""

    file: Path
    text: str
    patience: float = SOON

    @classmethod
    def left_in(cls, runs: Path) -> "_Mark":
        file = runs / MARK
        try:
            runs.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError), file.open("x") as new:
                new.write(secrets.token_hex(16))
            return cls(file, file.read_text())
        except OSError as error:
            raise VisarithError(
                f"{runs} cannot be written ({error.strerror}); choose another {option('runs')}"
            ) from None

    def check(self) -> None:
        """Raise an error if this node does not see the file, or another one."""
        last = time.monotonic() + self.patience
        while not (self.file.exists() and self.file.read_text() == self.text):
            if time.monotonic() > last:
                raise VisarithError(f"does not see {self.file.parent}; keep the runs in a folder that all nodes share")
            time.sleep(0.2)


class _Board:
    """An actor to which jobs tell how far they are."""

    def __init__(self) -> None:
        self._told: list[tuple[str, float, str]] = []

    def tell(self, key: str, done: float, text: str) -> None:
        self._told.append((key, done, text))

    def take(self) -> list[tuple[str, float, str]]:
        """What was told since the last call."""
        told, self._told = self._told, []
        return told


def _look(mark: _Mark) -> dict[str, str]:
    mark.check()
    return _versions()


def _run(job: Job, context: Context, board: Any, mark: _Mark) -> Found:
    mark.check()  # a node may have joined the cluster since the others were asked
    return perform(job, context, lambda done, text: board.tell.remote(job.key, done, text))
