"""The exported page in a browser without a network, and its messages."""

import pytest

from rosenblatt.teach import html

STILL = "#still=1"


@pytest.fixture(scope="session")
def file(tmp_path_factory):
    """The page as a file, as `rosenblatt teach --export` writes it."""
    path = tmp_path_factory.mktemp("page") / "lesson.html"
    path.write_text(html(), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def windows(browser):
    """A function that returns a window of some kind: one each for the tests of a file."""
    kept, messages = {}, []

    def window(**options):
        key = repr(sorted(options.items()))
        if key not in kept:
            context = browser.new_context(**options)
            context.route("**/*", only_files)
            page = context.new_page()
            page.on("console", lambda message: messages.append(message.text))
            page.on("pageerror", lambda error: messages.append(str(error)))
            page.set_default_timeout(10_000)
            kept[key] = page
        kept[key].goto("about:blank")
        return kept[key]

    yield window, messages
    for page in kept.values():
        page.context.close()


@pytest.fixture
def visit(windows, file):
    """A function that opens the page; every message of it is an error at the end."""
    window, messages = windows

    def open_page(address=STILL, *, size=(1280, 720), still=True, clock=False, url=None, **options):
        motion = "reduce" if still else "no-preference"
        viewport = {"width": size[0], "height": size[1]}
        page = window(viewport=viewport, reduced_motion=motion, **options)
        if clock:
            page.clock.install()
        page.goto((url or file) + address)
        page.evaluate("localStorage.clear()")
        return page

    yield open_page
    assert messages == []


def only_files(route):
    """Block the network: the page needs none."""
    if route.request.url.startswith(("file:", "data:", "blob:", "about:")):
        route.continue_()
    else:
        route.abort()


@pytest.fixture
def plain(visit):
    """The page at its first look, without its own beginning."""
    return visit()
