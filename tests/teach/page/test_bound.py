"""The bound of the tab Proof: both claims, their chart, and why the bound is loose."""

import re

import numpy as np
from browser import press, settle, settled_box, state
from first_example import EIGHT, LABELS, RUN

from rosenblatt import certify, textbook, theory


def test_the_proof_has_both_claims_and_its_curve_moves_the_scrubber(plain):
    press(plain, "End")
    claims = plain.locator(".claim").all_inner_texts()
    assert claims == [
        "Claim 1: u·w = 44/5 γ ≥ 6·γ",
        "Claim 2: ‖w‖² = 76 ≤ 6·R² = 198",
    ]
    assert plain.locator(".bar-words").inner_text() == "6 of at most 34"
    assert "⌊(R/γ)²⌋ = 34" in plain.locator(".chart text").all_text_contents()
    box = settled_box(plain, plain.locator(".chart svg"))
    plain.mouse.click(box["x"] + 16, box["y"] + 40)
    assert state(plain)["t"] == 0


def test_the_proof_that_no_line_through_the_origin_exists_says_what_it_adds(plain):
    points = {"points": [[1, 2], [-1, -2]], "labels": [1, 1], "conventions": {"offset": "none"}}
    plain.evaluate("lesson.load", points)
    settle(plain)
    proof = "1·(1, 2) + 1·(−1, −2) = (0, 0)"
    verdict = plain.locator("#verdict > span").first.inner_text()
    assert verdict == f"No line through the origin has all y x on one side: {proof}."


def test_L4_6_the_proof_from_another_start_names_its_own_bound(plain):
    conventions = {"start": [5, -9, 3], "eta": 0.5}
    plain.evaluate("lesson.load", {"points": EIGHT, "labels": LABELS, "conventions": conventions})
    settle(plain)
    Z = np.array(LABELS)[:, np.newaxis] * textbook.append_one(EIGHT)
    proof = certify(textbook.append_one(EIGHT), LABELS, fit_intercept=False)
    bound = int(theory.start_bound([5, -9, 3], proof.coef / proof.margin[0], Z, eps=0.5))
    assert state(plain)["bound"] == bound > 34
    verdict = plain.locator("#verdict").inner_text()
    assert f"at most {bound}: ‖w₀/η − αu‖²/R² with α = R²/γ allows no more." in verdict
    assert "(R/γ)²" not in plain.locator("body").inner_text()
    chain = plain.locator(".chain").inner_text()
    assert chain.startswith(f"Together they allow t ≤ ‖w₀/η − αu‖²/R² = {bound}.")
    assert chain.endswith("where α = R²/γ"), "under the chart α is explained"
    written = plain.locator(".chart text").all_text_contents()
    assert f"⌊‖w₀/η − αu‖²/R²⌋ = {bound}" in written
    assert {"floor u·w₀ + tηγ", "ceiling √(‖w₀‖² + tη²R²)"} <= {*written}
    # the dashed floor begins at u·w₀, below 0, and the ceiling at ‖w₀‖
    bottom = y_of(plain, ".chart .axis")
    assert y_of(plain, ".chart .ceiling.bound") < bottom
    assert y_of(plain, ".chart .ceiling.run") == y_of(plain, ".chart .ceiling.bound")
    press(plain, "End")
    claims = plain.locator(".claim").all_inner_texts()
    assert claims[0].startswith("Claim 1: u·w = ")
    assert "≥ u·w₀ + tηγ = " in claims[0]
    assert "≤ ‖w₀‖² + tη²R² = " in claims[1]
    plain.click("summary")
    settle(plain)
    assert " not by the ηγ = 0.49" in plain.locator("#loose .told").inner_text()
    assert "of its ceiling ‖w₀‖² + tη²R²." in plain.locator("#loose .told").inner_text()


def y_of(page, path):
    """The height at which a path of the chart begins, in pixels from above."""
    drawn = page.locator(path).first.get_attribute("d")
    return float(re.split(r"[ ,MLHV]+", drawn.strip("M"))[1])


def test_L0_5_another_rate_from_zero_has_the_bound_of_the_theorem(plain):
    given = {"points": EIGHT, "labels": LABELS, "conventions": {"eta": 0.1}}
    plain.evaluate("lesson.load", given)
    settle(plain)
    assert "at most 34: (R/γ)² allows no more." in plain.locator("#verdict").inner_text()
    written = plain.locator(".chart text").all_text_contents()
    assert {"⌊(R/γ)²⌋ = 34", "floor tηγ", "ceiling ηR√t"} <= {*written}


def test_why_the_bound_is_loose(plain):
    plain.click("summary")
    settle(plain)
    assert plain.locator("#loose .told").inner_text().startswith("Per mistake u·w grew by 1.438")
    plain.select_option("#examples", "shifted")
    before = state(plain)["bound"]
    plain.click("#centre")
    settle(plain)
    after = state(plain)["bound"]
    assert after < before
    assert plain.locator("#loose .told").inner_text() == (
        f"Minus the mean (7, 6), rounded to whole numbers. The bound goes from {before} to {after}."
    )


def test_a_run_without_an_end_offers_to_centre_the_data(plain):
    points = [[1000 + x, 1000 + y] for x in range(5) for y in range(4)]
    labels = [1 if x + y > 2006.5 - 2.5 else -1 for x, y in points]
    plain.evaluate("lesson.load", {"points": points, "labels": labels})
    settle(plain)
    assert plain.locator("#centre-here").is_hidden()
    press(plain, "End")
    before = state(plain)
    assert before["status"] == "open"
    plain.click("#centre-here")
    settle(plain)
    after = plain.evaluate("lesson.goto(9999)")
    assert (after["status"], plain.locator("#centre-here").is_hidden()) == ("converged", True)
    words = f"The bound goes from {before['bound']:,} to {after['bound']:,}."
    assert plain.locator("#messages").inner_text().endswith(words)


def test_centred_points_are_the_decimals_that_they_look_like(plain):
    points = [[0.1, 1.25], [0.2, -3.5], [0.6, 2], [1.7, 1e-3]]
    plain.evaluate("lesson.load", {"points": points, "labels": [1, -1, 1, -1]})
    plain.click("summary")
    plain.click("#centre")
    settle(plain)
    told = plain.locator("#loose .told")
    assert told.inner_text().startswith("Minus the mean (0.7, −0.062), rounded to 3 decimals. The")
    plain.click("#as-text")
    assert plain.locator("dialog textarea").input_value().splitlines() == [
        "-0.6 1.312 +1",
        "-0.5 -3.438 -1",
        "-0.1 2.062 +1",
        "1 0.063 -1",
    ]
    plain.click("dialog .close")
    plain.select_option("#examples", "segment")
    plain.click("#centre")
    assert told.inner_text().endswith("There is no separator, before or after, and so no bound.")
    plain.evaluate("lesson.load", {"points": [[1e9, 0], [1e9, 1], [-1e9, 0]], "labels": [1, 1, -1]})
    plain.click("#centre")
    assert "beyond the limits" in told.inner_text()
    assert state(plain)["bound"] == 1


def test_the_worst_order_says_of_how_many(plain):
    told = plain.locator("#loose .told")
    plain.click("summary")
    settle(plain)
    assert plain.locator("#worst-order").inner_text() == "Worst of 300 random orders"
    plain.click("#worst-order")
    press(plain, "End")
    worst = state(plain)["mistakes"]
    assert RUN.mistakes < worst <= 34
    assert "own order" in plain.locator("#notes").inner_text()
    assert told.inner_text() == (
        f"Of 300 random orders the worst makes {worst} mistakes, not {RUN.mistakes} mistakes; "
        "another may make more. The bound 34 knows no order."
    )
    plain.select_option("#examples", "wide")
    settle(plain)
    assert plain.locator("#worst-order").inner_text() == "Worst order"
    plain.click("#worst-order")
    assert told.inner_text().startswith("The worst of all 720 orders makes 1 mistake, not 1")
    plain.select_option("#examples", "xor")
    plain.click("#worst-order")
    assert told.inner_text() == "Without a separator every order makes mistakes for ever."
    assert "in order" in plain.locator("#notes").inner_text()


def test_the_chart_of_extreme_points_has_numbers(plain):
    tiny = 1.2345678901234567e-20
    points = [[tiny, 1e9], [1e9, tiny], [-1e9, 1e-20]]
    case = {"points": points, "labels": [1, -1, 1], "conventions": {"eta": 1e9}}
    plain.evaluate("lesson.load", case)
    press(plain, "End")
    for part in (".chart", ".claim >> nth=0", ".claim >> nth=1", "#verdict"):
        words = plain.locator(part).first.inner_html()
        assert words
        assert "NaN" not in words
        assert "Infinity" not in words
