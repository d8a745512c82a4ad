"""The page as a folder of files that need no server: its networks run in the browser."""

import json
import re
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
COPIED = ("style.css", "icon.svg")
WRITTEN = ("index.html", "data.js", "results.js", "page.js", *COPIED)
WEIGHTS = "weights"
INSTEAD = {"remote.js": "local.js"}  # the engine
MARK = '<meta name="generator" content="visarith page">'
POLICY = (  # `file:` since not every browser takes files from a disk for the page's own
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:; "
    "connect-src 'none'; base-uri 'none'; form-action 'none'"
)
# What differs from the page that a server sends: what stands there, and what is written instead.
CHANGES = (
    (r'<meta charset="utf-8">', rf'\g<0>\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n{MARK}'),
    (r'(href|src)="static/(icon\.svg|style\.css)"', r'\1="\2"'),
    (
        r'<script type="module" src="static/start\.js"></script>',
        '<script src="data.js" defer></script>\n<script src="page.js" defer></script>',
    ),
    (r'\n[ \t]*<a href="docs"[^>]*>[^<]*</a>', ""),  # there is no API
)
REFERENCE = re.compile(r'\b(?:href|src|action|srcset)\s*=\s*["\']?([^"\'\s>]*)')


def write_site(out: Path) -> list[Path]:
    """Write the page into a folder, and say which files it consists of."""
    _check(out)
    networks = Networks()
    files = {"data.js": data(networks), "results.js": results(), "page.js": bundle(STATIC, ["start.js"], INSTEAD)}
    files |= {name: (STATIC / name).read_text(encoding="utf-8") for name in COPIED}
    files |= {f"{WEIGHTS}/{network.name}.js": weights(network) for network in networks.all()}
    files["index.html"] = index(
        (STATIC / "index.html").read_text(encoding="utf-8")
    )  # last, so that it opens a whole page
    (out / WEIGHTS).mkdir(parents=True, exist_ok=True)
    for left in set(out.glob(f"{WEIGHTS}/*.js")) - {out / name for name in files}:
        left.unlink()
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf-8")
    return [out / name for name in files]


def _check(out: Path) -> None:
    """A folder is written to that is new, empty or an older copy of the page, and no other."""
    if out.exists() and not out.is_dir():
        raise VisarithError(f"{out} is a file; choose another --out")
    there = [path for path in out.glob("*") if not path.name.startswith(".")] if out.exists() else []
    other = [path for path in there if path.name not in (*WRITTEN, WEIGHTS)]
    other += [path for path in out.glob(f"{WEIGHTS}/*") if path.suffix != ".js"]
    if there and not other:
        first = out / "index.html"
        other = [] if first.is_file() and MARK in first.read_text(encoding="utf-8", errors="replace") else there
    if other:
        raise VisarithError(f"{out} holds other files, such as {min(other).name}; choose another --out")


def index(page: str) -> str:
    """The page's HTML without a server; what is not known is refused."""
    for found, instead in CHANGES:
        page, count = re.subn(found, instead, page)
        if not count:
            raise VisarithError(f"the page has no {found} that could be changed; web/site.py must be told")
    for reference in REFERENCE.findall(page):
        if not reference.startswith("#") and reference not in WRITTEN:
            raise VisarithError(
                f"the page refers to {reference!r}, which is not in the folder; web/site.py must be told"
            )
    return page


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


def results() -> str:
    """A script that holds the tables and figures of the last report."""
    return f"globalThis.visarithResults = {_json(json.loads((STATIC / 'results.json').read_text(encoding='utf-8')))};\n"


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
