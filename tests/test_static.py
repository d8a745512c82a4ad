"""The page without a server: opened from a disk it asks for nothing, and answers as the server does, to rounding."""

import json
import re
from base64 import b64decode
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode

import matplotlib
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from browser import Browser, browser, difference
from command_line import complaint, run
from conftest import refusal
from visarith.errors import VisarithError
from visarith.web import STATIC
from visarith.web.answering import answer
from visarith.web.networks import Networks, offered
from visarith.web.pictures import encoded
from visarith.web.question import Question
from visarith.web.site import index, write_site
from visarith.web.thinking import think

OPEN = """async (op, learner) => {
    window.compared = await visarithModules["local/shelf.js"].find(op, learner);
}"""
ASK = """(asked, question) => visarithModules["local.js"].engine[asked](question).catch((error) => error.message)"""


def test_without_a_browser_these_tests_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    with pytest.raises(pytest.fail.Exception, match="there is no Chromium; install one"), browser():
        pass


@pytest.fixture(scope="module")
def networks() -> Networks:
    return Networks()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("written") / "site"
    write_site(out)
    return out


@pytest.fixture(scope="module")
def opened(site: Path) -> Iterator[Browser]:
    """The page, opened from the disk."""
    with browser() as there:
        there.open(site / "index.html")
        there.page.wait_for_selector("body[data-ready]")
        yield there
        assert not there.complaints
        assert all(request.startswith(site.as_uri()) for request in there.requests)


@pytest.mark.parametrize("number", range(12))
def test_networks_draw_what_they_draw_in_python(opened: Browser, networks: Networks, number: int) -> None:
    network = networks.all()[number]
    opened.run(OPEN, network.op, network.learner)
    assert difference(opened, network.task, network.module, pairs=200, noise=network.task.corruption.noise) < 1e-3


def test_all_networks_were_compared(networks: Networks) -> None:
    assert len(networks.all()) == 12


def same(found: Any, expected: Any, where: str = "") -> None:
    """Equal, but for rounding in numbers and pixels."""
    if isinstance(expected, dict):
        assert list(found) == list(expected), where
        for key, value in expected.items():
            if key in ("pixels", "signed"):
                kind = np.uint8 if key == "pixels" else np.int8
                one, other = (np.frombuffer(b64decode(each), kind).astype(int) for each in (found[key], value))
                assert np.abs(one - other).max() <= 1, f"{where}.{key}"
            elif key != "milliseconds":
                same(found[key], value, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for number, each in enumerate(expected):
            same(found[number], each, f"{where}[{number}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-4, abs=2e-3), where
    else:
        assert found == expected, where


def questions(networks: Networks) -> list[dict[str, Any]]:
    """Some of every network: numbers, and pictures of which one cannot be read."""
    asked = []
    for network in networks.all():
        task, base = network.task, {"op": network.op, "learner": network.learner}
        for a, b in task.domain.sample(4, rng=np.random.default_rng(5)).tolist():
            asked += [{**base, "a": str(a), "b": str(b)}]
        asked += [{**base, "a": "0", "b": "0", "permuted": True}]
        pictures = task.plain_layout.typeset(task.notation.write([12, 3])) / 255
        asked += [{**base, "pictures": [encoded(picture) for picture in pictures]}]
        pictures[0][:, :9] = 0.4
        asked += [{**base, "pictures": [encoded(picture) for picture in pictures]}]
    return asked


def test_the_same_is_offered(opened: Browser, networks: Networks) -> None:
    same(opened.run(ASK, "learners", {}), offered(networks) | {"tesseract": False})


def test_the_same_is_answered(opened: Browser, networks: Networks) -> None:
    for question in questions(networks):
        asked = "predict" if "pictures" in question else "calculate"
        same(opened.run(ASK, asked, question), answer(Question(**question), networks)[0], str(question)[:80])


def test_the_same_is_thought(opened: Browser, networks: Networks) -> None:
    for question in questions(networks)[::2]:
        layers = (0, 1, 2) if "perceptron" in question["learner"] else ()
        for more in [{}, *({"unit": {"layer": layer, "unit": 7}} for layer in layers)]:
            expected = think(Question(**question, **more), networks)
            same(opened.run(ASK, "think", {**question, **more}), expected, str(question)[:80])


@pytest.mark.parametrize(
    "question",
    [
        {"op": "add", "a": "9999999", "b": "1"},
        {"op": "add", "a": "", "b": "1"},
        {"op": "add", "a": "12345678", "b": "1"},
        {"op": "add", "a": "-5", "b": "1"},
        {"op": "add", "a": "1.5", "b": "1"},
        {"op": "add", "a": "١", "b": "1"},
        {"op": "subtract", "a": "1", "b": "2"},
        {"op": "multiply", "a": "4000", "b": "4000"},
        {"op": "divide", "a": "1", "b": "2"},
        {"op": "add", "learner": "tally", "a": "1", "b": "2"},
        {"op": "roman", "a": "IV", "b": "I"},
        {"op": "roman", "a": "IIIII", "b": "I"},
        {"op": "roman", "a": "ZZ", "b": "I"},
        {"op": "roman", "a": "I'M", "b": "I"},
        {"op": "roman", "a": "123456789012345678901234567890", "b": "I"},
        {"op": "add", "learner": "columns", "a": "1", "b": "2", "unit": {"layer": 0, "unit": 0}},
        {"op": "add", "learner": "perceptron", "a": "1", "b": "2", "unit": {"layer": 9, "unit": 0}},
    ],
)
def test_the_same_is_refused(opened: Browser, networks: Networks, question: dict[str, Any]) -> None:
    with pytest.raises(VisarithError) as refused:
        (think if "unit" in question else answer)(Question(**question), networks)
    assert opened.run(ASK, "think" if "unit" in question else "calculate", question) == str(refused.value)


def test_noise_is_a_function_of_its_seed(opened: Browser) -> None:
    question = {"op": "add", "learner": "perceptron", "a": "0", "b": "0", "noise": 0.2}
    one, again, other = (opened.run(ASK, "calculate", {**question, "seed": seed}) for seed in (3, 3, 4))
    assert one["inputs"] == again["inputs"]
    assert one["inputs"] != other["inputs"]
    assert one["warning"] == "this network was trained without noise"


def shown(opened: Browser, **state: str) -> None:
    """Open the page with this state in its address, and wait for the answer."""
    opened.page.goto(f"{opened.page.url.partition('?')[0]}?{urlencode(state)}")
    opened.page.wait_for_selector("#verdict:not(:empty)")


def test_the_wrong_product_of_the_perceptron_is_shown_as_wrong(opened: Browser) -> None:
    shown(opened, op="multiply", learner="perceptron", a="1234", b="2345")
    assert opened.page.inner_text("#verdict").startswith("Wrong in ")
    assert opened.page.inner_text("#truth") == "2893730"
    assert opened.page.inner_text("#templates") != "2893730"
    assert opened.page.locator("#digits .wrong").count() > 0
    shown(opened, op="multiply", learner="columns", a="1234", b="2345")
    assert opened.page.inner_text("#verdict") == "Right"
    assert opened.page.inner_text("#templates") == "2893730"


def test_a_picture_of_ones_own_is_read_by_a_canvas(opened: Browser, tmp_path: Path) -> None:
    picture = Image.new("L", (300, 90), 255)
    file = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
    ImageDraw.Draw(picture).text((40, 10), "407", font=ImageFont.truetype(str(file), 60), fill=0)
    picture.save(tmp_path / "407.png")
    shown(opened, op="add", learner="columns", a="1", b="5")
    opened.page.set_input_files("#upload", tmp_path / "407.png")
    opened.page.wait_for_selector("#templates:text-is('0000412')")


def test_the_page_thinks_and_shows_the_report(opened: Browser) -> None:
    shown(opened, op="subtract", learner="columns", a="7654321", b="1234567")
    opened.page.wait_for_selector("#thoughts > *")
    assert opened.page.locator("#results-body table tbody tr").count() > 3
    assert opened.page.locator("#tesseract-line").is_hidden()
    assert opened.page.locator("#problem").is_hidden()


def test_nothing_can_be_fetched(opened: Browser, site: Path) -> None:
    other = opened.page.context.new_page()
    complaints: list[str] = []
    other.on("console", lambda line: complaints.append(line.text))
    other.goto((site / "index.html").as_uri())
    for address in ("https://example.com/", "data.js"):
        said = other.evaluate("(address) => fetch(address).then(() => 'fetched', (e) => e.message)", address)
        assert said == "Failed to fetch"
    other.close()
    assert sum("Content Security Policy" in complaint for complaint in complaints) >= 2


def test_any_host_will_do(opened: Browser, site: Path) -> None:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    other = opened.page.context.new_page()
    requests: list[str] = []
    other.on("request", lambda request: requests.append(request.url))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site.parent)) as host:
        Thread(target=host.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{host.server_port}/{site.name}/"
        other.goto(f"{address}?op=roman&a=XII&b=VIII")
        other.wait_for_selector("#templates:text-is('XX')")
        other.close()
        host.shutdown()
    assert all(request.startswith(address) for request in requests)
    assert f"{address}weights/tally-roman.js" in requests


def test_page_says_what_it_wrote(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "page", "--json")
    said = json.loads(out)
    written = [path for path in Path("site").rglob("*") if path.is_file()]
    assert (code, err) == (0, "")
    assert (said["page"], said["files"]) == ("site/index.html", len(written))
    assert said["bytes"] == sum(path.stat().st_size for path in written)
    (Path("site") / "weights" / "older.js").write_text("// visarith page\n")
    (Path("site") / ".git").touch()  # is not ours and not in the way
    assert run(capsys, "page")[0] == 0  # its own copy is written again
    assert {path for path in Path("site").rglob("*") if path.is_file()} == {*written, Path("site") / ".git"}
    (Path("site") / "weights" / "mine.txt").touch()
    assert "such as weights/mine.txt" in complaint(capsys, "page")


def test_folders_with_other_files_are_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine").mkdir()
    (Path("mine") / "index.html").write_text("<p>mine")
    Path("file").touch()
    assert "holds other files, such as index.html" in complaint(capsys, "page", "--out", "mine")
    assert "is a file" in complaint(capsys, "page", "--out", "file")
    assert (Path("mine") / "index.html").read_text() == "<p>mine"
    assert list(Path("mine").iterdir()) == [Path("mine") / "index.html"]


def test_a_page_that_is_not_understood_is_refused() -> None:
    page = (STATIC / "index.html").read_text()
    assert "does not contain <script" in refusal(index, page.replace("start.js", "other.js"))
    assert "'far.js'" in refusal(index, page.replace("</body>", '<script src="far.js"></script></body>'))
    assert not re.search(r'type="module"|static/|href="docs"', index(page))
