"""What is shared: addresses that hold everything, steps back and forward, a picture and an animation of the scene."""

import io
import re

import numpy as np
import pytest
from PIL import Image

import pages
from pages import Page, choose, expect, pixel, png, tool, upload, visit

browser, disk, page, tools = pages.browser, pages.disk, pages.page, pages.tools  # fixtures
address, served = pages.address, pages.served


def scene(page: Page) -> dict[str, object]:
    """All that the page shows of its state."""
    return page.evaluate("""() => {
        const value = (id) => document.getElementById(id).value;
        const drawn = (id) => document.getElementById(id).toDataURL();
        const chosen = (id) => document.querySelector(`#${id} input:checked`).value;
        document.activeElement.blur();  // without the cursor of the brush
        return { a: value("a"), b: value("b"), op: chosen("ops"), learner: chosen("learners"),
            against: value("against"), noise: value("noise"), permuted: document.getElementById("permuted").checked,
            blend: value("blend"),
            first: drawn("picture-a"), second: drawn("picture-b"), answer: drawn("answer"),
            verdict: document.getElementById("verdict").textContent };
    }""")  # type: ignore[no-any-return]


def paint(page: Page, canvas: str, *keys: str) -> None:
    page.focus(canvas)
    for key in keys:
        page.keyboard.press(key)


def reopened(page: Page) -> None:
    """Open the address in another page: everything must be as it was."""
    before = page.url
    page.wait_for_timeout(450)  # the address follows when the state has come to rest
    expected, link = scene(page), page.url
    assert link != before or "pa=" in link or "?" in link
    visit(page, "?" + link.partition("?")[2])
    page.wait_for_timeout(250)
    assert scene(page) == expected


@pytest.mark.parametrize(
    "query",
    [
        "?a=12&b=34&op=multiply&learner=columns",
        "?a=1234&b=2345&op=multiply&learner=perceptron&against=columns",
        "?a=MDC&b=VI&op=roman&learner=constructed",
        "?a=1234567&b=1&op=subtract&learner=perceptron&noise=0.25&seed=7",
        "?a=1234567&b=1&op=add&learner=perceptron&permuted=true",
        "?a=0000003&b=0000000&op=add&learner=perceptron&blend=0-6-8-35",
        f"?a={'9' * 60}&b=1&op=add&learner=columns&against=perceptron",
    ],
)
def test_every_state_is_in_the_address(page: Page, query: str) -> None:
    visit(page, query)
    expect(page.locator("#address-problem")).to_be_hidden()
    reopened(page)
    assert dict(part.split("=") for part in page.url.partition("?")[2].split("&")) == dict(
        part.split("=") for part in query[1:].split("&")
    )


def test_every_state_is_in_the_address_of_a_server(served: Page) -> None:
    visit(served, "?a=0000003&b=0000000&op=add&learner=perceptron&against=columns&noise=0.1&seed=3&blend=0-6-8-35")
    paint(served, "#picture-b", " ", "ArrowUp", " ")
    reopened(served)
    visit(served, "?op=own-4&a=12&b=21&learner=own-distance")
    reopened(served)


def test_painting_is_in_the_address(page: Page) -> None:
    visit(page, "?a=1234567&b=0000000&op=add&learner=perceptron")
    paint(page, "#picture-a", " ", "ArrowUp", " ", "ArrowLeft", " ")
    paint(page, "#picture-b", "ArrowDown", " ")
    expect(page).to_have_url(re.compile("pa=.+&pb="))
    assert len(page.url.partition("pa=")[2]) < 80  # a few strokes are a short link
    reopened(page)
    assert pixel(page, "picture-b", 30, 8) > 200


def test_an_own_picture_is_in_the_address(page: Page) -> None:
    visit(page, "?a=1234567&b=0000000&op=add&learner=columns")
    upload(page, png("4827350", 2))
    expect(page.locator("#a")).to_have_value("4827350")
    reopened(page)


def test_back_and_forward(page: Page) -> None:
    visit(page, "?a=1234&b=2345&op=add&learner=columns")
    choose(page, "Multiplication")
    expect(page.locator("#truth")).to_have_text("2893730")
    choose(page, "Perceptron")
    expect(page.locator("#verdict.wrong")).to_be_visible()
    page.fill("#a", "7")
    expect(page).to_have_url(re.compile("a=7&"))
    page.go_back()
    expect(page.locator("#learners input:checked")).to_have_value("columns")
    expect(page.locator("#a")).to_have_value("1234")
    page.go_back()
    expect(page.locator("#ops input:checked")).to_have_value("add")
    expect(page.locator("#truth")).to_have_text("0003579")
    page.go_forward()
    expect(page.locator("#ops input:checked")).to_have_value("multiply")
    expect(page.locator("#verdict")).to_have_text("Right")


def test_back_to_what_was_shown_first(page: Page) -> None:
    visit(page)
    page.get_by_role("button", name="2 × 2").click()
    expect(page.locator("#verdict.wrong")).to_be_visible()
    page.go_back()
    expect(page.locator("#a")).to_have_value("1234567")
    expect(page.locator("#verdict")).to_have_text("Right")
    page.go_forward()
    expect(page.locator("#verdict.wrong")).to_be_visible()


@pytest.mark.parametrize(
    "query",
    [
        "?noise=7&seed=-1&op=divide&learner=oracle",
        "?a=%00%ff&b=<script>alert(1)</script>&op=add",
        "?op=add&a=1&b=2&pa=AAAA",
        "?op=add&a=1&b=2&pa=%22%3E&pb=" + "A" * 30_000,
        "?op=add&a=1&b=2&blend=0-99-99-50",
        "?op=add&a=1&b=2&blend=x-1-1-1&noise=NaN",
        "?op=add&a=1&b=2&pa=Af__________________________",
        "?" + "&".join(f"x{i}=1" for i in range(500)),
        "?op=__proto__&learner=constructor&against=toString&a=1&b=2",
    ],
)
def test_an_address_that_was_tampered_with_breaks_nothing(page: Page, query: str) -> None:
    visit(page, query)
    if re.search("pa=|pb=|blend|noise", query):
        expect(page.locator("#address-problem")).to_be_visible()
    assert page.locator("script").count() < 8
    page.fill("#a", "12")
    page.fill("#b", "3")
    choose(page, "Addition")
    expect(page.locator("#truth")).to_have_text("0000015")


def test_a_scene_is_saved_as_a_picture(page: Page) -> None:
    visit(page, "?a=1234&b=2345&op=multiply&learner=perceptron&against=columns")
    tool(page, "share")
    with page.expect_download() as saved:
        page.click("#share-png")
    with Image.open(saved.value.path()) as picture:
        assert picture.format == "PNG"
        assert picture.width == 1200
        assert picture.height > 900
        grey = picture.convert("L")
        assert grey.getextrema()[1] > 230
    expect(page.locator("#share-said")).to_contain_text("visarith.png")


def test_a_scene_is_saved_as_an_animation(page: Page) -> None:
    visit(page, "?a=0000999&b=0000001&op=add&learner=columns")
    expect(page.locator("#thoughts .paper")).to_be_visible()
    tool(page, "share")
    with page.expect_download() as saved:
        page.click("#share-gif")
    data = saved.value.path().read_bytes()
    with Image.open(io.BytesIO(data)) as animation:
        assert animation.format == "GIF"
        assert animation.n_frames == 8
        shown = []
        for frame in range(8):
            animation.seek(frame)
            shown.append(animation.convert("RGB").tobytes())
        size = animation.size
    assert len(set(shown)) == 8
    drawn = page.evaluate(
        """(scale) => {
        const { drawPaper } = visarithModules["paper.js"], canvas = document.createElement("canvas");
        return visarithModules["engine.js"].engine.think({ op: "add", learner: "columns", a: "0000999", b: "0000001" })
            .then((thoughts) => {
                drawPaper(canvas, thoughts, 7, { scale, sign: "+" });
                return [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data];
            });
    }""",
        size[0] // 80,
    )
    mine = bytes(value for place, value in enumerate(drawn) if place % 4 != 3)
    assert len(mine) == len(shown[-1])
    apart = sorted(abs(one - other) for one, other in zip(mine, shown[-1], strict=True))
    assert apart[int(0.99 * len(apart))] <= 6  # 256 colours


@pytest.mark.parametrize(("against", "count"), [("", 2), ("columns", 3)])
def test_networks_without_paper_are_animated_by_their_answers(page: Page, against: str, count: int) -> None:
    visit(page, f"?a=2&b=2&op=multiply&learner=perceptron&against={against}")
    tool(page, "share")
    with page.expect_download() as saved:
        page.click("#share-gif")
    with Image.open(saved.value.path()) as animation:
        assert animation.n_frames == count
        ink = []
        for frame in range(count):
            animation.seek(frame)
            ink.append(int((np.asarray(animation.convert("L")) > 200).sum()))
    assert ink == sorted(set(ink))  # every frame uncovers an answer
    page.fill("#a", "x")
    page.click("#share-gif")
    expect(page.locator("#share-said")).to_have_text("There is no answer to share.")


def test_a_link_is_copied(page: Page) -> None:
    visit(page, "?a=1&b=2&op=add&learner=columns")
    page.fill("#a", "77")
    tool(page, "share")
    page.click("#share-link")
    expect(page.locator("#share-said")).to_contain_text(re.compile("clipboard|address bar"))
    assert "a=77" in page.url
