"""The page as a folder of files that need no server: the networks run in the browser."""

import json
import re
from contextlib import suppress
from functools import partial
from html import escape
from pathlib import Path

from visarith.errors import VisarithError, option
from visarith.files import make_folder, reason, write_atomically
from visarith.learners.export import tensor
from visarith.pictures.corruption import permutation
from visarith.web import STATIC
from visarith.web.bundle import bundle
from visarith.web.export import exported
from visarith.web.networks import Network, Networks, offered

REFERRED = ("data.js", "page.js", "style.css", "icon.svg")  # the files that the HTML may refer to
STYLES = ("style.css", "calculator.css", "paper.css", "learn.css")  # joined into one style.css
MODULES = ["start.js"]  # with all that they import
MARK = "visarith page"  # near the beginning of every text file that is written
PREVIEW = "preview.png"  # what a link to the page shows elsewhere
POLICY = (  # `file:` because some browsers do not take files on a disk for the page's own origin
    "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data: blob:; "
    "connect-src 'none'; base-uri 'none'; form-action 'none'"
)
CHARSET = '<meta charset="utf-8">'
API = re.compile(r'\n[ \t]*<a href="docs"[^>]*>[^<]*</a>')
REFERENCE = re.compile(r'\b(?:href|src|action|srcset)\s*=\s*["\']?([^"\'\s>]*)')


class Site:
    """The page's files by name. `visarith page` writes them all; the server makes each when it is asked for."""

    def __init__(self, networks: Networks, *, served: bool, url: str = "") -> None:
        self.networks, self.served, self.url = networks, served, url
        self.names = {network.name: network for network in networks.all() if network.exports}

    @property
    def files(self) -> list[str]:
        """Every name; the HTML last, so that a page that opens is complete."""
        weights = [f"weights/{name}.js" for name in self.names]
        return [
            "data.js",
            "page.js",
            "style.css",
            "icon.svg",
            PREVIEW,
            "results.js",
            "recorded.js",
            *weights,
            "index.html",
        ]

    def read(self, name: str) -> bytes:
        """Return a file of `files`."""
        if name == PREVIEW:
            return (STATIC / PREVIEW).read_bytes()
        return self._text(name).encode()

    def _text(self, name: str) -> str:
        if name == "index.html":
            return index(_read("index.html"), served=self.served, url=self.url)
        if name == "style.css":
            return f"/* {MARK} */\n{''.join(map(_read, STYLES))}"
        if name == "icon.svg":
            return f"<!-- {MARK} -->{_read('icon.svg')}"
        return f"// {MARK}\n{self._script(name)}"

    def _script(self, name: str) -> str:
        if name == "page.js":
            return bundle(STATIC, MODULES)
        if name == "data.js":
            return _offered_script(self.networks, served=self.served)
        if name == "recorded.js":
            return _read(name)
        if name == "results.js":
            return f"globalThis.visarithResults = {_json(json.loads(_read('results.json')))};\n"
        return _network_script(self.names[name.removeprefix("weights/").removesuffix(".js")])


def write_site(out: Path, url: str = "") -> list[Path]:
    """Write the page into a folder, and return the files. Files of an older copy are replaced or deleted."""
    older = _own_files(out)
    site = Site(Networks(), served=False, url=url)
    written = [out / name for name in site.files]
    try:
        make_folder(out / "weights")
        for name, path in zip(site.files, written, strict=True):
            content = site.read(name)
            write_atomically(path, partial(Path.write_bytes, data=content))
    except (OSError, VisarithError) as error:  # no part of a page is left
        for path in set(written) - set(older):
            with suppress(OSError):
                path.unlink(missing_ok=True)
        if isinstance(error, VisarithError):
            raise
        raise VisarithError(f"{out} cannot be written ({reason(error)}); choose another {option('out')}") from None
    for path in set(older) - set(written):
        path.unlink()
    return written


def checked_url(url: str) -> str:
    """Return a web address as it is."""
    if url and not re.fullmatch(r"https?://[\w.-]+(:\d+)?(/[\w.~%/-]*)?", url):
        raise VisarithError(
            f"{option('url')} {url!r} is no web address; give one such as https://name.example/visarith/"
        )
    return url


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
    if path.name == PREVIEW:
        return True
    with path.open("rb") as file:
        return MARK.encode() in file.read(400)


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def index(html: str, *, served: bool = False, url: str = "") -> str:
    """Return the page's HTML. HTML that refers to an unknown file is an error.

    Without a server there is no API, and the policy stands in the HTML. `url` is where the page will be: other sites
    want a whole address for its picture.
    """
    if CHARSET not in html or not API.search(html):
        raise VisarithError(f"the page has no {CHARSET}, or no link to the API; update web/site.py")
    marks = f'{CHARSET}\n<meta name="generator" content="{MARK}">'
    if not served:
        marks += f'\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        html = API.sub("", html)
    if url:
        base = escape(url.rstrip("/"))
        marks += f'\n<meta property="og:url" content="{base}/">'
        html = html.replace(f'content="{PREVIEW}"', f'content="{base}/{PREVIEW}"')
    html = html.replace(CHARSET, marks)
    for reference in REFERENCE.findall(html):
        if not reference.startswith("#") and reference not in (*REFERRED, *(["docs"] if served else [])):
            raise VisarithError(f"the page refers to {reference!r}, which is not written; update web/site.py")
    return html


def _offered_script(networks: Networks, *, served: bool) -> str:
    """Return the script with the list of networks and the fixed permutations."""
    pixels = {network.task.plain_layout.pixels for network in networks.all()}
    known = {
        "learners": offered(networks),
        "permutations": {str(count): tensor(permutation(count)) for count in sorted(pixels)},
        "served": served,  # with an API: Tesseract, and networks that only Python can run
    }
    return f"globalThis.visarithSite = {_json(known)};\n"


def _network_script(network: Network) -> str:
    """Return the script with one network."""
    stored = exported(network.task, network.module)
    return f"(globalThis.visarithWeights ??= {{}})[{json.dumps(network.name)}] = {_json(stored)};\n"


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
