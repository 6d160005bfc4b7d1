"""ScInOL 2: the formulas of its paper."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import rules

RULE = rules.ScInOL()


@given(st.floats(-30, 30), st.sampled_from([-1.0, 1.0]))
def test_the_gradient_is_the_slope_of_the_loss(score, y):
    h = 1e-5
    slope = (RULE.loss(score + h, y) - RULE.loss(score - h, y)) / (2 * h)
    assert RULE.gradient(score, y) == pytest.approx(slope, abs=1e-6)
    assert RULE.weighted_gradient(score, y, 2.5) == 2.5 * RULE.gradient(score, y)
    assert math.isfinite(RULE.gradient(1e300 * y, y) + RULE.gradient(-1e300 * y, y))


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-8, 8)), min_size=1, max_size=30))
def test_the_wealth_is_that_of_the_paper_and_the_weight_follows_from_the_sums(steps):
    """η = 1 − Σ g x w, which with |g| ≤ 1 never falls by more than a half at once."""
    kept, wealth = (0.0, 0.0, 0.0, 1.0), 1.0
    for g, x in steps:
        w, *kept = RULE.touch(0.0, *kept, x)
        theta, squares, largest, eta = kept
        r = math.sqrt(squares + largest**2)
        expected = math.copysign(min(abs(theta) / r, 1.0), theta) * eta / (2 * r) if r else 0.0
        assert w == pytest.approx(expected, rel=1e-12)
        assert abs(w * x) <= 0.5 * eta * (1 + 1e-12)
        wealth -= g * x * w
        _, *kept = RULE.move(w, *kept, x, g)
        assert kept[3] == pytest.approx(wealth, rel=1e-9)
