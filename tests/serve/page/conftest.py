"""A service with a page that is open in a browser, whose every message is an error."""

import pytest

FORGET = "location.protocol === 'http:' && sessionStorage.clear()"


@pytest.fixture
def model(server, request):
    """The name of a model of the test's own."""
    name = request.node.name.replace("[", "-").replace("]", "").replace("_", "-")[-64:].strip("-")
    server.post("/v1/models", {"name": name}, status=201)
    return name


@pytest.fixture(scope="session")
def windows(browser):
    """A function that returns a window of some kind: one each for all tests."""
    kept = {}

    def window(viewport, **options):
        key = repr(sorted(options.items()))
        if key not in kept:
            messages = []
            page = browser.new_context(viewport=viewport, **options).new_page()
            page.on("console", lambda message: messages.append(message.text))
            page.on("pageerror", lambda error: messages.append(str(error)))
            page.on("dialog", lambda dialog: messages.append(f"dialog {dialog.message}"))
            page.set_default_timeout(20_000)
            page.messages = messages
            kept[key] = page
        kept[key].set_viewport_size(viewport)
        return kept[key]

    yield window
    for page in kept.values():
        page.context.close()


@pytest.fixture
def visit(windows, server):
    """A function that opens the page of a model."""
    pages = []

    def open_page(model="", *, size=(1280, 800), served=server, **options):
        page = windows({"width": size[0], "height": size[1]}, **options)
        pages.append(page)
        page.goto("about:blank")  # else only its name in the address would change
        page.goto(f"http://127.0.0.1:{served.port}/#{model}")
        return page

    yield open_page
    messages = [text for page in pages for text in page.messages]
    for page in pages:
        page.evaluate(FORGET)
        page.goto("about:blank")
        page.messages.clear()
    assert messages == []
