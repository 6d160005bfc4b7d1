"""The p-norm perceptron: its bound, and the perceptron, which it is for p = 2."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt import Perceptron, rules

ONCE = {"shuffle": False, "max_iter": 1, "tol": None, "fit_intercept": False}


def separable(seed, n, d, relevant):
    """Rows of ±1 and 0, labelled by a u of few columns; the rows at its hyperplane are left out."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (n, d)).astype(float)
    u = np.zeros(d)
    u[rng.choice(d, relevant, replace=False)] = rng.choice([-1.0, 1.0], relevant)
    scores = X @ u
    kept = scores != 0
    return X[kept], np.sign(scores[kept]), u


@thorough(40)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(3, 60),
    st.sampled_from([2.0, 2.5, 3.0, 6.0, 12.0]),
    st.integers(1, 3),
)
def test_mistakes_stay_within_the_bound(seed, d, p, relevant):
    """(p − 1) X² U²/γ², over any number of epochs."""
    X, y, u = separable(seed, 200, d, relevant)
    q = p / (p - 1.0)
    gamma, longest = (y * (X @ u)).min(), np.linalg.norm(X, p, axis=1).max()
    bound = (p - 1.0) * (longest * np.linalg.norm(u, q) / gamma) ** 2
    model = Perceptron(**ONCE | {"max_iter": 20}, rule=rules.PNorm(p))
    model.fit(np.vstack([X, -X]), np.append(y, -y))
    assert 0 < model.mistakes_ <= bound


def paper(X, y, p):
    """The weights of Grove, Littlestone and Schuurmans, with the factor, after each row."""
    theta, w = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for x, label in zip(X, y, strict=True):
        if label * (w @ x) <= 0:
            theta = theta + label * x
            norm = np.linalg.norm(theta, p)
            w = np.sign(theta) * np.abs(theta) ** (p - 1) / norm ** (p - 2) if norm else 0 * theta
        yield theta, w


@pytest.mark.parametrize("p", [2.0, 3.0, 5.5])
@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_scores_are_those_of_the_paper_up_to_a_positive_factor(p, stored):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 20))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=300) > 0, 1, -1)
    model = Perceptron(**ONCE, rule=rules.PNorm(p)).fit(stored(X), y)
    *_, (theta, w) = paper(X, y, p)
    factor = np.linalg.norm(theta, p) ** (p - 2)
    np.testing.assert_allclose(model.coef_[0], w * factor, rtol=1e-9)


@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    ("classes", "multi_class", "tie"),
    [(2, "ovr", 0.0), (2, "ovr", 1.0), (4, "ovr", 1.0), (4, "joint", 0.0)],
)
def test_p_of_2_is_the_perceptron_to_the_bit(stored, classes, multi_class, tie):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 8)) * (rng.random((200, 8)) < 0.7)
    y = rng.integers(classes, size=200)
    given = {"max_iter": 3, "tol": None, "random_state": 0, "multi_class": multi_class}
    for dtype in (np.float64, np.float32):
        plain, ours = (
            Perceptron(**given, rule=rule).fit(stored(X.astype(dtype)), y)
            for rule in (rules.Perceptron(1.0, tie), rules.PNorm(2.0, tie))
        )
        if dtype == np.float64:
            assert ours.coef_.tobytes() == plain.coef_.tobytes()
            assert ours.intercept_.tobytes() == plain.intercept_.tobytes()
        else:
            np.testing.assert_allclose(ours.coef_, plain.coef_, atol=1e-4)


def test_a_large_p_finds_the_columns_that_matter_sooner():
    """Of 2,000 columns one tells the label: 2 ln d in the place of d."""
    X, y, _ = separable(0, 3000, 2000, 1)
    mistakes = {
        p: Perceptron(**ONCE, rule=rules.PNorm(p)).fit(X, y).mistakes_ for p in (2.0, 3.0, 12.0)
    }
    assert mistakes[12.0] < mistakes[3.0] < mistakes[2.0] / 2


def test_powers_beyond_the_range_of_floats_are_infinite_and_the_loops_keep_them_out():
    rule = rules.PNorm(5.0)
    assert rule.move(0.0, 1e200, 1.0, 0.0)[0] == np.inf
    assert rule.move(0.0, -1e200, 1.0, 0.0)[0] == -np.inf
    for dtype in (np.float32, np.float64):
        X = np.array([[1e30, 1.0], [-1e30, 1.0], [1e30, -1.0]], dtype)
        model = Perceptron(**ONCE | {"max_iter": 5}, rule=rule).fit(X, [1, -1, -1])
        assert np.isfinite(model.coef_).all()
