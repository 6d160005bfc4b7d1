"""The fewest mistakes, against all subsets of the rows, decided by certificates."""

from decimal import Decimal
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough
from traces import seeds

from rosenblatt import Perceptron, certify, textbook, toys
from rosenblatt.theory import fewest_mistakes

examples = thorough(40)


def separable(X, y, fit_intercept):
    if len(X) == 0 or (fit_intercept and len(set(y.tolist())) < 2):
        return True
    if len(set(y.tolist())) < 2:  # a row and its opposite are the same constraint
        X, y = np.vstack([X, -X[:1]]), np.append(y, -y[0])
    return certify(X, y, fit_intercept=fit_intercept).status == "separable"


def fewest_by_subsets(X, y, fit_intercept):
    """The size of the smallest set of rows without which a hyperplane separates the others."""
    for k in range(len(X) + 1):
        for out in combinations(range(len(X)), k):
            if separable(np.delete(X, out, axis=0), np.delete(y, out), fit_intercept):
                return k
    raise AssertionError


def wrong_rows(X, y, direction):
    """The rows that an exact direction gets wrong; its last number is b if there is one more."""
    scores = [
        sum(Fraction(a) * v for a, v in zip([*row, 1.0], direction, strict=False))
        for row in X.tolist()
    ]
    return [i for i, score in enumerate(scores) if int(y[i]) * score <= 0]


@pytest.mark.parametrize("size", [1e-300, 1e150, 1e200, 8e307])
def test_a_plane_far_from_the_origin_has_a_normal_of_length_1(size):
    best = fewest_mistakes([[1.0 * size], [2.0 * size]], [1, -1])
    assert best.w.tolist() == [-1.0]
    assert size < best.b < 2.0 * size
    flat = fewest_mistakes([[size, 0.0], [size, 0.0]], [1, 1])
    assert np.linalg.norm(flat.w) == pytest.approx(1.0)
    assert flat.mistakes == 0


@examples
@given(
    seed=seeds,
    d=st.integers(1, 3),
    fit_intercept=st.booleans(),
    noise=st.sampled_from([0.0, 0.0, 1.0, 1e-9]),
)
def test_L4_8_no_hyperplane_makes_fewer_mistakes(seed, d, fit_intercept, noise):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    X = rng.integers(-2, 3, (n, d)) + noise * rng.standard_normal((n, d))
    y = rng.choice([-1, 1], n)
    best = fewest_mistakes(X, y, fit_intercept=fit_intercept)
    assert best.mistakes == len(best.rows) == fewest_by_subsets(X, y, fit_intercept)
    assert len(best.direction) == d + fit_intercept
    assert wrong_rows(X, y, best.direction) == best.rows.tolist()
    assert np.linalg.norm(best.w) == pytest.approx(1.0)
    if noise != 1e-9:  # else the floats of w may be too coarse
        doubt = 1e-13
        found = np.flatnonzero(y * (X @ best.w + best.b) <= doubt)
        assert found.tolist() == best.rows.tolist()


def test_L4_8_the_pocket_is_no_better():
    toy, rng = toys.unit_square(60, seed=5), np.random.default_rng(5)
    y = np.where(rng.random(60) < 0.1, -1, 1) * toy.signs
    best = fewest_mistakes(toy.X, y)
    assert best.mistakes > 0
    run = textbook.perceptron(toy.X, y, max_epochs=100)
    pocket = Perceptron(output="pocket", max_iter=100, tol=None).fit(toy.X, y)
    errors = int((pocket.predict(toy.X) != y).sum())
    assert best.mistakes <= min(int(run.errors[run.pocket]), errors)
    rest = np.setdiff1d(np.arange(60), best.rows)
    assert certify(toy.X[rest], y[rest]).status == "separable"


def test_L4_8_numbers_of_all_sizes_and_equal_rows():
    X = [[1e300, 5e-324], [-1e300, 1.0], [1e-300, 2.0], [1e-300, 2.0], [0.0, 0.0]]
    assert fewest_mistakes(X, [1, -1, 1, -1, -1]).mistakes == 1
    assert fewest_mistakes(X, [1, -1, 1, -1, -1], fit_intercept=False).mistakes == 2
    assert fewest_mistakes([[0.0, 0.0]] * 3, [0, 1, 1]).mistakes == 1


def test_one_class_needs_no_line():
    best = fewest_mistakes([[1.0, 2.0], [3.0, 1.0]], [1, 1])
    assert (best.mistakes, best.rows.tolist()) == (0, [])
    assert best.w.any()


def test_a_line_in_time_among_many_rows():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 6, (150, 2)).astype(float)
    y = np.where(X[:, 0] + rng.standard_normal(150) > 2.5, 1, -1)
    best = fewest_mistakes(X, y)
    assert wrong_rows(X, y, best.direction) == best.rows.tolist()
    assert best.mistakes <= (np.where(X[:, 0] > 2.5, 1, -1) != y).sum()


def test_more_rows_than_the_limit_are_refused():
    with pytest.raises(ValueError, match=r"X must have at most 31 rows in 4 dimensions, got 32"):
        fewest_mistakes(np.zeros((32, 4)), [0, 1] * 16)
    with pytest.raises(ValueError, match="at most 1000 rows in 2 dimensions, got 1001: the search"):
        fewest_mistakes(np.zeros((1001, 2)), [0, *[1] * 1000])
    with pytest.raises(ValueError, match="X must be finite"):
        fewest_mistakes([[np.nan]], [1])


@pytest.mark.parametrize("number", [Decimal, Fraction])
def test_decimals_and_fractions_are_taken_exactly(number):
    """The second point is the middle of the others, which their floats miss."""
    texts = [["0.1", "0.3"], ["0.2", "0.6"], ["0.3", "0.9"]]
    best = fewest_mistakes([[number(x) for x in row] for row in texts], [1, -1, 1])
    assert best.mistakes == 1
    assert fewest_mistakes([[float(x) for x in row] for row in texts], [1, -1, 1]).mistakes == 0
