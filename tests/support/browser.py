"""A real Chromium for tests of the lecture page."""

import os
from contextlib import contextmanager
from pathlib import Path

import layout
import pytest

import rosenblatt

PACKAGE = Path(rosenblatt.__file__).parent
HOST = "http://lesson.test"
ORIGIN = f"{HOST}/teach/page"
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)


def requirement(reason):
    """Skip for this reason, or fail where ROSENBLATT_REQUIRE_BROWSER is set."""
    if os.environ.get("ROSENBLATT_REQUIRE_BROWSER"):
        pytest.fail(f"ROSENBLATT_REQUIRE_BROWSER is set, but {reason}")
    pytest.skip(reason)


@contextmanager
def chromium():
    """A browser of Playwright on the Chromium of the machine."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        requirement("Playwright is not installed")
    program = layout.chromium()
    if program is None:
        requirement("the machine has no Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*QUIET])
        yield browser
        browser.close()


def serve_modules(page):
    """Answer requests to the test's own origin with the files of the page; block all others."""
    page.route("**/*", answer)
    page.goto(f"{ORIGIN}/blank")


def answer(route):
    url = route.request.url
    if not url.startswith(f"{HOST}/"):
        route.abort()
    elif url == f"{ORIGIN}/blank":
        route.fulfill(body="<!doctype html><title>tests</title>", content_type="text/html")
    else:
        route.fulfill(path=PACKAGE / url.removeprefix(f"{HOST}/"), content_type="text/javascript")


def axe_script():
    """The checks of accessibility, as a script."""
    try:
        import axe_playwright_python
    except ImportError:
        requirement("axe is not installed")
    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")


def state(page):
    """What the documented object says."""
    return page.evaluate("lesson.state()")


def press(page, *keys):
    """Press keys, and wait until the page has drawn what they change."""
    for key in keys:
        page.keyboard.press(key)
    settle(page)


def settle(page):
    """Wait until the page has drawn its last change."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


AT_REST = """Promise.allSettled(document.getAnimations().filter(
  one => one.playState === "running" && one.effect.getComputedTiming().endTime < Infinity,
).map(one => one.finished))"""


def rest(page):
    """Wait until colours and places have stopped to change by themselves."""
    settle(page)
    page.evaluate(AT_REST)
    settle(page)


def settled_box(page, place):
    """Return the box of a place, once the layout around it has come to rest."""
    rest(page)
    box = place.bounding_box()
    while True:
        settle(page)
        before, box = box, place.bounding_box()
        if box == before:
            return box


def click_slowly(page, left, top):
    """Click as a hand does: the page draws frames while the button is down."""
    page.mouse.move(left, top)
    settle(page)
    page.mouse.down()
    settle(page)
    page.mouse.up()
    settle(page)


KEPT = """() => new Promise(done => {
  const keep = history.replaceState;
  history.replaceState = (...entry) => {
    history.replaceState = keep;
    keep.apply(history, entry);
    done(location.hash);
  };
  lesson.goto(lesson.state().t);
})"""


def address_of(page):
    """The part of the address from # on, once the page has kept its last change."""
    return page.evaluate(KEPT)


def drawing(page):
    """The plane as SVG."""
    page.click("#more-menu")
    with page.expect_download() as saved:
        page.click("#save-svg")
    return Path(saved.value.path()).read_text("utf-8")


PASTE = """text => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  document.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true}));
}"""


def paste(page, text):
    """Paste text into the page."""
    page.evaluate(PASTE, text)
    settle(page)


def place(page, x, y):
    """The pixels of a point of the plane."""
    box = page.locator("#plane").bounding_box()
    half = 8 * 1.07
    across, down = (x + half) / (2 * half), (half - y) / (2 * half)
    return box["x"] + box["width"] * across, box["y"] + box["height"] * down
