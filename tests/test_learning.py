"""Watch it learn: the section of the page in Chromium, from a disk and served."""

import base64
import importlib.util
import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import visarith as va
from browser import ROOT, Browser, browser
from visarith.runs.pretrained import pretrained
from visarith.web import STATIC
from visarith.web.site import write_site

SOON = 30_000  # milliseconds, for machines that are busy


@pytest.fixture(scope="module")
def tools() -> Any:
    spec = importlib.util.spec_from_file_location("chromium", ROOT / "scripts" / "chromium.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", params=["disk", "served"])
def address(request: pytest.FixtureRequest, tools: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "disk":
        out = tmp_path_factory.mktemp("learning") / "site"
        write_site(out)
        yield (out / "index.html").as_uri()
    else:
        with tools.served() as at:
            yield at


@pytest.fixture(scope="module")
def opened(address: str) -> Iterator[Browser]:
    """The page; at the end nothing may have gone wrong in it, and nothing have come from another host."""
    with browser() as there:
        there.page.set_default_timeout(SOON)
        yield there
        assert [each for each in there.complaints if "422" not in each] == []  # a refusal is an answer
        own = address.rpartition("/")[0] + "/"
        assert [each for each in there.requests if not each.startswith((own, "data:"))] == []


@pytest.fixture
def page(opened: Browser, address: str) -> Any:
    opened.page.goto(f"{address}?a=4999999&b=1&op=add&learner=columns")
    opened.page.wait_for_selector("body[data-ready]")
    opened.page.eval_on_selector("#learn", "section => section.scrollIntoView({ behavior: 'instant' })")
    opened.page.wait_for_selector("#learn-shown:not(:empty)")
    return opened.page


def number(page: Any, name: str) -> float:
    found = re.match(r"[\d,.]+", page.inner_text(f"#learn-{name}"))
    return float(found[0].replace(",", "")) if found else float("nan")


def wait_for(page: Any, steps: int) -> None:
    """Wait until it has made so many steps."""
    for _ in range(SOON // 50):
        if number(page, "steps") >= steps:
            return
        page.wait_for_timeout(50)
    pytest.fail(f"{page.inner_text('#learn-steps')} steps after {SOON} milliseconds")


def ink(page: Any, name: str) -> Any:
    """The picture in a row of the stage, without its colours."""
    script = """(name) => {
        const canvas = document.querySelector(`.learn-${name} canvas`);
        return [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data];
    }"""
    return np.array(page.evaluate(script, name)).reshape(-1, 4)[:, 0]


def test_play_pause_go_on_and_restart(page: Any) -> None:
    grey = ink(page, "answer")
    assert number(page, "shown") == 0
    page.click("#learn-play")
    wait_for(page, 60)
    assert number(page, "error") < 35
    assert number(page, "wrong") <= 1000
    assert not np.array_equal(ink(page, "answer"), grey)
    assert page.inner_text("#learn-play") == "Pause"
    page.click("#learn-play")
    page.wait_for_selector("#learn-status:has-text('Paused after')")
    page.wait_for_timeout(100)
    steps, drawn = number(page, "steps"), ink(page, "answer")
    page.wait_for_timeout(300)
    assert number(page, "steps") == steps
    assert np.array_equal(ink(page, "answer"), drawn)
    assert number(page, "shown") == 32 * steps
    page.focus("#learn-play")
    page.keyboard.press("Enter")  # go on, by a key
    wait_for(page, int(steps) + 5)
    page.keyboard.press("Space")
    page.wait_for_selector("#learn-play:has-text('Go on')")
    page.click("#learn-restart")
    assert number(page, "shown") == 0
    assert np.array_equal(ink(page, "answer"), grey)
    assert page.locator("#learn .plot-line").first.get_attribute("d") == ""


def test_numbers_can_be_typed_while_it_learns(page: Any) -> None:
    page.select_option("#learn-speed", label="all steps that fit")
    page.click("#learn-play")
    wait_for(page, 5)
    page.fill("#learn-a", "")
    page.type("#learn-a", "31415")
    page.wait_for_selector(".learn-a canvas[aria-label='The number 0031415']")
    steps = number(page, "steps")
    wait_for(page, int(steps) + 5)
    assert page.input_value("#a") == "31415"  # both are the visitor's own numbers
    page.wait_for_selector("#templates:text-is('0031416')", state="attached")
    page.fill("#learn-a", "12345x")
    page.wait_for_selector("#learn-note:has-text('goes on with 31415 + 1')")
    page.fill("#learn-a", "1234")
    page.wait_for_selector(".learn-a canvas[aria-label='The number 0001234']")
    assert page.inner_text("#learn-note") == ""
    page.fill("#a", "27")  # far above: drawn when it is seen again
    page.locator("#learn-b").scroll_into_view_if_needed()
    page.wait_for_selector(".learn-a canvas[aria-label='The number 0000027']")
    assert page.input_value("#learn-a") == "27"
    page.click("#learn-play")


def test_all_of_it_is_in_sight_on_a_laptop(page: Any) -> None:
    page.set_viewport_size({"width": 1366, "height": 768})
    page.eval_on_selector("#learn-title", "title => title.scrollIntoView({ behavior: 'instant' })")
    for what in (
        "#learn-title",
        "#learn-play",
        "#learn-a",
        ".learn-carried",
        ".learn-answer",
        "#learn-said",
        "#learn-wrong",
    ):
        box = page.locator(what).bounding_box()
        assert 0 <= box["y"] <= 768 - box["height"], what
    page.set_viewport_size({"width": 1280, "height": 720})


def test_a_seed_is_a_start(page: Any) -> None:
    page.fill("#learn-seed", "-3")
    page.keyboard.press("Tab")
    assert "whole number from 0" in page.inner_text("#learn-status")
    page.fill("#learn-seed", "8")
    page.keyboard.press("Tab")
    assert page.inner_text("#learn-status") == "New weights from seed 8."
    page.select_option("#learn-speed", label="4 steps a frame")
    page.click("#learn-play")
    wait_for(page, 8)
    page.click("#learn-play")


def test_the_recording_comes_when_it_is_near(opened: Browser, page: Any) -> None:
    page.evaluate("window.scrollTo({ top: 0, behavior: 'instant' })")
    opened.requests.clear()
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert not [each for each in opened.requests if "recorded" in each]
    page.eval_on_selector("#learn-recording", "(box) => box.scrollIntoView()")
    page.wait_for_selector("#learn-recording canvas")
    assert "visarith train add" in page.inner_text("#learn-recording")
    assert "Recorded, not live" in page.inner_text("#learn-recording")
    assert "(50 epochs): 0 of 1,000" in page.inner_text("#learn-recording")
    page.fill("#learn-recording input", "0")
    assert "After 0 examples: 1,000 of 1,000" in page.inner_text("#learn-recording")
    page.click("text=Play the recording")
    page.wait_for_selector("#learn-recording:has-text('After 12,800 examples')")
    page.click("text=Pause the recording")


def test_the_recording_is_of_a_training_by_the_command() -> None:
    text = (STATIC / "recorded.js").read_text()
    assert len(text) < 100_000
    recorded = json.loads(text[text.index("{") : text.rindex("}") + 1])
    shipped = next(each for each in pretrained() if each.name == "perceptron-add")
    assert recorded["command"] == shipped.command
    task = va.Task("add")
    trained, _ = task.examples(*task.sizes(), seed=recorded["seed"])
    shown = {tuple(sorted(pair)) for pair in trained.operands.tolist()}
    assert not shown.intersection(tuple(sorted(pair)) for pair in recorded["pairs"])
    points = recorded["checkpoints"]
    assert [each["epoch"] for each in points if each["epoch"]][-1] == shipped.load().experiment.recipe.epochs
    assert (points[0]["examples"], points[0]["wrong"]) == (0, 1000)
    assert points[-1]["wrong"] <= 10
    shape = (len(recorded["pairs"]), recorded["height"], recorded["width"])
    drawn = [np.frombuffer(base64.b64decode(each["pictures"]), np.uint8).reshape(shape) / 255 for each in points]
    assert np.ptp(drawn[0], axis=0).max() == 0  # the same grey for every pair at first
    sums = [f"{a + b:07}" for a, b in recorded["pairs"]]
    read = task.legend.reader("templates").read(drawn[-1]).texts
    assert sum(text == expected for text, expected in zip(read, sums, strict=True)) >= len(sums) - 1


def test_small_screens_do_not_scroll_sideways(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.fill("#a", "1")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1280, "height": 720})


def test_less_motion_draws_once_a_second(page: Any) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.click("#learn-play")
    page.wait_for_timeout(100)
    drawn, changes = page.inner_text("#learn-steps"), 0
    for _ in range(20):
        page.wait_for_timeout(50)
        changes += page.inner_text("#learn-steps") != drawn
        drawn = page.inner_text("#learn-steps")
    assert changes <= 2
    page.click("#learn-play")
    page.emulate_media(reduced_motion="no-preference")
