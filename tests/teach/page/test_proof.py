"""The proof in fractions is that of an oracle in plain fractions, look for look."""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from math import floor

import browser as machine
import numpy as np
import pytest
from browser import press
from first_example import EIGHT, LABELS
from profiles import scaled

from rosenblatt import audit, certify, textbook
from rosenblatt.teach import lesson_of_trace

PROOFS = """async ({origin, cases}) => {
  const load = name => import(`${origin}/${name}.js`);
  const [{completeConventions}, {runPerceptron}, {separate}, {proofTexts}] = await Promise.all(
    ["engine/conventions", "engine/run", "engine/separability", "state/proof"].map(load));
  return cases.map(({points, labels, order, conventions, looks}) => {
    const chosen = completeConventions(conventions);
    const run = runPerceptron(points, labels, chosen, order, looks);
    const found = separate(points, labels, chosen);
    const proofs = run.rows.map((_, t) => proofTexts({run, found}, t));
    return {rows: run.rows, wrong: run.wrong, weights: run.weights, proofs};
  });
}"""
LOOKS = 30
CHOICES = {
    "tie": [-1, 0, 1],
    "offset": ["last", "first", "none"],
    "pick": ["every", "every", "first", "last", "next", "worst", "random"],
    "stop": ["right", "quiet", "pass"],
    "eta": [1, 1, 0.1, 0.5, 3, 0.007, 1e-9],
    "start": [None, None, [0.1, -0.2, 0.3], [4, 0, -1.25], [1e-9, 2e5, -7]],
}


def cases(count, seed):
    """Random examples of every convention: whole numbers, tenths, thousandths, many digits."""
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(count):
        n, digits = int(rng.integers(1, 8)), int(rng.choice([0, 0, 1, 3, 14]))
        points = np.round(
            rng.integers(-8, 9, (n, 2)) * (rng.random((n, 2)) if digits else 1), digits
        )
        labels = rng.choice([-1, 1], n)
        if rng.random() < 0.7:
            labels = np.where(points @ rng.integers(-3, 4, 2) + rng.integers(-2, 3) > 0, 1, -1)
        conventions = {name: rng.choice(len(values)) for name, values in CHOICES.items()}
        drawn.append(
            {
                "points": points.tolist(),
                "labels": labels.tolist(),
                "order": str(rng.choice(["cyclic", "shuffled"])),
                "conventions": {name: CHOICES[name][k] for name, k in conventions.items()},
                "looks": LOOKS,
            }
        )
    return drawn


def exact(number):
    """A decimal as it is written."""
    return Fraction(Decimal(repr(number)))


def stored(vector, offset, last):
    """A vector of the plane with a third number where the convention has it."""
    first = [exact(value) for value in vector]
    return {"none": first, "first": [last, *first], "last": [*first, last]}[offset]


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def solve(matrix):
    """The solution of a square system with its right sides in the last column; None if singular."""
    rows = [list(row) for row in matrix]
    for k in range(len(rows)):
        pivot = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(len(rows)):
            if i != k:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def nearest(Z):
    """The point of the hull nearest to 0: of all faces' nearest points the one that is lowest."""
    for size in range(1, len(Z[0]) + 2):
        for face in combinations(Z, size):
            gram = [[*(dot(a, b) for b in face), Fraction(-1), Fraction(0)] for a in face]
            shares = solve([*gram, [*[Fraction(1)] * size, Fraction(0), Fraction(1)]])
            if shares is None or min(shares[:-1]) < 0:
                continue
            p = [dot(shares[:-1], column) for column in zip(*face, strict=True)]
            if all(dot(p, z) >= dot(p, p) for z in Z):
                return p
    raise AssertionError("every hull has a nearest point")


def expected(case, ours):
    """The proof of each look by plain fractions; looks are judged anew."""
    conventions, labels = case["conventions"], case["labels"]
    offset, eta = conventions["offset"], exact(conventions["eta"])
    X = [stored(point, offset, Fraction(1)) for point in case["points"]]
    Z = [[y * value for value in x] for x, y in zip(X, labels, strict=True)]
    *start, b = conventions["start"] or [0, 0, 0]
    w = stored(start, offset, exact(b))
    p = nearest(Z)
    p = p if any(p) else None
    radius2 = max(dot(x, x) for x in X)
    mistakes = 0
    for row in ours["rows"]:
        score = dot(w, X[row])
        predicted = (score > 0) - (score < 0) or conventions["tie"]
        if predicted == labels[row]:
            yield None
            continue
        mistakes += 1
        split = [dot(w, w), 2 * eta * dot(w, Z[row]), eta**2 * dot(X[row], X[row])]
        w = [value + eta * z for value, z in zip(w, Z[row], strict=True)]
        yield {
            "p": p and [str(value) for value in p],
            "gamma2": p and str(dot(p, p)),
            "radius2": str(radius2),
            "gain": p and str(dot(p, Z[row])),
            "split": [str(value) for value in split],
            "rise": p and str(dot(p, w)),
            "length2": str(dot(w, w)),
            "mistakes": str(mistakes),
            "bound": p and str(floor(radius2 / dot(p, p))),
        }


def proofs(modules, drawn):
    return modules.evaluate(PROOFS, {"origin": machine.ORIGIN, "cases": drawn})


@pytest.fixture(scope="module")
def judged(modules):
    """Random cases, each with what the page says of it: one evaluation for all."""
    drawn = cases(scaled(400), seed=1)
    return list(zip(drawn, proofs(modules, drawn), strict=True))


def test_the_proof_is_that_of_plain_fractions_under_every_convention(judged):
    seen = {name: set() for name in CHOICES}
    mistakes, without = 0, 0
    for case, ours in judged:
        assert ours["proofs"] == list(expected(case, ours))
        assert ours["wrong"] == [proof is not None for proof in ours["proofs"]]
        for name, values in seen.items():
            values.add(str(case["conventions"][name]))
        told = [proof for proof in ours["proofs"] if proof]
        mistakes += len(told)
        without += bool(told and told[0]["p"] is None)
    assert {name: len(values) for name, values in seen.items()} == {
        name: len({str(value) for value in values}) for name, values in CHOICES.items()
    }
    assert mistakes > scaled(2400)
    assert without > scaled(32)


def test_the_claims_of_the_theorem_hold_in_fractions(judged):
    counted = 0
    for case, ours in judged:
        eta = exact(case["conventions"]["eta"])
        told = [proof for proof in ours["proofs"] if proof]
        for before, proof in zip([None, *told], told, strict=False):
            split = [Fraction(part) for part in proof["split"]]
            radius2, length2, t = (Fraction(proof[k]) for k in ("radius2", "length2", "mistakes"))
            assert sum(split) == length2
            assert split[1] <= 0
            assert split[2] <= eta**2 * radius2
            assert length2 <= Fraction(told[0]["split"][0]) + t * eta**2 * radius2
            if proof["p"] is None:
                assert proof["gamma2"] is proof["gain"] is proof["rise"] is proof["bound"] is None
                continue
            gain, rise, gamma2 = (Fraction(proof[k]) for k in ("gain", "rise", "gamma2"))
            assert gain >= gamma2 > 0
            assert before is None or rise == Fraction(before["rise"]) + eta * gain
            if not any(case["conventions"]["start"] or []):
                assert rise >= t * eta * gamma2
                assert rise**2 <= gamma2 * length2
                assert t <= int(proof["bound"])
            counted += 1
    assert counted > scaled(1600)


def test_margin_radius_and_bound_are_those_of_certify_and_audit(modules):
    drawn = [case for case in cases(scaled(320), seed=3) if len(set(case["labels"])) == 2]
    for case in drawn:
        kept = {"offset": "last", "stop": "quiet", "tie": -1, "pick": "every"}
        case |= {"conventions": kept, "order": "cyclic"}
        case["points"] = np.round(case["points"]).tolist()
    compared = 0
    for case, ours in zip(drawn, proofs(modules, drawn), strict=True):
        X, y = textbook.append_one(case["points"]), case["labels"]
        proof = ours["proofs"][0] or ours["proofs"][case["labels"].index(1)]
        theirs = certify(X, y, fit_intercept=False)
        assert (theirs.status == "separable") == (proof["p"] is not None)
        if proof["p"] is None:
            continue
        low, high = theirs.margin
        gamma = float(Fraction(proof["gamma2"])) ** 0.5
        assert low * (1 - 1e-9) <= gamma <= high * (1 + 1e-9)
        told = audit(textbook.perceptron(case["points"], y, max_epochs=3))
        assert float(Fraction(proof["radius2"])) ** 0.5 == pytest.approx(told.R, rel=1e-12)
        assert int(proof["bound"]) == told.allowed
        compared += 1
    assert compared > scaled(96)


def test_the_documented_object_has_the_proof(plain):
    told = [plain.evaluate("t => lesson.proof(t)", t) for t in (-1, 2, 4, 99, 1.5)]
    assert told == [
        None,
        None,
        {
            "p": ["-5/26", "15/26", "10/13"],
            "gamma2": "25/26",
            "radius2": "33",
            "gain": "30/13",
            "split": ["22", "-20", "27"],
            "rise": "135/26",
            "length2": "29",
            "mistakes": "4",
            "bound": "34",
        },
        None,
        None,
    ]


def test_beside_a_kernel_there_is_no_proof_of_the_line(plain):
    press(plain, "l")
    assert plain.evaluate("lesson.state().mistake")
    assert plain.evaluate("lesson.proof(0)") is None
    press(plain, "w")
    assert plain.evaluate("lesson.proof(0)")["gain"] == "25/26"


TENTHS = [[0.3, -0.1], [0.3, -0.2], [-0.2, 0.3]]
SIGNS = [1, -1, -1]


def test_no_sign_of_a_run_of_decimals_is_decided_by_rounding(modules):
    """A score of the twelfth look is 0 of the decimals, and above 0 in floats."""
    conventions = {"tie": -1, "offset": "none", "stop": "quiet"}
    drawn = [
        {"points": points, "labels": SIGNS, "conventions": conventions, "looks": LOOKS}
        for points in (TENTHS, (np.array(TENTHS) * 10).round().tolist())
    ]
    of_tenths, of_whole = proofs(modules, drawn)
    assert (of_tenths["rows"], of_tenths["wrong"]) == (of_whole["rows"], of_whole["wrong"])
    floats = textbook.online_perceptron(TENTHS * 4, SIGNS * 4, tie=-1)
    assert floats.mistake[:11].tolist() == of_tenths["wrong"][:11]
    assert floats.mistake[11] != of_tenths["wrong"][11]


RECORDED = """async ({origin, state}) => {
  const load = name => import(`${origin}/${name}.js`);
  const [{completeConventions}, {recordedRun}, {separate}, {proofTexts}] = await Promise.all(
    ["engine/conventions", "engine/run", "engine/separability", "state/proof"].map(load));
  const points = state.points.map(([x, y]) => [x, y]), labels = state.points.map(row => row[2]);
  const run = recordedRun(state.recorded, points, labels, completeConventions(state.conventions));
  const found = separate(points, labels, run.conventions);
  return [run.rounded, run.rows.map((_, t) => proofTexts({run, found}, t))];
}"""


def test_a_recorded_run_has_its_proof_until_rounding_decides(modules):
    def told(run):
        (state,) = lesson_of_trace(run)["states"]
        return modules.evaluate(RECORDED, {"origin": machine.ORIGIN, "state": state})

    run = textbook.perceptron(EIGHT, LABELS)
    rounded, proofs_of_run = told(run)
    assert rounded is None
    assert [proof is not None for proof in proofs_of_run] == run.mistake.tolist()
    assert proofs_of_run[4]["split"] == ["22", "-20", "27"]
    floats = textbook.online_perceptron(TENTHS * 4, SIGNS * 4, tie=-1)
    rounded, proofs_of_run = told(floats)
    assert rounded == 11
    assert floats.mistake[11]
    assert [proof is not None for proof in proofs_of_run] == [*floats.mistake[:11].tolist(), False]
