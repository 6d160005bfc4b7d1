"""The tab Proof: its ideas, whose symbols and numbers light up in formula, chart and picture."""

from fractions import Fraction

import browser as machine
from browser import click_slowly, place, press, settle, settled_box, state

EIGHT = [[-4, -1], [2, 1], [4, -4], [5, 2], [-5, 1], [1, -4], [-3, -4], [5, -2]]
LABELS = [1, 1, -1, 1, 1, -1, -1, -1]
IDEAS = ["separator", "floor", "ceiling", "bound", "broken"]


def show(page, idea, t):
    page.click(f"#idea-{idea}")
    page.evaluate("t => lesson.goto(t)", t)
    settle(page)


TERMS = """() => [...document.querySelectorAll(".formula .term")]
  .filter(row => row.checkVisibility())
  .map(row => ["symbol", "value", "under"].map(part => row.querySelector(`.${part}`).innerText))"""


def terms(page):
    """Symbol, number and remark of each term on the screen."""
    return page.evaluate(TERMS)


def test_the_ideas_have_the_numbers_of_the_proof(plain):
    show(plain, "separator", 4)
    assert [row[:2] for row in terms(plain)] == [
        ["u", "(−0.196, 0.588, 0.784)"],
        ["γ²", "25/26"],
        ["R²", "33"],
    ]
    show(plain, "floor", 4)
    assert terms(plain) == [
        ["u·w′", "27/5 γ", ""],
        ["u·w", "3 γ", ""],
        ["y u·x", "12/5 γ", "≥ γ"],
        ["tγ", "4 γ", "t = 4"],
    ]
    show(plain, "ceiling", 4)
    assert terms(plain) == [
        ["‖w′‖²", "29", ""],
        ["‖w‖²", "22", ""],
        ["2 y w·x", "−20", "≤ 0"],
        ["‖x‖²", "27", "≤ R²"],
        ["tR²", "132", "t = 4"],
    ]
    show(plain, "bound", 4)
    chain = plain.locator(".chain").inner_text()
    assert chain == "t²γ² ≤ (u·w)² ≤ ‖w‖² ≤ tR², so t ≤ R²/γ² = 858/25"
    decimals = {"points": [[150.53, 7.21], [120.27, 5.13]], "labels": [-1, 1]}
    plain.evaluate("lesson.load", decimals)
    settle(plain)
    assert plain.locator(".chain").inner_text().partition("R²/γ²")[2].startswith(" ≈ ")


def test_another_start_and_rate_have_their_own_terms(plain):
    conventions = {"start": [5, -9, 3], "eta": 0.5}
    plain.evaluate("lesson.load", {"points": EIGHT, "labels": LABELS, "conventions": conventions})
    t = next(t for t in range(99) if plain.evaluate("t => lesson.proof(t)", t))
    told = plain.evaluate("t => lesson.proof(t)", t)
    show(plain, "floor", t)
    rows = {row[0]: row[1] for row in terms(plain)}
    assert list(rows) == ["u·w′", "u·w", "η y u·x", "u·w₀ + tηγ"]
    gammas = {
        name: Fraction(text.removesuffix(" γ").replace("−", "-")) for name, text in rows.items()
    }
    assert gammas["u·w′"] == Fraction(told["rise"]) / Fraction(told["gamma2"])
    assert gammas["u·w′"] == gammas["u·w"] + gammas["η y u·x"]
    assert gammas["u·w₀ + tηγ"] == gammas["u·w"] + Fraction(1, 2)
    show(plain, "ceiling", t)
    rows = terms(plain)
    assert [row[0] for row in rows] == ["‖w′‖²", "‖w‖²", "2η y w·x", "η²‖x‖²", "‖w₀‖² + tη²R²"]
    written = [told["length2"], *told["split"]]
    assert [row[1].replace("−", "-") for row in rows[:4]] == written
    assert rows[4][1] == str(115 + Fraction(33, 4))


def lit(page):
    settle(page)
    return set(page.evaluate("[...document.querySelectorAll('.lit')].map(e => e.dataset.part)"))


def picture(page):
    return page.locator("#plane").evaluate("canvas => canvas.toDataURL()")


PARTS = [("separator", "gamma"), ("floor", "gain"), ("ceiling", "last"), ("ceiling", "most")]


def test_a_part_lights_up_in_formula_chart_and_picture(plain):
    for idea, part in PARTS:
        show(plain, idea, 4)
        before = picture(plain)
        for point in ("hover", "focus"):
            getattr(plain.locator(f".term[data-part={part}]"), point)()
            assert lit(plain) == {part}
            assert plain.locator(f".blocks .lit[data-part={part}]").count() > 0
            assert (picture(plain) != before) == (part != "most")
            assert plain.locator(".meaning").inner_text() != "Mistake 4, at look 5."
            plain.mouse.move(5, 5)
            plain.evaluate("document.activeElement.blur()")
            assert lit(plain) == set()
        chart = plain.locator(f".blocks [data-part={part}]").first
        chart.dispatch_event("pointerover", {"bubbles": True})
        assert lit(plain) == {part}
        plain.locator(f".term[data-part={part}]").hover()
        plain.mouse.move(5, 5)
        assert lit(plain) == set()


def test_a_claim_lights_its_curve(plain):
    press(plain, "End")
    for part, claim in zip(("least", "most"), plain.locator(".claim").all(), strict=True):
        claim.hover()
        assert lit(plain) == {part}
        assert plain.locator(f".chart path.lit[data-part={part}]").count() == 1


def test_a_symbol_of_the_picture_lights_up_its_term(plain):
    show(plain, "separator", 4)
    plain.mouse.move(*place(plain, -4, -1))
    assert lit(plain) == {"row0"}
    assert plain.locator(".meaning").inner_text().startswith("Point 1:")
    plain.mouse.move(*place(plain, 2.2, -1.75))  # the name of R, beside its radius
    assert lit(plain) == {"radius"}
    plain.mouse.move(5, 5)
    assert lit(plain) == set()


def test_a_tap_lights_a_part(visit):
    page = visit(size=(390, 844), has_touch=True, is_mobile=True)
    page.tap("#idea-ceiling")
    page.evaluate("lesson.goto(4)")
    page.tap("#handle")
    page.tap(".term[data-part=middle]")
    assert lit(page) == {"middle"}
    assert page.locator(".meaning").inner_text().startswith("2 y w·x: at most 0")


def test_only_a_mistake_adds(plain):
    show(plain, "floor", 2)
    assert plain.locator(".meaning").inner_text() == "Look 3 is right: nothing is added."
    assert [row[1] for row in terms(plain)] == ["2 γ", "–", "–", "2 γ"]
    plain.click("#next-mistake")
    assert state(plain)["t"] == 3
    settle(plain)
    assert plain.locator(".meaning").inner_text() == "Mistake 3, at look 4."
    assert plain.locator("#next-mistake").is_hidden()
    press(plain, "End")
    assert plain.locator(".meaning").inner_text() == "The run is over after 6 mistakes."


def test_a_click_on_a_column_goes_to_its_mistake(plain):
    show(plain, "ceiling", 12)
    box = settled_box(plain, plain.locator(".blocks rect").nth(2))  # of the second column
    click_slowly(plain, box["x"] + box["width"] / 2, box["y"] + 1)  # takes the focus, and its light
    assert state(plain)["t"] == 1
    assert plain.locator(".meaning").inner_text() != ""


def test_without_a_separator_there_is_a_ceiling_and_no_floor(plain):
    plain.select_option("#examples", "xor")
    show(plain, "separator", 0)
    assert "there is no u" in plain.locator(".sentence").inner_text()
    assert [row[1] for row in terms(plain)] == ["none", "none", "19"]
    show(plain, "floor", 0)
    assert {row[1] for row in terms(plain)} == {"none"}
    show(plain, "ceiling", 0)
    assert terms(plain)[0][1] == "19"


def test_the_key_of_the_proof_walks_its_ideas(plain):
    press(plain, "w", "p")
    for idea in ("broken", *IDEAS):
        press(plain, "p")
        assert plain.locator(f"#idea-{idea}").get_attribute("aria-pressed") == "true"
        assert plain.locator(".ideas [aria-pressed=true]").count() == 1
    assert plain.locator("#step").is_hidden()


def test_an_idea_is_kept_in_the_address(visit):
    page = visit()
    show(page, "ceiling", 4)
    again = visit(machine.address_of(page))
    settle(again)
    assert again.locator("#idea-ceiling").get_attribute("aria-pressed") == "true"
    assert terms(again)[2][1] == "−20"


SCENES = """async ({origin, points, labels}) => {
  const load = name => import(`${origin}/${name}.js`);
  const [{completeConventions}, {runPerceptron, brokenBy, lineAt}, {separate}, {sceneAt}, model] =
    await Promise.all(["engine/conventions", "engine/run", "engine/separability", "plane/scene",
      "state/model"].map(load));
  const conventions = completeConventions();
  const run = runPerceptron(points, labels, conventions);
  const found = separate(points, labels, conventions);
  const {gridOf} = await load("state/grid");
  const fields = {...model.firstState(), points, labels, grid: gridOf(points)};
  const at = (t, asking, progress) => {
    const {line, next, update, broken, current} =
      sceneAt({run, found, t, fields: {...fields, asking}}, progress);
    return {line, next, row: update?.row ?? null, broken, current};
  };
  return run.rows.map((_, t) => ({
    shown: at(t, false, 1),
    asked: at(t, true, 1),
    moving: t > 0 && run.wrong[t - 1] ? at(t, false, 0.5).row : null,
    lines: [t, t + 1].map(look => lineAt(run, look)),
    broken: brokenBy(run, t),
    row: run.rows[t],
    wrong: run.wrong[t],
    before: run.rows[t - 1],
  }));
}"""


def test_the_picture_shows_the_update_of_the_text(modules):
    given = {"origin": machine.ORIGIN, "points": EIGHT, "labels": LABELS}
    looks = modules.evaluate(SCENES, given)
    assert any(look["broken"] for look in looks)
    for look in looks:
        line, after = look["lines"]
        shown, asked = look["shown"], look["asked"]
        assert shown["current"] == look["row"]
        assert shown["line"] == asked["line"] == line
        assert shown["row"] == (look["row"] if look["wrong"] else None)
        assert shown["next"] == (after if look["wrong"] else None)
        assert shown["broken"] == look["broken"]
        assert (asked["row"], asked["next"], asked["broken"]) == (None, None, [])
        assert look["moving"] in (None, look["before"])


def test_the_signs_of_the_plane_have_words(plain):
    def signs():
        settle(plain)
        return plain.locator("#notes .sign-row").all_inner_texts()

    assert signs() == ["the line", "w"]
    press(plain, "ArrowRight")
    assert signs() == ["the line", "after this look", "w", "y x", "turns wrong"]
    plain.click("#idea-floor")
    assert signs() == ["u", "within γ of its line", "gain along u"]
    press(plain, "?")
    assert len(plain.locator("dialog .sign-row").all()) == 12


def test_looks_are_counted_from_1_in_words(plain):
    plain.evaluate("lesson.goto(4)")
    settle(plain)
    words = plain.locator("#scrubber").get_attribute("aria-valuetext")
    assert words == "look 5 of 16, 3 mistakes so far"
    assert plain.locator("#step .place").inner_text() == "look 5 of 16 · epoch 1"
    assert " Look 5 of 16." in plain.locator("#plane-words").inner_text()
    press(plain, "t")
    assert plain.locator("tr.current td").first.inner_text() == "5"
