"""A state is kept in the address; lessons are built, locked and shared; pictures are saved."""

import json
import re
import struct
from base64 import b64encode
from pathlib import Path
from urllib.parse import urlencode

import browser as machine
import pytest
from browser import address_of, press, settle, state
from profiles import share

from rosenblatt import textbook
from rosenblatt.teach import html, lesson_of_trace

XOR = {"points": [[3, 3], [-3, 3], [-3, -3], [3, -3]], "labels": [1, -1, 1, -1]}


def look_of(page):
    """What the reader sees of the state, apart from the numbers of `lesson.state()`."""
    settle(page)
    return [
        page.locator(name).all_inner_texts() for name in ("#notes p", "#tabs button", "#verdict")
    ]


def test_a_page_that_is_loaded_again_in_a_run_still_asks_for_the_look_ahead(visit):
    page = visit()
    for key, asked in (("m", 2), ("ArrowRight", 0)):  # who walks on is told
        press(page, "t", key)
        page.wait_for_timeout(400)  # the address keeps the state a moment after its last change
        page.reload()
        settle(page)
        assert page.locator("#step .answer").count() == asked
        told = page.locator("#panel-table tbody tr").all_inner_texts()
        covered = [row.endswith("?") for row in told]
        assert covered == [False] + [asked > 0] * (len(told) - 1)


def test_an_address_restores_the_state(visit):
    page = visit()
    conventions = {"tie": 1, "offset": "first", "eta": 0.5, "start": [1, -2, 0.5]}
    page.evaluate(
        "lesson.load",
        {
            "points": [[0.5, 2], [-7, 1], [3, -3]],
            "labels": [1, -1, 1],
            "conventions": conventions,
            "order": [2, 0, 1],
        },
    )
    page.evaluate("lesson.goto(2)")
    press(page, "t", "v")
    before, seen, address = state(page), look_of(page), address_of(page)
    assert "https" not in address
    again = visit(address)
    assert state(again) == before
    assert look_of(again) == seen


POINTS = [[1, 2, 1], [2, 1, -1]]
RECORDED = {
    "rows": [0, 1],
    "scores": [0, 5],
    "predictions": [-1, 1],
    "wrong": [True, True],
    "weights": [[0, 0, 0], [1, 2, 1], [-1, 1, 0]],
    "used": [0, 1],
    "epochStarts": [0],
    "status": "open",
}

DAMAGED = [
    {"state": 5},
    {"state": {"points": 5}},
    {"state": {"points": [["a", "b", 1]]}},
    {"state": {"points": [[1, 2]]}},
    {"state": {"hidden": "proof"}},
    {"state": {"locked": None}},
    {"state": {"t": "x"}},
    {"state": {"note": 5}},
    {"state": {"axes": ["x"]}},
    {"state": {"classes": ["no", 1]}},
    {"state": {"points": [[1, 2, 5], [2, 1, -1]]}},
    {"state": {"recorded": {}}},
    {"state": {"points": POINTS, "recorded": {**RECORDED, "rows": [0, 7]}}},
    {"state": {"points": POINTS, "recorded": {**RECORDED, "used": [0, 0]}}},
    {"state": {"points": POINTS, "recorded": {**RECORDED, "scores": [0]}}},
    {"state": {"points": POINTS, "recorded": {**RECORDED, "weights": [[0, 0, 0]]}}},
    {"state": {"points": POINTS, "recorded": {**RECORDED, "weights": [[0, 0], [1, 2], [0, 0]]}}},
    {"state": {"points": POINTS, "recorded": {**RECORDED, "status": "x"}}},
    {"state": {"points": POINTS, "recorded": {**RECORDED, "labels": []}}},
    {"state": {"order": [5, 5]}},
    {"state": {"conventions": {"eta": -1}}},
    {"state": {"conventions": {"start": "abc"}}},
    {"lesson": 7},
    {"lesson": {}},
    {"lesson": {"states": [5, None]}},
    {"lesson": {"states": [{"note": 7}]}},
    {"lesson": {"states": [], "title": {}}},
]


def coded(value):
    """A value as an address holds it."""
    return b64encode(json.dumps(value).encode()).decode()


def damaged_address(parts):
    return f"#still=1&{urlencode({key: coded(value) for key, value in parts.items()})}"


READ = """async ([origin, address]) => {
  const {state, lesson, fault} = (await import(`${origin}/state/address.js`)).readAddress(address);
  return [state ?? null, lesson ?? null, fault instanceof Error];
}"""


@pytest.mark.parametrize("parts", DAMAGED, ids=json.dumps)
def test_an_address_that_cannot_be_shown_is_a_fault(modules, parts):
    found = modules.evaluate(READ, [machine.ORIGIN, damaged_address(parts)])
    assert found == [None, None, True]


def test_an_address_of_a_recorded_run_is_read(modules):
    packed = {"points": POINTS, "recorded": RECORDED}
    found = modules.evaluate(READ, [machine.ORIGIN, damaged_address({"state": packed})])
    assert found == [packed, None, False]


BROKEN = {
    "no code": "#still=1&state=%7Bbroken&lesson=!!",
    "state": damaged_address(DAMAGED[0]),
    "lesson": damaged_address(DAMAGED[-1]),
}


@pytest.mark.parametrize("part", share(BROKEN, 3, 0))
def test_a_fault_of_an_address_is_told_and_left_out(visit, part):
    page = visit(BROKEN[part])
    settle(page)
    assert state(page)["looks"] == 16
    assert page.locator("#verdict").inner_text().startswith("0 mistakes so far")
    assert page.locator("#messages").inner_text() == (
        "The link is damaged: not all of it could be read."
    )


BEYOND = "1e+308 is beyond the limits: numbers are 0, or from 1e−20 to 1e9 in size."


@pytest.mark.parametrize(
    "packed",
    share([{"points": [[1e308, 2, 1]]}, {"conventions": {"eta": 1e308}}], 2, 1),
    ids=json.dumps,
)
def test_a_number_beyond_the_limits_is_named(visit, packed):
    page = visit(f"#{urlencode({'lesson': coded({'states': [packed]})})}")
    settle(page)
    assert state(page)["looks"] == 16
    assert page.locator("#messages").inner_text() == BEYOND


ODD = {
    "points": [[1, 2, 1], [2, 1, -1]],
    "tab": "prof",
    "beyond": "svm",
    "degree": 9,
    "hidden": ["verdict", "all"],
    "locked": ["all", "editing"],
    "note": "A note.",
}
TOLD = (
    "No tab is called “prof”: the first one is shown. "
    "No view is called “svm”: the perceptron is shown. "
    "The kernel has no degree 9: it has 2. "
    "Nothing that is called “all” can be hidden. "
    "Nothing that is called “all” can be locked."
)


def assert_odd_lesson(page):
    """The names that the page does not have are told; the rest of the state is shown."""
    settle(page)
    assert page.locator("#messages").inner_text() == TOLD
    assert page.locator("#prose").inner_text() == "A note."
    assert page.locator("#tab-proof").is_hidden()
    assert page.locator("#tab-weights").get_attribute("aria-selected") == "true"
    assert page.locator("#tool-move").is_disabled()
    assert page.locator("#verdict > span").first.is_hidden()
    assert state(page)["bound"] == 12
    page.evaluate("document.documentElement.dataset.hidden = ''")
    page.click("#beyond-menu")
    assert page.locator("#view-none").get_attribute("aria-checked") == "true"


def test_unknown_names_in_a_link_are_told_and_the_rest_is_kept(visit):
    assert_odd_lesson(visit(f"#{urlencode({'state': coded(ODD)})}"))


def test_unknown_names_in_a_file_are_told_and_the_rest_is_kept(visit, tmp_path):
    path = tmp_path / "odd.html"
    path.write_text(html({"title": "Odd", "states": [ODD]}), encoding="utf-8")
    page = visit("", url=path.as_uri())
    assert_odd_lesson(page)
    assert page.title() == "Odd"


@pytest.mark.parametrize(
    ("lesson", "words"),
    [
        ({"states": 5}, "The lesson of this file is damaged: it could not be read."),
        ({"states": [{"points": [[1e308, 2, 1]]}]}, BEYOND),
    ],
    ids=["damaged", "beyond"],
)
def test_a_file_that_cannot_be_shown_is_named(visit, tmp_path, lesson, words):
    path = tmp_path / "bad.html"
    path.write_text(html(lesson), encoding="utf-8")
    page = visit("#still=1", url=path.as_uri())
    settle(page)
    assert page.locator("#messages").inner_text() == words
    assert state(page)["looks"] == 16


def test_a_link_of_too_many_points_is_refused(visit):
    many = {"points": [[k % 100, k // 100, 1] for k in range(10_000)]}
    words = "10,000 points are too many: the page shows at most 500."
    page = visit(f"#{urlencode({'state': coded(many)})}")
    settle(page)
    assert page.locator("#messages").inner_text() == words
    assert state(page)["looks"] == 16
    points = [point[:2] for point in many["points"]]
    page.click("#as-text")
    page.fill("dialog textarea", "\n".join("1 2 1" for _ in range(501)))
    page.click("dialog .main")
    assert page.locator("dialog .bad").inner_text() == words.replace("10,000", "501")
    page.keyboard.press("Escape")
    with pytest.raises(Exception, match="at most 500 points can be shown, got 501"):
        page.evaluate("lesson.load", {"points": points[:501], "labels": [1] * 501})
    assert page.evaluate("lesson.load", {"points": points[:500], "labels": [1] * 500})["looks"]
    page.focus("#plane")
    press(page, "Enter")
    assert page.locator("#messages").inner_text() == words.replace("10,000", "501")


def test_a_ready_lesson_that_does_not_exist_is_told(visit):
    page = visit("#still=1&ready=constructor")
    settle(page)
    assert state(page)["looks"] == 16
    assert page.locator("#messages").inner_text() == "No ready lesson is called “constructor”."


def test_a_lesson_in_an_address_opens_within_its_states(visit):
    lesson = {"title": "<b>x", "states": [{"points": [[1, 2, 1]]}], "at": 9}
    page = visit(f"#{urlencode({'lesson': coded(lesson)})}")
    settle(page)
    assert state(page)["looks"] == 1
    assert page.title() == "<b>x"


def test_a_link_is_shown_to_copy(visit):
    page = visit()
    page.evaluate("lesson.load", XOR)
    page.click("#share")
    link = page.locator("dialog input").input_value()
    assert "on this computer only" in page.locator("#local-link").inner_text()
    with page.expect_download() as saved:
        page.click("#save-page")
    assert saved.value.suggested_filename == "lesson.html"
    page.click("dialog .main")
    page.wait_for_selector("#messages p")
    page.keyboard.press("Escape")
    again = visit(f"#{link.split('#', 1)[1]}")
    assert state(again)["certificate"]["multipliers"] == [1, 1, 1, 1]


LOCAL = """async ([origin, addresses]) => {
  const {isLocal} = await import(`${origin}/state/address.js`);
  return addresses.map(address => isLocal(new URL(address)));
}"""


def test_only_an_address_of_the_web_opens_elsewhere(modules):
    here = ["file:///a.html", "http://127.0.0.1:8000/", "http://[::1]/", "http://localhost/a"]
    here.append("about:srcdoc")
    web = ["https://example.org/lecture.html", "http://10.0.0.1/"]
    found = modules.evaluate(LOCAL, [machine.ORIGIN, here + web])
    assert found == [True] * len(here) + [False] * len(web)


def test_a_lesson_breaks_a_point_and_what_a_reader_changed_is_in_its_link_and_file(visit, tmp_path):
    page = visit("#ready=lecture25")
    press(page, *["PageDown"] * 5)
    assert state(page)["broken"] == [1]
    assert "turns wrong" in page.locator("#notes").inner_text()
    for opener in ("#more-menu", "#open-exercise", "#these-exercise", "#share"):
        page.click(opener)
    link = page.locator("dialog input").input_value()
    with page.expect_download() as saved:
        page.click("#save-page")
    saved.value.save_as(tmp_path / "exercise.html")
    written = "Look 1 of 68"
    assert written in page.locator("#panel-exercise").inner_text()
    for again in (
        visit(f"#{link.split('#', 1)[1]}"),
        visit("", url=(tmp_path / "exercise.html").as_uri()),
    ):
        settle(again)
        assert again.locator("#panel-exercise #check").is_visible()
        assert written in again.locator("#panel-exercise").inner_text()
        assert again.locator("#dots button").count() == 14, "the other states are there"


EDGES = """[...document.querySelectorAll("#bar button")]
  .map(button => button.getBoundingClientRect().right)"""


def test_the_menus_of_a_lesson_stand_in_a_window_of_960(visit):
    page = visit("#ready=lecture25", size=(960, 540))
    for key in ("Home", "f"):  # without and with the projector
        press(page, key)
        edges = page.evaluate(EDGES)
        assert max(edges) <= 960


def test_the_ready_lesson_of_ece146_is_the_worked_example(visit):
    page = visit("#ready=ece146")
    run = textbook.augmented_perceptron([[1, 2], [2, 1]], [1, -1])
    for t in range(3):
        now = page.evaluate(f"lesson.goto({t})")
        assert ([now["b"], *now["w"]]) == run.weights[t].tolist()


def test_a_recorded_run_is_shown_as_it_was(visit, tmp_path):
    run = textbook.sample_correction(
        [[1.0, 2.0], [2.0, 1.0], [0.5, -3.0]], [1, 0, 1], start=[0.25, 0.5, 0.125], max_epochs=4
    )
    path = tmp_path / "run.html"
    path.write_text(html(lesson_of_trace(run)))
    page = visit("", url=path.as_uri())
    for t, step in enumerate(run):
        now = page.evaluate(f"lesson.goto({t})")
        w, b = run.line(run.used[t])
        assert (now["w"], now["b"], now["score"]) == (w.tolist(), b, step.score)
        assert (now["mistake"], now["looks"]) == (step.mistake, len(run))
    address = address_of(page)
    assert state(visit(address))["looks"] == len(run)


def test_a_recorded_sign_that_rounding_decided_is_called_so(visit, tmp_path):
    """In floats a sum is 4e-17 where the decimals have 0; the page's own run has the decimals."""
    points, labels = [[0.4, 0.4], [0.7, 0.1]], [1, -1]
    path = tmp_path / "run.html"
    path.write_text(html(lesson_of_trace(textbook.perceptron(points, labels))))
    page = visit("", url=path.as_uri())
    press(page, "End")
    words = page.locator("#verdict").inner_text()
    assert words.startswith("Converged: 2 mistakes")
    assert words.endswith("Rounding decided a sign: the run of these decimals is another.")
    page.evaluate("lesson.load", {"points": points, "labels": labels})
    press(page, "End")
    words = page.locator("#verdict").inner_text()
    assert words == "Converged: 17 mistakes in 9 epochs; at most 34 were possible."
    tenths = [[0.3, -0.1], [0.3, -0.2], [-0.2, 0.3]] * 4
    run = textbook.online_perceptron(tenths, [1, -1, -1] * 4, tie=-1)
    path.write_text(html(lesson_of_trace(run)))
    page = visit("", url=path.as_uri())
    page.evaluate("lesson.goto(11)")
    settle(page)
    score = page.locator("#step .lines p").nth(1).inner_text()
    assert score.endswith(" in floating point: rounding decided the sign, not these decimals")


def test_a_cycle_of_decimals_is_proved(plain):
    points = [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]]
    plain.evaluate("lesson.load", {"points": points, "labels": [1, -1, 1]})
    settle(plain)
    cycle = state(plain)["cycle"]
    words = f"w repeats every {cycle['period']} looks: proved."
    assert plain.locator("#verdict").inner_text().endswith(words)


def test_embedded_only_the_lesson_is_left(visit):
    page = visit("#ready=lecture25&embed=1", size=(900, 520))
    settle(page)
    assert page.locator("#examples").is_hidden()
    assert page.locator("#tools").is_hidden()
    assert page.locator("#transport").is_visible()
    assert page.locator("#dots").is_visible()
    press(page, *["PageDown"] * 4)
    assert state(page)["t"] == 6
    assert "embed=1" in address_of(page)


def test_a_frame_without_a_lesson_has_no_bar(visit):
    assert visit("#embed=1&still=1").locator("#bar").is_hidden()


def test_pictures_of_the_plane_are_saved(visit):
    page = visit()
    press(page, "ArrowRight", "ArrowRight")
    files = {}
    for name in ("save-svg", "save-png"):
        page.click("#more-menu")
        with page.expect_download() as saved:
            page.click(f"#{name}")
        files[name] = Path(saved.value.path()).read_bytes()
    drawing = files["save-svg"].decode()
    assert drawing.startswith("<svg xmlns=")
    assert len(re.findall("<path", drawing)) > 40
    assert "NaN" not in drawing
    assert files["save-png"][:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", files["save-png"][16:24]) == (1600, 1600)


def test_a_page_in_a_frame_without_an_address_works(visit, tmp_path):
    frame = tmp_path / "frame.html"
    text = json.dumps(html()).replace("<", "\\u003c")
    frame.write_text(f"<iframe id=f></iframe><script>f.srcdoc = {text};</script>")
    page = visit("", url=frame.as_uri())
    inner = page.frames[1]
    inner.wait_for_function("window.lesson")
    assert inner.evaluate("lesson.goto(2)")["mistakes"] == 2
