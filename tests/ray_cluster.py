"""A real Ray cluster of two nodes on this machine, in a process of its own: with a token, every port on loopback."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

TWO_NODES = """
import sys
from ray.cluster_utils import Cluster
head = {"num_cpus": 1, "include_dashboard": False, "node_ip_address": "127.0.0.1"}
cluster = Cluster(initialize_head=True, head_node_args=head)
cluster.add_node(num_cpus=1, node_ip_address="127.0.0.1")
print(cluster.address, flush=True)
sys.stdin.read()  # until the tests are done
cluster.shutdown()
"""


@dataclass(frozen=True)
class RayCluster:
    """Where the cluster is, and the environment in which it can be reached."""

    address: str
    environment: dict[str, str]


@contextmanager
def ray_cluster(folder: Path) -> Iterator[RayCluster]:
    """Start the cluster; `folder` needs a short name, since sockets are in it."""
    environment = {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(16),
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # as on macOS: 127.0.0.1 stays what it is
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_TMPDIR": str(folder),
        "PYTHONPATH": str(Path(__file__).parent),  # so that workers find the tests' jobs
    }
    (folder / "ray").mkdir()
    log = folder / "cluster.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", TWO_NODES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ | environment,
        )
        assert process.stdin
        assert process.stdout
        try:
            address = next((line.strip() for line in process.stdout if line.startswith("127.0.0.1:")), "")
            assert address, log.read_text()
            yield RayCluster(address, environment)
        finally:
            process.stdin.close()
            process.wait(60)
            process.stdout.close()
