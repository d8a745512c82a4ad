"""The main path of the page in a second engine: Firefox, by its own remote protocol, where it is installed.

Playwright's Firefox and WebKit come from a host of their own, and Debian 12 has no geckodriver, so neither is needed.
"""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from typing import Any

import pytest

import pages

disk = pages.disk  # fixture
FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")
pytestmark = pytest.mark.skipif(FIREFOX is None, reason="Firefox is not installed")
SECONDS = 60


class Marionette:
    """Firefox's remote protocol: messages with their length in front."""

    def __init__(self, port: int) -> None:
        self.socket, self.count = _connected(port), 0
        assert self._message()["applicationType"] == "gecko"
        self.ask("WebDriver:NewSession")

    def ask(self, command: str, **options: object) -> Any:
        self.count += 1
        sent = json.dumps([0, self.count, command, options])
        self.socket.sendall(f"{len(sent)}:{sent}".encode())
        _, _, error, result = self._message()
        assert error is None, error
        return result

    def run(self, script: str) -> Any:
        return self.ask("WebDriver:ExecuteScript", script=script, args=[])["value"]

    def _message(self) -> Any:
        length = b""
        while (byte := self.socket.recv(1)) != b":":
            length += byte
        data = b""
        while len(data) < int(length):
            data += self.socket.recv(int(length) - len(data))
        return json.loads(data)


def _connected(port: int) -> socket.socket:
    until = time.monotonic() + SECONDS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Marionette]:
    profile = tmp_path_factory.mktemp("profile")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (profile / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
    command = [str(FIREFOX), "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as started:
        try:
            opened = Marionette(port)
            with opened.socket:
                yield opened
        finally:
            started.terminate()
            started.wait(SECONDS)


def text(firefox: Marionette, query: str, selector: str) -> str:
    """What stands in an element once there is something in it."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        if said := firefox.run(f"return document.querySelector({json.dumps(selector)})?.textContent ?? ''"):
            return str(said)
        time.sleep(0.1)
    pytest.fail(f"{query}: {selector} stays empty")


@pytest.mark.parametrize(
    ("query", "verdict", "read"),
    [
        ("?op=add&learner=columns&a=1234567&b=2345678", "Right", "3580245"),
        (f"?op=add&learner=columns&a={'9' * 60}&b=1", "Right", "1" + "0" * 60),
        ("?op=multiply&learner=perceptron&against=columns&a=2&b=2", "Wrong in 1 of 7 digits", "0000304"),
        ("?op=roman&a=MDC&b=VI", "Right", "MDCVI"),
    ],
)
def test_firefox_answers_from_a_disk(firefox: Marionette, disk: str, query: str, verdict: str, read: str) -> None:
    firefox.ask("WebDriver:Navigate", url=f"{disk}{query}")
    assert (text(firefox, query, "#verdict"), text(firefox, query, "#templates")) == (verdict, read)
    assert text(firefox, query, "#thoughts > *")


def test_firefox_learns(firefox: Marionette, disk: str) -> None:
    firefox.ask("WebDriver:Navigate", url=f"{disk}?op=add&learner=columns&a=4999999&b=1")
    text(firefox, "", "#verdict")
    firefox.run("document.getElementById('learn').scrollIntoView({ behavior: 'instant' })")
    text(firefox, "", "#learn-said")
    firefox.run("document.getElementById('learn-speed').selectedIndex = 3")
    firefox.run("document.getElementById('learn-speed').dispatchEvent(new Event('change'))")
    firefox.run("document.getElementById('learn-play').click()")
    until = time.monotonic() + SECONDS
    while int(text(firefox, "", "#learn-wrong").replace(",", "").replace("–", "1000")) > 900:
        assert time.monotonic() < until
        time.sleep(0.1)
    firefox.run("document.getElementById('learn-play').click()")


def test_firefox_paints_and_takes_pictures(firefox: Marionette, disk: str) -> None:
    firefox.ask("WebDriver:Navigate", url=f"{disk}?op=add&learner=columns&a=1111111&b=0")
    text(firefox, "", "#verdict")
    firefox.run("""
        const canvas = document.getElementById("picture-a");
        canvas.focus();
        canvas.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
    """)
    assert "Changed by hand" in text(firefox, "", "#seen-a")
    sent = list(pages.png("4827350", 3))
    firefox.run(f"""
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array({sent})], "n.png", {{ type: "image/png" }}));
        const input = document.getElementById("upload");
        input.files = data.files;
        input.dispatchEvent(new Event("change"));
    """)
    until = time.monotonic() + SECONDS
    while firefox.run("return document.getElementById('a').value") != "4827350":
        assert time.monotonic() < until
        time.sleep(0.1)
