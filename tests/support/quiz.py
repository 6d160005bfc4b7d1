"""An exercise of the lecture page: begin it, answer it rightly, and read the exported answers."""

import json
import re
from pathlib import Path

from browser import settle

BOUND = 34
KINDS = ("line", "weights", "breaks", "left")


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


def saved(page, kind, name="Ada"):
    """The exported answers, read."""
    page.fill("#answers-name", name)
    with page.expect_download() as download:
        page.click(f"#answers-{kind}")
    words = re.findall(r"\w+", f"answers {name}".lower())
    assert download.value.suggested_filename == f"{'-'.join(words)}.{kind}"
    text = Path(download.value.path()).read_text("utf-8")
    return json.loads(text) if kind == "json" else text
