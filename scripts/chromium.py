"""Find a Chromium for Playwright: the system's, or Playwright's own; and serve the page to look at.

python scripts/chromium.py    # make test does: where there is none, one is installed, or what to do is said
"""

import json
import os
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


def find() -> str | None:
    """The system's browser, if it has one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def install() -> bool:
    """Where there is no browser, try the system's packages, if that is allowed, and then Playwright's own."""
    commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        commands.insert(0, ["sh", "-c", "apt-get update -qq && apt-get install -qq --yes chromium"])
    return any(subprocess.run(command, check=False, stdout=sys.stderr).returncode == 0 for command in commands)


def main() -> int:
    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
    if find() or own.exists() or install():
        return 0
    print(REMEDY, file=sys.stderr)
    return 2


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        found = find()
        if found is None and not Path(playwright.chromium.executable_path).exists():
            raise NoChromiumError(REMEDY)
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def served(*options: str) -> Iterator[str]:
    """The address of a page that is served on a free port of this machine, by the command line."""
    command = [sys.executable, "-m", "visarith", "serve", "--port", "0", "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield str(json.loads(server.stdout.readline())["address"])
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(20)


if __name__ == "__main__":
    sys.exit(main())
