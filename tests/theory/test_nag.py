"""Normalised adaptive invariant updates: their units, and the parts of their steps."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron, rules

RULE = rules.NAG()


@given(st.floats(-20, 20), st.sampled_from([-1.0, 1.0]), st.floats(1e-3, 300))
def test_a_part_is_where_many_small_steps_end(score, y, change):
    """Runge and Kutta's steps of z' = c q(z)/q(z₀), over a unit of time."""
    part, start, n = RULE.part(score, y, y * change), y * score, 2000
    z, slope = start, lambda z: 1.0 / (1.0 + math.exp(min(z, 700.0)))
    speed = change / slope(start)
    for k in range(n):  # times that grow, since the first steps are the longest
        time = ((k + 1) / n) ** 4 - (k / n) ** 4
        a = speed * slope(z)
        b = speed * slope(z + 0.5 * time * a)
        z += time * b
    assert part * change == pytest.approx(z - start, rel=0.02, abs=1e-6)
    assert 0.0 < part <= 1.0


@pytest.mark.parametrize("change", [1e-300, 1.0, 1e10, 1e300])
@pytest.mark.parametrize("score", [-1e300, -800.0, -40.0, 0.0, 40.0, 800.0, 1e300])
def test_a_part_of_whatever_step_is_from_zero_to_one(score, change):
    assert 0.0 < RULE.part(score, 1.0, change) <= 1.0
    assert RULE.part(score, 1.0, -change) == 1.0


def test_no_first_row_is_carried_past_what_small_steps_reach():
    """A whole step would add 0.5 √100 · 2 = 10: z + e^z grows by it, to z = 2.2."""
    X = np.ones((1, 100))
    model = Perceptron(rule="nag", fit_intercept=False).partial_fit(X, [1], classes=[0, 1])
    z = model.decision_function(X)[0]
    assert z + math.exp(z) == pytest.approx(1.0 + 10.0, rel=1e-9)


def test_units_from_the_first_row_on_change_nothing_and_a_larger_number_divides_the_weight():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = (X @ [1, -2, 0.5, 1] > 0).astype(int)
    once = {"rule": "nag", "shuffle": False, "max_iter": 1, "tol": None}
    small, large = (Perceptron(**once).fit(X * unit, y) for unit in (1.0, 1e6))
    np.testing.assert_allclose(small.coef_, large.coef_ * 1e6, rtol=1e-9)
    assert small._state.own["counts.rows"].tolist() == [300.0]
    assert RULE.touch(6.0, 1.0, 2.0, 1.0, 1.0, -3.0) == (4.0, 1.0, 3.0, 1.0, 2.0)
    assert RULE.touch(6.0, 1.0, 2.0, 1.0, 1.0, -1.0) == (6.0, 1.0, 2.0, 1.0, 1.25)


def test_the_norms_are_the_squares_in_units_of_the_largest_so_far():
    X, y = np.array([[3.0, 0.0], [-1.5, 4.0], [6.0, 1.0]]), [0, 1, 0]
    model = Perceptron(rule="nag", shuffle=False, max_iter=1, tol=None).fit(X, y)
    expected = 3 * 1.0 + 1.0 + (0.25 + 1.0) + (1.0 + 1 / 16)  # three intercepts
    assert model._state.own["counts.norms"].tolist() == [expected]
    assert model._state.own["numbers.largest"].ravel().tolist() == [6.0, 4.0]
