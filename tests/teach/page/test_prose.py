"""The ready lessons: read by keys and by scrolling, and every paragraph fits."""

import browser as machine
import pytest
from browser import press, rest, settle, state
from profiles import share
from ready_lessons import LESSONS, near


def at(page):
    return page.locator("#lesson-note .head span").inner_text()


def current(page):
    return page.locator("#prose [aria-current=step]")


FAULTS = """() => {
  const boxOf = e => e.getBoundingClientRect();
  const faults = [];
  const fault = words => faults.push(words);
  const [list, now] = [prose, prose.querySelector("[aria-current=step]")].map(boxOf);
  if (now.top < list.top - 1 || now.bottom > list.bottom + 1) fault("the paragraph is cut");
  const off = Math.abs(now.top + now.bottom - list.top - list.bottom) / 2;
  if (off > 3) fault(`the paragraph is ${off} pixels off the middle`);
  if (list.bottom > innerHeight) fault("the prose is below the window");
  if (document.documentElement.scrollWidth > innerWidth) fault("wider than the window");
  const [plane, bottom] = ["#plane", "#bottom"].map(id => boxOf(document.querySelector(id)));
  if (plane.bottom > bottom.top + 1 && bottom.height > 20) fault("the plane is covered");
  if (innerWidth <= 700) return faults; // there the panels are a sheet
  const [legend, words] = ["#notes", "#verdict"].map(id => document.querySelector(id));
  const areShown = legend.offsetParent && words.offsetParent;
  if (areShown && boxOf(legend).bottom > boxOf(words).top) fault("the legend is cut");
  for (const part of ["#step", "#panels"].map(id => document.querySelector(id))) {
    if (part.offsetParent && boxOf(part).bottom > bottom.top + 1) fault(`${part.id} is cut`);
  }
  const panel = document.querySelector("#panels .panel:not([hidden])");
  if (!panel?.offsetParent) return faults;
  const parts = ".bar-row, .chart, .blocks, #lift, #gram, #compared, .square";
  for (const e of panel.querySelectorAll(parts)) {
    if (!e.offsetParent) continue;
    if (boxOf(e).bottom > boxOf(panel).bottom + 1) fault(`${e.id || e.className} is cut`);
    const isFlat = !e.matches(".bar-row") && e.clientHeight < 40;
    if (isFlat) fault(`${e.id || e.className} is ${e.clientHeight} pixels high`);
  }
  return faults;
}"""
SEEN = f"""() => {{
  const now = prose.querySelector("[aria-current=step]");
  const shown = id => document.querySelector(id).checkVisibility();
  return {{
    at: document.querySelector("#lesson-note .head span").innerText,
    state: lesson.state(),
    text: now.innerText,
    headings: now.querySelectorAll("h3").length,
    told: document.querySelector("#lesson-note [role=status]").textContent,
    canGoBack: shown("#back-to-text"),
    faults: ({FAULTS})(),
  }};
}}"""


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_is_read_by_keys_alone_and_every_paragraph_fits(visit, states, name):
    page = visit(f"#ready={name}")
    settle(page)
    for k, one in enumerate(states[name]):
        if k > 0:
            press(page, ("ArrowDown", "Space", "PageDown")[k % 3])
        seen = page.evaluate(SEEN)
        assert seen["at"] == f"{k + 1} of {len(states[name])}"
        now = seen["state"]
        assert (now["t"], now["mistakes"]) == (one["t"], one["facts"]["mistakes"])
        assert now["w"] is None or near(one["facts"]["w"], now["w"])
        assert seen["text"].split() == one["prose"].split()
        assert seen["headings"] == 1
        assert seen["told"] == (one["prose"] if k else "")
        assert not seen["canGoBack"]
        assert seen["faults"] == [], k + 1
    press(page, "ArrowDown")
    assert at(page) == f"{LESSONS[name]} of {LESSONS[name]}"
    press(page, "Home", "ArrowDown", "ArrowUp")
    assert at(page) == f"1 of {LESSONS[name]}"


WALK = f"""async () => {{
  const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const faults = [];
  for (const [k, dot] of document.querySelectorAll("#dots button").entries()) {{
    dot.click();
    await drawn();
    faults.push(...({FAULTS})().map(words => `${{k + 1}}: ${{words}}`));
  }}
  return faults;
}}"""
PHONE = {"size": (390, 844), "has_touch": True, "is_mobile": True}
SIZES = {
    "projector": {},
    "phone": PHONE,
    "960x540": {"size": (960, 540)},
    "718x420": {"size": (718, 420)},
    "low window": {"size": (960, 540)},
}


@pytest.mark.parametrize(("turn", "size"), [*enumerate(SIZES)], ids=[*SIZES])
def test_every_paragraph_and_its_state_fit(visit, turn, size):
    """At the usual size they do so where the lessons are read by keys."""
    frame = "&embed=1" if size[0].isdigit() else ""
    faults = {}
    for name in share(LESSONS, len(LESSONS), turn):
        page = visit(f"#ready={name}{frame}", **SIZES[size])
        if size == "projector":
            press(page, "f")
        settle(page)
        faults[name] = page.evaluate(WALK)
    assert {name: found for name, found in faults.items() if found} == {}


EXAMINE = """async only => {
  const chosen = only.length ? {runOnly: only} : {};
  const {violations} = await axe.run(document, {resultTypes: ["violations"], ...chosen});
  return violations.map(({id, nodes}) => [id, nodes.map(({target}) => `${target}`)]);
}"""


def faults_of(page, mode):
    """What axe finds; in the window, its checks of colours find it in the dark, too."""
    rest(page)
    found = page.evaluate(EXAMINE, [])
    if mode == "window":
        page.emulate_media(color_scheme="dark")
        rest(page)
        found += page.evaluate(EXAMINE, ["color-contrast", "link-in-text-block"])
        page.emulate_media(color_scheme="light")
    return found


def places(page):
    """Go from place to place in two lessons; yield the number of each."""
    for k, key in enumerate(("Home", "End")):
        press(page, key)
        yield k
    page.click("#lessons-menu")
    page.click("#ready-kernels")
    press(page, "ArrowDown")
    press(page, "ArrowRight")  # the text can be gone back to
    yield 2


@pytest.mark.parametrize(("turn", "mode"), [(0, "window"), (1, "projector"), (2, "phone")])
def test_axe_finds_no_violation_in_a_lesson(visit, turn, mode):
    page = visit("#ready=proof", **(PHONE if mode == "phone" else {}))
    page.evaluate(machine.axe_script())
    if mode == "projector":
        press(page, "f")
    chosen = range(3) if mode == "window" else share(range(3), 3, turn)
    for k in places(page):
        if k in chosen:
            assert faults_of(page, mode) == [], k


def test_scrolling_sets_the_state_and_a_reader_comes_back_to_the_text(visit):
    page = visit("#ready=proof", still=False)
    page.locator("#prose").hover()
    for k in (2, 3):
        page.mouse.wheel(0, 100)
        page.wait_for_function(f"document.querySelector('.head span').innerText === '{k} of 14'")
    page.wait_for_timeout(400)  # the wheel's own movement ends
    page.mouse.wheel(0, -100)
    page.wait_for_function("document.querySelector('.head span').innerText === '2 of 14'")
    press(page, *["ArrowDown"] * 6)  # faster than the prose moves
    assert at(page) == "8 of 14"
    assert current(page).inner_text().startswith("The one idea")
    before = state(page)
    page.click("#plane", position={"x": 40, "y": 40})
    settle(page)
    assert state(page) != before
    assert page.locator("#back-to-text").is_visible()
    assert at(page) == "8 of 14"
    page.click("#back-to-text")
    settle(page)
    assert state(page) == before
    assert page.locator("#back-to-text").is_hidden()
    press(page, "ArrowUp")
    assert at(page) == "8 of 14", "on the plane arrows walk the run"


def test_a_window_of_another_size_keeps_the_paragraph_and_the_points(visit):
    page = visit("#ready=lecture25")
    press(page, *["PageDown"] * 5)
    page.locator("#prose").hover()
    page.mouse.wheel(0, 100)
    page.wait_for_function("document.querySelector('.head span').innerText === '7 of 14'")
    page.click("#plane", position={"x": 40, "y": 40})
    settle(page)
    points = len(state(page)["alpha"])
    assert points == 5
    for width, height in (
        (1100, 620),
        (960, 540),
        (1280, 800),
        (760, 500),
        (700, 800),
        (1280, 720),
    ):
        page.set_viewport_size({"width": width, "height": height})
        for _ in range(3):  # the browser scrolls a frame after it has laid the text out
            settle(page)
        assert (at(page), len(state(page)["alpha"])) == ("7 of 14", points), (width, height)
        box, now = (
            page.locator(part).bounding_box() for part in ("#prose", "#prose [aria-current=step]")
        )
        assert abs(2 * now["y"] + now["height"] - 2 * box["y"] - box["height"]) < 8


def test_a_note_of_a_reader_has_its_facts_and_the_part_that_it_lights(visit):
    page = visit("#ready=proof")
    press(page, "ArrowDown", "ArrowDown")
    assert page.locator(".term.lit").get_attribute("data-part") == "gamma"
    page.click("#more-menu")
    page.click("#open-lesson")
    page.fill("#state-note", "A thought\nγ = {gamma}, {bound} at most, {nothing} else.")
    settle(page)
    heading, text = current(page).locator("h3, p").all_inner_texts()
    assert heading == "A thought"
    assert text.replace("\u00a0", " ") == "γ = 1, 36 at most, {nothing} else."
    assert "lesson=" in machine.address_of(page)


def test_the_address_of_a_ready_lesson_is_its_name_and_place(visit):
    page = visit("#ready=beyond")
    press(page, "ArrowDown", "ArrowDown")
    address = machine.address_of(page)
    assert address.startswith("#ready=beyond&at=2&state=")
    assert "lesson=" not in address
    again = visit(address)
    settle(again)
    assert at(again) == "3 of 11"
    again.click("#share")
    assert again.locator("dialog input").input_value().endswith("#ready=beyond")
