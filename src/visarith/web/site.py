"""The page as a folder of files that need no server: its networks run in the browser."""

import json
import re
from pathlib import Path
from typing import Any

from visarith.errors import VisarithError, option
from visarith.evaluation import percent
from visarith.learners.export import tensor
from visarith.pictures.corruption import permutation
from visarith.web.bundle import bundle
from visarith.web.export import exported
from visarith.web.networks import Network, Networks
from visarith.web.offering import offered

STATIC = Path(__file__).parent / "static"
REFERRED = ("data.js", "page.js", "style.css", "icon.svg")  # to by the HTML
INSTEAD = {"remote.js": "local.js"}  # the engine
MARK = "visarith page"  # near the beginning of every file
POLICY = (  # `file:` since not every browser takes files from a disk for the page's own
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:; "
    "connect-src 'none'; base-uri 'none'; form-action 'none'"
)
HEAD = (
    rf'\g<0>\n<meta name="generator" content="{MARK}">\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
)
# What differs from the page that a server sends: what stands there, and what is written instead.
CHANGES = (
    (r'<meta charset="utf-8">', HEAD),
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
    older = _own_files(out)
    networks = Networks()
    files = {
        "data.js": f"// {MARK}\n{data(networks)}",
        "results.js": f"// {MARK}\n{results()}",
        "page.js": f"// {MARK}\n{bundle(STATIC, ['start.js'], INSTEAD)}",
        "style.css": f"/* {MARK} */\n{_read('style.css')}",
        "icon.svg": f"<!-- {MARK} -->{_read('icon.svg')}",
    }
    files |= {f"weights/{network.name}.js": f"// {MARK}\n{weights(network)}" for network in networks.all()}
    files["index.html"] = index(_read("index.html"))  # last, so that what opens is whole
    (out / "weights").mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf-8")
    written = [out / name for name in files]
    for path in set(older) - set(written):
        path.unlink()
    return written


def _own_files(out: Path) -> list[Path]:
    """The files of an older copy; a folder in which there is anything else is left alone."""
    if out.exists() and not out.is_dir():
        raise VisarithError(f"{out} is a file; choose another {option('out')}")
    own = []
    for path in out.rglob("*"):
        if path.is_dir() or not _shown(path.relative_to(out)):
            continue
        if not path.is_file() or not _marked(path):
            other = path.relative_to(out)
            raise VisarithError(f"{out} holds other files, such as {other}; choose another {option('out')}")
        own.append(path)
    return own


def _marked(path: Path) -> bool:
    with path.open("rb") as file:
        return MARK.encode() in file.read(400)


def _shown(path: Path) -> bool:
    """Whether neither the file nor a folder in which it is has a name with a dot before it, as .git has."""
    return not any(part.startswith(".") for part in path.parts)


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def index(page: str) -> str:
    """The page's HTML without a server; what is not known is refused."""
    for found, instead in CHANGES:
        page, count = re.subn(found, instead, page)
        if not count:
            raise VisarithError(f"the page has no {found} that could be changed; web/site.py must be told")
    for reference in REFERENCE.findall(page):
        if not reference.startswith("#") and reference not in REFERRED:
            raise VisarithError(
                f"the page refers to {reference!r}, which is not in the folder; web/site.py must be told"
            )
    return page


def weights(network: Network) -> str:
    """A script that holds one network."""
    return f"(globalThis.visarithWeights ??= {{}})[{json.dumps(network.name)}] = {_json(stored(network))};\n"


def stored(network: Network) -> dict[str, Any]:
    """One network, and what the page must know to ask it."""
    task, score = network.task, network.score
    about = {
        "operation": task.operation.name,
        "sign": task.operation.sign,
        "largest": task.domain.largest,
        "noise": task.corruption.noise,
        "shipped": network.shipped is not None,
        "digit_error": percent(score.digit_error) if score else "",
    }
    return {"about": about, **exported(task, network.module)}


def data(networks: Networks) -> str:
    """A script that holds what the page offers."""
    pixels = {network.task.plain_layout.pixels for network in networks.all()}
    known = {
        "learners": offered(networks) | {"tesseract": False},
        "permutations": {str(count): tensor(permutation(count)) for count in sorted(pixels)},
    }
    return f"globalThis.visarithSite = {_json(known)};\n"


def results() -> str:
    """A script that holds the tables and figures of the last report."""
    return f"globalThis.visarithResults = {_json(json.loads(_read('results.json')))};\n"


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
