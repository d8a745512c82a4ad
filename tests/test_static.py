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

import numpy as np
import pytest
from PIL import Image

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

OPEN = """async (op, learner) => {
    window.compared = await visarithModules["engine/shelf.js"].find(op, learner);
}"""
ASK = """async (asked, question) => {
    try {
        return await visarithModules["engine.js"].engine[asked](question);
    } catch (error) {
        return error.message;
    }
}"""


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
        assert all(request.startswith((site.as_uri(), "blob:")) for request in there.requests)


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
        if network.lengthens:
            asked += [{**base, "a": "27182818284590452353", "b": "314159265"}]
        pictures = task.plain_layout.typeset(task.notation.write([12, 3])) / 255
        asked += [{**base, "pictures": [encoded(picture) for picture in pictures]}]
        pictures[0][:, :9] = 0.4
        asked += [{**base, "pictures": [encoded(picture) for picture in pictures]}]
    return asked


def test_the_same_is_offered(opened: Browser, networks: Networks) -> None:
    same(opened.run(ASK, "learners", {}), offered(networks))


def test_the_same_is_answered(opened: Browser, networks: Networks) -> None:
    for question in questions(networks):
        asked = "predict" if "pictures" in question else "calculate"
        same(
            opened.run(ASK, asked, question), answer(Question(**question), networks)[0].model_dump(), str(question)[:80]
        )


@pytest.mark.parametrize(
    "question",
    [
        {"op": "add", "learner": "constructed", "a": "9999999", "b": "1"},
        {"op": "add", "a": "", "b": "1"},
        {"op": "add", "learner": "perceptron", "a": "12345678", "b": "1"},
        {"op": "add", "a": "1" * 61, "b": "1"},
        {"op": "add", "a": "-5", "b": "1"},
        {"op": "add", "a": "1.5", "b": "1"},
        {"op": "add", "a": "١", "b": "1"},
        {"op": "subtract", "a": "1", "b": "2"},
        {"op": "multiply", "learner": "perceptron", "a": "4000", "b": "4000"},
        {"op": "divide", "a": "1", "b": "2"},
        {"op": "add", "learner": "tally", "a": "1", "b": "2"},
        {"op": "roman", "a": "IV", "b": "I"},
        {"op": "roman", "a": "IIIII", "b": "I"},
        {"op": "roman", "a": "ZZ", "b": "I"},
        {"op": "roman", "a": "I'M", "b": "I"},
        {"op": "roman", "a": "123456789012345678901234567890", "b": "I"},
    ],
)
def test_the_same_is_refused(opened: Browser, networks: Networks, question: dict[str, Any]) -> None:
    with pytest.raises(VisarithError) as refused:
        answer(Question(**question), networks)
    assert opened.run(ASK, "calculate", question) == str(refused.value)


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


def thoughts(opened: Browser, **question: object) -> Any:
    return opened.run(ASK, "think", question)


@pytest.mark.parametrize("op", ["add", "subtract"])
@pytest.mark.parametrize("length", [7, 60])
def test_what_columns_hand_on_is_the_carry(opened: Browser, op: str, length: int) -> None:
    a, b = ("7654321" * 9)[:length], ("1234567" * 9)[:length]
    said = thoughts(opened, op=op, learner="columns", a=a, b=b)
    assert [frame["column"] for frame in said["frames"]] == list(reversed(range(length)))
    carry, first = 0, said["frames"][0]["handed"]["state"]
    for frame in said["frames"]:
        above = [int(symbol) for symbol in frame["saw"]]
        whole = above[0] + (above[1] + carry if op == "add" else -above[1] - carry)
        assert (frame["handed"]["state"] == first) == (carry == 0)
        carry = int(not 0 <= whole <= 9)
        assert frame["symbol"] == str(whole % 10)
    assert int(said["frames"][-1]["line"]) == (int(a) + int(b) if op == "add" else int(a) - int(b))


@pytest.mark.parametrize(("a", "b"), [("1234", "2345"), ("123456789012", "987654321098")])
def test_the_rows_of_long_multiplication_are_pictures_that_it_draws(opened: Browser, a: str, b: str) -> None:
    said = thoughts(opened, op="multiply", learner="columns", a=a, b=b)
    rows = {frame["row"]: frame["line"] for frame in said["frames"]}
    assert [int(line) for line in rows.values()] == [
        int(a) * int(b[-row:]) for row in range(1, len(b) + 1) if b[-row] != "0"
    ]
    opened.run(OPEN, "multiply", "columns")
    painted, carried = opened.run(READ, {"op": "multiply", "learner": "columns", "a": a, "b": b})
    assert painted == [frame["symbol"] for frame in said["frames"]]
    assert carried == [frame["hands"]["text"] for frame in said["frames"]]
    assert len(set(carried)) > 2  # not only noughts


READ = """async (question) => {
    const run = window.compared, { page } = run;
    const { frames } = await visarithModules["engine.js"].engine.think(question);
    const read = (bytes) => {
        const picture = new Float32Array(page.pixels);
        page.places[0].forEach((place, i) => { picture[place] = bytes[i] / 255; });
        return run.read(picture).text[0];
    };
    return [frames.map((frame) => read(frame.painted)), frames.map((frame) => read(frame.hands.picture))];
}"""


def test_a_tally_counts(opened: Browser) -> None:
    said = thoughts(opened, op="roman", a="MDCLXVI", b="CCCXXXIII")
    assert said["frames"][-1]["line"] == "MDCCCCLXXXXVIIII"
    counted = {frame["label"]: frame["above"] for frame in said["frames"]}
    assert (counted["C"], counted["M"]) == (["1", "3"], ["1", "0"])


def test_units_fire_and_their_weights_are_the_networks(opened: Browser, networks: Networks) -> None:
    question = {"op": "add", "learner": "perceptron", "a": "1234567", "b": "2345678"}
    said = thoughts(opened, **question, unit={"layer": 0, "unit": 17})
    layers = networks.find("add", "perceptron").module.linear()  # type: ignore[operator]
    for mine, shown in zip(layers[0].weight[17].detach().numpy().reshape(2, 15, 60), said["unit"]["from"], strict=True):
        whole = np.frombuffer(b64decode(shown["signed"]), np.int8).reshape(15, 60)
        assert np.abs(whole / 127 * shown["largest"] - mine).max() <= shown["largest"] / 127
    assert [len(layer["values"]) for layer in said["layers"]] == [256, 256, 256]
    logits = layers[-1].weight.detach().numpy() @ np.array(said["layers"][-1]["values"])
    drawn = 255 / (1 + np.exp(-logits - layers[-1].bias.detach().numpy()))
    assert np.abs(drawn - np.frombuffer(b64decode(said["answer"]["pixels"]), np.uint8)).max() <= 3
    # a unit in the middle is linearised: its weights are the slope of what it says
    middle = thoughts(opened, **question, unit={"layer": 1, "unit": 7})["unit"]
    gates = (np.array(said["layers"][0]["values"]) > 0) * layers[1].weight[7].detach().numpy()
    slope = (gates @ layers[0].weight.detach().numpy()).reshape(2, 15, 60)
    whole = np.frombuffer(b64decode(middle["from"][1]["signed"]), np.int8).reshape(15, 60)
    assert (
        np.abs(whole / 127 * middle["from"][1]["largest"] - slope[1]).max() <= middle["from"][1]["largest"] / 127 + 1e-3
    )


def test_gates_are_zero_or_one_and_say_which_digits_stand_where(opened: Browser) -> None:
    said = thoughts(opened, op="add", learner="constructed", a="1234567", b="2345678")
    for layer, number in ((0, "1234567"), (-1, "3580245")):
        grid = said["layers"][layer]["grids"][0]
        shown = [grid["rows"][[row[cell] for row in grid["values"]].index(1)] for cell in range(7)]
        assert "".join(shown) == number


@pytest.mark.parametrize("change", [{"permuted": True}, {"noise": 0.9}])
def test_it_is_said_what_the_network_saw_and_not_what_was_typed(opened: Browser, change: dict[str, object]) -> None:
    said = thoughts(opened, op="add", learner="columns", a="1234567", b="2345678", **change)
    unreadable = opened.run(
        ASK, "calculate", {"op": "add", "learner": "columns", "a": "1234567", "b": "2345678", **change}
    )
    for which, cells in enumerate(unreadable["unreadable"]):
        assert cells
        for frame in said["frames"]:
            assert (frame["saw"][which] == "?") == (frame["column"] in cells)


def test_the_page_shows_the_report_where_it_is_spoken_of(opened: Browser) -> None:
    shown(opened, op="subtract", learner="columns", a="7654321", b="1234567")
    opened.page.wait_for_selector("#thoughts .paper")
    assert opened.page.locator("#results-body table").count() == 0  # 1.5 MB that are not needed yet
    opened.page.locator("#results").scroll_into_view_if_needed()
    opened.page.wait_for_selector("#results-body table")
    first = opened.page.locator("#results-body table").first
    assert first.locator("tbody tr").count() == 9
    assert opened.page.locator("#results-body .figures img").count() >= 10
    assert opened.page.locator("#tesseract-line").is_hidden()
    assert opened.page.locator("#problem").is_hidden()


def test_the_first_answer_needs_little_and_comes_soon(opened: Browser, site: Path) -> None:
    other = opened.page.context.new_page()
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto((site / "index.html").as_uri())
    other.wait_for_selector("#verdict:not(:empty)")
    read = sum(Path(url.removeprefix("file://")).stat().st_size for url in asked)
    other.close()
    assert read < 600_000, f"{read} bytes: {asked}"


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
    assert "no link to the API" in refusal(index, page.replace('href="docs"', 'href="other"'))
    assert "'far.js'" in refusal(index, page.replace("</body>", '<script src="far.js"></script></body>'))
    assert not re.search(r'type="module"|static/|href="docs"', index(page))
    assert 'href="docs"' in index(page, served=True)


def test_a_link_to_the_page_has_a_picture(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "page", "--out", "site", "--url", "https://name.example/visarith/")[0] == 0
    html = (Path("site") / "index.html").read_text()
    for name in ("og:title", "og:description", "og:image", "og:url"):
        assert f'property="{name}"' in html
    assert 'content="https://name.example/visarith/preview.png"' in html
    with Image.open(Path("site") / "preview.png") as preview:
        assert preview.size == (1200, 630)
        assert len(preview.convert("L").getcolors() or []) > 20
    assert "no web address" in complaint(capsys, "page", "--out", "site", "--url", 'x" onload="')
