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
FOUR = {"points": [[1, 2], [2, 1], [4, 4], [-3, -2]], "labels": [1, -1, 1, -1]}
VIEWS = {
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


def views_of(page, mode):
    """Show one view after another; yield their names."""
    if mode == "projector":
        press(page, "f")
    for name, keys in VIEWS.items():
        if mode == "light" or name in ("middle", "conventions"):
            page.evaluate("points => lesson.load(points)", FOUR)
            press(page, "p", *keys)
            yield name
            press(page, "Escape", "Escape")
    for button in ("open-compare", "open-exercise", "open-lesson"):
        if mode == "light" or button == "open-lesson":
            page.click("#more-menu")
            page.click(f"#{button}")
            settle(page)
            yield button
    page.select_option("#examples", "xor")
    page.click("#beyond-menu")
    settle(page)
    yield "menu"


@pytest.mark.parametrize("mode", MODES)
def test_axe_finds_no_violation(visit, mode):
    page = visit(**MODES[mode])
    page.evaluate(machine.axe_script())
    found = {name: page.evaluate(EXAMINE) for name in views_of(page, mode)}
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert len(found) == (10 if mode == "light" else 4)


@pytest.mark.parametrize("size", [(1280, 720), (1024, 700), (390, 844), (360, 640)])
def test_the_screen_fits_without_scrolling(visit, size):
    page = visit(size=size)
    for keys in (("ArrowRight",), ("w",), ("c",), ("Escape", "v")):
        press(page, *keys)
        wide, high = page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        )
        assert wide <= size[0]
        assert high <= size[1]
    for part in ("#plane", "#verdict", "#transport"):
        box = page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
        assert box["y"] + box["height"] <= size[1]


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


def test_the_plane_is_told_in_words(plain):
    press(plain, "ArrowRight")
    words = plain.locator("#plane-words").inner_text()
    assert words.startswith("4 points of class +1, 4 of class −1.")
    assert "The line is (−4, −1) times x plus 1 equals 0." in words
    assert "The next example is (2, 1) with label +1." in words


def test_every_control_has_a_name(plain):
    nameless = plain.evaluate(
        """[...document.querySelectorAll("button, select, input, textarea, canvas")]
          .filter(e => !e.ariaHidden && !e.ariaLabel)
          .filter(e => !e.textContent && !e.labels?.[0]?.textContent)
          .map(e => e.outerHTML)"""
    )
    assert nameless == []
