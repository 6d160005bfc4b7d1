"""The logistic loss of weightwise rules, and that of several classes."""

import math

import numpy as np
import pytest
from exact_loops import softmax_gradients
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax, softmax

from rosenblatt import Perceptron, rules
from rosenblatt.theory.logistic import chance_of_other, logistic_gradient, logistic_loss

OF_SOFTMAX = [
    name for name, rule in rules.DECLARATIONS.items() if rule.kind == "weightwise" and rule.log_odds
]
scores = st.floats(-40, 40)


@given(scores, st.sampled_from([-1.0, 1.0]))
def test_the_gradient_is_the_slope_of_the_loss(score, y):
    h = 1e-5
    slope = (logistic_loss(score + h, y) - logistic_loss(score - h, y)) / (2 * h)
    assert logistic_gradient(score, y) == pytest.approx(slope, abs=1e-6)
    assert chance_of_other(score, y) + chance_of_other(score, -y) == pytest.approx(1.0)


@given(st.lists(scores, min_size=2, max_size=6), st.data())
def test_the_gradients_are_the_slopes_of_the_loss_of_the_softmax(some, data):
    label = data.draw(st.integers(0, len(some) - 1))
    gradients, loss = softmax_gradients(some, label)
    own = [float(k == label) for k in range(len(some))]
    np.testing.assert_allclose(gradients, softmax(some) - own, atol=1e-12)
    assert loss == pytest.approx(-log_softmax(some)[label], abs=1e-12)
    assert math.fsum(gradients) == pytest.approx(0.0, abs=1e-12)


@given(scores, scores)
def test_of_two_classes_they_are_those_of_the_difference(first, second):
    gradients, loss = softmax_gradients([first, second], 1)
    assert gradients[1] == pytest.approx(logistic_gradient(second - first, 1.0), rel=1e-12)
    assert gradients[0] == -gradients[1]
    assert loss == pytest.approx(logistic_loss(second - first, 1.0), rel=1e-9, abs=1e-15)


def test_no_score_is_too_large():
    gradients, loss = softmax_gradients([1e308, -1e308, 0.0], 2)
    assert (gradients, loss) == ([1.0, 0.0, -1.0], 1e308)


def classes_by_chance(n, seed=0):
    """Labels drawn from the softmax of known weights, and these probabilities."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    truth = softmax(X @ rng.normal(size=(4, 5)), axis=1)
    return X, (truth.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1), truth


@pytest.mark.parametrize("rule", OF_SOFTMAX)
def test_a_joint_model_learns_the_probabilities_of_the_classes(rule):
    """Kullback and Leibler's divergence to the truth is small, and that of one-vs-rest is not."""
    X, y, truth = classes_by_chance(6000)
    divergence = {}
    for scheme in "joint", "ovr":
        model = Perceptron(rule=rule, multi_class=scheme, output="average", shuffle=False)
        model.set_params(max_iter=1, tol=None).fit(X, y)
        rows = (truth * np.log(truth / model.predict_proba(X))).sum(axis=1)
        divergence[scheme] = rows.mean()
    limit = 0.25 if rule == "scinol1" else 0.03  # a slow learner
    assert divergence["joint"] < limit < divergence["ovr"]
