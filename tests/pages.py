"""Fixtures of the page in a browser, served and from a disk: nothing may go wrong in it, nor come from another host."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from browser import finder
from visarith.pictures.typeface import Typeface
from visarith.web.site import write_site

ROOT = Path(__file__).parent.parent
SOON = 15_000  # milliseconds, for machines that are busy

try:
    from playwright.sync_api import Browser, Page, expect
except ImportError:  # the tests fail and say so
    Browser = Page = object  # type: ignore[misc, assignment]

__all__ = ["ROOT", "Browser", "Page", "expect"]


@pytest.fixture(scope="module")
def tools():  # type: ignore[no-untyped-def]
    module = finder()
    expect.set_options(timeout=SOON)
    return module


@pytest.fixture(scope="module")
def browser(tools) -> Iterator[Browser]:  # type: ignore[no-untyped-def]
    try:
        with tools.chromium() as opened:
            yield opened
    except tools.NoChromiumError as error:
        pytest.fail(str(error))


@pytest.fixture(scope="module")
def address(tools) -> Iterator[str]:  # type: ignore[no-untyped-def]
    """The address of a server that shows a run of one's own too."""
    with tools.served("--run", str(ROOT / "tests" / "runs" / "distance")) as at:
        yield at


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a copy on the disk."""
    out = tmp_path_factory.mktemp("written") / "site"
    write_site(out)
    return (out / "index.html").resolve().as_uri()


def watched(browser: Browser, start: str, **options: Any) -> Iterator[Page]:
    """A fresh page that `visit` opens at `start`."""
    context = browser.new_context(**{"viewport": {"width": 1366, "height": 768}, **options})
    opened = context.new_page()
    opened.start = start  # type: ignore[attr-defined]
    wrong: list[str] = []
    opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    own = (start.rpartition("/")[0], "data:", "blob:")
    opened.on("request", lambda asked: None if asked.url.startswith(own) else wrong.append(asked.url))
    yield opened
    context.close()
    assert [each for each in wrong if "422" not in each] == []  # a refusal is an answer


@pytest.fixture
def page(browser: Browser, disk: str) -> Iterator[Page]:
    yield from watched(browser, disk)


@pytest.fixture
def served(browser: Browser, address: str) -> Iterator[Page]:
    yield from watched(browser, address)


def visit(page: Page, query: str = "") -> None:
    page.goto(f"{page.start}{query}")  # type: ignore[attr-defined]
    expect(page.locator("body[data-ready]")).to_be_attached()
    expect(page.locator("#verdict:not(:empty), #problem:not(:empty)").first).to_be_attached()


def choose(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name, exact=True).check()


def tool(page: Page, name: str) -> None:
    """Open one of the tools."""
    page.eval_on_selector(f"#tool-{name}", "node => { node.open = true; }")


def shape(number: str) -> np.ndarray:
    """A number as the networks were shown it: light ink."""
    return Typeface().layout("0123456789", len(number)).typeset(np.array([int(digit) for digit in number]))


def as_file(picture: np.ndarray | Image.Image, kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    image = picture if isinstance(picture, Image.Image) else Image.fromarray(picture)
    image.save(file, format=kind, **({"quality": 92} if kind != "PNG" else {}))
    return file.getvalue()


def png(number: str, zoom: int = 1) -> bytes:
    """A number, dark on light."""
    return as_file(Image.fromarray(255 - shape(number)).resize((60 * zoom, 15 * zoom), Image.Resampling.NEAREST))


def pixel(page: Page, canvas: str, x: int, y: int) -> int:
    """How much ink a canvas shows at a place."""
    script = "([id, x, y]) => document.getElementById(id).getContext('2d').getImageData(x, y, 1, 1).data[0]"
    return int(page.evaluate(script, [canvas, x, y]))


def upload(page: Page, data: bytes, name: str = "n.png", kind: str = "image/png") -> None:
    tool(page, "picture")
    page.set_input_files("#upload", {"name": name, "mimeType": kind, "buffer": data})
