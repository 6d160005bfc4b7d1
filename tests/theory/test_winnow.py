"""Winnow: its bound, its two weights for a feature, and its range."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from profiles import thorough

from rosenblatt import Perceptron, rules

ONCE = {"shuffle": False, "max_iter": 1, "tol": None, "fit_intercept": False}


def separable(seed, n, d, relevant):
    """Rows in [−1, 1], labelled with a margin by a u of few columns and Σ |u| = 1."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, d))
    u = np.zeros(d)
    u[rng.choice(d, relevant, replace=False)] = rng.choice([-1.0, 1.0], relevant) / relevant
    kept = np.abs(X @ u) > 0.1
    return X[kept], np.sign(X[kept] @ u), u


@thorough(40)
@given(st.integers(0, 2**32 - 1), st.integers(3, 60), st.integers(1, 3), st.floats(0.1, 1.9))
def test_mistakes_stay_within_both_bounds(seed, d, relevant, share):
    """ln(2d)/(ηγ − ln cosh(ηX)), over any number of epochs, and 2X² ln(2d)/γ² of the best η."""
    X, y, u = separable(seed, 300, d, relevant)
    gamma, largest = (y * (X @ u)).min(), np.abs(X).max()
    for eta in (share * gamma / largest**2, gamma / largest**2):
        bound = math.log(2 * d) / (eta * gamma - math.log(math.cosh(eta * largest)))
        model = Perceptron(**ONCE | {"max_iter": 20}, rule=rules.Winnow(eta))
        model.fit(np.vstack([X, -X]), np.append(y, -y))
        assert 0 < model.mistakes_ <= bound
    assert bound <= 2 * largest**2 * math.log(2 * d) / gamma**2
    assert np.abs(model._state.own["numbers.logs"]).max() < 40.0


@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_it_is_two_weights_for_a_feature_that_are_multiplied(stored):
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (300, 20))
    y = np.where(X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=300) > 0, 1, -1)
    u, v = np.full(20, 0.5), np.full(20, 0.5)
    for x, label in zip(X, y, strict=True):
        if label * ((u - v) @ x) <= 0:
            u, v = u * np.exp(0.2 * label * x), v * np.exp(-0.2 * label * x)
    model = Perceptron(**ONCE, rule=rules.Winnow(0.2)).fit(stored(X), y)
    np.testing.assert_allclose(model.coef_[0], u - v, rtol=1e-9, atol=1e-12)


def test_many_columns_cost_their_logarithm():
    """Of 2,000 columns one tells the label."""
    X, y, _ = separable(0, 4000, 2000, 1)
    plain, ours = (Perceptron(**ONCE, rule=r).fit(X, y).mistakes_ for r in ("perceptron", "winnow"))
    assert ours < plain / 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("classes", [2, 3])
def test_log_weights_stay_in_their_range_on_whatever_rows(dtype, classes):
    rng = np.random.default_rng(5)
    X = (rng.normal(size=(200, 6)) * 10.0 ** rng.uniform(-15, 15, (200, 6))).astype(dtype)
    y = rng.integers(classes, size=200)
    model = Perceptron(**ONCE, rule="winnow").fit(X, y)
    logs = model._state.own["numbers.logs"]
    assert np.abs(logs).max() == 40.0
    assert np.abs(model.coef_).max() == pytest.approx(math.sinh(40.0), rel=1e-6)
    assert np.isfinite(model.decision_function(X)).all()
