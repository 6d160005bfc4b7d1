"""The exact margin: small cases by hand, others against all small subsets; the limits."""

from fractions import Fraction

import numpy as np
import pytest
from search_certificates import exact_rows, largest_sqmargin

from rosenblatt import certify
from rosenblatt.proofs.check.data import LabelledData
from rosenblatt.proofs.search import determined
from rosenblatt.proofs.search.determined import exact_nearest
from rosenblatt.proofs.search.integers import MAX_NUMBERS
from rosenblatt.proofs.search.nearest import Deadline, Task


def gaussian(n, d):
    rng = np.random.default_rng(0)
    X, u = rng.normal(size=(n, d)), rng.normal(size=d)
    return X, (X @ u > 0).astype(int)


def test_rows_that_the_floats_overlooked_are_added(monkeypatch):
    monkeypatch.setattr(determined, "_NEAR_ROWS", 1)
    monkeypatch.setattr(determined, "_ROUNDS", 50)
    X, y = gaussian(500, 3)
    data, best = LabelledData(X, np.where(y == 1, 1.0, -1.0)), certify(X, y)
    wrong = np.array([int(y.argmin()), int(y.argmax())])
    found = determined.determine(
        Task(data, True, Deadline(60.0)), wrong, X[wrong[1]] - X[wrong[0]], 3e7
    )
    assert found.rows.tolist() == best.rows.tolist()
    assert tuple(found.weights) == best.weights


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        ("search.finder.MAX_DATA", 10),
        ("search.finder.CHEAP_OPERATIONS", 10.0),
        ("search.integers.MAX_NUMBERS", 10),
    ],
)
def test_beyond_the_limits_rows_are_candidates(limit, value, monkeypatch):
    X, y = gaussian(500, 3)
    proof = certify(X, y)
    assert proof.determined
    assert "Support rows (they determine the margin" in str(proof)
    monkeypatch.setattr(f"rosenblatt.proofs.{limit}", value)
    proof = certify(X, y)
    assert not proof.determined
    assert proof.verification
    assert "Candidates for support rows (they bound the margin from above" in str(proof)


def check(found, rows, signs, intercept):
    """Check the conditions of optimality (Karush, Kuhn and Tucker) in rationals."""
    weighted = [
        sum(w * signs[i] * rows[i][j] for w, i in zip(found.weights, found.rows, strict=True))
        for j in range(len(rows[0]))
    ]
    assert min(found.weights) > 0
    along = [
        s * sum(w * x for w, x in zip(weighted, row, strict=True))
        for row, s in zip(rows, signs, strict=True)
    ]
    sides = {1, -1} if intercept else {1}  # an offset moves each class as a whole
    group = [s if intercept else 1 for s in signs]
    least = {g: min(v for v, k in zip(along, group, strict=True) if k == g) for g in sides}
    assert all(along[i] == least[group[i]] for i in found.rows)
    level = Fraction(sum(least.values()), len(sides))
    assert level > 0
    assert found.sqmargin == level**2 / sum(w * w for w in weighted)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(25))
def test_small_sets_equal_the_best_of_all_supports(seed, intercept):
    """Integers of few values: duplicates, affinely dependent and collinear rows are frequent."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    rows = rng.integers(-3, 4, (n, d)).tolist()
    signs = [1, -1, *rng.choice([-1, 1], n - 2).tolist()]
    square = largest_sqmargin(exact_rows(rows, signs, intercept), signs, intercept)
    expected = Fraction(int(square.p), int(square.q))
    for candidates in ([], list(range(n)), rng.permutation(n)[: n // 2].tolist()):
        found = exact_nearest(rows, signs, candidates, intercept=intercept)
        assert (found.sqmargin if found else 0) == expected
        if found:
            check(found, rows, signs, intercept)
            if intercept:
                assert (
                    sum(w * signs[i] for w, i in zip(found.weights, found.rows, strict=True)) == 0
                )


def test_stamps_at_a_large_offset():
    rows = [[20260101], [20260105], [20260108], [20260112]]
    found = exact_nearest(rows, [-1, -1, 1, 1], [0, 2], intercept=True)
    assert (found.rows, found.weights, found.sqmargin) == ([1, 2], [1, 1], Fraction(9, 4))


def test_a_margin_through_the_origin():
    found = exact_nearest([[39998], [-40000]], [1, -1], [], intercept=False)
    assert (found.rows, found.weights, found.sqmargin) == ([0], [1], 39998**2)


def test_floats_of_all_digits_from_wrong_candidates():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 12))
    u = rng.normal(size=12)
    y = np.sign(X @ u)
    X += 0.3 * y[:, None] * u / np.linalg.norm(u) + 1e9
    rows = [[int(Fraction(v) * 2**60) for v in row] for row in X.tolist()]
    signs = [int(v) for v in y]
    found = exact_nearest(rows, signs, range(20), intercept=True)
    check(found, rows, signs, True)
    assert exact_nearest(rows, signs, found.rows, intercept=True) == found


def test_what_is_not_found():
    square, signs = [[0, 0], [1, 1], [0, 1], [1, 0]], [1, 1, -1, -1]
    assert exact_nearest(square, signs, [], intercept=True) is None
    assert exact_nearest([[1], [2]], [1, 1], [], intercept=True) is None
    assert exact_nearest([[0]], [1], [], intercept=False) is None
    assert exact_nearest([[0], [1]], [-1, 1], [], intercept=True, most=10.0) is None
    assert exact_nearest([[0], [1]], [-1, 1], [], intercept=True, deadline=Deadline(0.0)) is None
    many = [[0]] * MAX_NUMBERS + [[1]]
    assert exact_nearest(many, [-1] * MAX_NUMBERS + [1], [], intercept=True) is None
