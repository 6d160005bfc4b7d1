"""Random runs under every convention: the page, the textbook, `audit` and `certify` agree.

216 runs, each combination of conventions once, by night twice; ROSENBLATT_RUNS=2000 takes 2,000, in
half a minute.
Points, rates and starts are multiples of 1/8, so that floats are exact: every number is compared
bit for bit or as a fraction, but for those that the page itself rounds.
"""

import json
import os
from dataclasses import replace
from fractions import Fraction
from itertools import cycle, islice, product
from math import floor, isclose

import browser as machine
import numpy as np
import pytest
from profiles import is_thorough

from rosenblatt import audit, certify, textbook

CASES = int(os.environ.get("ROSENBLATT_RUNS", "432" if is_thorough() else "216"))
TRUTH = """async ({origin, cases}) => {
  const load = name => import(`${origin}/${name}.js`);
  const [{completeConventions}, {runPerceptron}, {separate, claimsOf}, {proofTexts}] =
    await Promise.all(
      ["engine/conventions", "engine/run", "engine/separability", "state/proof"].map(load));
  return JSON.stringify(cases.map(({points, labels, order, conventions, looks}) => {
    const chosen = completeConventions(conventions);
    const run = runPerceptron(points, labels, chosen, order, looks);
    const found = separate(points, labels, chosen);
    const proofs = run.rows.map((_, t) => proofTexts({run, found}, t));
    const claims = claimsOf(run, found);
    return {run: {...run, whole: null}, found: {...found, hull: null}, claims, proofs};
  }));
}"""
LOOKS = 40
CHOICES = {
    "tie": [-1, 0, 1],
    "offset": ["last", "first", "none"],
    "pick": ["every", "every", "every", "first", "last", "next", "worst", "random"],
    "stop": ["right", "quiet", "pass"],
}
RATES = [1, 1, 0.5, 0.125, 3]
STARTS = [None, None, [0.5, -0.25, 1], [4, 0, -1.25], [-3, 5, 2]]
UNITS = [1, 1, 0.5, 0.125]


def cases(count, seed):
    """Random examples, many with scores of 0; each combination of conventions again and again."""
    rng = np.random.default_rng(seed)
    combinations = [
        dict(zip(CHOICES, values, strict=True)) for values in product(*CHOICES.values())
    ]
    for conventions in islice(cycle(combinations), count):
        n, reach = int(rng.integers(2, 9)), int(rng.choice([1, 2, 8]))
        points = rng.integers(-reach, reach + 1, (n, 2)) * rng.choice(UNITS)
        labels = rng.choice([-1, 1], n)
        if rng.random() < 0.7:  # separable by a line, more often than chance allows
            w = rng.integers(-3, 4, 2)
            labels = np.where(points @ w + rng.integers(-2, 3) > 0, 1, -1)
        labels[:2] = 1, -1
        orders = ["cyclic", "shuffled", rng.permutation(n).tolist()]
        yield {
            "points": points.tolist(),
            "labels": labels.tolist(),
            "order": orders[rng.choice(3, p=[0.5, 0.25, 0.25])],
            "conventions": conventions
            | {"eta": float(rng.choice(RATES)), "start": STARTS[rng.integers(len(STARTS))]}
            | {"seed": int(rng.integers(100))},
            "looks": LOOKS,
        }


def stored(points, offset):
    """The rows as they are scored: the constant 1 where the convention has it."""
    rows = np.array(points, float)
    return {"none": lambda x: x, "first": textbook.prepend_one, "last": textbook.append_one}[
        offset
    ](rows)


def start_of(conventions):
    """The first stored vector."""
    w1, w2, b = conventions["start"] or [0, 0, 0]
    return {"none": [w1, w2], "first": [b, w1, w2], "last": [w1, w2, b]}[conventions["offset"]]


def textbook_run(case, run):
    """The textbook's run on the rows that the page looked at, as one of all rows; None without."""
    conventions, rows = case["conventions"], run["rows"]
    X, y = stored(case["points"], conventions["offset"]), np.array(case["labels"])
    if not rows:
        return None
    options = {"tie": conventions["tie"], "start": start_of(conventions)}
    theirs = textbook.online_perceptron(X[rows], y[rows], conventions["eta"], **options)
    return replace(theirs, X=X, y=y, order=np.array(rows))


def ending(case, run):
    """The rows of each look, and the end of the run, by the words of the conventions."""
    conventions, y = case["conventions"], np.array(case["labels"])
    n, rows, used = len(y), run["rows"], run["used"]
    scores = np.array(run["weights"]) @ stored(case["points"], conventions["offset"]).T
    right = np.where(scores > 0, 1, np.where(scores < 0, -1, conventions["tie"])) == y
    shuffled, seen = case["order"] == "shuffled", {}
    if conventions["pick"] != "every":
        yield from ending_of_picks(case, run, scores * y, right)
        return
    fixed = [*range(n)] if isinstance(case["order"], str) else case["order"]
    for first in range(0, len(rows), n):
        epoch, after = rows[first : first + n], [*used, len(right) - 1][first + n]
        yield (sorted(epoch), sorted(fixed)) if shuffled else (epoch, fixed)
        seen.setdefault(tuple(run["weights"][used[first]]), first)
        quiet = after == used[first]
        is_right = quiet or (conventions["stop"] != "quiet" and right[after].all())
        again = None if shuffled else seen.get(tuple(run["weights"][after]))
        last = first + n == len(rows)
        if is_right or conventions["stop"] == "pass":
            status, again = ("converged" if is_right else "ended"), None
        else:
            status = "open" if again is None else "cycles"
        yield last, status != "open" or first + 2 * n > LOOKS
        if last:
            yield run["status"], status
            yield (
                run["cycle"],
                again if again is None else {"first": again, "period": first + n - again},
            )


def ending_of_picks(case, run, margins, right):
    """The same of a run that corrects one wrong row after another."""
    pick, seen, before = case["conventions"]["pick"], {}, -1
    for t, row in enumerate([*run["rows"], None]):
        wrong = np.flatnonzero(~right[t]).tolist()
        state = (*run["weights"][t], before if pick == "next" else 0)
        again = None if pick == "random" else seen.setdefault(state, t)
        if row is None:
            cycles = wrong and t < LOOKS and again not in (None, t)
            yield run["status"], "cycles" if cycles else "open" if wrong else "converged"
            yield run["status"] != "open" or t == LOOKS, True
            yield run["cycle"], {"first": again, "period": t - again} if cycles else None
            return
        later = [i for i in wrong if i > before]
        yield again in (None, t), True
        yield row in wrong, True
        chosen = {
            "first": wrong[0],
            "last": wrong[-1],
            "next": (later or wrong)[0],
            "worst": min(wrong, key=lambda i: margins[t, i]),
        }
        yield row, chosen.get(pick, row)
        before = row


@pytest.fixture(scope="module")
def compared(modules):
    """The cases, each with what the page says, and the textbook's run."""
    drawn = [*cases(CASES, seed=37)]
    found = json.loads(modules.evaluate(TRUTH, {"origin": machine.ORIGIN, "cases": drawn}))
    return [
        (case, ours, textbook_run(case, ours["run"]))
        for case, ours in zip(drawn, found, strict=True)
    ]


@pytest.fixture(scope="module")
def audited(compared):
    """The cases with a separator and a look, and what the audit of the textbook's run says."""
    return [
        (case, ours, run, audit(run))
        for case, ours, run in compared
        if ours["found"]["separable"] and run is not None
    ]


def test_every_look_is_the_textbooks(compared):
    counts = {}
    for case, ours, run in compared:
        page, conventions = ours["run"], case["conventions"]
        counts[page["status"]] = counts.get(page["status"], 0) + 1
        if run is None:
            assert page["weights"] == [start_of(conventions)]
            continue
        assert page["stored"] == run.X.tolist()
        assert page["weights"] == run.weights.tolist()
        assert page["used"] == run.used.tolist()
        assert page["scores"] == run.score.tolist()
        assert page["predictions"] == run.prediction.tolist()
        assert page["wrong"] == run.mistake.tolist()
    ends = ("converged", "ended", "cycles", "open")
    assert min(counts[name] for name in ends) > CASES / 40


def test_every_run_takes_the_rows_of_its_conventions_and_ends_by_them(compared):
    for case, ours, _ in compared:
        for page, expected in ending(case, ours["run"]):
            assert page == expected, case


def test_every_verdict_without_a_separator_is_that_of_certify(compared):
    """With one the audit certifies it."""
    kinds = set()
    for case, ours, _ in compared:
        if ours["found"]["separable"]:
            assert ours["found"]["certificate"] is None
            continue
        X, y = stored(case["points"], case["conventions"]["offset"]), np.array(case["labels"])
        kinds.add(certify(X, y, fit_intercept=False).status)
        rows, multipliers = (ours["found"]["certificate"][key] for key in ("rows", "multipliers"))
        assert min(multipliers) > 0
        assert not (np.array(multipliers) * y[rows] @ X[rows]).any()
    assert kinds == {"inseparable", "quasi-separable"}


def test_every_bound_and_claim_is_that_of_the_audit(audited):
    starts = 0
    for case, ours, run, theirs in audited:
        found, claims = ours["found"], ours["claims"]
        assert theirs.maximal
        assert theirs.holds
        assert isclose(found["gamma"], theirs.gamma, rel_tol=1e-12)
        assert isclose(found["radius"], theirs.R, rel_tol=1e-12)
        np.testing.assert_allclose(found["u"], theirs.u, rtol=1e-9, atol=1e-12)
        if any(start_of(case["conventions"])):  # floats: a bound near a whole number may be it
            starts += 1
            near = isclose(theirs.bound, round(theirs.bound), rel_tol=1e-9)
            assert found["bound"] == theirs.allowed or near
            assert isclose(found["limit"], theirs.bound, rel_tol=1e-9)
        else:
            assert found["bound"] == theirs.allowed
        assert len(run.weights) - 1 <= found["bound"]
        sides = theirs.projection, theirs.least, theirs.sqnorm, theirs.most
        for name, side in zip(("projection", "least", "squares", "most"), sides, strict=True):
            np.testing.assert_allclose(claims[name], side, rtol=1e-9, atol=1e-9)
    assert len(audited) > CASES / 3
    assert starts > CASES / 8


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def split_of(w, x, step):
    """‖w‖², 2η y w·x and η²‖x‖² as text, of floats that are fractions; step: η y."""
    return [str(part) for part in (dot(w, w), 2 * step * dot(w, x), step**2 * dot(x, x))]


def test_every_proof_is_that_of_fractions_and_of_the_audit(compared, audited):
    """Separable or not: lengths by fractions, p by the audit's γ² = p·p and y p·x ≥ p·p."""
    theorems = {id(ours): theirs for _, ours, _, theirs in audited}
    proved = without = 0
    for case, ours, run in compared:
        assert [proof is not None for proof in ours["proofs"]] == ours["run"]["wrong"]
        told = [proof for proof in ours["proofs"] if proof]
        if not told:
            continue
        X = [[*map(Fraction, x)] for x in run.X.tolist()]
        Z = [[int(y) * value for value in x] for x, y in zip(X, run.y, strict=True)]
        W = [[*map(Fraction, w)] for w in run.weights.tolist()]
        eta, theirs = Fraction(case["conventions"]["eta"]), theorems.get(id(ours))
        radius2 = max(dot(x, x) for x in X)
        p = theirs and [Fraction(text) for text in told[0]["p"]]
        heights = theirs and [dot(p, z) for z in Z]
        if theirs:
            assert (
                theirs.gamma2 == dot(p, p) == min(heights)
            )  # one direction only has the largest γ
            assert theirs.radius2 == radius2
        for t, (row, proof) in enumerate(zip(run.corrected.tolist(), told, strict=True)):
            assert proof == {
                "p": theirs and [*map(str, p)],
                "gamma2": theirs and str(theirs.gamma2),
                "radius2": str(radius2),
                "gain": theirs and str(heights[row]),
                "split": split_of(W[t], Z[row], eta),
                "rise": theirs and str(dot(p, W[t + 1])),
                "length2": str(dot(W[t + 1], W[t + 1])),
                "mistakes": str(t + 1),
                "bound": theirs and str(floor(radius2 / theirs.gamma2)),
            }
            proved += 1
        without += theirs is None
    assert proved > 3 * CASES
    assert without > CASES / 10
