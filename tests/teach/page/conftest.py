"""The exported page in a browser without a network, and its messages."""

import browser as machine
import pytest
from ready_lessons import LESSONS

from rosenblatt.teach import html

STILL = "#still=1"
VISITS, MEDIA = {}, {}

READ = """async ([origin, names]) => {
  const {READY} = await import(`${origin}/lessons/ready.js`);
  const {factsOf, modelOf, proseOf} = await import(`${origin}/lessons/facts.js`);
  return names.map(name => READY[name].states.map(packed => {
    const model = modelOf(packed);
    const {points, labels, conventions} = model.fields;
    const kernel = model.run.kernel === null ? null : packed.beyond;
    const facts = factsOf(model);
    return {note: packed.note, prose: proseOf(packed), t: model.t, points, labels, conventions,
            kernel, facts};
  }));
}"""


@pytest.fixture(scope="session")
def file(tmp_path_factory):
    """The page as a file, as `rosenblatt teach --export` writes it."""
    path = tmp_path_factory.mktemp("page") / "lesson.html"
    path.write_text(html(), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="session")
def modules(browser):
    """A page that may import the modules."""
    page = browser.new_page()
    machine.serve_modules(page)
    yield page
    page.close()


@pytest.fixture(scope="session")
def states(modules):
    """The states of all lessons, with their prose and its facts."""
    found = modules.evaluate(READ, [machine.ORIGIN, [*LESSONS]])
    return dict(zip(LESSONS, found, strict=True))


def forget(page):
    """Delete what a page has kept of a visit: a reload is no other visit, and keeps it."""
    page.evaluate("try { sessionStorage.clear(); localStorage.clear(); } catch {}")


@pytest.fixture(scope="session")
def windows(browser):
    """A function that returns a window of some kind: one each for all tests."""
    kept, messages, shown = {}, [], []

    def window(viewport, clock, **options):
        key = repr([clock, sorted(options.items())])
        if key not in kept:
            context = browser.new_context(viewport=viewport, **options)
            context.set_offline(True)
            page = context.new_page()
            page.on("console", lambda message: messages.append(message.text))
            page.on("pageerror", lambda error: messages.append(str(error)))
            page.set_default_timeout(10_000)
            if clock:
                page.clock.install()
            kept[key] = page
        if shown:
            forget(shown[0])
        if shown and shown[0] is not kept[key]:
            shown[0].goto("about:blank")  # a window that waits draws nothing
        shown[:] = [kept[key]]
        if kept[key].viewport_size != viewport:
            kept[key].set_viewport_size(viewport)
        return kept[key]

    yield window, messages
    for page in kept.values():
        page.context.close()


@pytest.fixture
def visit(windows, file):
    """A function that opens the page; every message of it is an error at the end."""
    window, messages = windows
    messages.clear()

    def open_page(
        address=STILL,
        *,
        size=(1280, 720),
        still=True,
        clock=False,
        url=None,
        color_scheme="light",
        **options,
    ):
        motion = "reduce" if still else "no-preference"
        page = window({"width": size[0], "height": size[1]}, clock, **options)
        if MEDIA.get(page) != (color_scheme, motion):  # else every visit draws the last page again
            page.emulate_media(color_scheme=color_scheme, reduced_motion=motion)
            MEDIA[page] = color_scheme, motion
        # Another number: the page is loaded anew. Of two addresses the browser keeps the script.
        VISITS[page] = 1 - VISITS.get(page, 0)
        page.goto(f"{url or file}?{VISITS[page]}{address}")
        return page

    yield open_page
    assert messages == []


@pytest.fixture
def plain(visit):
    """The page at its first look, without its own beginning."""
    return visit()
