"""The proof without one of its assumptions: the line that needs it turns red."""

from fractions import Fraction

import browser as machine
import pytest
from browser import click_slowly, press, settle, settled_box

EIGHT = [[-4, -1], [2, 1], [4, -4], [5, 2], [-5, 1], [1, -4], [-3, -4], [5, -2]]
LABELS = [1, 1, -1, 1, 1, -1, -1, -1]
P = [Fraction(value, 26) for value in (-5, 15, 20)]
GAMMA2, RADIUS2, BOUND = Fraction(25, 26), 33, 34
NEEDS = {"margin": "gain", "radius": "last", "mistakes": "middle", "rate": "gain", "start": "rise"}

RUN = """async ({origin, points, labels, removed}) => {
  const load = name => import(`${origin}/engine/${name}.js`);
  const [{completeConventions}, {runPerceptron}, {separate}, {brokenRun, linesAfter}] =
    await Promise.all(["conventions", "run", "separability", "broken"].map(load));
  const {fraction, fractionText} = await load("fractions");
  const run = runPerceptron(points, labels, completeConventions());
  const found = separate(points, labels, run.conventions);
  const broken = brokenRun(run, found, removed, points.map((_, row) => row));
  const text = (cells, below) => cells.map(cell => `${cell}/${below}`);
  return broken.steps.map(({row, label, x, before, after}, k) => {
    const {failed, ...sides} = linesAfter(broken, k + 1);
    const lines = Object.entries(sides).map(
      ([name, side]) => [name, side && fractionText(fraction(side.top, side.bottom))]);
    const [w, w2] = [before, after].map(cells => text(cells, broken.unit * broken.scale));
    const vectors = {x: text(x, broken.unit), w, after: w2};
    return {row, label, ...vectors, failed, lines: Object.fromEntries(lines)};
  });
}"""


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def steps_of(modules, removed):
    given = {"origin": machine.ORIGIN, "points": EIGHT, "labels": LABELS, "removed": removed}
    steps = modules.evaluate(RUN, given)
    for step in steps:
        for name in ("x", "w", "after"):
            step[name] = [Fraction(text) for text in step[name]]
        step["lines"] = {name: Fraction(text) for name, text in step["lines"].items()}
    return steps


@pytest.mark.parametrize("removed", ["none", *NEEDS])
def test_a_broken_run_is_the_perceptron_but_for_what_is_removed(modules, removed):
    steps = steps_of(modules, removed)
    w = [-208 * value for value in P] if removed == "start" else [Fraction(0)] * 3
    for t, step in enumerate(steps, 1):
        row, y, x = step["row"], step["label"], step["x"]
        stored = [*EIGHT[row], 1]
        eta = Fraction(1, 6 ** (t - 1)) if removed == "rate" else Fraction(1)
        score, lines = dot(w, x), step["lines"]
        assert step["w"] == w
        if removed != "mistakes":
            assert (1 if score > 0 else -1) != y
        if removed == "radius":
            assert dot(P, x) == dot(P, stored)
            assert dot(x, x) >= (t + 1) * RADIUS2
        else:
            assert x == stored
        assert (y == LABELS[row]) or (removed == "margin" and row == 0)
        w = [value + y * eta * cell for value, cell in zip(w, x, strict=True)]
        assert step["after"] == w
        assert lines == {
            "gain": eta * y * dot(P, x) / GAMMA2,
            "rise": dot(P, w) / GAMMA2,
            "middle": 2 * eta * y * score,
            "last": eta**2 * dot(x, x),
            "length": dot(w, w),
            "most": t * RADIUS2,
            "limit": RADIUS2 / GAMMA2,
        }
        holds = {
            "gain": lines["gain"] >= 1,
            "rise": lines["rise"] >= t,
            "middle": lines["middle"] <= 0,
            "last": lines["last"] <= RADIUS2,
            "length": lines["length"] <= t * RADIUS2,
            "end": t <= BOUND,
        }
        assert step["failed"] == [name for name, held in holds.items() if not held]
    if removed == "none":
        assert len(steps) == 6
        assert not any(step["failed"] for step in steps)
    else:
        assert len(steps) == BOUND + 1
        assert "end" in steps[-1]["failed"]
        assert any(NEEDS[removed] in step["failed"] for step in steps)


def red(page):
    settle(page)
    names = page.locator(".proof-line.failed:visible").all()
    return [row.get_attribute("data-part") for row in names]


def line(page, part):
    return page.locator(f".proof-line[data-part={part}] .words").inner_text()


def test_a_switch_turns_the_line_red_that_needs_it(plain):
    plain.click("#idea-broken")
    assert red(plain) == []
    assert plain.locator("#transport").is_hidden()
    whole = {part: line(plain, part) for part in ("rise", "length")}
    texts = set()
    for removed, part in NEEDS.items():
        plain.click(f"#break-{removed}")
        assert part in red(plain)
        assert plain.locator(".switch[aria-pressed=true]").count() == 1
        assert plain.locator(f".proof-line[data-part={part}]").get_attribute("aria-label") == (
            f"Fails: {line(plain, part)}"
        )
        assert plain.locator(".blocks:visible .failed").count() > 0
        texts.add(plain.locator(".why").inner_text())
    assert len(texts) == len(NEEDS)
    assert line(plain, "rise") == "u·w′ = −207 γ < tγ = 1 γ"
    plain.click("#break-start")
    assert red(plain) == []
    assert {part: line(plain, part) for part in whole} == whole
    assert plain.locator(".switch[aria-pressed=true]").count() == 0


def test_the_broken_run_is_walked_by_keys_and_columns(plain):
    plain.click("#idea-broken")
    plain.click("#break-mistakes")
    assert red(plain) == ["middle"]
    assert line(plain, "middle") == "2 y w·x = 12 > 0"
    place = plain.locator(".where")
    assert place.inner_text() == "Step 3 of 35, at point 3"
    press(plain, "ArrowLeft")
    assert place.inner_text() == "Step 2 of 35, at point 2"
    assert red(plain) == []
    press(plain, "End")
    assert red(plain) == ["middle", "length", "end"]
    assert line(plain, "end") == "t = 35 > (R/γ)² = 858/25"
    assert plain.locator("#broken-next").is_disabled()
    press(plain, "Home", "ArrowDown")
    plain.click("#broken-last")
    assert plain.locator("#broken-last").inner_text() == "Beyond the bound 34"
    box = settled_box(plain, plain.locator(".blocks:visible rect").nth(3))
    click_slowly(plain, box["x"] + box["width"] / 2, box["y"] + 1)
    assert place.inner_text() == "Step 4 of 35, at point 4"
    assert plain.evaluate("lesson.state().t") == 0


def test_what_is_removed_is_kept_in_the_address(visit):
    page = visit()
    page.click("#idea-broken")
    page.click("#break-radius")
    again = visit(machine.address_of(page))
    assert again.locator("#break-radius").get_attribute("aria-pressed") == "true"
    assert "last" in red(again)


def test_points_that_break_less_say_so(plain):
    plain.click("#idea-broken")
    plain.select_option("#examples", "xor")
    assert red(plain) == ["gain", "rise", "end"]
    assert plain.locator(".switch:enabled").count() == 0
    plain.select_option("#examples", "wide")
    plain.click("#break-rate")
    assert red(plain) == []
    words = "Here the run ends before that line fails: try other points."
    assert plain.locator(".why").inner_text() == words
    plain.evaluate("lesson.load", {"points": [[1, 2]], "labels": [-1]})
    settle(plain)
    assert plain.locator(".why").inner_text().startswith("No look is a mistake")
