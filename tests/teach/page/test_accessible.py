"""The page without barriers: axe finds none in any mode, and nothing is wider than the window."""

import browser as machine
import pytest
from browser import press, settle

MODES = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "projector": {},
    "phone": {"size": (390, 844), "has_touch": True, "is_mobile": True},
}
VIEWS = {
    "first": (),
    "middle": ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight"),
    "weights": ("End", "w"),
    "table": ("End", "t"),
    "help": ("?",),
    "conventions": ("c",),
    "votes": ("v",),
}
EXAMINE = """async () => {
  const {violations} = await axe.run(document, {resultTypes: ["violations"]});
  const where = nodes => nodes.map(node => node.target.join(" ")).slice(0, 4);
  return violations.map(({id, nodes}) => [id, where(nodes)]);
}"""


@pytest.mark.parametrize("mode", MODES)
def test_axe_finds_no_violation(visit, mode):
    page = visit(**MODES[mode])
    page.evaluate(machine.axe_script())
    found = {}
    for name, keys in VIEWS.items():
        page.evaluate(
            "lesson.load({points: [[1, 2], [2, 1], [4, 4], [-3, -2]], labels: [1, -1, 1, -1]})"
        )
        press(page, "p", *keys)
        if mode == "projector" and name == "middle":
            press(page, "f")
        found[name] = page.evaluate(EXAMINE)
        press(page, "Escape", "Escape")
    for button in ("open-compare", "open-exercise", "open-lesson")[:: 1 if mode == "light" else 2]:
        page.click("#more-menu")
        page.click(f"#{button}")
        settle(page)
        found[button] = page.evaluate(EXAMINE)
    page.click("#beyond-menu")
    settle(page)
    found["menu"] = page.evaluate(EXAMINE)
    page.select_option("#examples", "xor")
    settle(page)
    found["inseparable"] = page.evaluate(EXAMINE)
    assert {name: faults for name, faults in found.items() if faults} == {}


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080), (1024, 700), (390, 844), (360, 640)])
def test_the_screen_fits_without_scrolling(visit, size):
    page = visit(size=size)
    for keys in VIEWS.values():
        press(page, "Home", "p", *keys)
        wide = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert wide[0] <= size[0]
        assert wide[1] <= size[1]
        press(page, "Escape", "Escape")
    for part in ("#plane", "#verdict", "#transport"):
        box = page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
        assert box["y"] + box["height"] <= size[1]


def test_the_plane_is_told_in_words(plain):
    press(plain, "ArrowRight")
    words = plain.locator("#plane-words").inner_text()
    assert words.startswith("4 points of class +1, 4 of class −1.")
    assert "The line is (−4, −1) times x plus 1 equals 0." in words
    assert "The next example is (2, 1) with label +1." in words


def test_every_control_has_a_name(plain):
    for button in plain.locator("button, select, input, canvas:not([aria-hidden])").all():
        name = button.evaluate("e => e.ariaLabel || e.textContent || e.labels?.[0]?.textContent")
        assert name, button.evaluate("e => e.outerHTML")
