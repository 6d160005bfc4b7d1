"""Coin betting in continuous time: the path, its wealth, and the truncated loss."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron, rules

RULE = rules.Coin()
START = (0.0, 0.0, 1.0, 0.0)
rows = st.floats(-8, 8).filter(lambda x: abs(x) > 1e-100)  # the formula has M²
step = st.tuples(st.floats(-1, 1), rows, st.floats(0, 1))
step = step.filter(lambda of: of[0] == 0 or abs(of[0] * of[1]) > 1e-150)  # its range
steps = st.lists(step, min_size=1, max_size=30)


def bet(kept, x, g, part):
    w, *kept = RULE.touch(0.0, *kept, x)
    _, *after = RULE.move(w, *kept, x, g, part)
    return w, tuple(after)


gradients = st.floats(-1, 1).filter(lambda g: g == 0 or abs(g * 0.5) > 1e-150)  # its range


@given(st.floats(-3, 3), st.floats(0.1, 4), gradients, st.floats(0.05, 1))
def test_a_bet_is_the_limit_of_many_small_ones(theta, squares, g, part):
    """Euler's steps of W' = −g x w W, w = W θ/(M² + S) in the units of M."""
    kept, n = (theta, squares, 2.0, 1.0), 4000
    _, (_, _, found, _) = bet(kept, 0.5, g, part)
    wealth, time = 2.0, part / n
    for _ in range(n):
        wealth -= time * g * 0.5 * wealth * theta / (1.0 + squares)
        theta, squares = theta - time * g * 0.5, squares + time * (g * 0.5) ** 2
    assert found == pytest.approx(wealth, rel=2e-3)


@given(steps, st.floats(-5, 5))
def test_the_wealth_and_with_it_the_regret_keep_their_bounds(steps, u):
    kept, first = START, abs(steps[0][1])
    for g, x, part in steps:
        w, kept = bet(kept, x, g, part)
        theta, squares, wealth, largest = kept
        H = largest**2 + squares
        bound = math.sqrt(first**2 / H) * math.exp(theta**2 / (2 * H))
        assert wealth >= bound * (1 - 1e-9)
        assert math.isfinite(w)
        regret = 1 - wealth + u * theta
        assert regret <= 1 + abs(u) * math.sqrt(H * math.log1p((u * H / first) ** 2)) + 1e-9


def test_a_bettor_on_heads_alone_gets_rich_as_the_bound_says():
    kept = START
    for _ in range(100):
        _, kept = bet(kept, 3.0, -1.0, 1.0)
    assert math.log(kept[2]) == pytest.approx(100 - math.log(101), rel=1e-9)  # ∫ t/(1 + t)


@given(st.floats(-30, 30), st.sampled_from([-1.0, 1.0]), st.floats(1e-6, 1e6))
def test_a_part_ends_where_the_line_through_the_loss_is_at_zero(score, y, change):
    part = RULE.part(score, y, y * change)
    left = RULE.loss(score, y) + RULE.gradient(score, y) * y * change * part
    assert 0.0 < part <= 1.0
    assert left == pytest.approx(0.0, abs=1e-9) if part < 1.0 else left >= -1e-9
    assert RULE.part(score, y, -y * change) == 1.0


def test_a_first_row_of_many_columns_is_no_leap():
    """Each of 100 bettors starts with wealth 1: together they would move the score by 40."""
    X, y = np.ones((2, 100)), [0, 1]
    model = Perceptron(rule="coin", shuffle=False, max_iter=1, tol=None, fit_intercept=False)
    model.partial_fit(X[1:], y[1:], classes=[0, 1])
    assert 1.0 < model.decision_function(X)[0] < 2.0


def test_heavy_examples_ruin_no_bettor():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    y = np.where(X @ [3, 1, -1, 2, -2] + 2 * rng.normal(size=2000) > 0, 1, -1)
    model = Perceptron(rule="coin", random_state=0, class_weight={-1: 1000, 1: 1})
    model.partial_fit(X, y, classes=[-1, 1], sample_weight=10.0 ** rng.uniform(0, 3, 2000))
    assert (model._state.own["numbers.wealth"] > 0.0).all()
    assert np.isfinite(model.coef_).all()
