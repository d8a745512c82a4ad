"""Take the pictures of the page: those of README and docs, the preview of a link, or every section to look at.

python scripts/screenshots.py             # docs/page-*.png, docs/page-paper.gif and the page's preview.png
python scripts/screenshots.py --all DIR   # every section at three sizes, light and dark, into this folder
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).parent))

from PIL import Image
from playwright.sync_api import Browser, Page, expect

from chromium import chromium
from visarith.web import STATIC
from visarith.web.site import PREVIEW, write_site

DOCS = Path(__file__).parent.parent / "docs"
COLOURS = 256  # enough for a page, and a third of the bytes
Scheme = Literal["light", "dark"]
SUM, DUEL = "?a=1234567&b=2345678&op=add&learner=columns", "?a=2&b=2&op=multiply&learner=perceptron&against=columns"
SHOTS: tuple[tuple[Path, Scheme, tuple[int, int], str], ...] = (
    (DOCS / "page-light.png", "light", (1366, 768), SUM),
    (DOCS / "page-dark.png", "dark", (1366, 768), DUEL),
    (DOCS / "page-phone.png", "light", (390, 844), SUM),
    (STATIC / PREVIEW, "dark", (1200, 630), DUEL),
)
PAPER = "?a=1234&b=2345&op=multiply&learner=columns"
SIZES = ((1366, 768), (820, 1180), (390, 844))
SIXTY = "271828182845904523536028747135266249775724709369995957496696"
SCENES = {  # what a visitor sees first, beside the sections
    "duel": DUEL,
    "roman": "?op=roman&a=MDCLXVI&b=5000000&learner=tally",
    "long": f"?op=add&learner=columns&against=perceptron&a={SIXTY}&b=1",
    "illegible": "?op=add&learner=perceptron&a=1234563&b=0&blend=0-6-8-50",
    "refused": "?op=add&learner=columns&a=9x9&b=1234567",
}


def opened(browser: Browser, address: str, scheme: Scheme, size: tuple[int, int], query: str) -> Page:
    """The page once it has said all that it has to say."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page.goto(address + query)
    page.wait_for_selector("#thoughts > *", state="attached")
    page.wait_for_selector("#verdict:not(:empty)")
    return page


def saved(page: Page, file: Path) -> Path:
    """A screenshot of few colours."""
    page.screenshot(path=file)
    with Image.open(file) as taken:
        taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    return file


def every_section(browser: Browser, address: str, folder: Path) -> None:
    """What a visitor sees of some scenes, and each section as a whole."""
    folder.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        for scheme in ("light", "dark"):
            for name, query in SCENES.items():
                page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
                page.goto(address + query)
                page.wait_for_selector("#verdict:not(:empty), #problem:not(:empty)")
                print(saved(page, folder / f"{name}-{size[0]}-{scheme}.png"))
                page.close()
            page = opened(browser, address, scheme, size, PAPER)
            page.click("#last")
            for near in ("#learn", "#learn-recording", "#results"):  # loads what comes when it is near
                page.eval_on_selector(near, "node => node.scrollIntoView({ behavior: 'instant' })")
            for what in ("#learn-recording canvas", "#results table"):
                expect(page.locator(what).first).to_be_visible()
            page.click("#learn-play")
            expect(page.locator("#learn-steps")).not_to_have_text(re.compile(r"^\d{1,2} of"))  # a hundred
            for section in page.locator("main > section").all():
                file = folder / f"{section.get_attribute('id')}-{size[0]}-{scheme}.png"
                section.screenshot(path=file)
                print(file)
            page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", type=Path, metavar="DIR", help="every section at three sizes, into this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as kept, chromium() as browser:
        write_site(Path(kept) / "site")
        address = (Path(kept) / "site" / "index.html").as_uri()
        if options.all:
            every_section(browser, address, options.all)
            return
        for file, scheme, size, query in SHOTS:
            page = opened(browser, address, scheme, size, query)
            print(saved(page, file))
            page.close()
        page = opened(browser, address, "light", (1366, 768), PAPER)
        page.eval_on_selector("#tool-share", "node => { node.open = true; }")
        with page.expect_download() as download:
            page.click("#share-gif")
        download.value.save_as(DOCS / "page-paper.gif")
        print(DOCS / "page-paper.gif")


if __name__ == "__main__":
    main()
