"""The maximal margin over the rationals: small cases by hand, others against all small subsets."""

from fractions import Fraction

import numpy as np
import pytest
from search_certificates import exact_rows, largest_sqmargin

from rosenblatt.proofs.search.exact_nearest import MAX_NUMBERS, exact_nearest
from rosenblatt.proofs.search.nearest import Deadline


def check(found, rows, signs):
    """Check the conditions of optimality (Karush, Kuhn and Tucker) in rationals."""
    weighted = [
        sum(
            (w * signs[i] * rows[i][j] for w, i in zip(found.weights, found.rows, strict=True)),
            Fraction(0),
        )
        for j in range(len(rows[0]))
    ]
    ratio = next(v / w for v, w in zip(weighted, found.w, strict=True) if w)
    assert ratio > 0
    assert weighted == [ratio * w for w in found.w]
    assert min(found.weights) > 0
    along = [
        s * (sum(w * x for w, x in zip(found.w, row, strict=True)) + found.b)
        for row, s in zip(rows, signs, strict=True)
    ]
    assert min(along) == 1
    assert {along[i] for i in found.rows} == {1}
    assert found.sqmargin == 1 / sum(w * w for w in found.w)


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
            check(found, rows, signs)
            if intercept:
                assert (
                    sum(w * signs[i] for w, i in zip(found.weights, found.rows, strict=True)) == 0
                )
            else:
                assert found.b == 0


def test_stamps_at_a_large_offset():
    rows = [[20260101], [20260105], [20260108], [20260112]]
    found = exact_nearest(rows, [-1, -1, 1, 1], [0, 2], intercept=True)
    assert (found.rows, found.weights, found.sqmargin) == ([1, 2], [1, 1], Fraction(9, 4))
    assert (found.w, found.b) == ([Fraction(2, 3)], Fraction(-40520213, 3))


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
    check(found, rows, signs)
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
