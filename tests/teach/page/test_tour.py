"""The guided tour: the proof and one broken assumption, on the points at hand."""

import pytest
from browser import press, settle, state
from profiles import share

STEPS = 14
IDEAS = ["separator"] * 4 + ["floor"] * 3 + ["ceiling"] * 3 + ["bound"] * 2 + ["broken"] * 2


def place(page):
    settle(page)
    return page.locator(".tour-place").inner_text()


def shown(page):
    """The idea, and the part that is lit."""
    settle(page)
    idea = page.locator(".idea[aria-pressed=true]").get_attribute("id")
    lit = page.evaluate("[...document.querySelectorAll('.lit')].map(e => e.dataset.part)")
    return idea.removeprefix("idea-"), set(lit)


TOLD = """() => {
  const all = name => [...document.querySelectorAll(name)];
  return {
    place: document.querySelector(".tour-place").innerText,
    idea: document.querySelector(".idea[aria-pressed=true]").id.replace("idea-", ""),
    lit: [...new Set(all(".lit").map(e => e.dataset.part))],
    words: document.querySelector(".tour-words").innerText,
    besides: all(".sentence, .why, #step").filter(e => e.getClientRects().length).length,
    failed: all(".proof-line.failed").length,
  };
}"""


@pytest.mark.parametrize("example", share(["eight", "thin", "wide"], 3, 1))
def test_the_tour_walks_the_ideas_and_breaks_one(plain, example):
    plain.select_option("#examples", example)
    plain.click("#tour")
    plain.mouse.move(5, 5)
    told, seconds = [], 0
    for k in range(STEPS):
        settle(plain)
        now = plain.evaluate(TOLD)
        assert (now["place"], now["idea"]) == (f"{k + 1} of {STEPS}", IDEAS[k])
        assert len(now["lit"]) <= 1
        told.append(now["words"])
        seconds += 9 + 0.065 * len(told[-1])
        assert now["besides"] == 0
        if k == 12:
            assert now["lit"] == ["gain"]
            assert now["failed"] > 0
        plain.locator("#tour-next").dispatch_event("click")
    assert place(plain) == f"{STEPS} of {STEPS}"
    assert len(set(told)) == STEPS
    assert 200 < seconds < 280
    plain.locator("#tour-back").dispatch_event("click")
    assert shown(plain) == ("broken", {"gain"})
    plain.click("#tour-end")
    settle(plain)
    assert plain.locator(".tour").is_hidden()
    assert plain.locator("#tour").is_visible()


def test_the_tour_goes_on_by_itself_until_the_reader_looks_elsewhere(visit):
    page = visit(still=False, clock=True)
    page.click("#more-menu")
    page.click("#open-tour")
    words = page.locator(".tour-words")
    page.clock.run_for(9000)
    assert words.inner_text().startswith("Whatever the order")
    page.clock.run_for(9000)
    assert words.inner_text().startswith("Some line separates")
    page.click("#tour-pause")
    page.clock.run_for(60_000)
    assert words.inner_text().startswith("Some line separates")
    page.click("#tour-pause")
    page.clock.run_for(20_000)
    assert words.inner_text().startswith("γ is the margin")
    page.click("#idea-ceiling")
    page.clock.run_for(60_000)
    assert page.locator("#tour-pause").inner_text() == "Go on"
    assert words.inner_text().startswith("γ is the margin")
    page.click("#tour-pause")
    page.clock.run_for(300_000)
    assert words.inner_text().startswith("The margin is back")
    assert page.locator("#tour-pause").is_disabled()


def test_with_less_motion_the_tour_waits_and_keys_walk_it(visit):
    page = visit("#", clock=True)
    page.click("#tour")
    page.clock.run_for(60_000)
    hint = page.locator(".tour-place")
    assert hint.inner_text() == f"1 of {STEPS}"
    page.keyboard.press("PageDown")
    page.clock.run_for(100)
    assert hint.inner_text() == f"2 of {STEPS}"
    page.keyboard.press("PageUp")
    page.keyboard.press("Escape")
    page.clock.run_for(100)
    assert page.locator(".tour").is_hidden()


def test_the_light_of_a_step_comes_back_after_pointing(plain):
    plain.click("#tour")
    press(plain, "PageDown", "PageDown")
    assert shown(plain) == ("separator", {"gamma"})
    plain.locator(".term[data-part=radius]").hover()
    assert shown(plain)[1] == {"radius"}
    plain.mouse.move(5, 5)
    assert shown(plain)[1] == {"gamma"}


def test_points_without_a_separator_have_no_tour(plain):
    plain.click("#tour")
    plain.select_option("#examples", "xor")
    settle(plain)
    assert plain.locator(".tour").is_hidden()
    assert plain.locator("#tour").is_hidden()
    plain.click("#more-menu")
    plain.click("#open-tour")
    assert plain.locator("#messages p").inner_text().startswith("The tour needs points")
    assert state(plain)["t"] == 0
