"""A Chromium for tests: one process, no network, and every request and complaint written down."""

import base64
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass
class Browser:
    """One page, and what it asked for and complained about."""

    page: Any
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, file: Path) -> None:
        self.page.goto(file.resolve().as_uri())

    def run(self, script: str, *arguments: object) -> Any:
        """What a JavaScript function says of these arguments."""
        return self.page.evaluate(f"(given) => ({script})(...given)", list(arguments))


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser, or a failure that names what to install."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        pytest.fail("these tests need Playwright; pip install playwright")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    switches = ["--no-sandbox", "--disable-background-networking", "--disable-gpu"]
    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=program, args=switches)
        except Error as error:
            pytest.fail(f"these tests need Chromium ({str(error).splitlines()[0]}); playwright install chromium")
        opened = Browser(started.new_page())
        opened.page.on("request", lambda request: opened.requests.append(request.url))
        opened.page.on("console", lambda line: opened.complaints.append(line.text) if line.type == "error" else None)
        opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
        yield opened
        started.close()


def packed(numbers: np.ndarray) -> str:
    """Numbers on their way into the browser."""
    return base64.b64encode(np.ascontiguousarray(numbers, dtype="<f4").tobytes()).decode()


def unpacked(text: str, *shape: int) -> np.ndarray:
    """Numbers on their way back."""
    return np.frombuffer(base64.b64decode(text), "<f4").reshape(shape)
