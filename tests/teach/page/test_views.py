"""What comes after the perceptron, the second run, and the challenges."""

import re

import numpy as np
import pytest
from browser import drawing, place, press, settle, settled_box, state

from rosenblatt import certify, textbook


def view(page, name):
    page.click("#beyond-menu")
    page.click(f"#view-{name}")
    settle(page)
    return page.locator("#panel-beyond .told").inner_text()


def verdict(page):
    settle(page)
    return page.locator("#verdict > span").first.inner_text()


def test_the_lift_separates_a_ring(plain):
    plain.select_option("#examples", "ring")
    press(plain, "l", "End")
    assert verdict(plain) == "The curve has all points right after 60 mistakes, of at most 3,021."
    assert plain.locator("#lift").is_visible()
    before = plain.locator("#lift").screenshot()
    box = settled_box(plain, plain.locator("#lift"))
    plain.mouse.move(box["x"] + 100, box["y"] + 60)
    plain.mouse.down()
    plain.mouse.move(box["x"] + 160, box["y"] + 60)
    plain.mouse.up()
    assert plain.locator("#lift").screenshot() != before
    before = plain.locator("#lift").screenshot()
    plain.mouse.down()
    plain.locator("#lift").dispatch_event("pointercancel")  # as of a finger that scrolls
    plain.mouse.move(box["x"] + 100, box["y"] + 60)
    assert plain.locator("#lift").screenshot() == before
    plain.mouse.up()
    press(plain, "l")
    assert plain.locator("#lift").is_hidden()


def test_votes_count_the_wrong_points(plain):
    plain.select_option("#examples", "overlap")
    press(plain, "v")
    told = plain.locator("#panel-beyond .told")
    assert told.inner_text().endswith("survives a look: no votes yet.")
    press(plain, *["ArrowRight"] * 5)
    assert "Votes of 1 weight vector, each as often as it survived: 5 votes." in told.inner_text()
    assert plain.locator("#bars rect").count() == 2
    press(plain, "End")
    words = told.inner_text()
    assert "Votes of 80 weight vectors, each as often as it survived: 270 votes." in words
    assert "Wrong points: w (dashed) 2, average (green) 2, vote 2." in words


def test_the_widest_band_is_named(plain):
    points = [[-4, -1], [2, 1], [4, -4], [5, 2], [-5, 1], [1, -4], [-3, -4], [5, -2]]
    low, high = certify(points, [1, 1, -1, 1, 1, -1, -1, -1]).margin
    words = view(plain, "margin")
    assert f"The widest band reaches {(low + high) / 2:.3f} to both sides." in words
    plain.select_option("#examples", "xor")
    assert view(plain, "margin")
    settle(plain)


def test_kernels_of_several_degrees_learn_xor(plain):
    plain.select_option("#examples", "xor")
    assert "polynomials of degree 2" in view(plain, "kernel")
    press(plain, "End")
    assert verdict(plain) == "The curve has all points right after 2 mistakes, of at most 2."
    told = plain.locator("#panel-beyond .told")
    assert told.inner_text().endswith("Here R² = 362 and γ² = 162: at most 2 mistakes.")
    plain.select_option("#degree", "1")
    press(plain, "End")
    words = verdict(plain)
    assert words.startswith("The curve has not all points right after")
    assert words.endswith(" mistakes: no curve of this kernel has.")
    assert told.inner_text().endswith("has all points right: no γ, and no bound.")
    assert "repeats" in plain.locator("#verdict .cycle").inner_text()


def test_the_pocket_keeps_the_best(plain):
    plain.select_option("#examples", "overlap")
    assert "w after mistake 0: 5 wrong. w now: 5 wrong." in view(plain, "pocket")
    press(plain, *["ArrowDown"] * 12)
    told = plain.locator("#panel-beyond .told")
    assert "w after mistake 10: 1 wrong. w now: " in told.inner_text()
    assert plain.locator("#bars rect").count() == state(plain)["mistakes"] + 1 > 11
    press(plain, "End")
    assert "w after mistake 10: 1 wrong. w now: 2 wrong." in told.inner_text()
    plain.click("#beyond-none")
    settle(plain)
    assert "Choose what to see" in plain.locator("#panel-beyond .told").inner_text()


def compared(page):
    settle(page)
    rows = page.locator("#compared tbody tr")
    return {
        row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows.all()
    }


def test_two_runs_stand_side_by_side(plain):
    press(plain, "End")
    plain.click("#more-menu")
    plain.click("#open-compare")
    points = [[-4, -1], [2, 1], [4, -4], [5, 2], [-5, 1], [1, -4], [-3, -4], [5, -2]]
    labels = [1, 1, -1, 1, 1, -1, -1, -1]
    other = textbook.perceptron(points[::-1], labels[::-1])
    table = compared(plain)
    assert table["mistakes in all"] == ["6", str(other.mistakes)]
    assert table["bound"] == ["34", "34"]
    plain.select_option("#other-source", "ece146")
    plain.select_option("#other-order", "same")
    picked = textbook.augmented_perceptron(points, labels)
    assert compared(plain)["mistakes in all"] == ["6", str(picked.mistakes)]
    plain.select_option("#other-output", "average")
    assert compared(plain)["margin at the end"][0] == "1.265"
    box = plain.locator("#other-plane").bounding_box()
    assert box["width"] == pytest.approx(box["height"], abs=1)
    assert box["width"] > 300


def test_the_lesson_on_orders_compares_two(visit):
    page = visit("#ready=ece146")
    page.click("#dots [title*='The order matters']")
    press(page, "End")
    points = [[-4, -1], [2, 1], [4, -4], [5, 2], [-5, 1], [1, -4], [-3, -4], [5, -2]]
    labels = [1, 1, -1, 1, 1, -1, -1, -1]
    runs = [textbook.perceptron(points[::k], labels[::k]) for k in (1, -1)]
    assert compared(page)["looks"] == [str(len(run)) for run in runs]
    assert len(runs[0]) != len(runs[1])


def test_a_thin_margin_makes_the_most_mistakes(plain):
    mistakes = {}
    for name in ("eight", "two", "wide", "thin", "shifted", "outlier"):
        plain.select_option("#examples", name)
        press(plain, "End")
        mistakes[name] = state(plain)["mistakes"]
    assert mistakes.pop("thin") > 2 * max(mistakes.values())


def test_challenges_keep_their_records(plain):
    plain.click("#more-menu")
    plain.click("#open-exercise")
    settle(plain)

    def challenges():
        settle(plain)
        return plain.locator("#challenges li").all_inner_texts()

    def take(text):
        plain.click("#as-text")
        plain.fill("dialog textarea", text)
        plain.click("dialog .main")

    take("-4 -1 1\n2 1 1\n4 -4 -1\n5 2 1\n-5 1 1\n1 -4 -1\n-3 -4 -1\n5 -1 -1")
    now = state(plain)
    assert now["separable"]
    share = round(100 * plain.evaluate("lesson.goto(999)")["mistakes"] / now["bound"])
    assert challenges()[2] == f"Reach the bound now {share} % of it · record: {share} % of it"
    assert challenges()[1].endswith("no record yet")
    take("3 3 1\n-3 3 -1\n-3 -3 1\n3 -3 -1")
    assert challenges()[1] == "The longest cycle with 4 points now 4 looks · record: 4 looks"
    plain.click("#new-exercise")
    settle(plain)
    assert plain.locator("#challenges").is_hidden()
    assert plain.locator("#as-text").is_disabled()
    plain.click("#end-exercise")
    settle(plain)
    take("2 2 1\n-2 2 -1\n-2 -2 1\n1 -3 -1")
    assert "now" in challenges()[1], "after an exercise own points count again"


def test_points_that_were_loaded_meet_no_challenge(plain):
    plain.click("#more-menu")
    plain.click("#open-exercise")
    hint = plain.locator("#challenges + .note")
    for example in ("eight", "thin", "xor", "shifted"):
        plain.select_option("#examples", example)
        settle(plain)
        texts = plain.locator("#challenges li").all_inner_texts()
        assert all(text.endswith("no record yet") and "now" not in text for text in texts)
        assert hint.inner_text() == "Loaded points do not count: add, move or delete one."
    plain.mouse.click(*place(plain, 0, 5))
    settle(plain)
    assert hint.is_hidden()
    assert "now" in plain.locator("#challenges li").all_inner_texts()[2]
    press(plain, "Control+z")
    assert hint.is_visible()


def assert_drawn_at_its_size(plane):
    drawn, shown = plane.evaluate("plane => [plane.width / devicePixelRatio, plane.clientWidth]")
    assert abs(drawn - shown) <= 1
    assert shown > 200


def test_the_plane_of_w_is_drawn_at_its_size_after_a_tab_behind_it(plain):
    press(plain, "l", "w")
    assert_drawn_at_its_size(plain.locator("#panel-weights canvas"))


def test_the_crosses_beside_a_curve_are_of_its_update(plain):
    plain.select_option("#examples", "xor")
    looks = range(state(plain)["looks"])
    t = next(t for t in looks if plain.evaluate("t => lesson.goto(t)", t)["broken"])
    assert state(plain)["t"] == t
    wrong = plain.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--wrong')")
    assert wrong.strip() in drawing(plain)
    press(plain, "l")
    broken = []
    for key in ("ArrowRight", "ArrowRight", "End"):
        broken.append(len(state(plain)["broken"]))
        assert drawing(plain).count(wrong.strip()) == broken[-1]
        press(plain, key)
    assert min(broken) > 0
    assert wrong.strip() not in drawing(plain)


def colour_at(page, x, y, right):
    """The red, green and blue of the plane, some pixels to the right of a point."""
    left, top = place(page, x, y)
    box = page.locator("#plane").bounding_box()
    pixel = [left - box["x"] + right, top - box["y"]]
    return page.evaluate(
        """at => [...document.querySelector("#plane").getContext("2d")
            .getImageData(...at.map(Math.round), 1, 1).data].slice(0, 3)""",
        pixel,
    )


def test_a_point_with_two_labels_shows_both(plain):
    plain.evaluate("lesson.load", {"points": [[2, 2], [2, 2]], "labels": [1, -1]})
    press(plain, "ArrowRight")
    red, _, blue = colour_at(plain, 2, 2, right=8)
    assert red > blue


def test_the_plane_of_w_names_what_it_shows(plain):
    press(plain, "w")
    note = plain.locator("#panel-weights .note")
    assert "a slice at b = 0" in note.inner_text()
    plain.select_option("#examples", "xor")
    press(plain, "c")
    plain.click("#source-lecture25")
    plain.select_option("#set-stop", "quiet")
    press(plain, "Escape")
    settle(plain)
    assert "the solutions are the cone" in note.inner_text()
    assert "The path closes: a polygon of" in note.inner_text()


STEPS = "#step .lines p"


def test_a_run_with_a_kernel_is_stepped(plain):
    """The scrubber, the step and α are those of the kernel perceptron of the textbook."""
    points, labels = [[3, 3], [-3, 3], [-3, -3], [3, -3]], [1, -1, 1, -1]
    plain.evaluate("lesson.load", {"points": points, "labels": labels})
    view(plain, "kernel")
    run = textbook.kernel_perceptron(points, labels, lambda x, z: (1.0 + x @ z) ** 2)
    now = plain.evaluate("lesson.goto(1)")
    assert (now["looks"], now["mistakes"], now["mistake"]) == (len(run), 1, True)
    assert (now["alpha"], now["w"], now["b"], now["bound"]) == ([1, 0, 0, 0], None, 1, 2)
    settle(plain)
    assert plain.locator(STEPS).all_inner_texts() == [
        "x = (−3, 3), y = −1",
        "f(x) = 1·1² + 1 = 2",
        "2 > 0 → predicts +1: mistake ✗",
        "α₂ ← 0 + 1 = 1, b ← 1 − 1 = 0",
    ]
    now = plain.evaluate("lesson.goto(2)")
    assert now["alpha"] == np.abs(run.w).tolist()
    settle(plain)
    assert plain.locator(STEPS).nth(1).inner_text() == "f(x) = 1·(−17)² + (−1)·1² + 0 = 288"
    assert verdict(plain) == "2 mistakes so far, of at most 2."
    drawn = drawing(plain)
    assert drawn.count(">α=1<") == 4, "two, each with its halo"
    press(plain, "t")
    assert plain.locator("tbody tr").nth(1).locator("td").last.inner_text() == "α₂ = 1"
    press(plain, "w")
    assert state(plain)["w"] is not None, "the tabs of the line show its run"


def test_beside_the_lift_the_step_is_its_arithmetic(plain):
    plain.select_option("#examples", "xor")
    press(plain, "l", *["ArrowRight"] * 2)
    line = plain.locator(STEPS).nth(1).inner_text()
    terms = re.fullmatch(r"f\(x\) = (.+)·(.+) \+ (.+)·(.+) \+ (.+)·(.+) \+ (.+) = (.+)", line)
    numbers = [float(text.strip("()").replace("−", "-")) for text in terms.groups()]
    w1, x1, w2, x2, w3, x3, b, score = numbers
    assert [x1, x2, x3] == [-3, -3, 18]
    assert w1 * x1 + w2 * x2 + w3 * x3 + b == score == state(plain)["score"]
    press(plain, "l", "Home")
    assert state(plain)["w"] == [0, 0]


def test_the_dual_view_has_w_as_the_sum_of_its_terms(plain):
    words = view(plain, "dual")
    assert words.startswith("A mistake adds y x to w. So w is a sum of examples")
    press(plain, *["ArrowDown"] * 3)
    now = state(plain)
    assert now["alpha"] == [1, 1, 0, 1, 0, 0, 0, 0]
    sums = "+1·(−4, −1) + +1·(2, 1) + +1·(5, 2) = (3, 2)"
    assert f"w = Σ αᵢ yᵢ xᵢ = {sums}" in plain.locator("#panel-beyond .told").inner_text()
    assert now["w"] == [3, 2]
    label = plain.locator("#gram").get_attribute("aria-label")
    assert label.startswith("The Gram matrix of 8 points")
    assert "αᵢ yᵢ xᵢ" in plain.locator("#notes").inner_text()


def test_a_cycle_back_to_zero_has_no_line_but_had_one(plain):
    plain.select_option("#examples", "xor")
    assert "no line yet: w = (0, 0)" in drawing(plain)
    press(plain, "End")
    words = drawing(plain)
    assert "no line: w = (0, 0)" in words
    assert "no line yet" not in words
    assert "There is no line: w is 0." in plain.locator("#plane-words").inner_text()


FONTS = """() => {
  const pen = document.querySelector("#other-plane").getContext("2d");
  const sizes = [];
  const write = pen.fillText;
  pen.fillText = (...words) => { sizes.push(parseFloat(pen.font.match(/[0-9.]+px/)[0])); };
  lesson.goto(3);
  return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
    pen.fillText = write;
    done(sizes);
  })));
}"""


def test_the_words_of_plane_b_can_be_read(plain):
    plain.click("#more-menu")
    plain.click("#open-compare")
    settle(plain)
    assert_drawn_at_its_size(plain.locator("#other-plane"))
    sizes = plain.evaluate(FONTS)
    assert len(sizes) >= 8
    assert min(sizes) >= 11


def test_an_empty_plane_has_no_proof(plain):
    plain.click("#clear")
    settle(plain)
    assert plain.locator(STEPS).first.inner_text() == "No points yet."
    assert plain.locator("#panel-proof").inner_text() == "The proof needs points."
    press(plain, "Control+z")
    assert plain.locator(".claim").first.is_visible()
