"""Lessons are built, locked and hidden, and their states keep their points."""

from browser import address_of, paste, place, press, settle, state
from profiles import share
from ready_lessons import LESSONS


def build(page):
    """Build a lesson of two states, the second with a note, a hidden tab and locks."""
    page.click("#more-menu")
    page.click("#open-lesson")
    page.fill("#lesson-title", "Week 1")
    page.click("#add-state")
    page.select_option("#examples", "xor")
    page.evaluate("lesson.goto(3)")
    page.click("#add-state")
    page.fill("#state-note", "Why does it never end?")
    for box in ("hidden-proof", "locked-editing", "locked-conventions", "locked-examples"):
        page.check(f"#{box}")
    settle(page)


def test_a_reader_of_a_lesson_sees_the_tab_behind_its_builder(visit):
    page = visit()
    press(page, "t")
    build(page)
    page.check("#locked-more")
    page.click("#states button >> nth=1")
    settle(page)
    assert page.locator("#tab-lesson").get_attribute("aria-selected") == "true"
    assert page.locator("#tab-exercise").is_visible(), "exercises are offered where menus are"
    again = visit(address_of(page))
    settle(again)
    assert again.locator("#tab-lesson").is_hidden()
    assert again.locator("#tab-table").get_attribute("aria-selected") == "true"
    press(again, "l", "v")
    assert again.locator("#tab-beyond").is_hidden()
    assert again.locator("#tab-exercise").is_hidden()


def assert_locked(page):
    assert page.locator("#prose [aria-current=step]").inner_text() == "Why does it never end?"
    assert page.locator("#lesson-note .head").inner_text().split("\n") == ["Week 1", "2 of 2"]
    assert page.locator("#tab-proof").is_hidden()
    assert page.locator("#examples").is_disabled()
    for tool in ("#tool-positive", "#clear", "#open-conventions"):
        assert page.locator(tool).get_attribute("title") == "Locked here"
        assert float(page.locator(tool).evaluate("e => getComputedStyle(e).opacity")) < 0.5
    press(page, "c")
    assert page.locator("#drawer").is_hidden()
    before = state(page)
    page.mouse.click(*place(page, 6, 6))
    press(page, "Delete")
    assert state(page) == before
    assert before["t"] == 3
    paste(page, "1 2 1\n2 1 -1")
    assert page.locator("#messages .bad").inner_text() == "Points are locked in this state."
    assert state(page) == before
    press(page, "End")
    assert "drag" not in page.inner_text("#step").lower()
    press(page, "Home", *["ArrowRight"] * 3)


def test_a_lesson_is_built_and_shared_as_a_link_and_as_a_file(visit, tmp_path):
    page = visit()
    build(page)
    assert page.locator("#states li").count() == page.locator("#dots button").count() == 2
    page.click("#share-lesson")
    link = page.locator("dialog input").input_value()
    press(page, "Escape")
    with page.expect_download() as saved:
        page.click("#save-lesson")
    assert saved.value.suggested_filename == "week-1.html"
    path = tmp_path / "saved.html"
    saved.value.save_as(path)
    again = visit(f"#{link.split('#', 1)[1]}")
    settle(again)
    assert again.title() == "Week 1"
    assert state(again)["looks"] == 16, "the author stood at the second state"
    assert again.locator("#tab-proof").is_visible()
    press(again, "PageDown")
    assert_locked(again)
    again.click("#dots button >> nth=0")
    assert state(again)["looks"] == 16
    again = visit("", url=path.as_uri())
    settle(again)
    assert again.title() == "Week 1"
    assert again.locator("#bar").count() == again.locator("#scrubber").count() == 1
    press(again, "PageDown")
    assert_locked(again)


def test_locks_leave_the_author_free_who_opens_the_builder_again(visit):
    page = visit()
    build(page)
    page.check("#locked-more")
    of_locked = address_of(page)
    paste(page, "1 2 1\n2 1 -1\n3 3 1")
    assert page.locator("#messages p").inner_text() == "3 points."
    page.mouse.click(*place(page, 5, 5))
    press(page, "PageUp", "PageDown", "c")
    assert page.locator("#drawer").is_visible()
    assert page.locator("#more-menu").is_enabled()
    again = visit(f"{address_of(page)}#edit")
    settle(again)
    assert again.locator("#more-menu").is_enabled()
    again.uncheck("#locked-more")
    assert again.locator("#states li").count() == 2
    locked = visit(of_locked)
    settle(locked)
    assert locked.locator("#more-menu").is_disabled()
    assert locked.locator("#tab-lesson").is_hidden()
    locked.evaluate("location.href += '#edit'")
    locked.wait_for_selector("#panel-lesson:visible")
    locked.uncheck("#locked-more")
    locked.uncheck("#locked-editing")
    reader = visit(address_of(locked))
    settle(reader)
    assert reader.locator("#more-menu").is_enabled()
    assert reader.locator("#tool-positive").is_enabled()
    assert reader.locator("#tab-lesson").is_hidden()


def open_builder(page):
    """Open the builder, and add the eight points as its only state."""
    page.click("#more-menu")
    page.click("#open-lesson")
    page.click("#add-state")
    settle(page)


def test_a_note_and_ticks_leave_the_points_of_the_state(plain):
    open_builder(plain)
    assert plain.locator("#update-state").is_disabled()
    plain.mouse.click(*place(plain, 7, 7))
    settle(plain)
    assert plain.locator(".changed").inner_text() == "changed: Replace to keep"
    plain.fill("#state-note", "Drag one.")
    plain.check("#hidden-step")
    assert plain.locator(".changed").is_visible()
    plain.click("#states button")
    settle(plain)
    assert state(plain)["looks"] == 16, "the state has its own eight points"
    assert plain.locator("#state-note").input_value() == "Drag one."
    assert plain.locator(".changed").count() == 0
    plain.click("#tab-table")
    settle(plain)
    assert plain.locator("#step").is_hidden()
    plain.click("#tab-lesson")
    plain.mouse.click(*place(plain, 7, 7))
    plain.click("#update-state")
    settle(plain)
    looks = state(plain)["looks"]
    assert looks != 16
    assert plain.locator(".changed").count() == 0
    plain.select_option("#examples", "xor")
    plain.click("#states button")
    assert state(plain)["looks"] == looks


EVERY_STATE = """async () => {
  const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const changed = [];
  for (let k = 0; k < document.querySelectorAll("#states button").length; k++) {
    document.querySelectorAll("#states button")[k].click();
    await drawn();
    changed.push(document.querySelectorAll(".changed").length);
  }
  return changed;
}"""


def test_walking_on_is_a_change_and_every_ready_state_opens_unchanged(plain):
    for name in share(LESSONS, len(LESSONS), 2):
        plain.click("#lessons-menu")
        plain.click(f"#ready-{name}")
        plain.evaluate("document.querySelector('#open-lesson').click()")
        settle(plain)
        changed = plain.evaluate(EVERY_STATE)
        assert changed == [0] * LESSONS[name], name
    plain.focus("#plane")  # in the prose Home is the first paragraph
    press(plain, "Home", "ArrowRight")
    assert plain.locator(".changed").count() == 1


def test_a_new_state_begins_without_note_hides_and_locks(plain):
    build(plain)
    plain.click("#add-state")
    settle(plain)
    assert plain.locator("#states li").count() == 3
    assert plain.locator("#state-note").input_value() == ""
    assert plain.locator("#panel-lesson input:checked").count() == 0
    plain.click("#remove-state")
    settle(plain)
    assert plain.locator("#state-note").input_value() == "Why does it never end?"
    assert plain.locator("#hidden-proof").is_checked()
    assert state(plain)["t"] == 3
    plain.click("#remove-state")
    plain.click("#remove-state")
    settle(plain)
    assert plain.locator("#dots button").count() == 0


TELLING = ("separa", "bound", "at most", "Converged", "for ever", "closes", "on their side")


def test_a_hidden_verdict_is_told_nowhere(plain):
    open_builder(plain)
    plain.click("#more-menu")
    plain.click("#open-exercise")  # its challenges would tell it
    plain.click("#open-conventions")
    press(plain, "Escape")
    for points in ("xor", "eight"):
        plain.select_option("#examples", points)
        plain.click("#more-menu")
        plain.click("#open-lesson")
        plain.check("#hidden-verdict")
        press(plain, "End")
        assert plain.locator("#tab-proof").is_hidden()
        told = []
        for tab in ("weights", "table", "compare", "exercise"):
            if plain.locator(f"#tab-{tab}").is_hidden():
                plain.click("#more-menu")
                plain.click(f"#open-{tab}")
            else:
                plain.click(f"#tab-{tab}")
            settle(plain)
            told.append(plain.inner_text("main"))
        plain.click("#beyond-menu")
        plain.click("#view-margin")
        settle(plain)
        told.append(plain.inner_text("#panel-beyond .told"))
        told.append(plain.inner_text("#plane-words"))
        words = "\n".join(told)
        assert "The run stops here." in words
        challenges = "Reach the bound"
        assert [word for word in TELLING if word in words.replace(challenges, "")] == []
    plain.click("#more-menu")
    plain.click("#open-lesson")
    plain.uncheck("#hidden-verdict")
    settle(plain)
    assert "Converged" in plain.inner_text("#verdict")
    assert plain.locator("#tab-proof").is_visible()
