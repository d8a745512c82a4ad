"""Find a Chromium for Playwright: the system's, or Playwright's own; and serve the page to look at."""

import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
REMEDY = "there is no Chromium; install one (such as apt install chromium) or run .venv/bin/playwright install chromium"


class NoChromiumError(RuntimeError):
    """Neither the system nor Playwright has one."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, NAMES)), None)
        if found is None and not Path(playwright.chromium.executable_path).exists():
            raise NoChromiumError(REMEDY)
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def served() -> Iterator[str]:
    """The address of a page that is served on a free port of this machine, by the command line."""
    command = [sys.executable, "-m", "visarith", "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield str(json.loads(server.stdout.readline())["address"])
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)
