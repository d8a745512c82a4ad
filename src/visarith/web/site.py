"""The page as a folder of files that need no server: its networks run in the browser."""

import json
from pathlib import Path
from typing import Any

from visarith.errors import VisarithError
from visarith.evaluation import percent
from visarith.pictures.corruption import permutation
from visarith.web.bundle import bundle
from visarith.web.export import exported, tensor
from visarith.web.networks import Network, Networks
from visarith.web.offering import offered

STATIC = Path(__file__).parent / "static"
MARK = "visarith-page.txt"  # by which a folder is known as one of these
INSTEAD = {"remote.js": "local.js"}  # the engine


def weights(network: Network) -> str:
    """A script that holds one network."""
    return f"(globalThis.visarithWeights ??= {{}})[{json.dumps(network.name)}] = {_json(stored(network))};\n"


def stored(network: Network) -> dict[str, Any]:
    """One network, and what the page must know to ask it."""
    task, run = network.task, network.run
    about = {
        "operation": task.operation.name,
        "sign": task.operation.sign,
        "largest": task.domain.largest,
        "noise": task.corruption.noise,
        "shipped": network.shipped is not None,
        "digit_error": percent(run.score.digit_error) if run else "",
    }
    return {"about": about, **exported(task, network.module)}


def data(networks: Networks) -> str:
    """A script that holds what the page offers."""
    pixels = {network.task.plain_page.pixels for network in networks.all()}
    known = {
        "learners": offered(networks) | {"tesseract": False},
        "permutations": {str(count): tensor(permutation(count)) for count in sorted(pixels)},
    }
    return f"globalThis.visarithSite = {_json(known)};\n"


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
