"""A service with a page that is open in a browser, whose every message is an error."""

import pytest


@pytest.fixture
def model(server, request):
    """The name of a model of the test's own."""
    name = request.node.name.replace("[", "-").replace("]", "").replace("_", "-")[-64:].strip("-")
    server.post("/v1/models", {"name": name}, status=201)
    return name


@pytest.fixture
def visit(browser, server):
    """A function that opens the page of a model."""
    contexts, messages = [], []

    def open_page(model="", *, size=(1280, 800), served=server, **options):
        viewport = {"width": size[0], "height": size[1]}
        contexts.append(browser.new_context(viewport=viewport, **options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("dialog", lambda dialog: messages.append(f"dialog {dialog.message}"))
        page.set_default_timeout(20_000)
        page.messages = messages
        page.goto(f"http://127.0.0.1:{served.port}/#{model}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert messages == []
