"""The bars of the page in Chromium: the first answer from a disk, a keystroke, and a network that learns on one core.

    python benchmarks/page.py                 # about 3 minutes; ends with 1 if a bar is missed
    python benchmarks/page.py --only keys     # first, keys or learning

Times are the browser's own: from opening or from a key to the first moment after the frame that shows the answer.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from playwright.sync_api import Page, Request

from chromium import chromium
from visarith.web.site import write_site

FIRST_SECONDS, FIRST_BYTES, KEY_MILLISECONDS, LEARNING_SECONDS = 1.5, 600_000, 50, 90
OPENINGS, KEYS, SEEDS = 20, 100, range(5)
PAUSES = (30, 90, 215, 330)  # milliseconds between keys: what is shown after a rest must not be in the way
SIXTY = "271828182845904523536028747135266249775724709369995957496696"
TYPED = {  # what is opened, and what is typed again and again at the end of its first number
    "sums of seven digits, columns": ("?op=add&learner=columns&a=123456&b=2345678", "7"),
    "sums of seven digits, perceptron": ("?op=add&learner=perceptron&a=123456&b=2345678", "7"),
    "a duel of both": ("?op=add&learner=columns&against=perceptron&a=123456&b=2345678", "7"),
    "products of four digits": ("?op=multiply&learner=columns&a=123&b=2345", "4"),
    "Roman numerals": ("?op=roman&learner=tally&a=MDCLXV&b=CCCXXXIII", "I"),
    "built by hand": ("?op=add&learner=constructed&a=123456&b=2345678", "7"),
    "sums of 49 digits": (f"?op=add&learner=columns&a={SIXTY[:48]}&b={SIXTY[:49]}", "7"),
    "products of 30 digits": (f"?op=multiply&learner=columns&a={SIXTY[:29]}&b={SIXTY[:30]}", "7"),
    "products of 60 digits": (f"?op=multiply&learner=columns&a={SIXTY[:59]}&b={SIXTY}", "7"),
}

# Tells when the answer that a document shows first, or after a key, has been painted.
WATCH = """
window.firstShown = new Promise((resolve) => {
    new MutationObserver((_, observer) => {
        if (!document.querySelector("#verdict")?.textContent) return;
        observer.disconnect();
        painted(resolve);
    }).observe(document, { subtree: true, childList: true, characterData: true });
});
function painted(resolve) {
    requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();  // after the frame, whatever else waits
        port1.onmessage = () => resolve(performance.now());
        port2.postMessage(null);
    });
}
window.keys = [];
document.addEventListener("keydown", (event) => {
    const pressed = event.timeStamp, time = document.querySelector("#time");
    new MutationObserver((_, observer) => {
        observer.disconnect();
        painted((now) => window.keys.push(now - pressed));
    }).observe(time, { childList: true });
}, true);
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("first", "keys", "learning"), help="measure this only")
    asked = parser.parse_args().only
    with tempfile.TemporaryDirectory() as kept:
        write_site(Path(kept) / "site")
        address = (Path(kept) / "site" / "index.html").as_uri()
        measures = {"first": first_answer, "keys": keystrokes, "learning": learning}
        met = [measure(address) for name, measure in measures.items() if asked in (None, name)]
    return 0 if all(met) else 1


def first_answer(address: str) -> bool:
    """Open the page anew each time, and count what it read until it had answered."""
    times, read = [], 0
    with chromium() as browser:
        for _ in range(OPENINGS):
            context = browser.new_context(viewport={"width": 1366, "height": 768})
            page, asked = context.new_page(), list[str]()
            page.on("request", partial(heard, asked))
            page.add_init_script(WATCH)
            page.goto(address)
            times.append(page.evaluate("window.firstShown") / 1000)
            read = max(read, sum(Path(url.removeprefix("file://")).stat().st_size for url in set(asked)))
            context.close()
    soon = said("first answer from a disk, slowest of 20", max(times), FIRST_SECONDS, "{:.2f} s")
    return said("read before it, uncompressed", read, FIRST_BYTES, "{:,.0f} bytes") and soon


def heard(asked: list[str], request: Request) -> None:
    asked.append(request.url)


def keystrokes(address: str) -> bool:
    """Type a character and take it back, again and again."""
    met = []
    with chromium() as browser:
        for name, (query, typed) in TYPED.items():
            page = opened(browser.new_page, address + query)
            page.focus("#a")
            page.keyboard.press("End")
            for count in range(KEYS):
                page.keyboard.press("Backspace" if count % 2 else typed)
                page.wait_for_function("count => window.keys.length > count", arg=count)
                page.wait_for_timeout(PAUSES[count % len(PAUSES)])
            times = sorted(page.evaluate("window.keys"))
            late = times[int(0.95 * len(times))]
            met.append(said(f"keystroke to answer, 95 %: {name}", late, KEY_MILLISECONDS, "{:.0f} ms"))
            page.close()
    return all(met)


def learning(address: str) -> bool:
    """Press Play for some seeds, on one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # the browser inherits it
    met = []
    with chromium() as browser:
        page = opened(browser.new_page, address)
        page.locator("#learn").scroll_into_view_if_needed()
        page.select_option("#learn-speed", label="all steps that fit")
        for seed in SEEDS:
            page.fill("#learn-seed", str(seed))
            page.click("#learn-restart")
            page.click("#learn-play")
            seconds = page.evaluate(SOLVED)
            page.wait_for_selector("#learn-status:has-text('Finished')", timeout=600_000)
            end = page.inner_text("#learn-status")
            met.append(said(f"0 wrong of 1,000 sums, seed {seed}", seconds, LEARNING_SECONDS, "{:.1f} s"))
            print(f"  {end}")
            met.append(": 0 of 1,000" in end)
    return all(met)


SOLVED = """() => new Promise((resolve) => {
    const started = performance.now(), status = document.getElementById("learn-status");
    new MutationObserver((_, observer) => {
        if (!status.textContent.startsWith("0 of 1,000")) return;
        observer.disconnect();
        resolve((performance.now() - started) / 1000);
    }).observe(status, { childList: true, characterData: true, subtree: true });
})"""


def opened(new_page: Callable[..., Page], address: str) -> Page:
    page = new_page(viewport={"width": 1366, "height": 768})
    page.add_init_script(WATCH)
    page.goto(address)
    page.evaluate("window.firstShown")
    page.wait_for_timeout(1000)
    return page


def said(what: str, measured: float, bar: float, written: str) -> bool:
    verdict = "met" if measured <= bar else "missed"
    print(f"{what:58} {written.format(measured):>14}  (bar {written.format(bar)}: {verdict})", flush=True)
    return measured <= bar


if __name__ == "__main__":
    sys.exit(main())
