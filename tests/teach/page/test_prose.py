"""The ready lessons: every number of their prose is true, and every paragraph fits."""

import re
from fractions import Fraction
from math import floor, hypot, isclose, sqrt

import browser as machine
import pytest
from browser import press, rest, settle, state
from profiles import share
from ready_lessons import LESSONS

from rosenblatt import certify, textbook

SHORT, LONG, MOST = 100, 240, 14

READ = """async ([origin, names]) => {
  const {READY} = await import(`${origin}/lessons/ready.js`);
  const {factsOf, modelOf, proseOf} = await import(`${origin}/lessons/facts.js`);
  return names.map(name => READY[name].states.map(packed => {
    const model = modelOf(packed);
    const {points, labels, conventions} = model.fields;
    const kernel = model.run.kernel === null ? null : packed.beyond;
    const facts = factsOf(model);
    return {note: packed.note, prose: proseOf(packed), t: model.t, points, labels, conventions,
            kernel, facts};
  }));
}"""


@pytest.fixture(scope="module")
def states(modules):
    """The states of all lessons, with their prose and its facts."""
    found = modules.evaluate(READ, [machine.ORIGIN, [*LESSONS]])
    return dict(zip(LESSONS, found, strict=True))


@pytest.fixture(scope="module")
def every(states):
    return [(f"{name} {k + 1}", one) for name in LESSONS for k, one in enumerate(states[name])]


# Formulas and conventions, in which a number is no claim about the run
FORMULA = re.compile(
    r"sgn\(0\) = [+−]1|[=≤>] 0(?!\.\d)|(is|and|adds|From|at|above|below|of|or) 0|max\(0,|"
    r"\+1 (where|here)|\+1 or −1|(and|as) [+−]1|2 y w·x|η/2|\+ 1\)|\(1 \+|1/√k|"
    r"constant 1|always 1|length 1|‖u‖ = 1|says \+1|predicted \+1|degree 2|in 1958|"
    r"ε = 1|ε = 0\.5|n = 2, k = 1|0\.7 x \+ 0\.4 y > 0\.5|(Claim|Lemma|Result) [12]"
)
NUMBER = re.compile(r"\d|\b(three|four|five|six|seven|eight|nine|ten|dozen)\b", re.IGNORECASE)


def test_numbers_stand_in_the_prose_as_facts_of_its_state(states, every):
    assert {name: len(found) for name, found in states.items()} == LESSONS
    for name, one in every:
        heading, text = one["note"].split("\n")
        assert len(heading) < 40, name
        assert SHORT < len(text) < LONG, name
        plain = FORMULA.sub("", re.sub(r"\{\w+\}", "", one["note"]))
        assert NUMBER.search(plain) is None, (name, plain)
        assert "{" not in one["prose"], name
    used = {fact for _, one in every for fact in re.findall(r"\{(\w+)\}", one["note"])}
    assert len(used) > 30


def test_conventions_that_the_prose_names_are_those_of_its_state(every):
    told = 0
    for name, one in every:
        text, given = one["note"], one["conventions"]
        for words, holds in (
            ("sgn(0) = −1", given["tie"] == -1),
            ("sgn(0) = +1", given["tie"] == 1),
            ("a mistake for both classes", given["tie"] == 0),
            ("through the origin", given["offset"] == "none"),
            ("ε = 0.5", given["eta"] == 0.5),
            (
                "n = 2, k = 1",
                all(x == y for (x, _), y in zip(one["points"], one["labels"], strict=True)),
            ),
            (
                "0.7 x + 0.4 y > 0.5",
                all(
                    (7 * x + 4 * y > 5) == (label > 0)
                    for (x, y), label in zip(one["points"], one["labels"], strict=True)
                ),
            ),
        ):
            if words in text:
                assert holds, (name, words)
                told += 1
    assert told >= 10


class Twin:
    """The run of a state in fractions, by its scores: for lines and kernels."""

    def __init__(self, one):
        given, self.y = one["conventions"], one["labels"]
        self.tie, self.eta = given["tie"], Fraction(str(given["eta"]))
        self.rows = [[Fraction(str(value)) for value in point] for point in one["points"]]
        ends = {"none": lambda x: x, "first": lambda x: [1, *x], "last": lambda x: [*x, 1]}
        self.X = [ends[given["offset"]](x) for x in self.rows]
        w1, w2, b = map(Fraction, given["start"] or (0, 0, 0))
        self.start = {"none": [w1, w2], "first": [b, w1, w2], "last": [w1, w2, b]}[given["offset"]]
        inner = {None: dot, "lift": lifted, "kernel": squared}[one["kernel"]]
        self.gram = [[inner(a, b) for b in self.X] for a in self.X]
        self.weights = [self.start]  # of a line
        self.scores = [[dot(self.start, x) if any(self.start) else 0 for x in self.X]]
        self.looks, self.used = [], []
        self.period = None
        self.epochs = 0
        seen = {}
        while not self.ended(given):
            key = tuple(self.scores[-1]), tuple(self.weights[-1])
            if key in seen:
                self.period = len(self.looks) - seen[key]
                break
            seen[key] = len(self.looks)
            self.epochs += 1
            wrong = self.wrong()
            for row in self.picked(given["pick"], wrong):
                self.look(row)

    def picked(self, pick, wrong):
        worst = lambda row: self.y[row] * self.scores[-1][row]  # noqa: E731
        return {
            "every": range(len(self.y)),
            "first": wrong[:1],
            "worst": sorted(wrong, key=worst)[:1],
        }[pick]

    def ended(self, given):
        if not self.looks or given["stop"] == "right" or given["pick"] != "every":
            return not self.wrong() and (self.looks or given["pick"] != "every")
        if given["stop"] == "pass":
            return True
        return self.used[-len(self.y)] == len(self.scores) - 1

    def look(self, row):
        self.used.append(len(self.scores) - 1)
        self.looks.append(row)
        if self.answer(row) != self.y[row]:
            step = self.eta * self.y[row]
            self.scores.append(added(self.scores[-1], step, self.gram[row]))
            self.weights.append(added(self.weights[-1], step, self.X[row]))

    def answer(self, row, k=-1):
        return sign(self.scores[k][row], self.tie)

    def wrong(self, k=-1):
        return [row for row, y in enumerate(self.y) if self.answer(row, k) != y]


def added(a, step, b):
    return [value + step * cell for value, cell in zip(a, b, strict=True)]


def dot(w, x):
    return sum(a * b for a, b in zip(w, x, strict=True))


def lifted(a, b):
    return dot(a, b) + (a[0] ** 2 + a[1] ** 2) * (b[0] ** 2 + b[1] ** 2)


def squared(a, b):
    return dot(a, b) ** 2 + 1  # of rows with their constant 1


def sign(score, tie):
    return 1 if score > 0 else -1 if score < 0 else tie


def value(fact):
    """A fact as a fraction, or as a tuple of them."""
    if not isinstance(fact, str):
        return fact
    numbers = [Fraction(part) for part in re.findall(r"-?[\d./]+", fact.replace("−", "-"))]
    return tuple(numbers) if fact.startswith("(") else numbers[0]


def near(fact, exact):
    """Whether a fact is a number, to the three decimals that the page shows."""
    if isinstance(exact, (list, tuple)):
        return len(value(fact)) == len(exact) and all(
            isclose(a, b, abs_tol=5.1e-4) for a, b in zip(value(fact), exact, strict=True)
        )
    return isclose(value(fact), exact, abs_tol=5.1e-4)


def expected(one):
    """The facts of a state, computed by other code."""
    twin, t = Twin(one), one["t"]
    ended = t == len(twin.looks)
    k = len(twin.scores) - 1 if ended else twin.used[t]
    facts = {
        "points": len(twin.y),
        "looks": len(twin.looks),
        "epochs": twin.epochs,
        "mistakes": k,
        "allMistakes": len(twin.scores) - 1,
        "wrong": len(twin.wrong(k)),
    }
    if twin.period is not None:
        facts["period"] = twin.period
    if not ended:
        row = twin.looks[t]
        facts |= {
            "look": t + 1,
            "x": twin.rows[row],
            "y": twin.y[row],
            "score": twin.scores[k][row],
        }
    if one["kernel"] is not None:
        return facts
    facts |= of_the_line(twin, k, t)
    if not ended and twin.answer(row, k) != twin.y[row]:
        broken = sorted({*twin.wrong(k + 1)} - {*twin.wrong(k)})
        square = twin.gram[row][row]
        facts |= {
            "newWeights": twin.weights[k + 1],
            "newScore": twin.scores[k + 1][row],
            "square": square,
            "broken": [row + 1 for row in broken],
            "middle": 2 * twin.eta * twin.y[row] * twin.scores[k][row],
            "newLength2": dot(twin.weights[k + 1], twin.weights[k + 1]),
        }
    return facts | of_the_theorem(one, twin, k, None if ended else twin.looks[t])


def of_the_line(twin, k, t):
    w = twin.weights[k]
    places = {2: ([0, 1], None), 3: ([0, 1], 2)}[len(w)]
    if len(w) == 3 and all(x[0] == 1 for x in twin.X):
        places = [1, 2], 0
    line = [w[j] for j in places[0]]
    heights = [y * dot(w, x) for x, y in zip(twin.X, twin.y, strict=True)]
    answers = [*twin.used[1:], len(twin.scores) - 1][:t]
    mean = [sum(cells) for cells in zip(*[twin.weights[j] for j in answers or [0]], strict=True)]
    votes = [sum(twin.answer(row, j) for j in answers) for row in range(len(twin.X))]
    wrong = lambda scores: sum(sign(s, twin.tie) != y for s, y in zip(scores, twin.y, strict=True))  # noqa: E731
    length = sqrt(dot(line, line))
    return {
        "w": line,
        "b": w[places[1]] if places[1] is not None else 0,
        "weights": w,
        "length2": dot(w, w),
        "margin": min(heights) / length if length else 0,
        "averageWrong": wrong([dot(mean, x) for x in twin.X]),
        "voteWrong": wrong(votes),
        "pocketWrong": min(len(twin.wrong(j)) for j in range(len(twin.scores))),
    }


def of_the_theorem(one, twin, k, row):
    X = [[*map(float, x)] for x in twin.X]
    proof = certify(X, twin.y, fit_intercept=False)
    band = certify([[*map(float, x)] for x in twin.rows], twin.y)
    facts = {"band": band.margin[0]} if band.status == "separable" else {}
    if proof.status != "separable":
        return facts
    gamma, radius2 = proof.margin[0], max(dot(x, x) for x in twin.X)
    u = value(one["facts"]["u"])
    assert isclose(hypot(*u), 1, abs_tol=2e-3)
    along = lambda w: dot([*map(float, u)], [*map(float, w)]) / gamma  # noqa: E731
    assert isclose(min(y * along(x) for x, y in zip(X, twin.y, strict=True)), 1, abs_tol=2e-2)
    exact = floor(float(radius2) / gamma**2 + 1e-9)
    if any(twin.start):
        run = textbook.sample_correction(
            one["points"], one["labels"], start=[*map(float, twin.start)]
        )
        exact = textbook_bound(run)
    facts |= {
        "bound": exact,
        "gamma": gamma,
        "radius": sqrt(radius2),
        "radius2": radius2,
        "most": k * radius2,
    }
    facts["rise"] = along(twin.weights[k])
    if row is not None and twin.answer(row, k) != twin.y[row]:
        facts |= {"gain": twin.y[row] * along(twin.X[row]), "newRise": along(twin.weights[k + 1])}
    return facts


def textbook_bound(run):
    from rosenblatt import audit

    return audit(run).allowed


ROUGH = {"rise", "newRise", "gain"}  # of u to three decimals


def test_every_fact_of_the_prose_is_true(every):
    checked = set()
    for name, one in every:
        exact, facts = expected(one), one["facts"]
        for fact in re.findall(r"\{(\w+)\}", one["note"]):
            if fact in ("u", "support"):
                continue  # u is checked with γ, the support by its band
            if fact == "broken":
                assert [*map(int, re.findall(r"\d+", facts[fact]))] == exact[fact], name
            elif fact in ROUGH:
                assert isclose(value(facts[fact]), exact[fact], rel_tol=2e-3), (name, fact)
            else:
                assert near(facts[fact], exact[fact]), (name, fact, facts[fact], exact[fact])
            checked.add(fact)
        for fact in ("mistakes", "allMistakes", "looks", "wrong"):
            assert facts[fact] == exact[fact], (name, fact)
    assert len(checked) > 28


def at(page):
    return page.locator("#lesson-note .head span").inner_text()


def current(page):
    return page.locator("#prose [aria-current=step]")


FAULTS = """() => {
  const boxOf = e => e.getBoundingClientRect();
  const faults = [];
  const fault = words => faults.push(words);
  const [list, now] = [prose, prose.querySelector("[aria-current=step]")].map(boxOf);
  if (now.top < list.top - 1 || now.bottom > list.bottom + 1) fault("the paragraph is cut");
  const off = Math.abs(now.top + now.bottom - list.top - list.bottom) / 2;
  if (off > 3) fault(`the paragraph is ${off} pixels off the middle`);
  if (list.bottom > innerHeight) fault("the prose is below the window");
  if (document.documentElement.scrollWidth > innerWidth) fault("wider than the window");
  const [plane, bottom] = ["#plane", "#bottom"].map(id => boxOf(document.querySelector(id)));
  if (plane.bottom > bottom.top + 1 && bottom.height > 20) fault("the plane is covered");
  if (innerWidth <= 700) return faults; // there the panels are a sheet
  const [legend, words] = ["#notes", "#verdict"].map(id => document.querySelector(id));
  const areShown = legend.offsetParent && words.offsetParent;
  if (areShown && boxOf(legend).bottom > boxOf(words).top) fault("the legend is cut");
  for (const part of ["#step", "#panels"].map(id => document.querySelector(id))) {
    if (part.offsetParent && boxOf(part).bottom > bottom.top + 1) fault(`${part.id} is cut`);
  }
  const panel = document.querySelector("#panels .panel:not([hidden])");
  if (!panel?.offsetParent) return faults;
  const parts = ".bar-row, .chart, .blocks, #lift, #gram, #compared, .square";
  for (const e of panel.querySelectorAll(parts)) {
    if (!e.offsetParent) continue;
    if (boxOf(e).bottom > boxOf(panel).bottom + 1) fault(`${e.id || e.className} is cut`);
    const isFlat = !e.matches(".bar-row") && e.clientHeight < 40;
    if (isFlat) fault(`${e.id || e.className} is ${e.clientHeight} pixels high`);
  }
  return faults;
}"""
SEEN = f"""() => {{
  const now = prose.querySelector("[aria-current=step]");
  const shown = id => document.querySelector(id).checkVisibility();
  return {{
    at: document.querySelector("#lesson-note .head span").innerText,
    state: lesson.state(),
    text: now.innerText,
    headings: now.querySelectorAll("h3").length,
    told: document.querySelector("#lesson-note [role=status]").textContent,
    canGoBack: shown("#back-to-text"),
    faults: ({FAULTS})(),
  }};
}}"""


@pytest.mark.parametrize("name", LESSONS)
def test_every_lesson_is_read_by_keys_alone_and_every_paragraph_fits(visit, states, name):
    page = visit(f"#ready={name}")
    settle(page)
    for k, one in enumerate(states[name]):
        if k > 0:
            press(page, ("ArrowDown", "Space", "PageDown")[k % 3])
        seen = page.evaluate(SEEN)
        assert seen["at"] == f"{k + 1} of {len(states[name])}"
        now = seen["state"]
        assert (now["t"], now["mistakes"]) == (one["t"], one["facts"]["mistakes"])
        assert now["w"] is None or near(one["facts"]["w"], now["w"])
        assert seen["text"].split() == one["prose"].split()
        assert seen["headings"] == 1
        assert seen["told"] == (one["prose"] if k else "")
        assert not seen["canGoBack"]
        assert seen["faults"] == [], k + 1
    press(page, "ArrowDown")
    assert at(page) == f"{LESSONS[name]} of {LESSONS[name]}"
    press(page, "Home", "ArrowDown", "ArrowUp")
    assert at(page) == f"1 of {LESSONS[name]}"


WALK = f"""async () => {{
  const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const faults = [];
  for (const [k, dot] of document.querySelectorAll("#dots button").entries()) {{
    dot.click();
    await drawn();
    faults.push(...({FAULTS})().map(words => `${{k + 1}}: ${{words}}`));
  }}
  return faults;
}}"""
PHONE = {"size": (390, 844), "has_touch": True, "is_mobile": True}
SIZES = {
    "projector": {},
    "phone": PHONE,
    "960x540": {"size": (960, 540)},
    "718x420": {"size": (718, 420)},
    "low window": {"size": (960, 540)},
}


@pytest.mark.parametrize(("turn", "size"), [*enumerate(SIZES)], ids=[*SIZES])
def test_every_paragraph_and_its_state_fit(visit, turn, size):
    """At the usual size they do so where the lessons are read by keys."""
    frame = "&embed=1" if size[0].isdigit() else ""
    faults = {}
    for name in share(LESSONS, len(LESSONS), turn):
        page = visit(f"#ready={name}{frame}", **SIZES[size])
        if size == "projector":
            press(page, "f")
        settle(page)
        faults[name] = page.evaluate(WALK)
    assert {name: found for name, found in faults.items() if found} == {}


EXAMINE = """async only => {
  const chosen = only.length ? {runOnly: only} : {};
  const {violations} = await axe.run(document, {resultTypes: ["violations"], ...chosen});
  return violations.map(({id, nodes}) => [id, nodes.map(({target}) => `${target}`)]);
}"""


def faults_of(page, mode):
    """What axe finds; in the window, its checks of colours find it in the dark, too."""
    rest(page)
    found = page.evaluate(EXAMINE, [])
    if mode == "window":
        page.emulate_media(color_scheme="dark")
        rest(page)
        found += page.evaluate(EXAMINE, ["color-contrast", "link-in-text-block"])
        page.emulate_media(color_scheme="light")
    return found


def places(page):
    """Go from place to place in two lessons; yield the number of each."""
    for k, key in enumerate(("Home", "End")):
        press(page, key)
        yield k
    page.click("#lessons-menu")
    page.click("#ready-kernels")
    press(page, "ArrowDown")
    press(page, "ArrowRight")  # the text can be gone back to
    yield 2


@pytest.mark.parametrize(("turn", "mode"), [(0, "window"), (1, "projector"), (2, "phone")])
def test_axe_finds_no_violation_in_a_lesson(visit, turn, mode):
    page = visit("#ready=proof", **(PHONE if mode == "phone" else {}))
    page.evaluate(machine.axe_script())
    if mode == "projector":
        press(page, "f")
    chosen = range(3) if mode == "window" else share(range(3), 3, turn)
    for k in places(page):
        if k in chosen:
            assert faults_of(page, mode) == [], k


def test_scrolling_sets_the_state_and_a_reader_comes_back_to_the_text(visit):
    page = visit("#ready=proof", still=False)
    page.locator("#prose").hover()
    for k in (2, 3):
        page.mouse.wheel(0, 100)
        page.wait_for_function(f"document.querySelector('.head span').innerText === '{k} of 14'")
    page.wait_for_timeout(400)  # the wheel's own movement ends
    page.mouse.wheel(0, -100)
    page.wait_for_function("document.querySelector('.head span').innerText === '2 of 14'")
    press(page, *["ArrowDown"] * 6)  # faster than the prose moves
    assert at(page) == "8 of 14"
    assert current(page).inner_text().startswith("The one idea")
    before = state(page)
    page.click("#plane", position={"x": 40, "y": 40})
    settle(page)
    assert state(page) != before
    assert page.locator("#back-to-text").is_visible()
    assert at(page) == "8 of 14"
    page.click("#back-to-text")
    settle(page)
    assert state(page) == before
    assert page.locator("#back-to-text").is_hidden()
    press(page, "ArrowUp")
    assert at(page) == "8 of 14", "on the plane arrows walk the run"


def test_a_window_of_another_size_keeps_the_paragraph_and_the_points(visit):
    page = visit("#ready=lecture25")
    press(page, *["PageDown"] * 5)
    page.locator("#prose").hover()
    page.mouse.wheel(0, 100)
    page.wait_for_function("document.querySelector('.head span').innerText === '7 of 14'")
    page.click("#plane", position={"x": 40, "y": 40})
    settle(page)
    points = len(state(page)["alpha"])
    assert points == 5
    for width, height in (
        (1100, 620),
        (960, 540),
        (1280, 800),
        (760, 500),
        (700, 800),
        (1280, 720),
    ):
        page.set_viewport_size({"width": width, "height": height})
        for _ in range(3):  # the browser scrolls a frame after it has laid the text out
            settle(page)
        assert (at(page), len(state(page)["alpha"])) == ("7 of 14", points), (width, height)
        box, now = (
            page.locator(part).bounding_box() for part in ("#prose", "#prose [aria-current=step]")
        )
        assert abs(2 * now["y"] + now["height"] - 2 * box["y"] - box["height"]) < 8


def test_a_note_of_a_reader_has_its_facts_and_the_part_that_it_lights(visit):
    page = visit("#ready=proof")
    press(page, "ArrowDown", "ArrowDown")
    assert page.locator(".term.lit").get_attribute("data-part") == "gamma"
    page.click("#more-menu")
    page.click("#open-lesson")
    page.fill("#state-note", "A thought\nγ = {gamma}, {bound} at most, {nothing} else.")
    settle(page)
    heading, text = current(page).locator("h3, p").all_inner_texts()
    assert heading == "A thought"
    assert text.replace("\u00a0", " ") == "γ = 1, 36 at most, {nothing} else."
    assert "lesson=" in machine.address_of(page)


def test_the_address_of_a_ready_lesson_is_its_name_and_place(visit):
    page = visit("#ready=beyond")
    press(page, "ArrowDown", "ArrowDown")
    address = machine.address_of(page)
    assert address.startswith("#ready=beyond&at=2&state=")
    assert "lesson=" not in address
    again = visit(address)
    settle(again)
    assert at(again) == "3 of 11"
    again.click("#share")
    assert again.locator("dialog input").input_value().endswith("#ready=beyond")
