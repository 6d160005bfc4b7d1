"""Audits of random runs of every convention, compared with the theorem in plain fractions.

    python tests/support/search_audits.py SECONDS [SEED]

looks for longer, and keeps what it finds in ``corpus/audits.jsonl``.
"""

import math
import random
import sys
import tempfile
import time
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np
from corpus import Corpus

from rosenblatt import audit, claims, textbook
from rosenblatt.proofs import Audit
from rosenblatt.theory.textbook import exact

TIES = (-1, 0, 1)

# --- runs ----------------------------------------------------------------------------------------


def number(r, kind):
    """A number of a kind: the floats are exact fractions, of any size."""
    match kind:
        case "small":
            return float(r.randint(-3, 3))
        case "integers":
            return r.randint(-(2**50), 2**50)
        case "tenths":
            return r.randint(-30, 30) / 10
        case "normal":
            return r.gauss(0, 1)
        case "large":
            return float(r.randint(39_990, 40_010))
        case "stamps":
            return 1.7e12 + r.randint(0, 20)
        case "tiny":
            return r.gauss(0, 1) * 1e-150
        case "huge":
            return r.gauss(0, 1) * 1e150
        case "wide":
            return r.choice([-1, 1]) * 10.0 ** r.uniform(-150, 150)
        case "subnormal":
            return r.randint(-9, 9) * 5e-324


KINDS = (
    *("small", "integers", "tenths", "normal", "large"),
    *("stamps", "tiny", "huge", "wide", "subnormal"),
)


def data_of(r):
    """Rows of one kind of numbers, mostly separable, and labels of either pair."""
    kind, d = r.choice(KINDS), r.randint(1, 4)
    X = [[number(r, kind) for _ in range(d)] for _ in range(r.randint(2, 7))]
    u = [r.randint(-2, 2) for _ in range(d)]
    middle = sorted(sum(map(lambda a, b: a * b, row, u)) for row in X)[len(X) // 2]
    y = [1 if sum(map(lambda a, b: a * b, row, u)) >= middle else -1 for row in X]
    if r.random() < 0.2:
        y = [r.choice([-1, 1]) for _ in X]
    if len(set(y)) == 1:
        y[0] = -y[0]
    return np.array(X), np.array(y), kind


ALGORITHMS = ("origin", "online", "perceptron", "augmented", "correction", "sample", "voted")


def case_of(r):
    """A random case: rows, an algorithm that corrects by η y x, and its conventions."""
    X, y, kind = data_of(r)
    eta = r.choice([1.0, 0.5, 0.1, 1 / 3, 1e-3])
    labels = y if r.random() < 0.5 else (y + 1) // 2
    scale = float(np.abs(X).max()) or 1.0
    name = r.choice(ALGORITHMS)
    offset = name in ("perceptron", "augmented", "correction", "sample")
    start = None
    if name == "correction" or r.random() < 0.4:
        start = [r.choice([0.0, r.gauss(0, 1), scale, 0.1]) for _ in range(X.shape[1] + offset)]
    case = {"algorithm": name, "numbers": kind, "eta": eta, "start": start}
    case |= {"tie": r.choice(TIES), "most": r.randint(1, 6)}
    if name in ("origin", "online"):
        order = [r.randrange(len(X)) for _ in range(3 * len(X))]
        X, y = X[order], y[order]
    if name == "augmented":
        case["pick"] = r.choice(["first", "last", "cyclic", "random", "worst"])
    return case | {"X": X.tolist(), "y": (labels if offset else y).tolist()}


def run_of(case):
    """The recorded run of a case."""
    X, y, eta, start = (case[name] for name in ("X", "y", "eta", "start"))
    tie, most = case["tie"], case["most"]
    match case["algorithm"]:
        case "origin":
            return textbook.origin_perceptron(X, y, eta, tie=tie, start=start)
        case "online":
            return textbook.online_perceptron(X, y, eta, tie=tie, start=start)
        case "perceptron":
            return textbook.perceptron(X, y, eta, tie=tie, start=start, max_epochs=most)
        case "augmented":
            ends = {"pick": case["pick"], "max_updates": 6 * most}
            return textbook.augmented_perceptron(X, y, eta, tie=tie, start=start, **ends)
        case "correction":
            return textbook.sample_correction(X, y, eta, start=start, max_epochs=most)
        case "sample":
            return textbook.sample_descent(X, y, eta=eta, start=start, max_epochs=most)
        case "voted":
            return textbook.voted_perceptron(X, y, epochs=most, tie=tie).run
    raise ValueError(case["algorithm"])


# --- the theorem in plain fractions --------------------------------------------------------------


def dot(v, w):
    return sum((a * b for a, b in zip(v, w, strict=True)), Fraction(0))


def fractions(values):
    return [Fraction(value) for value in values]


def solve(A, b):
    """Solve a square system, or return None if it is singular."""
    rows = [[*row, value] for row, value in zip(A, b, strict=True)]
    size = len(rows)
    for i in range(size):
        pivot = next((j for j in range(i, size) if rows[j][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j in range(size):
            if j != i and rows[j][i]:
                rows[j] = [a - rows[j][i] * b for a, b in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def nearest_point(Z):
    """The point of the hull of the rows nearest to 0, by trying every set of rows."""
    Z = [list(z) for z in {tuple(z) for z in Z}]
    for size in range(1, min(len(Z), len(Z[0]) + 1) + 1):
        for chosen in combinations(Z, size):
            gram = [[*[dot(a, b) for b in chosen], Fraction(-1)] for a in chosen]
            weights = solve([*gram, [Fraction(1)] * size + [Fraction(0)]], [0] * size + [1])
            if weights is None or min(weights[:size]) < 0:
                continue
            p = [dot(weights[:size], column) for column in zip(*chosen, strict=True)]
            if all(dot(p, z) >= dot(p, p) for z in Z):
                return p
    raise AssertionError("a hull has a nearest point")


class Theorem:
    """The exact run of the corrections of a run, and what the theorem says of it."""

    def __init__(self, run):
        self.Z = [
            [int(s) * Fraction(v) for v in x] for s, x in zip(run.y, run.X.tolist(), strict=True)
        ]
        self.eta, self.rows = Fraction(float(run.eta)), []
        self.vectors = [fractions(run.weights[0].tolist())]
        self.steps, self.scores = [], []
        after = [*run.used.tolist()[1:], len(run.weights) - 1][: len(run)]
        for t, (row, used, then) in enumerate(
            zip(run.order.tolist(), run.used.tolist(), after, strict=True)
        ):
            if then > used:
                v, z = self.vectors[-1], self.Z[row]
                self.scores.append(dot(v, z))
                self.vectors.append([a + self.eta * b for a, b in zip(v, z, strict=True)])
                self.steps.append(t)
        self.p = nearest_point(self.Z)
        self.radius2 = max(dot(z, z) for z in self.Z)


# --- what must hold ------------------------------------------------------------------------------


def check(r, run):
    """Compare the audit of a run with the theorem in fractions; return a word for what it was."""
    theorem, result = Theorem(run), audit(run)
    text = str(result)
    assert result.exact
    assert result.radius2 == theorem.radius2
    close(result.R**2, theorem.radius2)
    differences = [
        abs(Fraction(a) - b)
        for w, v in zip(run.weights.tolist(), theorem.vectors, strict=True)
        for a, b in zip(w, v, strict=True)
    ]
    assert result.sides.walk.deviation == max(differences)
    assert (result.deviation == 0.0) <= ("exact run" not in text)
    for t, v in enumerate(theorem.vectors):
        square, most = (
            dot(v, v),
            dot(*theorem.vectors[:1] * 2) + t * theorem.eta**2 * theorem.radius2,
        )
        inside(result.sides.square(t), square)
        inside(result.sides.most(t), most)
        close(result.sqnorm[t], square)
    wrong = [j for j, score in enumerate(theorem.scores) if score > 0]
    check_intervals(run, theorem, wrong)
    if not any(theorem.p):
        assert (result.u, result.gamma, result.bound) == (None, 0.0, math.inf)
        assert result.failure.kind == "margin"
        assert "undecided" not in result.failure.why
        assert not result.verify()
        return "no u"
    gamma2 = dot(theorem.p, theorem.p)
    assert result.maximal
    assert result.gamma2 == gamma2 > 0
    close(result.gamma**2, gamma2)
    if wrong:
        assert (result.failure.kind, result.failure.step) == ("mistake", theorem.steps[wrong[0]])
        assert not result.verify()
        return "a rounded mistake"
    assert result.holds, result.failure
    start = theorem.vectors[0]
    u = [a / gamma2 for a in theorem.p]  # u·w/γ = p·w/γ²
    alpha = theorem.radius2
    distances = []
    for t, v in enumerate(theorem.vectors):
        assert dot(theorem.p, v) >= dot(theorem.p, start) + t * theorem.eta * gamma2  # claim 1
        side, along = result.sides.projection(t), dot(theorem.p, v)
        assert side.low * abs(side.low) <= along * abs(along) / gamma2 <= side.high * abs(side.high)
        target = [alpha * a for a in u]  # α u = (R²/γ) u = R² p/γ²
        far = [a / theorem.eta - b for a, b in zip(v, target, strict=True)]
        distances.append(dot(far, far))
        size = dot(v, v) / theorem.eta**2 + dot(target, target)  # it is a difference of these
        inside(result.sides.distance(t), distances[-1], size)
        assert distances[-1] <= distances[0] - t * theorem.radius2  # claim 3
        size = dot(start, start) / theorem.eta**2 + dot(target, target)
        inside(result.sides.farthest(t), distances[0] - t * theorem.radius2, size)
        cosine = result.sides.cosine(t)
        if cosine is not None:
            assert cosine.low <= 1
            assert result.sides.least_cosine(t).low <= cosine.high
    bound = distances[0] / theorem.radius2
    assert result.sides.bound == (bound, bound)
    assert result.allowed == math.floor(bound) >= result.mistakes == len(theorem.scores)
    if not any(start):
        assert bound == theorem.radius2 / gamma2
    assert result.verify(), result.verify()
    if r.random() < 0.2:
        check_file(result, text)
        check_given_u(r, run, result)
    return "holds"


def check_intervals(run, theorem, wrong):
    """The intervals of a run that would be too long to be exact contain the exact run."""
    z = [1 - 2 * (j % 2) for j in range(len(theorem.Z[0]))]
    try:
        walk = exact.enclosed_walk(exact.Corrections.of(run), run.weights, z)
    except ValueError as error:
        if "leave the range of floats" not in str(error):
            raise
        return
    for v, square, product in zip(theorem.vectors, walk.squares, walk.products, strict=True):
        assert square.low <= dot(v, v) <= square.high
        assert product.low <= dot(v, z) <= product.high
    assert not any(walk.right is None or j < walk.right[0] for j in wrong)


def check_file(result, text):
    with tempfile.TemporaryDirectory() as folder:
        result.save(f"{folder}/a.json")
        loaded = Audit.load(f"{folder}/a.json")
    assert loaded.verify()
    assert (loaded.maximal, loaded.bound, loaded.allowed) == (True, result.bound, result.allowed)
    assert str(loaded).splitlines()[0] == text.splitlines()[0]


def check_given_u(r, run, result):
    """The u of the audit as floats, or another u: never better than the best."""
    u = result.u + r.choice([0.0, 1e-3]) * np.array([r.gauss(0, 1) for _ in result.u])
    b = 0.0
    if run.offset is not None:
        u, b = np.delete(u, run.offset), float(u[run.offset])
    if not (u.any() or b):
        return
    other = claims.check(run, u, b)
    exact_u = fractions(u.tolist())
    if run.offset is not None:
        exact_u.insert(0 if run.offset == 0 else len(exact_u), Fraction(b))
    signed = [int(s) * Fraction(1) for s in run.y]
    level = min(s * dot(exact_u, fractions(x)) for s, x in zip(signed, run.X.tolist(), strict=True))
    assert other.gamma2 == level**2 / dot(exact_u, exact_u)
    assert (other.gamma > 0.0) <= (level > 0)
    assert level <= 0 or other.gamma2 <= result.gamma2
    assert other.holds == (level > 0)
    given = audit(run, u, b)
    assert bool(given.verify()) == given.holds
    assert not given.maximal
    if given.holds:
        tampered = replace(given.record, gamma2=given.gamma2 * 2)
        assert not replace(given, record=tampered).verify()


def inside(enclosure, value, size=0):
    """Whether an enclosure is one of the value, and as narrow as that or a size allows."""
    assert enclosure.low <= value <= enclosure.high
    assert enclosure.high - enclosure.low <= max(size, *map(abs, enclosure)) * Fraction(1, 2**100)


def close(rounded, value):
    """Up to rounding, where the number has its digits in floats."""
    if 1e-290 < abs(value) < 1e290:
        assert math.isclose(rounded, float(value), rel_tol=1e-12)


def search(seconds=math.inf, most=math.inf, seed=None, corpus=None):
    """Check runs for so long; return their number by what they were, and what is false."""
    counts, faults, end, seeds = {}, [], time.monotonic() + seconds, random.Random(seed)
    while time.monotonic() < end and sum(counts.values()) < most:
        r = random.Random(seeds.randrange(2**63))
        case = case_of(r)
        try:
            word = check(r, run_of(case))
        except Exception as error:  # any error but this one is a finding
            word = "out of range" if "left the range of floats" in str(error) else "false"
            if word == "false":
                faults.append(f"{type(error).__name__}: {error}: {case}")
        counts[word] = counts.get(word, 0) + 1
        if corpus:
            shows = [f"{word}: {name} {case[name]}" for name in ("algorithm", "numbers", "tie")]
            corpus.keep([faults[-1]] if word == "false" else shows, case)
    return counts, faults


if __name__ == "__main__":
    chosen = int(sys.argv[2]) if len(sys.argv) > 2 else None
    counts, faults = search(float(sys.argv[1]), seed=chosen, corpus=Corpus("audits"))
    print("\n".join(faults))
    print(f"{sum(counts.values()):,} runs, {len(faults)} faults: {counts}")
    sys.exit(bool(faults))
