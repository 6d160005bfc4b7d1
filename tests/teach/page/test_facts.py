"""The numbers in the prose of the ready lessons: each is a fact of its state, and true."""

import re
from fractions import Fraction
from math import floor, hypot, isclose, sqrt

import pytest
from ready_lessons import LESSONS, near, value

from rosenblatt import certify, textbook

SHORT, LONG, MOST = 100, 240, 14


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
