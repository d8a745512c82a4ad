"""Take the pictures of the page that docs/page.md shows.

python scripts/screenshots.py    # writes docs/page-light.png, page-dark.png and page-phone.png
"""

import re
import sys
from pathlib import Path
from typing import Literal

sys.path.insert(0, str(Path(__file__).parent))

from PIL import Image
from playwright.sync_api import Browser, expect

from chromium import chromium, served

DOCS = Path(__file__).parent.parent / "docs"
COLOURS = 256  # enough for a page, and a third of the bytes
Scheme = Literal["light", "dark"]
SHOTS: tuple[tuple[str, Scheme, tuple[int, int], str, str], ...] = (
    ("page-light", "light", (1120, 1040), "?a=1234567&b=2345678&op=add&learner=columns", ""),
    ("page-dark", "dark", (1120, 1040), "?a=1234&b=2345&op=multiply&learner=perceptron", ""),
    ("page-phone", "light", (390, 844), "?a=1234567&b=2345678&op=add&learner=columns", "#calculator .sum"),
)


def shoot(
    browser: Browser, address: str, name: str, scheme: Scheme, size: tuple[int, int], query: str, to: str
) -> Path:
    """One picture, of a page that has said all that it has to say."""
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, device_scale_factor=1.5
    )
    page.goto(address + query)
    page.wait_for_selector("#thoughts > *", state="attached")
    expect(page.locator("#tesseract")).to_have_text(re.compile("[0-9?]"))
    if to:
        page.eval_on_selector(to, "node => node.scrollIntoView({ behavior: 'instant' })")
    file = DOCS / f"{name}.png"
    page.screenshot(path=file)
    page.close()
    with Image.open(file) as taken:
        taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    return file


def main() -> None:
    with served() as address, chromium() as browser:
        for shot in SHOTS:
            print(shoot(browser, address, *shot).relative_to(DOCS.parent))


if __name__ == "__main__":
    main()
