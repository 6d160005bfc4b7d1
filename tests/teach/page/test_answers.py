"""Answers of an exercise: exact on decimals, exported for a teacher, kept over a reload."""

import json
import re
from base64 import urlsafe_b64decode
from contextlib import redirect_stdout
from fractions import Fraction
from io import StringIO
from itertools import combinations
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
from browser import press, settle
from first_example import EIGHT, RUN
from profiles import scaled
from quiz import BOUND, KINDS, answer, begin, line_of, saved

from rosenblatt import textbook

GUIDE = Path(__file__).parents[3] / "docs" / "teaching.md"


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
