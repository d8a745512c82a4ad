"""The page as a folder of files that need no server: the networks run in the browser."""

import json
import re
from pathlib import Path
from typing import Any

from visarith.data.task import Task
from visarith.errors import VisarithError, option
from visarith.evaluation import percent
from visarith.learners.export import tensor
from visarith.learners.learner import Learner
from visarith.notation import Notation
from visarith.pictures.corruption import permutation
from visarith.pictures.layout import Layout
from visarith.web import STATIC
from visarith.web.bundle import bundle
from visarith.web.networks import Network, Networks, offered

LARGEST = 2**53  # above it JavaScript's numbers are not exact
REFERRED = ("data.js", "page.js", "style.css", "learn.css", "icon.svg")  # the files that the HTML may refer to
INSTEAD = {"remote.js": "local.js"}  # the engine that runs in the browser, instead of the server's
MARK = "visarith page"  # near the beginning of every file that is written
POLICY = (  # `file:` because some browsers do not take files on a disk for the page's own origin
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:; "
    "connect-src 'none'; base-uri 'none'; form-action 'none'"
)
HEAD = (
    rf'\g<0>\n<meta name="generator" content="{MARK}">\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
)
# The changes to the HTML that a server sends: a pattern, and its replacement.
CHANGES = (
    (r'<meta charset="utf-8">', HEAD),
    (r'(href|src)="static/(icon\.svg|style\.css|learn\.css)"', r'\1="\2"'),
    (
        r'<script type="module" src="static/start\.js"></script>',
        '<script src="data.js" defer></script>\n<script src="page.js" defer></script>',
    ),
    (r'data-recorded="static/', 'data-recorded="'),
    (r'\n[ \t]*<a href="docs"[^>]*>[^<]*</a>', ""),  # there is no API
)
REFERENCE = re.compile(r'\b(?:href|src|action|srcset)\s*=\s*["\']?([^"\'\s>]*)')


def write_site(out: Path) -> list[Path]:
    """Write the page into a folder, and return the files. Files of an older copy are replaced or deleted."""
    older = _own_files(out)
    networks = Networks()
    files = {
        "data.js": f"// {MARK}\n{_offered_script(networks)}",
        "results.js": f"// {MARK}\nglobalThis.visarithResults = {_json(json.loads(_read('results.json')))};\n",
        "page.js": f"// {MARK}\n{bundle(STATIC, ['start.js'], INSTEAD)}",
        "style.css": f"/* {MARK} */\n{_read('style.css')}",
        "learn.css": f"/* {MARK} */\n{_read('learn.css')}",
        "recorded.js": f"// {MARK}\n{_read('recorded.js')}",
        "icon.svg": f"<!-- {MARK} -->{_read('icon.svg')}",
    }
    files |= {f"weights/{network.name}.js": f"// {MARK}\n{_network_script(network)}" for network in networks.all()}
    files["index.html"] = index(_read("index.html"))  # last: a page that opens is complete
    (out / "weights").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf-8")
    written = [out / name for name in files]
    for path in set(older) - set(written):
        path.unlink()
    return written


def _own_files(out: Path) -> list[Path]:
    """Return the files of an older copy. A folder with any other file is an error; hidden files, as .git, are not."""
    if out.exists() and not out.is_dir():
        raise VisarithError(f"{out} is a file; choose another {option('out')}")
    own = []
    for path in out.rglob("*"):
        relative = path.relative_to(out)
        if path.is_dir() or any(part.startswith(".") for part in relative.parts):
            continue
        if not path.is_file() or not _marked(path):
            raise VisarithError(f"{out} holds other files, such as {relative}; choose another {option('out')}")
        own.append(path)
    return own


def _marked(path: Path) -> bool:
    with path.open("rb") as file:
        return MARK.encode() in file.read(400)


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def index(html: str) -> str:
    """Return the page's HTML for use without a server. HTML that refers to an unknown file is an error."""
    for pattern, replacement in CHANGES:
        html, count = re.subn(pattern, replacement, html)
        if not count:
            raise VisarithError(f"the page does not contain {pattern}; update CHANGES in web/site.py")
    for reference in REFERENCE.findall(html):
        if not reference.startswith("#") and reference not in REFERRED:
            raise VisarithError(f"the page refers to {reference!r}, which is not written; update web/site.py")
    return html


def _offered_script(networks: Networks) -> str:
    """Return the script with the list of networks and the fixed permutations."""
    pixels = {network.task.plain_layout.pixels for network in networks.all()}
    known = {
        "learners": offered(networks) | {"tesseract": False},
        "permutations": {str(count): tensor(permutation(count)) for count in sorted(pixels)},
    }
    return f"globalThis.visarithSite = {_json(known)};\n"


def _network_script(network: Network) -> str:
    """Return the script with one network, and what the browser's engine must know of its task."""
    task, score = network.task, network.score
    about = {
        "operation": task.operation.name,
        "sign": task.operation.sign,
        "largest": task.domain.largest,
        "noise": task.corruption.noise,
        "shipped": network.shipped is not None,
        "digit_error": percent(score.digit_error) if score else "",
    }
    stored = {"about": about, **exported(task, network.module)}
    return f"(globalThis.visarithWeights ??= {{}})[{json.dumps(network.name)}] = {_json(stored)};\n"


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def exported(task: Task, learner: Learner) -> dict[str, Any]:
    """Return a network, and the notation and layouts of its task, as JSON for `static/networks.js`.

    Numbers are stored in the smallest type that loses nothing.
    """
    if task.medium != "pictures" or task.answer_medium != "pictures" or task.corruption.permutation:
        raise VisarithError(
            f"this network for {task.operation.name} does not take plain pictures, which the page needs; "
            f"export one without one-hot media and permutation"
        )
    other = task.plain_answer_layout is not task.plain_layout
    return {
        "notation": _notation(task.notation),
        "page": _layout(task.plain_layout),
        "answer_page": _layout(task.plain_answer_layout) if other else None,
        "network": learner.export(),
    }


def _notation(notation: Notation) -> dict[str, Any]:
    if notation.limit >= LARGEST:
        raise VisarithError(f"numbers of {notation.digits} digits cannot be exported; use numbers below 2^53")
    if notation.place_base is None and not notation.additive:
        raise VisarithError("numbers without leading zeros cannot be exported; use padded numbers")
    return {
        "name": notation.name,
        "cells": notation.cells,
        "digits": notation.digits,
        "alphabet": notation.alphabet,
        "base": notation.base or 10,
        "limit": notation.limit,
    }


def _layout(layout: Layout) -> dict[str, Any]:
    _, _, pitch = layout.glyphs.shape
    return {
        "alphabet": layout.alphabet,
        "cells": layout.cells,
        "height": layout.height,
        "width": layout.width,
        "pitch": pitch,
        "left": layout.corners[0][1],
        "glyphs": tensor(layout.glyphs.reshape(len(layout.alphabet), -1)),
    }
