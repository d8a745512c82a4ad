"""The page in a real browser: typing, painting, uploading, thinking, on a phone and with keys alone."""

import importlib.util
import io
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from visarith.pictures.typeface import Typeface

ROOT = Path(__file__).parent.parent
SOON = 15_000  # milliseconds, for machines that are busy

try:
    from playwright.sync_api import Browser, Page, expect
except ImportError:  # the tests below fail and say so
    Browser = Page = object  # type: ignore[misc, assignment]


@pytest.fixture(scope="module")
def tools():  # type: ignore[no-untyped-def]
    if importlib.util.find_spec("playwright") is None:
        pytest.fail("Playwright is not installed, and the page is tested in a browser; run make setup")
    spec = importlib.util.spec_from_file_location("chromium", ROOT / "scripts" / "chromium.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
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
    with tools.served() as at:
        yield at


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A fresh page; at the end nothing may have gone wrong in it, and nothing come from another host."""
    context = browser.new_context(viewport={"width": 1100, "height": 900}, base_url=address)
    opened = context.new_page()
    wrong: list[str] = []
    opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("request", lambda asked: None if asked.url.startswith((address, "data:")) else wrong.append(asked.url))
    yield opened
    context.close()
    assert [each for each in wrong if "422" not in each] == []  # a refusal is an answer


def visit(page: Page, query: str = "") -> None:
    page.goto(f"/{query}")
    expect(page.locator("body[data-ready]")).to_be_attached()
    expect(page.locator("#verdict")).not_to_be_empty()


def choose(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name, exact=True).check()


def png(number: str, zoom: int = 1) -> bytes:
    layout = Typeface().layout("0123456789", 7)
    picture = layout.typeset(np.array([int(digit) for digit in number]))
    file = io.BytesIO()
    size = (60 * zoom, 15 * zoom)
    Image.fromarray(255 - picture).resize(size, Image.Resampling.NEAREST).save(file, format="PNG")
    return file.getvalue()


def pixel(page: Page, canvas: str, x: int, y: int) -> int:
    """How much ink a canvas shows at a place."""
    script = "([id, x, y]) => document.getElementById(id).getContext('2d').getImageData(x, y, 1, 1).data[0]"
    return int(page.evaluate(script, [canvas, x, y]))


def test_typing_a_number_draws_the_answer(page: Page) -> None:
    visit(page)
    page.fill("#a", "1111111")
    page.fill("#b", "2222222")
    expect(page.locator("#templates")).to_have_text("3333333")
    expect(page.locator("#truth")).to_have_text("3333333")
    expect(page.locator("#verdict")).to_have_text("Right")
    expect(page.locator("#digits li.right")).to_have_count(7)
    expect(page.locator("#tesseract")).to_have_text("3333333")
    expect(page).to_have_url(re.compile(r"a=1111111&b=2222222&op=add&learner=columns$"))
    page.locator("#b").press_sequentially("2")  # eight digits have no room
    expect(page.locator("#problem")).to_contain_text("more than 7 digits")
    expect(page.locator("#answer.stale")).to_be_attached()
    expect(page.locator("#b")).to_have_attribute("aria-invalid", "true")
    page.fill("#b", "")
    expect(page.locator("#problem")).to_have_text("Write two numbers.")
    page.fill("#b", "5")
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#templates")).to_have_text("1111116")


def test_a_link_restores_the_state_and_wrong_is_shown_as_wrong(page: Page) -> None:
    visit(page, "?a=1234&b=2345&op=multiply&learner=perceptron")
    expect(page.locator("#learners input:checked")).to_have_value("perceptron")
    expect(page.locator("#verdict.wrong")).to_contain_text(re.compile(r"Wrong in \d of 7 digits"))
    expect(page.locator("#truth")).to_have_text("2893730")
    wrong = page.locator("#digits li.wrong").count()
    assert f"Wrong in {wrong} of 7" in page.inner_text("#verdict")
    assert "✗" in page.inner_text("#digits")
    choose(page, "Columns")
    expect(page.locator("#verdict")).to_have_text("Right")
    expect(page).to_have_url(re.compile("learner=columns"))


def test_roman_numerals_and_an_operation_that_numbers_do_not_fit(page: Page) -> None:
    visit(page, "?a=1234567&b=7654321&op=add")
    choose(page, "Subtraction")  # would be negative, so the example comes
    expect(page.locator("#verdict")).to_have_text("Right")
    choose(page, "Roman addition")
    expect(page.locator("#learners input:checked")).to_have_value("tally")
    page.fill("#a", "MDCLXVI")
    page.fill("#b", "4")
    expect(page.locator("#templates")).to_have_text("MDCLXX")


def test_painting_changes_what_the_network_sees(page: Page) -> None:
    visit(page, "?a=1111111&b=0000000&op=add&learner=columns")
    choose(page, "Eraser")
    canvas = page.locator("#picture-a")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box
    size = box["width"] / 60
    left, top = box["x"] + 50.5 * size, box["y"]  # the last cell
    for x in range(8):  # erase it
        page.mouse.move(left + x * size, top + 0.5 * size)
        page.mouse.down()
        page.mouse.move(left + x * size, top + 14.5 * size)
        page.mouse.up()
    expect(page.locator("#seen-a")).to_contain_text("templates read 111111?")
    expect(page.locator("#verdict")).to_have_text("Unreadable: first number, digit 7")
    assert pixel(page, "picture-a", 54, 7) < 40
    page.click("#reset")
    expect(page.locator("#verdict")).to_have_text("Right")
    assert pixel(page, "picture-a", 54, 7) > 100


def test_keys_paint_too(page: Page) -> None:
    visit(page, "?a=0000000&b=0000000&op=add&learner=columns")
    page.focus("#picture-b")
    for key in ("ArrowUp",) * 7 + (" ",):
        page.keyboard.press(key)
    expect(page.locator("#seen-b")).to_contain_text("Changed by hand")
    page.focus("#a")  # the cursor is gone, the ink is there
    assert pixel(page, "picture-b", 30, 0) > 200


def test_a_blend_becomes_a_mixture_and_then_the_other_digit(page: Page) -> None:
    visit(page, "?a=0000003&b=0000000&op=add&learner=perceptron")
    expect(page.locator("#templates")).to_have_text("0000003")
    page.select_option("#blend-symbol", label="8")
    page.fill("#blend", "50")
    expect(page.locator("#blend-said")).to_have_text("50 %")
    expect(page.locator("#seen-a")).to_contain_text("Changed by hand")
    page.fill("#blend", "100")
    expect(page.locator("#seen-a")).to_contain_text("0000008")
    expect(page.locator("#templates")).to_have_text("0000008")


def test_noise_and_a_permutation(page: Page) -> None:
    visit(page, "?a=1234567&b=2345678&op=add&learner=perceptron-noise")
    page.fill("#noise", "0.3")
    expect(page.locator("#noise-said")).to_have_text("0.3")
    expect(page.locator("#warning")).to_be_hidden()
    expect(page.locator("#verdict")).not_to_be_empty()
    expect(page).to_have_url(re.compile(r"noise=0\.3"))
    clear = page.inner_text("#templates")
    page.check("#permuted")
    expect(page.locator("#seen-a")).to_contain_text("permuted")
    expect(page.locator("#templates")).to_have_text(clear)  # a perceptron does not mind
    choose(page, "Columns")
    expect(page.locator("#verdict.wrong")).to_be_visible()  # columns do


@pytest.mark.parametrize("zoom", [1, 7])
def test_an_uploaded_picture_is_fitted_and_inverted(page: Page, zoom: int) -> None:
    visit(page, "?a=1111111&b=1000000&op=add&learner=columns")
    page.set_input_files("#upload", {"name": "n.png", "mimeType": "image/png", "buffer": png("4827350", zoom)})
    expect(page.locator("#seen-a")).to_contain_text("4827350")
    expect(page.locator("#templates")).to_have_text("5827350")
    page.set_input_files("#upload", {"name": "n.png", "mimeType": "image/png", "buffer": b"no picture"})
    expect(page.locator("#problem")).to_contain_text("no PNG")


def test_a_picture_is_pasted(page: Page) -> None:
    visit(page, "?a=1111111&b=1000000&op=add&learner=columns")
    script = """(bytes) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], "n.png", { type: "image/png" }));
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(script, list(png("1234567", 3)))
    expect(page.locator("#templates")).to_have_text("2234567")


def test_the_page_fits_a_picture_as_the_server_does(page: Page) -> None:
    from visarith.web.pictures import fitted

    layout = Typeface().layout("0123456789", 7)
    canvas = Image.new("L", (400, 130), 255)
    for number, digit in enumerate("907"):  # three symbols of another size, dark on light
        glyph = Image.fromarray(255 - layout.glyphs[int(digit)]).resize((56, 105), Image.Resampling.BICUBIC)
        canvas.paste(glyph, (40 + 80 * number, 10))
    file = io.BytesIO()
    canvas.save(file, format="PNG")
    visit(page, "?a=1&b=1&op=add&learner=columns")
    page.set_input_files("#upload", {"name": "n.png", "mimeType": "image/png", "buffer": file.getvalue()})
    expect(page.locator("#seen-a")).to_contain_text("0000907")
    script = "[...document.getElementById('picture-a').getContext('2d').getImageData(0, 0, 60, 15).data]"
    shown = (np.array(page.evaluate(script)).reshape(15, 60, 4)[..., 0] - 22) / 226
    assert np.abs(shown - fitted(file.getvalue(), layout)).max() < 0.02
    expect(page.locator("#templates")).to_have_text("0000908")


def test_thoughts_of_columns_are_stepped_through(page: Page) -> None:
    visit(page, "?a=0000099&b=0000001&op=add&learner=columns")
    expect(page.locator("#thoughts .column")).to_have_count(7)
    page.get_by_label("Frame").fill("0")
    expect(page.locator("#thoughts .said")).to_contain_text("Before the first column")
    page.click("#step")
    expect(page.locator("#thoughts .said")).to_contain_text("sees 9 and 1, is handed 0")
    expect(page.locator("#thoughts .said")).to_contain_text("draws 0 and hands on 1")
    page.click("#play")
    expect(page.locator("#play")).to_have_text("Pause")
    expect(page.locator("#play")).to_have_text("Play")  # at the end
    expect(page.locator("#thoughts .said")).to_contain_text("Column 7 from the right")


def test_thoughts_of_a_perceptron_and_of_gates(page: Page) -> None:
    visit(page, "?a=1234567&b=2345678&op=add&learner=perceptron")
    layers = page.locator("#thoughts .layer canvas")
    expect(layers).to_have_count(3)
    expect(page.locator("#thoughts .weights canvas")).to_have_count(3)
    layers.nth(1).focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#thoughts .said")).to_contain_text("Unit 1 of hidden layer 2")
    choose(page, "Built by hand")
    expect(page.locator("#thoughts h3")).to_have_count(3)
    expect(page.locator("#thoughts")).to_contain_text("HL2")


def test_thoughts_of_long_multiplication(page: Page) -> None:
    visit(page, "?a=12&b=34&op=multiply&learner=columns")
    expect(page.locator("#think-note")).to_contain_text("how its cells are wired is given")
    page.get_by_label("Frame").fill("1")
    expect(page.locator("#thoughts .said")).to_contain_text(
        "2 by 4, where nothing is written and nothing carried; draws 8"
    )
    page.get_by_label("Frame").fill("3")
    expect(page.locator("#thoughts .said")).to_contain_text("2 by 3, where 4 is written and nothing carried; draws 0")


def test_results_are_there_and_a_row_is_tried(page: Page) -> None:
    visit(page)
    expect(page.locator("#results table tbody tr")).to_have_count(5)
    page.get_by_label("Try multiplication in the calculator").click()
    expect(page.locator("#ops input:checked")).to_have_value("multiply")
    expect(page.locator("#learners input:checked")).to_have_value("perceptron")
    page.select_option("#table", label="All 37 claims")
    expect(page.locator("#results")).to_contain_text("confirmed")


@pytest.mark.parametrize("query", ["?op=add&learner=columns", "?op=multiply&learner=constructed", "?op=roman"])
def test_a_phone_scrolls_one_way_only(page: Page, query: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    visit(page, query)
    expect(page.locator("#thoughts > *").first).to_be_visible()
    expect(page.locator("#results table")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_finger_paints(browser: Browser, address: str) -> None:
    with browser.new_context(viewport={"width": 360, "height": 740}, base_url=address, has_touch=True) as context:
        page = context.new_page()
        visit(page, "?a=0000000&b=0000000&op=add&learner=columns")
        canvas = page.locator("#picture-a")
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        assert box
        page.touchscreen.tap(box["x"] + 30.5 * box["width"] / 60, box["y"] + 0.5 * box["height"] / 15)
        expect(page.locator("#seen-a")).to_contain_text("Changed by hand")
        assert pixel(page, "picture-a", 30, 0) > 200


def test_with_keys_alone(page: Page) -> None:
    visit(page, "?a=1234567&b=2345678&op=add&learner=columns")
    expect(page.locator("#thoughts .column")).to_have_count(7)
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.append(str(page.evaluate("document.activeElement.id || document.activeElement.name")))
        if reached[-1] == "ops":
            page.keyboard.press("ArrowRight")  # to subtraction
            expect(page.locator("#ops input:checked")).to_have_value("subtract")
        if reached[-1] == "a":
            page.keyboard.type("9999999")
        if reached[-1] == "table":
            break
    wanted = ["ops", "learners", "a", "picture-a", "b", "picture-b", "brush", "blend", "noise", "permuted", "upload"]
    assert [each for each in reached if each in wanted] == wanted
    assert "play" in reached
    expect(page.locator("#truth")).to_have_text("8765432")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_of_all_text_is_enough(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    visit(page, "?a=1234&b=2345&op=multiply&learner=perceptron")
    expect(page.locator("#results table")).to_be_visible()
    poor = page.evaluate(CONTRAST)
    assert poor == []


CONTRAST = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll("body *")) {
    const words = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    const style = getComputedStyle(node);
    if (!words || !node.getClientRects().length || node.closest(":disabled, .skip, script, option")) continue;
    const [a, b] = [light(parse(style.color)), light(ground(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const what = node.textContent.trim().slice(0, 30);
    if (ratio < 4.5) poor.push(`${node.tagName}.${node.className} ${ratio.toFixed(2)} ${what}`);
  }
  return poor;
}"""


def test_the_documentation_opens(page: Page) -> None:
    page.goto("/docs")
    expect(page.locator(".opblock-summary-path").first).to_be_visible()
