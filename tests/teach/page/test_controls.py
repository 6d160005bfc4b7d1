"""Every control and key of the page, in a real browser."""

import re

import pytest
from browser import press, settle, state
from first_example import EIGHT, LABELS, RUN

from rosenblatt import textbook

STEPS = "#step .lines p"


def test_the_first_example_is_the_promised_one_and_its_looks_are_those_of_the_textbook(plain):
    first = state(plain)
    assert (first["t"], first["w"], first["b"], first["score"]) == (0, [0, 0], 0, 0)
    assert (first["predicted"], first["mistake"], first["position"]) == (-1, True, 0)
    assert 5 <= RUN.mistakes <= 7
    assert first["bound"] < 40
    assert first["looks"] == len(RUN)
    lines = plain.locator(STEPS).all_inner_texts()
    assert lines[1] == "w = (0, 0), b = 0: score 0 → predicts −1."
    assert lines[2].split() == ["Mistake?", "M", "yes", "R", "no"]
    assert "sgn(0) = −1" in plain.locator("#notes").inner_text()
    for t, step in enumerate(RUN):
        now = state(plain)
        w, b = RUN.line(RUN.used[t])
        assert (now["t"], now["position"], now["score"]) == (t, step.row, step.score)
        assert (now["w"], now["b"], now["mistakes"]) == (w.tolist(), b, RUN.used[t])
        assert (now["predicted"], now["mistake"]) == (step.prediction, step.mistake)
        assert (now["epoch"], now["broken"]) == (t // 8 + 1, RUN.broken(t).tolist())
        press(plain, "ArrowRight")
    end = state(plain)
    assert (end["t"], end["position"], end["w"]) == (len(RUN), None, RUN.w.tolist())
    assert plain.locator("#verdict").inner_text() == (
        "Converged: 6 mistakes in 2 epochs; at most 34 were possible."
    )


def test_the_keys_the_buttons_and_the_scrubber_walk(plain):
    looks = len(RUN)
    walks = [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", looks),
        ("ArrowRight", looks),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowDown", 1),
        ("ArrowDown", 3),
        ("ArrowUp", 1),
    ]
    for key, t in walks:
        press(plain, key)
        assert state(plain)["t"] == t, key
    for control, t in (("forward", 6), ("back", 4), ("first", 0), ("last", len(RUN))):
        plain.evaluate("lesson.goto(5)")
        plain.click(f"#go-{control}")
        assert state(plain)["t"] == t
    plain.locator("#scrubber").fill("9")
    settle(plain)
    assert state(plain)["t"] == 9
    text = plain.locator("#scrubber").get_attribute("aria-valuetext")
    assert text == f"look 10 of {len(RUN)}, {RUN.used[9]} mistakes so far"


def test_space_and_the_button_play_and_pause(plain):
    plain.select_option("#speed", "12")
    press(plain, " ")
    plain.wait_for_function("lesson.state().t >= 3")
    assert plain.locator("#go-play").get_attribute("aria-label") == "Pause (Space)"
    plain.click("#go-play")
    stopped = state(plain)["t"]
    plain.wait_for_timeout(120)  # more than a look takes when playing fast
    assert state(plain)["t"] == stopped < len(RUN)
    press(plain, "End", " ")
    plain.wait_for_function(f"lesson.state().t === {len(RUN)}")
    plain.wait_for_function("document.querySelector('#go-play .icon-play')")


TICKS = """() => {
  const ticks = document.querySelector("#ticks");
  const {width, height} = ticks;
  const copy = Object.assign(document.createElement("canvas"), {width, height});
  const pen = copy.getContext("2d");
  pen.drawImage(ticks, 0, 0);
  const {data} = pen.getImageData(0, 6, width, 1);
  return Array.from({length: width}, (_, x) => x)
    .filter(x => data[4 * x] > data[4 * x + 1] + 100 && data[4 * x + 3] > 200)
    .map(x => x / width);
}"""


def test_an_open_question_hides_the_answers_ahead(plain):
    assert plain.evaluate(TICKS) == []
    press(plain, "m", "m")
    assert 0 < max(plain.evaluate(TICKS)) < 2 / len(RUN)
    press(plain, "t")
    outcome = plain.locator("#panel-table tbody tr >> nth=2").locator("td")
    assert outcome.all_inner_texts()[3:] == ["?"] * 4
    press(plain, "ArrowRight")
    assert outcome.all_inner_texts()[5] in "✗✓"
    assert max(plain.evaluate(TICKS)) > 0.5


def test_an_answer_is_judged_and_shown(plain):
    press(plain, "m")
    plain.wait_for_selector("text=Yes: the last look was a mistake.")
    press(plain, "Home")
    assert plain.locator(".answer").count() == 0
    press(plain, "r")
    plain.wait_for_selector("text=No: the last look was a mistake.")
    assert plain.locator(".answer").count() == 2
    plain.click(".answer >> nth=1")
    assert state(plain)["t"] == 2
    press(plain, "ArrowRight")
    assert plain.locator(".answer").count() == 0


def test_the_arithmetic_of_a_look_and_the_convention_of_a_score_of_zero(plain):
    plain.evaluate("lesson.goto(3)")
    settle(plain)
    assert plain.locator(STEPS).all_inner_texts() == [
        "x = (5, 2), y = +1",
        "w·x + b = (−2)·5 + 0·2 + 2 = −8",
        "−8 < 0 → predicts −1: mistake ✗",
        "w ← (−2, 0) + (5, 2) = (3, 2), b ← 2 + 1 = 3",
    ]
    for tie, words in (
        (-1, "sgn(0) = −1 → predicts −1: mistake ✗"),
        (0, "a score of 0 is a mistake: mistake ✗"),
        (1, "sgn(0) = +1 → predicts +1: right ✓"),
    ):
        example = {"points": [[1, 2]], "labels": [1], "conventions": {"tie": tie}}
        plain.evaluate("lesson.load", example)
        settle(plain)
        assert plain.locator(STEPS).all_inner_texts()[2] == words


def test_the_tabs_have_keys_and_arrow_keys_move_among_them(plain):
    for key, name in (("w", "weights"), ("t", "table"), ("p", "proof")):
        press(plain, key)
        plain.wait_for_selector(f"#panel-{name}:visible")
        assert plain.locator(f"#tab-{name}").get_attribute("aria-selected") == "true"
        assert plain.locator(".panel:visible").count() == 1
    plain.click("#tab-proof")
    press(plain, "ArrowRight")
    assert plain.evaluate("document.activeElement.id") == "tab-weights"
    press(plain, "ArrowLeft", "ArrowLeft")
    assert plain.evaluate("document.activeElement.id") == "tab-exercise"
    press(plain, "ArrowLeft")
    assert plain.evaluate("document.activeElement.id") == "tab-table"
    assert state(plain)["t"] == 0


def test_the_table_names_the_looks(plain):
    plain.evaluate("lesson.goto(4)")
    plain.click("#tab-table")
    settle(plain)
    assert plain.locator("#panel-table tbody tr").count() == len(RUN)
    row = plain.locator("tr.current td").all_inner_texts()
    assert row == ["5", "(−5, 1)", "+1", "−10", "−1", "✗", "(−2, 3, 4)"]
    plain.locator("#panel-table tbody tr").nth(2).click()
    assert state(plain)["t"] == 2


def test_data_without_a_separator_is_proved_and_shown(plain):
    plain.select_option("#examples", "segment")
    settle(plain)
    verdict = plain.locator("#verdict").inner_text()
    assert "Not separable: 1·(2, 3) + 1·(3, 2) = 2·(2.5, 2.5)." in verdict
    assert re.search(r"From look \d+, w repeats every 12 looks: proved\.", verdict)
    now = state(plain)
    assert (now["separable"], now["bound"], now["cycle"]["period"]) == (False, None, 12)
    plain.click("#verdict button:visible")
    settle(plain)
    assert plain.locator("#verdict button:visible").inner_text() == "Hide"
    assert plain.locator(".claim").first.inner_text().startswith("Claim 1 needs a separator")


def test_a_source_sets_its_conventions(plain):
    press(plain, "c")
    for source, note in (
        ("lecture25", "through the origin"),
        ("online", "sgn(0) = +1"),
        ("kernels", "with offset b"),
        ("ece146", "the first wrong row"),
        ("notebook", "score 0: a mistake"),
        ("sklearn", "scikit-learn, without shuffling"),
    ):
        plain.click(f"#source-{source}")
        settle(plain)
        assert plain.locator(f"#source-{source}").get_attribute("aria-pressed") == "true"
        assert note in plain.locator("#notes").inner_text()
    press(plain, "Escape")
    plain.wait_for_selector("#drawer", state="hidden")


def test_every_convention_can_be_chosen(plain):
    plain.click("#open-conventions")
    plain.select_option("#set-tie", "1")
    plain.select_option("#set-offset", "none")
    plain.fill("#set-eta", "0.5")
    plain.fill("#set-start", "1, −2")
    plain.keyboard.press("Tab")
    now = plain.evaluate("lesson.goto(0)")
    assert (now["w"], now["b"]) == ([1, -2], 0)
    run = textbook.origin_perceptron(EIGHT, LABELS, 0.5, tie=1, start=[1.0, -2.0])
    plain.select_option("#set-stop", "pass")
    end = plain.evaluate("lesson.goto(99)")
    assert (end["w"], end["mistakes"]) == (run.w.tolist(), run.mistakes)
    plain.select_option("#set-offset", "last")
    plain.select_option("#set-stop", "right")
    plain.select_option("#set-order", "shuffled")
    plain.fill("#set-seed", "3")
    press(plain, "Tab")
    assert "shuffled" in plain.locator("#notes").inner_text()
    plain.select_option("#set-pick", "worst")
    settle(plain)
    assert "the worst row" in plain.locator("#notes").inner_text()
    plain.fill("#set-eta", "-1")
    press(plain, "Tab")
    assert "η is above 0" in plain.locator("#messages").inner_text()
    assert plain.locator("#drawer .note").inner_text() == (
        "Numbers are 0, or from 1e−20 to 1e9 in size."
    )
    plain.fill("#set-eta", "1e300")
    press(plain, "Tab")
    assert plain.locator("#messages").inner_text() == (
        "1e+300 is beyond the limits: numbers are 0, or from 1e−20 to 1e9 in size."
    )
    assert "η = 0.5" in plain.locator("#notes").inner_text()


def test_the_keys_belong_to_the_page_after_a_choice_with_the_mouse(plain):
    plain.locator("#examples").dispatch_event("pointerdown")
    plain.select_option("#examples", "wide")
    assert plain.evaluate("document.activeElement.id") == "plane"
    press(plain, "ArrowRight")
    assert state(plain)["t"] == 1
    plain.focus("#examples")
    plain.locator("#bar").dispatch_event("pointerdown")
    plain.select_option("#examples", "thin")
    assert plain.evaluate("document.activeElement.id") == "examples"


def test_help_names_the_keys(plain):
    press(plain, "?")
    assert plain.locator("dialog kbd").count() > 20
    press(plain, "Escape")
    plain.wait_for_selector("dialog", state="detached")
    plain.click("#help")
    plain.click("dialog .close")
    plain.wait_for_selector("dialog", state="detached")


def test_the_projector_makes_the_arithmetic_larger(plain):
    def size():
        return plain.evaluate("getComputedStyle(document.querySelector('.lines')).fontSize")

    assert size() == "20px"
    press(plain, "f")
    plain.wait_for_selector("html.projector")
    assert size() == "30px"
    plain.click("#projector")
    plain.wait_for_selector("html:not(.projector)")


def test_the_documented_object_loads_points_and_refuses_nonsense(plain):
    case = {"points": [[1, 2], [2, 1]], "labels": [1, -1], "order": [1, 0]}
    now = plain.evaluate("lesson.load", case | {"conventions": {"tie": 1}})
    assert (now["t"], now["position"], now["looks"], now["bound"]) == (0, 1, 2, 12)
    for wrong in (
        {"points": [[1, 2]], "labels": [1, 1]},
        {"points": [["a", 2]], "labels": [1]},
        {"points": [[1, 2]], "labels": [2]},
        {"points": [[1, 2]], "labels": 1},
        {"points": "1 2", "labels": [1]},
        {"points": [1, 2], "labels": [1, -1]},
        case | {"order": [0, 0]},
        case | {"order": "random"},
        case | {"conventions": {"tie": 3}},
        case | {"conventions": {"eta": 1e300}},
        {"points": [[1e308, 2]], "labels": [1]},
        {"points": [[1, 1e-300]], "labels": [1]},
    ):
        with pytest.raises(Exception, match=r"must be"):
            plain.evaluate("lesson.load", wrong)
    assert state(plain) == now


DRAWN = """() => [
  [...document.querySelectorAll("#panel-table tbody tr")].map(row => row.innerText),
  Number(document.querySelector("#scrubber").value),
]"""  # of one frame: the state moves on while the page is asked


def test_the_beginning_plays_two_steps_and_stops(visit):
    page = visit("#", still=False, clock=True)
    page.click("#tab-table")
    for _ in range(16):
        page.clock.fast_forward(300)
        rows, t = page.evaluate(DRAWN)
        assert [row.endswith("?") for row in rows].index(True) == t
        assert t <= state(page)["t"]
        assert "turns wrong" not in page.locator("#notes").inner_text()
    assert state(page)["t"] == 2
    page.clock.run_for(9000)
    assert state(page)["t"] == 2
    assert page.locator(".answer").count() == 2
    assert page.locator("#step .hint").inner_text() == "→ next · drag any point"


def test_a_touch_ends_the_beginning(visit):
    page = visit("#", still=False, clock=True)
    page.keyboard.press("Home")
    page.clock.run_for(9000)
    assert state(page)["t"] == 0


def test_less_motion_is_honoured(visit):
    page = visit("#", clock=True)
    page.clock.run_for(9000)
    assert state(page)["t"] == 0


PAPER = """() => [...document.querySelectorAll("button, select, .hint, #scrubber")]
    .filter(e => e.offsetParent).map(e => e.id || e.textContent)"""


def test_paper_has_the_plane_in_light_colours_and_nothing_to_press(visit):
    page = visit(color_scheme="dark")
    press(page, "End")
    dark = page.locator("#plane").bounding_box()
    page.emulate_media(media="print", color_scheme="light")
    settle(page)
    try:
        box = page.locator("#plane").bounding_box()
        assert box["width"] > 440
        assert page.evaluate("document.querySelector('#plane').width") == pytest.approx(
            box["width"], abs=2
        )
        corner = (
            "document.querySelector('#plane').getContext('2d').getImageData(2, 2, 1, 1).data[0]"
        )
        assert page.evaluate(corner) > 200
        assert page.evaluate(PAPER) == []
        assert page.locator(".chart").bounding_box()["height"] > 200
    finally:  # else the window stays paper for all tests after this
        page.emulate_media(media="screen", color_scheme="dark")
    settle(page)
    assert page.locator("#plane").bounding_box() == dark
