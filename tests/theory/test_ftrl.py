"""FTRL-Proximal: what its paper says of it, and models of few weights."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron, rules

steps = st.lists(st.tuples(st.floats(-1, 1), st.floats(-8, 8)), min_size=1, max_size=30)
sizes = st.floats(0.05, 5)


def after(rule, rows):
    """The weight, z and n after (g, x) of each row."""
    kept = (0.0, 0.0, 0.0)
    for g, x in rows:
        kept = rule.move(*kept, x, g)
        yield kept


@given(steps, sizes, sizes)
def test_without_penalties_it_is_gradient_descent_with_a_rate_for_each_weight(rows, alpha, beta):
    """w ← w − α/(β + √n) g x, with the example in n."""
    w = n = 0.0
    found = after(rules.FTRL(alpha, beta, l1=0.0, l2=0.0), rows)
    for (g, x), (weight, _, squares) in zip(rows, found, strict=True):
        n += (g * x) ** 2
        w -= alpha / (beta + math.sqrt(n)) * g * x
        assert squares == pytest.approx(n)
        assert weight == pytest.approx(w, rel=1e-9, abs=1e-9)


@given(steps, sizes, sizes, st.floats(0, 3), st.floats(0, 3))
def test_the_weight_minimises_the_sums_with_both_penalties(rows, alpha, beta, l1, l2):
    """Of w Σ g x + Σ σ (w − w_s)²/2 + β w²/(2α) + l1 |w| + l2 w²/2, from which the paper begins."""
    gradients, past, before, n = 0.0, [], 0.0, 0.0
    for (g, x), (w, z, squares) in zip(
        rows, after(rules.FTRL(alpha, beta, l1, l2), rows), strict=True
    ):
        sigma = (math.sqrt(n + (g * x) ** 2) - math.sqrt(n)) / alpha
        gradients, n = gradients + g * x, n + (g * x) ** 2
        past, before = [*past, (sigma, before)], w

        def criterion(v, total=gradients, past=past):
            proximal = sum(sigma * (v - center) ** 2 for sigma, center in past)
            return v * total + 0.5 * (proximal + (beta / alpha + l2) * v * v) + l1 * abs(v)

        assert (w == 0.0) == (abs(z) <= l1)
        assert squares == pytest.approx(n)
        for v in (0.0, 0.9 * w, 1.1 * w, w - 1e-3, w + 1e-3):
            assert criterion(w) <= criterion(v) + 1e-9 * (1.0 + abs(criterion(v)))


@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_larger_threshold_leaves_fewer_weights_that_are_not_0(dtype, stored):
    rng = np.random.default_rng(0)
    X = (rng.random((2000, 200)) < 0.05).astype(dtype)
    y = np.where(X[:, :5].sum(axis=1) > 0, 1, -1)
    found = []
    for l1 in (0.0, 1.0, 10.0):
        model = Perceptron(rule=rules.FTRL(1.0, l1=l1), max_iter=1, tol=None, random_state=0)
        coef = model.fit(stored(X), y).coef_[0]
        assert model.score(stored(X), y) > 0.95
        assert (coef[:5] > 0.0).all()
        found.append(np.count_nonzero(coef))
    assert found[0] == 200
    assert found[2] < 10 < found[1] < 120


def test_probabilities_are_better_than_those_of_a_constant_whatever_the_units():
    """In one pass, at the default."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 4)) * [1.0, 10.0, 100.0, 0.1]
    y = rng.random(1000) < 1 / (1 + np.exp(-(X @ [1.0, -0.1, 0.01, 10.0])))
    model = Perceptron(rule="ftrl", max_iter=1, tol=None, random_state=0).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    assert -np.mean(np.where(y, np.log(p), np.log1p(-p))) < 0.55 < math.log(2.0)
