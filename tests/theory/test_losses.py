"""The losses of weightwise rules besides the logistic one: slopes, and the parts of steps."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt import Perceptron, rules
from rosenblatt.theory.losses import LOSSES, HingeLoss, SquaredHingeLoss, SquaredLoss

KINDS = (HingeLoss(), SquaredHingeLoss(), SquaredLoss())
of_each = pytest.mark.parametrize("kind", KINDS, ids=[*LOSSES])
BASES = ("coin", "kt", "nag", "scinol", "scinol1")
NAMES = [f"{base}_{loss}" for base in BASES for loss in LOSSES]
labels = st.sampled_from([-1.0, 1.0])


@of_each
@given(st.floats(-30, 30), labels)
def test_the_gradient_is_the_slope_of_the_loss(kind, score, y):
    h = 1e-5
    assume(abs(y * score - 1.0) > 2 * h)
    slope = (kind.loss(score + h, y) - kind.loss(score - h, y)) / (2 * h)
    assert kind.gradient(score, y) == pytest.approx(slope, abs=1e-4)


@of_each
@given(st.floats(-20, 20), labels, st.floats(1e-3, 300))
def test_a_part_is_where_many_small_steps_end(kind, score, y, change):
    """Small steps s' = change g(s)/g(s₀), over a unit of time."""
    start = kind.gradient(score, y)
    assume(abs(start) > 1e-3)
    change, s, n = -math.copysign(change, start), score, 2000
    part = kind.curved(score, y, change)
    for k in range(n):  # times that grow, since the first steps are the longest
        time = ((k + 1) / n) ** 4 - (k / n) ** 4
        half = s + 0.5 * time * change * kind.gradient(s, y) / start
        s += time * change * kind.gradient(half, y) / start
    assert part * change == pytest.approx(s - score, rel=0.02, abs=0.02 + 0.003 * abs(change))
    assert 0.0 < part <= 1.0
    assert kind.curved(score, y, -change) == 1.0


def test_rules_of_the_logistic_loss_share_their_numbers_with_those_of_the_others():
    for name in NAMES:
        cls, base = rules.RULES[name], rules.RULES[name.split("_")[0]]
        assert (cls.softmax, base.softmax) == (False, True)
        assert not cls.declaration.log_odds
        assert cls.declaration.state == base.declaration.state


@pytest.mark.parametrize("name", NAMES)
def test_a_rule_descends_its_loss(name):
    """Below that of no weights, and of the two hinges near zero, where a hyperplane separates."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] > 0, 1, -1)
    model = Perceptron(rule=name, shuffle=False, max_iter=1, tol=None).fit(X, y)
    rule, scores = rules.complete(rules.RULES[name]()), model.decision_function(X)
    losses = [rule.loss(s, float(label)) for s, label in zip(scores, y, strict=True)]
    start = rule.loss(0.0, 1.0)
    assert np.mean(losses) < (0.65 if name.startswith("scinol1") else 0.5) * start
    assert not hasattr(model, "predict_proba")


def test_the_squared_error_ends_near_least_squares():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 3))
    y = np.where(X @ [1.0, -2.0, 0.5] + rng.normal(size=20_000) > 0, 1, -1)
    best = np.linalg.lstsq(np.column_stack([X, np.ones(20_000)]), y)[0]
    for name in "nag_squared", "kt_squared", "coin_squared":
        model = Perceptron(rule=name, output="average", shuffle=False, max_iter=3, tol=None)
        np.testing.assert_allclose(model.fit(X, y).coef_[0], best[:3], atol=0.05)
