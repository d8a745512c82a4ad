"""The page: a calculator in the browser, and an HTTP API over the pretrained networks."""

from pathlib import Path

STATIC = Path(__file__).parent / "static"  # the page's HTML, CSS and JavaScript
