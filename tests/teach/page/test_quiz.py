"""Exercises: every look predicted, covered until then, and exported for a teacher."""

import json
import re
from base64 import b64encode, urlsafe_b64decode
from contextlib import redirect_stdout
from fractions import Fraction
from io import StringIO
from itertools import combinations
from pathlib import Path
from urllib.parse import parse_qs

import browser as machine
import numpy as np
import pandas as pd
import pytest
from browser import drawing, place, press, settle, state
from profiles import scaled, share

from rosenblatt import textbook

EIGHT = [[-4, -1], [2, 1], [4, -4], [5, 2], [-5, 1], [1, -4], [-3, -4], [5, -2]]
LABELS = [1, 1, -1, 1, 1, -1, -1, -1]
RUN = textbook.perceptron(EIGHT, LABELS)
BOUND = 34
KINDS = ("line", "weights", "breaks", "left")
GUIDE = Path(__file__).parents[3] / "docs" / "teaching.md"


def begin(page, questions="turn", points=None):
    if points is not None:
        page.evaluate("lesson.load", points)
    page.click("#more-menu")
    page.click("#open-exercise")
    settle(page)
    page.select_option("#quiz-questions", questions)
    page.click("#these-exercise")
    settle(page)


def line_of(run, t):
    w, b = run.line(run.used[t] if t < len(run) else run.mistakes)
    return [*w.tolist(), b]


def holds(words, line):
    """Whether a candidate, "A from (x, y) to (x, y)", is a line; "no line" is w = 0."""
    if "from" not in words:
        return ("no line" in words) == (line[0] == line[1] == 0)
    numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", words.replace("−", "-"))]
    ends = numbers[:2], numbers[2:]
    size = abs(line[0]) + abs(line[1])
    return size > 0 and all(
        abs(line[0] * x + line[1] * y + line[2]) < 0.002 * size for x, y in ends
    )


def right_inputs(page, kind, run, t):
    """Choose and fill in what is right at look t of a recorded run."""
    if kind == "line":
        labels = page.locator(".pick").all_text_contents()
        (found,) = (k for k, words in enumerate(labels) if holds(words, line_of(run, t + 1)))
        page.locator(".pick input").nth(found).check()
    elif kind == "weights":
        step = run[t]
        page.fill("#box-score", str(step.score))
        page.select_option("#box-verdict", "mistake" if step.mistake else "right")
        for name, value in zip(("w1", "w2", "b"), line_of(run, t + 1), strict=True):
            page.fill(f"#box-{name}", str(value))
    elif kind == "breaks":
        for row in run.broken(t):
            page.check(f"#breaks-{row}")
    else:
        page.fill("#box-left", str(BOUND - run.used[t]))


def answer(page, kind, run, t):
    right_inputs(page, kind, run, t)
    page.click("#check")
    settle(page)


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
    refused = ["1,234,567", "1,234.5", "1.234,5"]
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


EXACT = """async cases => {
  const [{candidatesAt}, {exactLine, exactLineAt, exactScore}, {decimalText, fractionText}, runs,
      {separate}, {completeConventions}] = await Promise.all(
    ["quiz/candidates", "quiz/exact", "engine/fractions", "engine/run", "engine/separability",
      "engine/conventions"].map(name => import(`./${name}.js`)));
  const text = values => values.map(fractionText);
  return cases.map(({points, labels, conventions}) => {
    const chosen = completeConventions(conventions);
    const run = runs.runPerceptron(points, labels, chosen, "cyclic", 60);
    const looks = run.rows.map((row, t) => {
      const lines = candidatesAt(run, t);
      return {
        row,
        wrong: run.wrong[t],
        right: lines.flatMap(({isRight}, k) => isRight ? [k] : []),
        lines: lines.map(({vector}) => text(exactLine(run, vector))),
        before: text(exactLineAt(run, t)),
        after: text(exactLineAt(run, t + 1)),
        score: fractionText(exactScore(run, run.used[t], row)),
        told: decimalText(exactScore(run, run.used[t], row)),
      };
    });
    return {looks, bound: separate(points, labels, chosen).bound};
  });
}"""


def test_a_long_fraction_is_about_its_decimal(plain):
    begin(plain, "left", {"points": [[150.53, 7.21], [120.27, 5.13]], "labels": [-1, 1]})
    plain.click("#show-answer")
    settle(plain)
    assert plain.locator("#result").inner_text().startswith("The answer: ")
    assert " (R/γ)² ≈ " in plain.locator("#result").inner_text()


def drawn_cases(count):
    """Random decimals under random conventions, an offset after w or none."""
    random = np.random.default_rng(5)
    for _ in range(count):
        n, digits = int(random.integers(2, 7)), int(random.integers(0, 4))
        points = random.normal(size=(n, 2)).round(digits)
        labels = random.choice([-1, 1], n)
        offset = str(random.choice(["last", "none"]))
        start = random.normal(size=3).round(digits) if random.random() < 0.5 else None
        yield {
            "points": (points + 0.0).tolist(),
            "labels": labels.tolist(),
            "conventions": {
                "offset": offset,
                "eta": float(random.choice([1, 0.5, 0.1, 3])),
                "tie": int(random.choice([-1, 0, 1])),
                "start": None if start is None else [*(start + 0.0)],
            },
        }


def same_line(a, b):
    if not any(a[:2]) or not any(b[:2]):
        return any(a[:2]) == any(b[:2])
    return all(x * y == z * w for x, w in zip(a, b, strict=True) for z, y in zip(a, b, strict=True))


def test_right_answers_are_exact_on_random_decimals(modules):
    """Every look, line and score in fractions, by the rule alone; one choice is right."""
    cases = [*drawn_cases(scaled(150))]
    looks = mistakes = full = 0
    for case, page in zip(cases, modules.evaluate(EXACT, cases), strict=True):
        conventions = case["conventions"]
        one = [] if conventions["offset"] == "none" else [Fraction(1)]
        rows = [[*map(Fraction, map(str, point)), *one] for point in case["points"]]
        start = (conventions["start"] or [0, 0, 0])[: len(rows[0])]
        w, eta = [Fraction(str(v)) for v in start], Fraction(str(conventions["eta"]))
        for look in page["looks"]:
            x, y = rows[look["row"]], case["labels"][look["row"]]
            score = sum(a * b for a, b in zip(w, x, strict=True))
            sign = (score > 0) - (score < 0) or conventions["tie"]
            assert (look["wrong"], Fraction(look["score"])) == (sign != y, score)
            assert Fraction(look["told"]) == score
            assert [*map(Fraction, look["before"])] == w
            if look["wrong"]:
                w = [a + eta * y * b for a, b in zip(w, x, strict=True)]
            assert [*map(Fraction, look["after"])] == w
            lines = [[*map(Fraction, line)] for line in look["lines"]]
            (right,) = look["right"]
            assert lines[right] == w
            assert not any(same_line(a, b) for a, b in combinations(lines, 2))
            looks, mistakes, full = looks + 1, mistakes + look["wrong"], full + (len(lines) == 4)
    assert looks > scaled(2000)
    assert mistakes > scaled(500)
    assert full > 0.9 * looks, "four lines to choose from, as a rule"


def saved(page, kind, name="Ada"):
    """The exported answers, read."""
    page.fill("#answers-name", name)
    with page.expect_download() as download:
        page.click(f"#answers-{kind}")
    words = re.findall(r"\w+", f"answers {name}".lower())
    assert download.value.suggested_filename == f"{'-'.join(words)}.{kind}"
    text = Path(download.value.path()).read_text("utf-8")
    return json.loads(text) if kind == "json" else text


def test_a_teacher_can_mark_the_exported_answers(plain, tmp_path, monkeypatch):
    begin(plain)
    for t in range(5):
        answer(plain, KINDS[t % 4], RUN, t)
        plain.click("#next-question")
        settle(plain)
    plain.fill("#box-score", "99")
    plain.click("#show-answer")
    plain.click("#next-question")
    settle(plain)
    whole = saved(plain, "json", "Ada Lovelace")
    answers = whole["answers"]
    assert whole["name"] == "Ada Lovelace"
    assert [entry["look"] for entry in answers] == [1, 2, 3, 4, 5, 6], "the open one is not told"
    assert [entry["question"] for entry in answers] == [KINDS[t % 4] for t in range(6)]
    assert [entry["right"] for entry in answers] == [True] * 5 + [False]
    numbers = [[float(n) for n in answers[t]["right_answer"].split("; ")] for t in (0, 4)]
    assert numbers == [line_of(RUN, 1), line_of(RUN, 5)]
    broken = "; ".join(str(row + 1) for row in RUN.broken(2)) or "none"
    assert [answers[t]["right_answer"] for t in (2, 3)] == [broken, str(BOUND - RUN.used[3])]
    assert {"tie": -1, "offset": "last", "eta": 1, "order": "cyclic"}.items() <= (
        answers[0]["conventions"].items()
    )
    state_of = parse_qs(answers[0]["set"].removeprefix("#"))["state"][0]
    packed = json.loads(urlsafe_b64decode(state_of + "=="))
    assert [row[:2] for row in packed.get("points", [])] == EIGHT
    assert packed["quiz"] == "turn"
    text = saved(plain, "csv", "Ada Lovelace")
    table = pd.read_csv(StringIO(text))
    page = GUIDE.read_text("utf-8")
    (header,) = re.findall(r"^name,round,.*$", page, re.M)
    assert [*table.columns] == header.split(",")
    assert table["right_answer"].tolist() == [entry["right_answer"] for entry in answers]
    assert pd.to_datetime(table["time"]).is_monotonic_increasing
    # the guide's own lines mark it
    (tmp_path / "answers-ada.csv").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"^```python\n(import pandas.*?)^```", page, re.M | re.S)
    printed = StringIO()
    with redirect_stdout(printed):
        exec(code, {})
    assert "answers-ada    5.0" in printed.getvalue()
    plain.fill("#answers-name", "=1+1")
    with plain.expect_download() as download:
        plain.click("#answers-csv")
    line = Path(download.value.path()).read_text("utf-8").splitlines()[1]
    assert line.startswith("'=1+1,"), "no formula in a teacher's table"


def test_a_link_begins_the_exercise_and_holds_no_answer(plain, visit):
    run = textbook.perceptron([[1, 2], [2, 1], [0, 4]], [1, -1, 1])
    begin(plain, "weights", {"points": [[1, 2], [2, 1], [0, 4]], "labels": [1, -1, 1]})
    answer(plain, "weights", run, 0)
    plain.click("#share")
    link = plain.locator("dialog input").input_value()
    press(plain, "Escape")
    packed = json.loads(urlsafe_b64decode(parse_qs(link.split("#")[1])["state"][0] + "=="))
    assert packed.keys() == {"points", "quiz", "tab", "t"}
    page = visit("#" + link.split("#")[1])
    settle(page)
    assert page.locator("#quiz legend").inner_text() == "What is w after this look?"
    assert page.locator("#panel-exercise b").first.inner_text() == f"Look 2 of {len(run)}"
    assert page.evaluate("document.activeElement.id") != "box-score", "a page takes no focus"


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


def test_answers_outlive_a_reload_and_not_the_window(plain):
    begin(plain, "breaks")
    plain.click("#show-answer")
    settle(plain)
    given = "1 answer: 0 right, 0 at the first attempt."
    assert plain.locator(".answers-given .note").text_content() == given
    plain.reload()
    settle(plain)
    plain.click("#more-menu")
    plain.click("#open-exercise")
    settle(plain)
    assert plain.locator(".answers-given .note").text_content() == given


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
