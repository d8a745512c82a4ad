"""Take the pictures of the page: those of README and docs, the preview of a link, or every section to look at.

python scripts/screenshots.py             # docs/page-*.png, docs/page-paper.gif and the page's preview.png
python scripts/screenshots.py --all DIR   # every section at three sizes, light and dark, into this folder
"""

import argparse
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
SIZES = ((1366, 768), (1280, 800), (390, 844))


def opened(browser: Browser, address: str, scheme: Scheme, size: tuple[int, int], query: str) -> Page:
    """The page once it has said all that it has to say."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    page.goto(address + query)
    page.wait_for_selector("#thoughts > *", state="attached")
    return page


def saved(page: Page, file: Path) -> Path:
    """A screenshot of few colours."""
    page.screenshot(path=file)
    with Image.open(file) as taken:
        taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    return file


def every_section(browser: Browser, address: str, folder: Path) -> None:
    """What a visitor sees of each section, without and with its end."""
    folder.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        for scheme in ("light", "dark"):
            page = opened(browser, address, scheme, size, PAPER)
            for section in page.eval_on_selector_all("main > section", "all => all.map((each) => each.id)"):
                page.eval_on_selector(f"#{section}", "node => node.scrollIntoView({ behavior: 'instant' })")
                if section == "results":
                    expect(page.locator("#results table").first).to_be_visible()
                if section == "think":
                    page.click("#last")
                print(saved(page, folder / f"{section}-{size[0]}-{scheme}.png"))
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
