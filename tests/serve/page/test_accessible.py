"""The page without barriers: axe finds none, and nothing is wider than the window."""

import random

import browser as machine
import pytest
from browser import rest, settle
from playwright.sync_api import expect
from profiles import share
from serving import Served

EXAMINE = """async only => {
  const chosen = only.length ? {runOnly: only} : {};
  const {violations} = await axe.run(document, {resultTypes: ["violations"], ...chosen});
  const where = nodes => nodes.map(node => node.target.join(" ")).slice(0, 4);
  return violations.map(({id, nodes}) => [id, where(nodes)]);
}"""
MODES = {
    "window": {},
    "phone": {"size": (390, 844), "is_mobile": True, "has_touch": True},
}
COLOURS = ["color-contrast", "link-in-text-block"]
"""The checks of colours: in the dark, a page differs in nothing else."""
WIDTHS = (360, 390, 768, 1024, 1201, 1280, 1920)


def faults_of(page):
    """What axe finds in the light, and its checks of colours in the dark."""
    rest(page)
    found = page.evaluate(EXAMINE, [])
    page.emulate_media(color_scheme="dark")
    rest(page)
    found += page.evaluate(EXAMINE, COLOURS)
    page.emulate_media(color_scheme="light")
    return found


@pytest.fixture(scope="module")
def busy(server):
    """The name of a model that has something in every part of the page."""
    source = random.Random(0)
    name = "/v1/models/busy"
    server.post("/v1/models", {"name": "busy"}, status=201)
    server.post(f"{name}/shadows", {"name": "pa", "config": {"rule": "pa"}}, status=201)
    for turn in range(4):
        words = source.choices("abcdefghij", k=500)
        labels = words if turn < 2 else source.choices("abcdefghij", k=500)
        rows = [{"features": f"w{w} a b", "label": y} for w, y in zip(words, labels, strict=True)]
        server.post(f"{name}/learn", rows)
    assert server.get(name)["alarms"]
    server.post("/v1/models", {"name": "two"}, status=201)
    rows = [{"features": {f"w{i % 7}": 1.0}, "label": bool(i % 2)} for i in range(40)]
    server.post("/v1/models/two/learn", rows)
    return "busy"


@pytest.mark.parametrize(("turn", "mode"), [*enumerate(MODES)], ids=[*MODES])
def test_axe_finds_no_violation(visit, busy, turn, mode):
    models = share((busy, "two"), 2, turn)
    page = visit(models[0], **MODES[mode])
    page.evaluate(machine.axe_script())
    for model in models:
        page.evaluate("name => { location.hash = name; }", model)
        expect(page.locator("#model-name")).to_have_text(model)
        expect(page.locator("#recent li")).to_have_count(12)
        assert faults_of(page) == [], model


def test_axe_finds_no_violation_in_the_question_for_the_token(tmp_path, visit):
    with Served(tmp_path, env={"ROSENBLATT_TOKEN": "correct-horse"}) as served:
        page = visit(served=served)
        page.locator("#token").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_be_visible()
        page.evaluate(machine.axe_script())
        assert faults_of(page) == []
        page.goto("about:blank")
    page.messages.clear()  # two refusals of the browser's console


def test_the_page_is_as_wide_as_the_window(visit, busy):
    page = visit(busy, size=(WIDTHS[0], 800))
    expect(page.locator("#recent li")).to_have_count(12)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        wide = page.evaluate(
            """[...document.querySelectorAll(".card, .tile")].filter(
              (e) => !e.hidden && e.scrollWidth > e.clientWidth).map((e) => e.id)"""
        )
        assert wide == [], width


def test_every_control_has_a_name_and_the_keyboard_reaches_it(visit, busy):
    page = visit("two")
    expect(page.locator(".correct button")).to_have_count(12)
    names = page.locator(".correct button").evaluate_all("all => all.map((e) => e.ariaLabel)")
    assert len(set(names)) == 12
    page.locator("#recent li button").last.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#recent")).to_contain_text("· version 41")
