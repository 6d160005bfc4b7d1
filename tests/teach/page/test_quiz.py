"""Exercises: every look predicted, and covered until then."""

import re
from base64 import b64encode
from fractions import Fraction

import browser as machine
import pytest
from browser import drawing, place, press, settle, state
from first_example import EIGHT, LABELS, RUN
from profiles import share
from quiz import BOUND, KINDS, answer, begin, holds, line_of, right_inputs, saved


def test_every_look_is_asked_for_in_turn_and_its_answer_is_the_textbooks(plain):
    begin(plain)
    for t in range(len(RUN)):
        kind = KINDS[t % 4]
        assert plain.locator("#panel-exercise b").first.inner_text() == f"Look {t + 1} of 16"
        assert state(plain)["t"] == t
        answer(plain, kind, RUN, t)
        told = plain.locator("#result").inner_text()
        assert told.startswith("Right."), (t, kind, told)
        assert state(plain)["t"] == t + 1
        if t < len(RUN) - 1:
            plain.click("#next-question")
            settle(plain)
    assert plain.locator("#result").inner_text().endswith("The exercise is over.")
    assert "16 answers: 16 right, 16 at the first attempt." in plain.inner_text("#panel-exercise")
    assert plain.inner_text("#verdict").startswith("Converged: 6 mistakes")
    assert plain.locator("#tab-proof").is_visible()


def text_of(page):
    """All text of the document, of what is hidden, too, without its script."""
    return page.evaluate("""() => {
      const copy = document.body.cloneNode(true);
      copy.querySelectorAll("script, style").forEach(part => part.remove());
      return copy.textContent;
    }""")


TICKED = """[...document.querySelector("#ticks").getContext("2d")
  .getImageData(0, 6, 3000, 1).data].filter(value => value > 0).length"""


def test_the_scrubber_and_a_new_exercise_tell_nothing(plain):
    plain.click("#more-menu")
    plain.click("#open-exercise")
    settle(plain)
    plain.click("#new-exercise")
    settle(plain)
    now = state(plain)
    assert (now["separable"], now["t"], len(now["alpha"])) == (True, 0, 6)
    assert plain.evaluate(TICKED) == 0
    assert plain.locator("#examples").is_disabled()


def test_what_lies_ahead_is_told_nowhere_before_the_answer(plain):
    """Neither by the document, what is hidden in it, too, nor by the plane, nor by any key."""
    press(plain, "ArrowRight", "w", "t", "v", "p")
    assert str(BOUND) in text_of(plain)
    wrong = plain.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--wrong')")
    begin(plain)
    plain.click("#end-exercise")
    for turn, kind in enumerate(KINDS):
        plain.evaluate("lesson.goto(3)")
        plain.select_option("#quiz-questions", kind)
        plain.evaluate("document.querySelector('#these-exercise').click()")
        settle(plain)
        looks = share(range(4), 4, turn)
        for t in range(looks[-1] + 1):
            if t in looks:
                assert_nothing_is_told(plain, t, wrong)
            plain.click("#show-answer")
            press(plain, "ArrowRight")
        plain.click("#end-exercise")
        settle(plain)


def assert_nothing_is_told(page, t, wrong):
    assert state(page)["mistake"] == RUN[t].mistake
    text = text_of(page)
    assert str(BOUND) not in text
    assert "mistake ✗" not in text
    assert wrong not in drawing(page).split("<image")[0]
    keys = "ArrowRight", "End", "ArrowDown", "p", "w", "l", "v", "m", "r", " ", "Control+z"
    press(page, *keys)
    assert state(page)["t"] <= t, "no key goes on"
    press(page, "End")
    assert state(page)["t"] == t
    assert page.locator("#tabs button:visible").all_inner_texts() == ["Table", "Exercises"]
    page.click("#tab-table")
    settle(page)
    cells = page.locator("#panel-table tbody tr").nth(t).locator("td").all_inner_texts()
    assert cells[3:] == ["?"] * 4
    assert page.locator("#step .answer").count() == 0
    page.click("#tab-exercise")
    settle(page)


def test_a_wrong_answer_leaves_the_question_open_and_tells_no_number(plain):
    begin(plain, "weights")
    plain.click("#check")
    assert plain.locator("#result").inner_text() == (
        "Write a number without groups of digits, as 1234, −2,5 or 7/2."
    )
    right_inputs(plain, "weights", RUN, 0)
    plain.fill("#box-w2", "7")
    plain.click("#check")
    settle(plain)
    assert state(plain)["t"] == 0
    assert (
        plain.locator("#result").inner_text().startswith("Not so. After a mistake w′ = w + η y x")
    )
    marks = {
        name: plain.locator(f"#box-{name}").get_attribute("aria-invalid")
        for name in ("score", "verdict", "w1", "w2", "b")
    }
    assert marks == dict.fromkeys(marks, "false") | {"w2": "true"}
    assert plain.evaluate("document.activeElement.id") == "box-w2"
    plain.fill("#box-w2", "-1")
    plain.click("#check")
    settle(plain)
    assert plain.locator("#result").inner_text() == (
        "Right. The score is 0, the label +1: a mistake, "
        "so w′ = (0, 0) + (−4, −1) = (−4, −1), b′ = 1."
    )
    (kept,) = saved(plain, "json")["answers"]
    assert (kept["attempts"], kept["right"], kept["look"]) == (2, True, 1)


TWO = """async ({origin, texts}) => {
  const {readFraction, twoNumbers} = await import(`${origin}/state/numbers.js`);
  return texts.map(text => [twoNumbers(text)?.join(" ") ?? null, readFraction(text) !== null]);
}"""


def test_a_comma_before_three_digits_is_asked_back(plain, modules):
    begin(plain, "left")
    plain.fill("#box-left", "1,234")
    plain.click("#check")
    assert plain.locator("#result").inner_text() == "Is it 1234 or 1.234? Write one of the two."
    assert plain.evaluate("document.activeElement.id") == "box-left"
    plain.click("#show-answer")
    settle(plain)
    assert saved(plain, "json")["answers"][0]["attempts"] == 0
    asked = {"−12,345": "-12345 -12.345", "1,234/5,5": "1234/5,5 1.234/5,5"}
    one = ["1.234", "0,234", "1234,567", "1,2345", "1,23", "1,234e2", "−2,5", "7/2", "1234"]
    refused = [
        "1,234,567",
        "1,234.5",
        "1.234,5",
        "x1,234",
        "1,234 €",
        "1,234/0",
        "9" * 60 + "+1,234",
    ]
    told = modules.evaluate(TWO, {"origin": machine.ORIGIN, "texts": [*asked, *one, *refused]})
    two, is_read = ([row[k] for row in told] for k in (0, 1))
    assert two == [*asked.values(), *[None] * (len(one) + len(refused))]
    assert is_read[len(asked) :] == [True] * len(one) + [False] * len(refused)


def test_fractions_and_decimal_commas_are_taken_everywhere_and_compared_exactly(plain):
    points = {
        "points": [[0.1, -0.25], [-0.3, 0.7], [0.2, 0.15]],
        "labels": [1, -1, -1],
    }
    plain.evaluate("lesson.load", points)
    press(plain, "c")
    plain.fill("#set-eta", "0,5")
    plain.fill("#set-start", "0,1 −0,2 0,3")
    press(plain, "Tab")
    plain.click("#drawer .close")
    begin(plain, "weights")
    now = state(plain)
    assert (now["w"], now["b"]) == ([0.1, -0.2], 0.3)
    # 0.1·0.1 + (−0.2)·(−0.25) + 0.3 = 0.36: right; the floats have 0.36000000000000004 or so
    for text in ("0,37", "36/1000", "9/25"):
        plain.fill("#box-score", text)
        plain.select_option("#box-verdict", "right")
        plain.fill("#box-w1", "1/10")
        plain.fill("#box-w2", "−0,2")
        plain.fill("#box-b", "0.3")
        plain.click("#check")
        settle(plain)
        if text != "9/25":
            assert plain.evaluate("document.activeElement.id") == "box-score"
    assert plain.locator("#result").inner_text() == (
        "Right. The score is 0.36, the label +1: no mistake, so w stays."
    )
    plain.click("#next-question")
    settle(plain)
    plain.click("#show-answer")
    settle(plain)
    assert plain.locator("#result").inner_text() == (
        "The answer: The score is 0.13, the label −1: a mistake, "
        "so w′ = (0.1, −0.2) + (0.15, −0.35) = (0.25, −0.55), b′ = −0.2."
    )
    shown = saved(plain, "json")["answers"][1]
    assert shown["right_answer"] == "0.13; mistake; 0.25; -0.55; -0.2"
    assert (shown["answer"], shown["right"], shown["attempts"]) == ("", False, 0)
    plain.click("#end-exercise")
    plain.click("#as-text")
    plain.fill("dialog textarea", "1,5 2,5 +1\n-1 0,25 -1")
    plain.click("dialog .main")
    settle(plain)
    plain.click("#as-text")
    assert plain.locator("dialog textarea").input_value() == "1.5 2.5 +1\n-1 0.25 -1"


def test_points_and_lines_are_chosen_in_the_plane(plain):
    begin(plain, "breaks")
    for t in range(2):
        for row in RUN.broken(t):
            plain.mouse.click(*place(plain, *EIGHT[row]))
        settle(plain)
        chosen = plain.locator(".pick :checked").count()
        assert chosen == len(RUN.broken(t))
        plain.click("#check")
        plain.click("#next-question")
        settle(plain)
    assert state(plain)["t"] == 2, "both were right"
    plain.mouse.click(*place(plain, *EIGHT[0]))
    plain.mouse.click(*place(plain, *EIGHT[0]))
    settle(plain)
    assert plain.locator(".pick :checked").count() == 0, "a second click takes it back"
    assert len(plain.evaluate("lesson.state().alpha")) == 8, "no point was added"
    plain.click("#end-exercise")
    begin(plain, "line")
    labels = plain.locator(".pick").all_text_contents()
    for k, words in enumerate(labels):
        if "from" not in words:
            continue
        x, y, *_ = (float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", words.replace("−", "-")))
        plain.mouse.click(*place(plain, 0.98 * x, 0.98 * y))
        settle(plain)
        assert plain.locator(".pick input").nth(k).is_checked(), words


def test_what_breaks_is_named_with_its_scores(plain):
    t = next(t for t in range(len(RUN)) if len(RUN.broken(t)))
    plain.evaluate("t => lesson.goto(t)", t)
    begin(plain, "breaks")
    for _ in range(t):
        plain.click("#show-answer")
        plain.click("#next-question")
        settle(plain)
    plain.click("#show-answer")
    settle(plain)
    row = RUN.broken(t)[0]
    before, after = (
        Fraction(line_of(RUN, t + k)[0]) * EIGHT[row][0]
        + Fraction(line_of(RUN, t + k)[1]) * EIGHT[row][1]
        + Fraction(line_of(RUN, t + k)[2])
        for k in (0, 1)
    )
    x, y = EIGHT[row]
    words = f"({x}, {y}) of label {LABELS[row]:+d} from {before} to {after}"
    assert words.replace("-", "−") in plain.locator("#result").inner_text()


def test_the_bound_is_asked_with_its_numbers_and_only_where_there_is_one(plain):
    begin(plain, "left")
    facts = plain.locator("#quiz-facts span").all_inner_texts()
    radius2, gamma2 = (Fraction(text.split(" = ")[1]) for text in facts[:2])
    assert radius2 // gamma2 == BOUND
    assert facts[2] == "0 mistakes so far"
    plain.fill("#box-left", "34")
    plain.click("#check")
    settle(plain)
    told = plain.locator("#result").inner_text()
    assert told.startswith("Right. (R/γ)² = ")
    assert told.endswith("allows 34 mistakes, and 0 of them are made: 34 − 0 = 34.")
    assert "‖x‖ = R" in plain.inner_text("#notes"), "the plane shows R and γ"
    plain.click("#end-exercise")
    plain.select_option("#examples", "xor")
    begin(plain, "left")
    assert plain.locator("#quiz legend").inner_text() == "Where does the line go?"


def test_a_state_of_a_lesson_begins_its_exercise(plain):
    begin(plain, "breaks")
    plain.click("#show-answer")
    plain.click("#next-question")
    plain.click("#more-menu")
    plain.click("#open-lesson")
    plain.click("#add-state")
    plain.click("#tab-exercise")
    plain.click("#end-exercise")
    settle(plain)
    plain.evaluate("lesson.goto(9)")
    plain.locator("#dots button").click()
    settle(plain)
    assert plain.locator("#quiz legend").inner_text() == "Which points does this look turn wrong?"
    assert (state(plain)["t"], plain.locator("#verdict").is_hidden()) == (1, True)


def test_a_question_that_the_page_does_not_have_is_told(visit):
    page = visit("#state=" + b64encode(b'{"quiz": "why"}').decode())
    settle(page)
    words = "No question is called “why”: there is no exercise."
    assert page.locator("#messages").inner_text() == words
    assert page.locator("#verdict").is_visible()


DRAWN = "document.querySelector('#plane').toDataURL()"


def frames_after_answer(page, t):
    begin(page, "line")
    for _ in range(t):
        page.click("#show-answer")
        page.clock.fast_forward(5000)
        page.click("#next-question")
        page.clock.fast_forward(200)
    page.click("#show-answer")
    drawn = []
    for time in (*[350] * 6, 2000, 2000):  # while it moves, and after
        page.clock.fast_forward(time)
        drawn.append(page.evaluate(DRAWN))
    return drawn


@pytest.mark.parametrize("still", [False, True])
def test_the_answer_moves_on_the_plane_and_jumps_where_less_motion_is_asked(visit, still):
    t = next(t for t in range(1, len(RUN)) if len(RUN.broken(t)))
    page = visit(still=still, clock=True)
    drawn = frames_after_answer(page, t)
    assert len(set(drawn)) == 1 if still else len(set(drawn[:6])) > 4
    assert drawn[-1] == drawn[-2], "it comes to rest"


def test_an_exercise_is_done_by_keys_alone(plain):
    plain.focus("#more-menu")
    press(plain, "Enter")
    while plain.evaluate("document.activeElement.id") != "open-exercise":
        press(plain, "ArrowDown")
    press(plain, "Enter")
    plain.focus("#these-exercise")
    press(plain, "Enter")
    assert plain.evaluate("document.activeElement.type") == "radio"
    labels = plain.locator(".pick").all_text_contents()
    (found,) = (k for k, words in enumerate(labels) if holds(words, line_of(RUN, 1)))
    press(plain, " ", *["ArrowDown"] * found, "Enter")
    assert state(plain)["t"] == 1
    assert plain.evaluate("document.activeElement.id") == "next-question"
    press(plain, "Enter")
    assert plain.evaluate("document.activeElement.id") == "box-score"
    plain.keyboard.type(str(RUN[1].score))
    press(plain, "Tab", "m" if RUN[1].mistake else "r")
    for value in line_of(RUN, 2):
        press(plain, "Tab")
        plain.keyboard.type(str(value))
    press(plain, "Enter")
    assert plain.locator("#result").inner_text().startswith("Right.")
    press(plain, "Enter")
    assert plain.evaluate("document.activeElement.type") == "checkbox"
    at = 0
    for row in RUN.broken(2):
        press(plain, *["Tab"] * (row - at), " ")
        at = row
    press(plain, "Enter")
    press(plain, "Enter")
    assert state(plain)["t"] == 3
    plain.keyboard.type(str(BOUND - RUN.used[3]))
    press(plain, "Enter")
    assert state(plain)["t"] == 4
    assert "4 answers: 4 right" in plain.inner_text("#panel-exercise")


def test_the_question_and_the_result_are_said(plain):
    begin(plain)
    tree = plain.locator("#panel-exercise").aria_snapshot()
    assert '- group "Where does the line go?":' in tree
    assert re.search(r'- radio "A from \(.*\) to \(', tree)
    plain.click("#show-answer")
    settle(plain)
    tree = plain.locator("#panel-exercise").aria_snapshot()
    assert re.search(r"- status: ['\"]?The answer: The score is 0, the label \+1: a mistake", tree)
    described = plain.locator("#quiz fieldset").get_attribute("aria-describedby")
    assert plain.locator(f"#{described}").count() == 1


BOXES = """() => {
  const parts = ["#plane", "#quiz legend", "#check", "#show-answer"];
  return Object.fromEntries(parts.map(part => {
    const {left, right, bottom} = document.querySelector(part).getBoundingClientRect();
    return [part, [left, right, bottom]];
  }));
}"""


@pytest.mark.parametrize("mode", ["phone", "projector", "small"])
def test_the_question_is_beside_the_plane(visit, mode):
    phone = {"size": (390, 844), "has_touch": True, "is_mobile": True}
    page = visit(**{"phone": phone, "small": {"size": (1024, 700)}}.get(mode, {}))
    if mode == "projector":
        press(page, "f")
    begin(page)
    size = page.viewport_size
    for kind in KINDS:
        for part, (left, right, bottom) in page.evaluate(BOXES).items():
            assert left >= 0, (kind, part)
            assert right <= size["width"], (kind, part)
            assert bottom <= size["height"], (kind, part)
        if kind == "weights":
            page.fill("#box-score", "−1,75")
            assert page.locator("#box-score").evaluate("box => box.scrollWidth <= box.clientWidth")
        page.click("#show-answer")
        settle(page)
        box = page.locator("#next-question").bounding_box()
        assert box["y"] + box["height"] <= size["height"], kind
        page.click("#next-question")
        settle(page)
