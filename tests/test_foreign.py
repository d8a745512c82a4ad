"""Pictures of one's own: fitted into cells alike in Python and in the browser, or refused."""

import base64
import io
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFilter, ImageFont

import pages
from conftest import refusal
from pages import Page, as_file, expect, pixel, png, shape, upload, visit
from visarith.data.task import Task
from visarith.pictures.typeface import Typeface
from visarith.web.foreign import fit
from visarith.web.pictures import fitted

browser, disk, page, tools = pages.browser, pages.disk, pages.page, pages.tools  # fixtures
LAYOUT = Typeface().layout("0123456789", 7)
FONT = Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"


def written(number: str, size: int = 60, ground: int = 245, ink: int = 20) -> Image.Image:
    """A number in the middle of a sheet."""
    font = ImageFont.truetype(str(FONT), size)
    sheet = Image.new("L", (int(font.getlength(number)) + 3 * size, 3 * size), ground)
    ImageDraw.Draw(sheet).text((1.5 * size, size), number, font=font, fill=ink)
    return sheet


def turned(sheet: Image.Image, degrees: float) -> Image.Image:
    return sheet.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=sheet.getpixel((0, 0)))


def lit(sheet: Image.Image) -> Image.Image:
    """As a lamp at one side lights it: the ground here is darker than the ink there."""
    grey, wide = np.asarray(sheet, float), sheet.width
    noise = np.random.default_rng(0).normal(0, 3, grey.shape)
    return Image.fromarray((grey * np.linspace(1, 0.35, wide) + noise).clip(0, 255).astype(np.uint8))


def transparent(sheet: Image.Image) -> Image.Image:
    made = Image.new("RGBA", sheet.size, (30, 30, 90, 0))
    made.putalpha(Image.fromarray(255 - np.asarray(sheet)))
    return made


def on_a_table(sheet: Image.Image, degrees: float) -> Image.Image:
    """A sheet askew on a dark table, with a shadow over both."""
    table, size = Image.new("L", (900, 700), 90), sheet.size
    mask = Image.new("L", size, 255).rotate(degrees, expand=True)
    table.paste(sheet.rotate(degrees, Image.Resampling.BICUBIC, expand=True), (180, 220), mask)
    y, x = np.mgrid[:700, :900]
    shadow = 1 - 0.4 / (1 + np.exp(-(x + y - 700) / 80))
    grey = np.asarray(table, float) * shadow + np.random.default_rng(2).normal(0, 4, (700, 900))
    return Image.fromarray(grey.clip(0, 255).astype(np.uint8))


FIXED: dict[str, Callable[[], Image.Image]] = {  # each shows 4096
    "dark on light": lambda: written("4096"),
    "light on dark": lambda: written("4096", 90, 10, 240),
    "small": lambda: written("4096", 26),
    "faint": lambda: written("4096", 60, 200, 140),
    "turned a little": lambda: turned(written("4096"), 7),
    "turned the other way": lambda: turned(written("4096", 80), -18),
    "on its side": lambda: turned(written("4096"), 90),
    "lit from one side": lambda: lit(written("4096", 70)),
    "transparent": lambda: transparent(written("4096")),
    "out of focus": lambda: written("4096", 80).filter(ImageFilter.GaussianBlur(2)),
    "with a comma": lambda: written("4,096"),
    "on a table": lambda: on_a_table(written("4096"), 4),
    "askew on a table": lambda: on_a_table(written("4096"), 12),
}


def test_the_fixed_pictures_are_read_in_python() -> None:
    reader = Task("add").legend.reader("templates")
    for name, make in FIXED.items():
        said = reader.read(fitted(as_file(make()), LAYOUT)[None])
        assert said.texts[0] == "0004096", name
        assert float(said.confidence.min()) > 0.5, name


FIT = """async (files, page) => {
    const { opened } = visarithModules["opening.js"], { fit } = visarithModules["foreign.js"];
    const shape = structuredClone(visarithSite.learners.pages.arabic);
    shape.inked = shape.glyphs.map(visarithModules["pixels.js"].bytesOf);
    const made = [];
    for (const [text, type] of files) {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
        try {
            made.push([...fit(await opened(new File([bytes], "n.png", { type })), shape)]);
        } catch (error) {
            made.push(error.message);
        }
    }
    return made;
}"""


def in_browser(page: Page, files: list[bytes]) -> list[Any]:
    sent = [[base64.b64encode(data).decode(), "image/png"] for data in files]
    return page.evaluate(f"(files) => ({FIT})(files)", sent)  # type: ignore[no-any-return]


def test_both_languages_fit_pictures_alike(page: Page) -> None:
    visit(page)
    files = [as_file(make()) for make in FIXED.values()] + [png("1234567", 3), as_file(written("88"), "JPEG")]
    for name, data, made in zip([*FIXED, "whole", "jpeg"], files, in_browser(page, files), strict=True):
        difference = np.abs(np.array(made).reshape(15, 60) / 255 - fitted(data, LAYOUT))
        assert difference.max() < (0.1 if name == "jpeg" else 0.03), name  # decoders of JPEG differ a little
        assert difference.mean() < 0.002, name


def test_both_languages_refuse_alike(page: Page) -> None:
    visit(page)
    blank = Image.new("L", (300, 200), 130)
    noise = Image.fromarray(np.random.default_rng(1).normal(128, 4, (200, 300)).clip(0, 255).astype(np.uint8))
    many = written("123456789", 40)
    joined = written("8888", 60)
    ImageDraw.Draw(joined).line((90, 100, 240, 100), fill=20, width=4)
    dots = Image.fromarray(np.array([[255, 0, 255], [255, 255, 255], [0, 255, 0]], np.uint8))
    wrong = (blank, noise, many, joined, dots)
    said = in_browser(page, [as_file(each) for each in wrong])
    expected = [refusal(fit, np.asarray(each, float) / 255, LAYOUT) for each in wrong]
    assert said == expected
    assert ["no ink" in each for each in expected] == [True, True, False, False, False]
    assert "9 symbols" in expected[2]
    assert "no single digits were found" in expected[3]
    assert "its symbols are 1 pixels high" in expected[4]


def animated(kind: str) -> bytes:
    file, frames = io.BytesIO(), [written("12"), written("34")]
    frames[0].save(file, format=kind, save_all=True, append_images=frames[1:], duration=100)
    return file.getvalue()


def huge() -> bytes:
    data = bytearray(as_file(written("1")))
    data[16:24] = (20_000).to_bytes(4, "big") * 2
    return bytes(data)


WRONG = {
    "not a picture": (lambda: b"no picture at all", "no PNG, JPEG or WebP"),
    "a GIF": (lambda: as_file(written("1"), "GIF"), "no PNG, JPEG or WebP"),
    "empty": (lambda: b"", "no PNG, JPEG or WebP"),
    "cut off": (lambda: png("1234567", 9)[:90], "damaged"),
    "a JPEG that ends": (lambda: b"\xff\xd8\xff\xe0" + b"\0" * 200, "damaged"),
    "animated PNG": (lambda: animated("PNG"), "animated"),
    "animated WebP": (lambda: animated("WEBP"), "animated"),
    "huge": (huge, "20000 x 20000 pixels"),
    "SVG": (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no PNG, JPEG or WebP"),
    "nothing in it": (lambda: as_file(Image.new("L", (300, 200), 200)), "I cannot read this: no ink"),
}


def test_what_cannot_be_read_is_said_and_changes_nothing(page: Page) -> None:
    visit(page, "?a=1111111&b=1000000&op=add&learner=columns")
    for name, (make, said) in WRONG.items():
        upload(page, make())
        expect(page.locator("#picture-problem"), name).to_contain_text(said)
        assert page.input_value("#a") == "1111111", name
        assert page.inner_text("#templates") == "2111111", name


def test_a_file_that_is_too_large_is_not_opened(page: Page) -> None:
    visit(page, "?a=1111111&b=1000000&op=add&learner=columns")
    page.evaluate("""() => {
        const data = new DataTransfer(), input = document.getElementById("upload");
        data.items.add(new File([new Uint8Array(31_000_000)], "n.png", { type: "image/png" }));
        input.files = data.files;
        input.dispatchEvent(new Event("change"));
    }""")
    expect(page.locator("#picture-problem")).to_have_text("The picture has 31 MB; 30 MB are the most.")


@pytest.mark.parametrize(("kind", "name"), [("PNG", "n.jpg"), ("JPEG", "n.png"), ("WEBP", "n.txt")])
def test_a_picture_is_what_its_bytes_say(page: Page, kind: str, name: str) -> None:
    visit(page, "?a=1111111&b=1000000&op=add&learner=columns")
    upload(page, as_file(written("4096", 80), kind), name, "text/plain")
    expect(page.locator("#a")).to_have_value("0004096")
    expect(page.locator("#templates")).to_have_text("1004096")
    expect(page.locator("#steps li")).to_have_count(4)
    expect(page.locator("#steps")).to_contain_text("4 symbols found")


@pytest.mark.parametrize("zoom", [1, 7])
def test_a_picture_of_the_right_size_is_taken_as_it_is(page: Page, zoom: int) -> None:
    visit(page, "?a=1111111&b=1000000&op=add&learner=columns")
    upload(page, png("4827350", zoom))
    expect(page.locator("#a")).to_have_value("4827350")
    expect(page.locator("#templates")).to_have_text("5827350")


SEND = """([bytes, how]) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], "n.png", { type: "image/png" }));
    const options = { bubbles: true, cancelable: true };
    if (how === "paste") document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, ...options }));
    else document.getElementById(how).dispatchEvent(new DragEvent("drop", { dataTransfer: data, ...options }));
}"""


def test_pictures_are_pasted_and_dropped_where_they_belong(page: Page) -> None:
    visit(page, "?a=1111111&b=1000000&op=add&learner=columns")
    page.evaluate(SEND, [list(png("1234567", 3)), "paste"])
    expect(page.locator("#templates")).to_have_text("2234567")
    page.evaluate(SEND, [list(png("0000003", 3)), "picture-b"])
    expect(page.locator("#b")).to_have_value("0000003")
    expect(page.locator("#templates")).to_have_text("1234570")


def photo() -> bytes:
    """A photo of 1234567 in another font: small, askew, on a table, with shadows."""
    font = ImageFont.truetype(str(FONT.with_name("DejaVuSerif-Italic.ttf")), 40)
    sheet = Image.new("L", (420, 200), 235)
    ImageDraw.Draw(sheet).text((60, 70), "1234567", font=font, fill=60)
    table = Image.new("L", (900, 700), 90)
    table.paste(turned(sheet, 4), (180, 220))
    y, x = np.mgrid[:700, :900]
    shadow = 1 - 0.4 / (1 + np.exp(-(x + y - 700) / 80))
    grey = np.asarray(table, float) * shadow + np.random.default_rng(2).normal(0, 6, (700, 900))
    return as_file(Image.fromarray(grey.clip(0, 255).astype(np.uint8)), "JPEG")


def test_a_photo_is_never_called_right_for_what_it_does_not_say(page: Page) -> None:
    """It was read as 0000003, and the answer to that was called right."""
    for learner in ("columns", "perceptron"):
        visit(page, f"?a=1111111&b=0000000&op=add&learner={learner}")
        upload(page, photo())
        expect(page.locator("#steps li").nth(1)).to_be_visible()
        problem = page.locator("#picture-problem")
        if problem.is_visible():
            assert "I cannot read this" in problem.inner_text()
            continue
        expect(page.locator("#seen-a")).to_contain_text("Changed by hand")
        assert page.inner_text("#verdict") != "Right" or page.input_value("#a") == "1234567"


def test_a_phone_held_upright_is_believed(page: Page) -> None:
    """The camera's note of how it was held stands in the file."""
    visit(page, "?a=1111111&b=0000000&op=add&learner=columns")
    file, exif = io.BytesIO(), Image.Exif()
    exif[0x0112] = 6  # turn it by 90 degrees to the right
    written("4096", 80).rotate(90, expand=True).save(file, format="JPEG", quality=95, exif=exif)
    upload(page, file.getvalue())
    expect(page.locator("#a")).to_have_value("0004096")
    assert np.abs(fitted(file.getvalue(), LAYOUT) - fitted(as_file(written("4096", 80)), LAYOUT)).mean() < 0.02


def test_an_angle_is_measured_and_taken_back() -> None:
    straight = fit(np.asarray(written("4096"), float) / 255, LAYOUT)
    for degrees in (-25, -5, 5, 25):
        again = fit(np.asarray(turned(written("4096"), degrees), float) / 255, LAYOUT)
        assert np.abs(again - straight).mean() < 0.06, degrees
    assert math.isclose(float(straight.max()), 1, abs_tol=0.05)


def test_what_is_painted_over_a_picture_stays(page: Page) -> None:
    visit(page, "?a=1111111&b=0000000&op=add&learner=columns")
    upload(page, png("4827350"))
    expect(page.locator("#a")).to_have_value("4827350")
    page.focus("#picture-a")
    page.keyboard.press(" ")
    expect(page.locator("#seen-a")).to_contain_text("Changed by hand")
    assert pixel(page, "picture-a", 10, 7) == pytest.approx(22 + shape("4827350")[7, 10] / 255 * 226, abs=2)
