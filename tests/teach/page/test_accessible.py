"""The page without barriers: axe finds none in any mode, and nothing is wider than the window."""

import json
from base64 import b64encode
from itertools import count, pairwise
from urllib.parse import urlencode

import browser as machine
import pytest
from browser import paste, press, rest, settle
from profiles import share

MODES = {
    "light": {},
    "projector": {},
    "phone": {"size": (390, 844), "has_touch": True, "is_mobile": True},
}
COLOURS = ["color-contrast", "link-in-text-block"]
"""The checks of colours: in the dark, a page differs in nothing else."""
FOUR = {
    "points": [[1, 2], [2, 1], [4, 4], [-3, -2]],
    "labels": [1, -1, 1, -1],
    "classes": ["no", "yes"],
}
VIEWS = {
    "middle": ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"),
    "weights": ("End", "w"),
    "table": ("End", "t"),
    "help": ("?",),
    "conventions": ("c",),
    "votes": ("v",),
}
EXAMINE = """async only => {
  const chosen = only.length ? {runOnly: only} : {};
  const {violations} = await axe.run(document, {resultTypes: ["violations"], ...chosen});
  const where = nodes => nodes.map(node => node.target.join(" ")).slice(0, 4);
  return violations.map(({id, nodes}) => [id, where(nodes)]);
}"""


LIGHT_ONLY = {"weights", "table", "help", "votes", "open-compare"} | {
    f"answered {question}" for question in ("line", "weights", "breaks", "left")
}
"""The views that only the light is examined in."""


def views_of(page, mode):
    """Show one view after another; yield their names."""
    for name, keys in VIEWS.items():
        if mode == "light" or name not in LIGHT_ONLY:
            page.evaluate("points => lesson.load(points)", FOUR)
            page.click("#tab-proof")
            press(page, *keys)
            yield name
            press(page, "Escape", "Escape")
    page.click("#tab-proof")
    for idea in ("separator", "floor", "ceiling"):
        page.click(f"#idea-{idea}")
        page.evaluate("lesson.goto(0)")
        settle(page)
        yield idea
    page.click("#idea-broken")
    page.click("#break-margin")
    settle(page)
    yield "broken"
    page.click("#tour")
    settle(page)
    yield "tour"
    page.click("#tour-end")
    page.click("#idea-bound")
    page.click("#more-menu")
    page.click("#open-exercise")
    settle(page)
    yield "exercise"
    page.click("#these-exercise")
    for question in ("line", "weights", "breaks", "left"):
        settle(page)
        yield f"asked {question}"
        page.click("#show-answer")
        settle(page)
        if mode == "light":
            yield f"answered {question}"
        page.click("#next-question")
    page.click("#end-exercise")
    for button in ("open-compare", "open-lesson"):
        if mode == "light" or button == "open-lesson":
            page.click("#more-menu")
            page.click(f"#{button}")
            if button == "open-lesson":
                make_lesson(page)
            settle(page)
            yield button
    page.select_option("#examples", "xor")
    page.click("#beyond-menu")
    settle(page)
    yield "menu"


def make_lesson(page):
    """Add a state with a title, a note and a lock, and change its points."""
    page.fill("#lesson-title", "Week 1")
    page.click("#add-state")
    page.fill("#state-note", "Drag one.")
    page.check("#locked-conventions")
    page.evaluate("lesson.goto(2)")


def examine(page, *only):
    rest(page)
    return page.evaluate(EXAMINE, [*only])


def test_axe_finds_no_violation_in_the_light_in_the_dark_and_on_a_projector(visit):
    page = visit()
    page.evaluate(machine.axe_script())
    found, others = {}, count()
    dark, large = (share(range(14), 4, turn) for turn in (0, 1))
    for name in views_of(page, "light"):
        found[name] = examine(page)
        if name in LIGHT_ONLY:
            continue
        k = next(others)
        if k in dark:
            page.emulate_media(color_scheme="dark")
            found[f"{name} in the dark"] = examine(page, *COLOURS)
            page.emulate_media(color_scheme="light")
        if k in large:
            page.evaluate("document.querySelector('#projector').click()")
            found[f"{name} on a projector"] = examine(page)
            page.evaluate("document.querySelector('#projector').click()")
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert len(found) == 23 + len(dark) + len(large)


def test_axe_finds_no_violation_on_a_phone(visit):
    page = visit(**MODES["phone"])
    page.evaluate(machine.axe_script())
    found, chosen = {}, share(range(14), 4, 2)
    for k, name in enumerate(views_of(page, "phone")):
        found[name] = examine(page) if k in chosen else []
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert len(found) == 14


SIZES = [(1280, 720), (1024, 700), (390, 844), (360, 640)]


def assert_fits(page, width, height):
    page.set_viewport_size({"width": width, "height": height})
    settle(page)
    wide, high = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
    )
    assert wide <= width
    assert high <= height
    for part in ("#plane", "#verdict", "#transport"):
        box = page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height


def test_the_screen_fits_without_scrolling(plain):
    for turn, keys in enumerate([("ArrowRight",), ("w",), ("c",), ("Escape", "v")]):
        press(plain, *keys)
        for size in share(SIZES, 2, turn):
            assert_fits(plain, *size)


@pytest.mark.parametrize("projector", [False, True])
def test_a_long_verdict_does_not_cover_the_plane(visit, projector):
    page = visit(size=(1280, 720))
    rows = [[-2.125, 1.5], [-5.75, 2.25], [1.875, 2.5], [2.625, -5.375]]
    page.evaluate("lesson.load", {"points": rows, "labels": [1, -1, -1, -1]})
    if projector:
        press(page, "f")
    settle(page)
    assert "Not separable" in page.locator("#verdict").inner_text()
    plane, verdict = (page.locator(part).bounding_box() for part in ("#plane", "#verdict"))
    assert plane["y"] + plane["height"] <= verdict["y"]


CUT = """() => {
  const pen = document.createElement("canvas").getContext("2d");
  return [...document.querySelectorAll("select")].filter(e => e.offsetParent).flatMap(e => {
    const style = getComputedStyle(e);
    pen.font = `${style.fontSize} ${style.fontFamily}`;
    const room = e.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const arrow = 20;
    return [...e.options]
      .filter(o => pen.measureText(o.text).width + arrow > room)
      .map(o => `${e.id}: ${o.text}`);
  });
}"""


AXIS = """() => [...document.querySelectorAll(".chart text.small")].map(e => {
  const {left, right} = e.getBoundingClientRect();
  return [e.textContent, left, right];
})"""


CHARTS = ("eight", "two", "thin", "shifted", "segment", "overlap", "wide")


@pytest.mark.parametrize(("turn", "mode"), [*enumerate(MODES)], ids=[*MODES])
def test_no_name_is_cut_and_no_number_of_the_axis_touches(visit, turn, mode):
    page = visit(**MODES[mode])
    if mode == "projector":
        press(page, "f")
    for example in share(CHARTS, 3, turn):
        page.select_option("#examples", example)
        settle(page)
        words = page.evaluate(AXIS)
        assert words[0][0] == "mistakes t"
        assert len(words) > 1, example
        for (_, _, end), (text, start, _) in pairwise(words):
            assert start >= end + 4, f"{text} of {example}"
        frame = page.locator(".chart").bounding_box()
        assert words[-1][2] <= frame["x"] + frame["width"]
    page.click("#more-menu")
    page.click("#open-compare")
    settle(page)
    assert page.evaluate(CUT) == []
    if mode == "phone":
        page.tap("#handle")
        settle(page)
        assert page.evaluate(CUT) == []


LINES = "[...document.querySelectorAll('#step .lines p')].map(p => p.clientHeight)"


def test_the_end_leaves_the_chart_its_room_on_a_projector(plain):
    page = plain
    press(page, "f")
    for example in ("xor", "overlap", "eight"):
        page.select_option("#examples", example)
        press(page, "End")
        assert page.locator(".chart").bounding_box()["height"] > 140
        assert len(set(page.evaluate(LINES))) == 1, "every text of the end is one line"
    page.click("summary")
    settle(page)
    button = page.locator("#worst-order").bounding_box()
    panel = page.locator("#panel-proof").bounding_box()
    assert button["y"] + button["height"] <= panel["y"] + panel["height"] + 1


COVERED = """() => {
  const {left, right, top, bottom} = document.querySelector("#messages p").getBoundingClientRect();
  return [...document.querySelectorAll("button, select, input, summary")]
    .filter(e => e.offsetParent)
    .filter(e => {
      const box = e.getBoundingClientRect();
      return box.left < right && box.right > left && box.top < bottom && box.bottom > top;
    }).map(e => e.id || e.textContent);
}"""


@pytest.mark.parametrize("mode", MODES)
def test_a_message_covers_no_control(visit, mode):
    page = visit(**MODES[mode])
    if mode == "projector":
        press(page, "f")
    paste(page, "height,weight,kind\n1,2,a rather long name\n2,1,another name of this length")
    assert page.evaluate(COVERED) == []
    tools = page.locator("#notes" if mode == "projector" else ".palette").bounding_box()
    assert tools["x"] + tools["width"] <= page.viewport_size["width"]


def test_a_note_of_three_lines_leaves_the_chart_its_room_on_a_projector(visit):
    note = "Three lines of a note that a teacher wrote. " * 6
    lesson = {"title": "Week 1", "states": [{"note": note, "t": 3}]}
    page = visit(f"#{urlencode({'lesson': b64encode(json.dumps(lesson).encode()).decode()})}")
    press(page, "f")
    assert page.locator("#prose").bounding_box()["height"] > 60
    assert page.locator(".chart").bounding_box()["height"] > 100
    assert page.evaluate(HIDDEN_PARTS) == []
    plane, verdict = (page.locator(part).bounding_box() for part in ("#plane", "#verdict"))
    assert plane["y"] + plane["height"] <= verdict["y"]


HIDDEN_PARTS = """() => {
  const panel = document.querySelector(".panel:not([hidden])").getBoundingClientRect();
  return [...document.querySelectorAll(".bar-row, .chart, .blocks, #lift, #compared")]
    .filter(e => e.offsetParent)
    .filter(e => e.getBoundingClientRect().bottom > panel.bottom + 1 || e.clientHeight < 10)
    .map(e => e.id || e.className);
}"""


def test_the_table_is_whole_on_a_phone(visit):
    page = visit(**MODES["phone"])
    press(page, "End", "t")
    scroller = page.locator("#panel-table .scroller")
    assert scroller.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert page.locator("tbody tr").first.bounding_box()["height"] < 26


def test_the_plane_is_told_in_words_and_every_control_has_a_name(plain):
    press(plain, "ArrowRight")
    words = plain.locator("#plane-words").inner_text()
    assert words.startswith("4 points of class +1, 4 of class −1.")
    assert "The line is (−4, −1) times x plus 1 equals 0." in words
    assert "The next example is (2, 1) with label +1." in words
    nameless = plain.evaluate(
        """[...document.querySelectorAll("button, select, input, textarea, canvas")]
          .filter(e => !e.ariaHidden && !e.ariaLabel)
          .filter(e => !e.textContent && !e.labels?.[0]?.textContent)
          .map(e => e.outerHTML)"""
    )
    assert nameless == []
