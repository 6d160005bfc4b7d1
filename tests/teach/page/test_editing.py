"""Points are added, moved, removed, pasted and dropped; the run follows at once."""

import numpy as np
import pytest
from browser import PASTE, paste, place, settle, settled_box, state
from profiles import share

from rosenblatt import textbook

WRITTEN = """() => new Promise(done => {
  document.querySelector("#as-text").click();
  const dialog = document.querySelector("dialog");
  const text = dialog.querySelector("textarea").value;
  dialog.addEventListener("close", () => done(text));
  dialog.close();
})"""


def points_of(page):
    """The points as the page writes them."""
    text = page.evaluate(WRITTEN)
    lines = [line.split() for line in text.splitlines() if "label" not in line]
    signs = {"no": -1, "yes": 1}
    return [(float(x), float(y), signs.get(label) or int(label)) for x, y, label in lines]


def click(page, x, y, *keys):
    for key in keys:
        page.keyboard.down(key)
    page.mouse.click(*place(page, x, y))
    for key in keys:
        page.keyboard.up(key)


def drag(page, start, *path):
    page.mouse.move(*place(page, *start))
    page.mouse.down()
    for point in path:
        page.mouse.move(*place(page, *point))
    page.mouse.up()


def test_a_click_adds_the_active_class_on_the_grid_and_none_where_points_are_moved(plain):
    click(plain, 6.3, 6.4)
    click(plain, -6.8, 6.1, "Shift")
    plain.keyboard.press("1")
    click(plain, -1.2, 6.9)
    assert points_of(plain)[8:] == [(6, 6, 1), (-7, 6, -1), (-1, 7, -1)]
    plain.click("#tool-positive")
    click(plain, 0, -7)
    assert points_of(plain)[11:] == [(0, -7, 1)]
    plain.click("#tool-move")
    click(plain, 7, 7)
    assert len(points_of(plain)) == 12


def test_a_dragged_point_takes_the_whole_run_with_it(plain):
    plain.evaluate("lesson.goto(5)")
    before = state(plain)
    plain.mouse.move(*place(plain, 5, 2))
    plain.mouse.down()
    bounds = []
    for y in range(3, 8):
        plain.mouse.move(*place(plain, 5, y))
        now = state(plain)
        bounds.append(now["bound"])
        assert now["t"] == 5
    plain.mouse.up()
    assert len({*bounds, before["bound"]}) > 2
    points = points_of(plain)
    assert points[3] == (5, 7, 1)
    run = textbook.perceptron([p[:2] for p in points], [p[2] for p in points])
    assert plain.evaluate("lesson.goto(999)")["w"] == run.w.tolist()


def test_points_are_edited_with_keys_alone(plain):
    told = plain.locator("#plane-point")
    for keys in ("Enter", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowDown"):
        plain.keyboard.press(keys)
    assert points_of(plain)[8:] == [(2, -1, 1)]
    plain.focus("#plane")
    for keys in ("1", "Enter"):
        plain.keyboard.press(keys)
    assert points_of(plain)[8:] == [(2, -1, 1), (0, 0, -1)]
    assert told.text_content() == "Point 10: (0, 0), label −1."
    assert state(plain)["t"] == 0, "an arrow with Shift steps no look"
    plain.focus("#plane")
    plain.keyboard.press("n")
    assert told.text_content() == "Point 1: (−4, −1), label +1."
    plain.keyboard.press("Shift+n")
    plain.keyboard.press("Shift+N")
    assert told.text_content() == "Point 9: (2, −1), label +1."
    plain.keyboard.press("Delete")
    plain.keyboard.press("Control+z")
    plain.keyboard.press("Control+z")
    assert points_of(plain)[8:] == [(2, -1, 1)]


def test_undo_redo_and_delete(plain):
    plain.keyboard.press("End")
    drag(plain, (5, 2), (5, 4), (6, 6))
    assert points_of(plain)[3] == (6, 6, 1)
    plain.keyboard.press("Control+z")
    assert points_of(plain)[3] == (5, 2, 1)
    plain.keyboard.press("Control+y")
    assert points_of(plain)[3] == (6, 6, 1)
    plain.mouse.click(*place(plain, 6, 6))
    plain.keyboard.press("Delete")
    assert len(points_of(plain)) == 7
    plain.click("#undo")
    assert len(points_of(plain)) == 8
    plain.mouse.click(*place(plain, 6, 6))
    plain.click("#remove")
    plain.click("#clear")
    assert state(plain)["looks"] == 0
    plain.click("#undo")
    plain.click("#undo")
    plain.click("#undo")
    plain.click("#redo")
    assert points_of(plain)[3] == (6, 6, 1)


def test_no_point_and_one_class_are_answers(plain):
    plain.click("#clear")
    settle(plain)
    assert plain.locator("#verdict").inner_text() == "Click to add a point"
    for key in ("ArrowRight", "End", "w", "t", "v", "p", " ", "m"):
        plain.keyboard.press(key)
    for view in ("lift", "margin", "kernel", "pocket"):
        plain.click("#beyond-menu")
        plain.click(f"#view-{view}")
        settle(plain)
    click(plain, 2, 2)
    assert state(plain)["separable"]
    assert plain.evaluate("lesson.goto(99)")["mistakes"] == 1


DROP = """text => {
  const data = new DataTransfer();
  data.items.add(new File([text], "points.csv", {type: "text/csv"}));
  document.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
}"""


def test_text_that_is_pasted_or_dropped_becomes_points(plain):
    for way, x in ((PASTE, 1), (DROP, 4)):
        plain.evaluate(way, f"x,y,label\n{x},2,yes\n2,1.5,no\n-3,0.25,yes\n")
        plain.wait_for_function("lesson.state().looks !== 16")
        assert points_of(plain) == [(x, 2, 1), (2, 1.5, -1), (-3, 0.25, 1)]
        assert plain.locator("#messages").inner_text() == (
            "3 points. First line read as names. Class −1 is no, class +1 is yes."
        )
        plain.keyboard.press("Control+z")
        assert len(points_of(plain)) == 8


FAULTS = {
    "": "No points: write one a line, as x y label.",
    "1 2 1\n1 2": "Line 2 has 2 values, not the three of x y label.",
    "1 2 1\n1 b 1": "Line 2: “b” is not a number.",
    "1O 2 1\n1 1 1": "Line 1: “1O” is not a number.",
    "x y\n1 1 1": "Line 1 has 2 values, not the three of x y label.",
    "x y label": "No points: write one a line, as x y label.",
    "1 2 1\n1 -1e308 1": (
        "Line 2: -1e308 is beyond the limits: numbers are 0, or from 1e−20 to 1e9 in size."
    ),
    "1e-300 2 1": (
        "Line 1: 1e-300 is beyond the limits: numbers are 0, or from 1e−20 to 1e9 in size."
    ),
    "1 2 a\n1 2 b\n1 2 c": "More than two labels: a, b, c. Name two; the label comes last.",
    "yes 1 2\nno 2 1": "Line 1: “yes” is not a number: the label comes last.",
    "Ada,1,2,1": (
        "Line 1 has 4 values, not the three of x y label. To leave columns of a file out: "
        "rosenblatt teach FILE --schema name:id"
    ),
}


def test_a_label_is_a_number_or_a_word_and_commas_stand_between_semicolons_or_tabs(plain):
    paste(plain, "1 2 +1\n2 1 -1\n3 3 1\n4 1 1.0\n5 1 −1")
    assert points_of(plain) == [(1, 2, 1), (2, 1, -1), (3, 3, 1), (4, 1, 1), (5, 1, -1)]
    assert plain.locator("#messages").inner_text() == "5 points."
    paste(plain, "1 2 0\n2 1 1")
    assert plain.locator(".legend").all_inner_texts() == ["0", "1"]
    paste(plain, "x;y;label\n1,5;-2,25;1\n,5;3;-1")
    assert points_of(plain) == [(1.5, -2.25, 1), (0.5, 3, -1)]
    paste(plain, "2,5\t1,0\t1\n4,0\t3\t-1")
    assert points_of(plain) == [(2.5, 1, 1), (4, 3, -1)]


def test_bad_text_is_named_by_its_line(plain):
    plain.click("#as-text")
    for text, fault in FAULTS.items():
        plain.fill("dialog textarea", text)
        plain.click("dialog .main")
        assert plain.locator("dialog .bad").inner_text() == fault
    plain.keyboard.press("Escape")
    assert state(plain)["looks"] == 16


def test_points_of_another_size_are_shown_whole(plain):
    plain.evaluate("lesson.load", {"points": [[0.2, 0.7], [0.9, 0.1]], "labels": [1, -1]})
    box = settled_box(plain, plain.locator("#plane"))
    plain.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + box["height"] * 0.25)
    assert points_of(plain)[2] == (0.5, 0.5, 1)


def test_touch_adds_and_moves_and_the_sheet_opens(visit):
    page = visit(size=(390, 844), has_touch=True, is_mobile=True)
    page.tap("#bottom .answer >> nth=0")  # the question stands above the player
    settle(page)
    assert page.locator(".answer").count() == 2
    assert "Yes: the last look was a mistake." in page.inner_text("#step")
    page.tap("#tool-negative")
    page.touchscreen.tap(*place(page, 6, 6))
    page.wait_for_function("lesson.state().separable !== null")
    assert points_of(page)[8] == (6, 6, -1)
    page.tap("#handle")
    page.wait_for_selector("html.sheet-open")
    assert page.locator("#handle").get_attribute("aria-expanded") == "true"
    swipe(page, "#step", 200)
    page.wait_for_selector("html:not(.sheet-open)")
    swipe(page, "#step", -200)
    page.wait_for_selector("html.sheet-open")
    page.tap("#handle")
    page.tap("#more-menu")
    page.tap("#more-conventions")
    page.wait_for_selector("#drawer:visible")


def swipe(page, target, way):
    page.evaluate(
        """([target, way]) => {
          const at = document.querySelector(target);
          const touch = clientY => [new Touch({identifier: 1, target: at, clientX: 100, clientY})];
          const send = (type, touches) => at.dispatchEvent(
            new TouchEvent(type, {bubbles: true, cancelable: true, ...touches}));
          send("touchstart", {touches: touch(400)});
          send("touchend", {changedTouches: touch(400 + way)});
        }""",
        [target, way],
    )


DRAG = """async ([from, path]) => {
  const canvas = document.getElementById("plane");
  const send = (type, [clientX, clientY]) => canvas.dispatchEvent(new PointerEvent(type, {
    clientX, clientY, pointerId: 1, pointerType: "mouse", bubbles: true, button: 0}));
  canvas.setPointerCapture = () => {};
  const frame = () => new Promise(requestAnimationFrame);
  send("pointerdown", from);
  for (const point of path) {
    send("pointermove", point);
    await frame();
  }
  send("pointerup", path.at(-1));
}"""


@pytest.mark.parametrize("kind", share(["separable", "overlapping"], 2, 1))
def test_eighty_points_follow_a_drag(plain, kind):
    rng = np.random.default_rng(1)
    points = np.unique(rng.integers(-8, 9, (400, 2)), axis=0)
    rng.shuffle(points)
    height = points @ [1, 2] - 1
    points = points[np.abs(height) > 2][:80]
    labels = np.where(points @ [1, 2] > 1, 1, -1)
    if kind == "overlapping":
        labels[::9] *= -1
    plain.evaluate("lesson.load", {"points": points.tolist(), "labels": labels.tolist()})
    plain.evaluate("lesson.goto(100)")
    start = points[0].tolist()
    path = [place(plain, x / 2, 6 - x / 3) for x in range(-12, 13, 3)]
    plain.evaluate(DRAG, [place(plain, *start), path])
    dragged = plain.evaluate("lesson.state()")
    assert points_of(plain)[0][:2] == (6, 2)
    moved = {"points": [[6, 2], *points[1:].tolist()], "labels": labels.tolist()}
    plain.evaluate("lesson.load", moved)
    assert plain.evaluate("lesson.goto(100)") == dragged
