"""ScInOL 1: the formulas and the bound of its paper."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import rules

RULE = rules.ScInOL1()


def learned(kept, x, g):
    """The weight that predicts a row of one number, and what is kept after it."""
    *kept, rows = kept
    w, *kept, rows = RULE.touch(0.0, *kept, RULE.begin(rows), x)
    _, *kept = RULE.move(w, *kept, rows, x, g)
    return w, (*kept, rows)


rows = st.floats(-8, 8).filter(lambda x: abs(x) > 1e-100)  # the formula has M²


@given(st.lists(st.tuples(st.floats(-1, 1), rows), min_size=1, max_size=30))
def test_the_weight_is_that_of_the_paper(steps):
    kept, G, S, M, beta = (0.0, 0.0, 0.0, 1.0, 0.0), 0.0, 0.0, 0.0, 1.0
    for t, (g, x) in enumerate(steps, 1):
        M = max(M, abs(x))
        beta = min(beta, (S + M**2) / (x**2 * t))
        root = math.sqrt(S + M**2)
        size = beta / (2 * root) * (math.exp(abs(G / root) / 2) - 1)
        w, kept = learned(kept, x, g)
        assert w == pytest.approx(math.copysign(size, G), rel=1e-9, abs=1e-15 / root)
        G, S = G - g * x, S + (g * x) ** 2


@given(
    st.lists(st.tuples(st.sampled_from([-1.0, 1.0, 0.5]), rows), min_size=1, max_size=60),
    st.floats(-5, 5),
)
def test_the_regret_is_below_its_bound_on_whatever_rows(steps, u):
    """Against every u in units of the column; some rows have the sign that hurts the most."""
    kept, regret = (0.0, 0.0, 0.0, 1.0, 0.0), 0.0
    for k, (g, x) in enumerate(steps):
        w, after = learned(kept, x, g)
        if k % 3 == 0:  # against the weight
            g = math.copysign(g, w * x)
            w, after = learned(kept, x, g)
        kept, regret = after, regret + g * x * (w - u)
    _, squares, largest, beta, t = kept
    size = 2 * abs(u) * math.sqrt(squares + largest**2)
    bound = size * math.log1p(size / beta) + 1 + math.log(t)
    assert regret <= bound * (1 + 1e-9)


def test_the_bound_is_not_far_from_what_a_constant_gradient_costs():
    """Of 1,000 rows with g = −1 against u = 1, regret is above a tenth of the bound."""
    kept, regret = (0.0, 0.0, 0.0, 1.0, 0.0), 0.0
    for _ in range(1000):
        w, kept = learned(kept, 1.0, -1.0)
        if w > 1.0:
            break
        regret += 1.0 - w
    size = 2 * math.sqrt(kept[1] + 1)
    assert regret > 0.1 * (size * math.log1p(size / kept[3]) + 1 + math.log(kept[4]))


def test_no_gradient_however_large_leaves_the_range():
    kept = (0.0, 0.0, 0.0, 1.0, 0.0)
    for g in (-1e100, -1e100, 1e120, -1e140):
        w, kept = learned(kept, 1.0, g)
        assert np.isfinite([w, *kept]).all()
