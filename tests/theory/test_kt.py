"""The bettor of Krichevsky and Trofimov: its wealth is its estimate, and stays positive."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron, rules

RULE = rules.KT()
START = (0.0, 0.0, 0.0, 0.0)


def bet(kept, x, g):
    """The weight that predicts a row of one number, and what is kept after it."""
    w, *kept = RULE.touch(0.0, *kept, x)
    _, *after = RULE.move(w, *kept, x, g)
    return w, after


@given(st.lists(st.booleans(), max_size=60), st.sampled_from([1.0, 3e-7, 5e40]))
def test_the_wealth_on_coins_is_the_estimate_of_krichevsky_and_trofimov(heads, unit):
    """2^T times the probability that their estimator gives the sequence, in any order."""
    kept = START
    for head in heads:
        _, kept = bet(kept, unit, -1.0 if head else 1.0)
    a, b = sum(heads), len(heads) - sum(heads)
    probability = math.lgamma(a + 0.5) + math.lgamma(b + 0.5) - math.lgamma(a + b + 1)
    wealth = 2.0 ** (a + b) * math.exp(probability) / math.pi
    assert 1.0 + kept[2] == pytest.approx(wealth, rel=1e-9)
    assert wealth >= 2.0 ** (a + b) * (a / (a + b or 1)) ** a * (b / (a + b or 1)) ** b / (
        2.0 * math.sqrt(a + b or 1)
    ) * (1 - 1e-12), "they lose a factor 2√T against the best share of all"


rows = st.floats(-8, 8).filter(lambda x: x == 0.0 or abs(x) > 1e-100)  # the formula has M²


@given(st.lists(st.tuples(st.floats(-1, 1), rows), min_size=1, max_size=30))
def test_the_reward_is_that_of_the_paper_and_the_weight_follows_from_the_sums(steps):
    kept, theta, sizes, reward, largest = START, 0.0, 0.0, 0.0, 0.0
    for g, x in steps:
        largest = max(largest, abs(x))
        expected = (1 + reward) * theta / (largest * (largest + sizes)) if largest else 0.0
        w, *touched = RULE.touch(0.0, *kept, x)
        assert w == pytest.approx(expected, rel=1e-9, abs=1e-300)
        assert abs(w * x) <= (1.0 + reward) * (1 + 1e-9)
        if x:  # the loops move no weight whose x is zero
            _, *kept = RULE.move(w, *touched, x, g)
            theta, sizes, reward = theta - g * x, sizes + abs(g * x), reward - g * x * w
            assert kept == pytest.approx([theta, sizes, reward, largest], rel=1e-9, abs=1e-12)
            assert kept[2] > -1.0


def test_a_large_weight_of_an_example_takes_no_more_than_a_step_may_and_is_the_new_scale():
    """Σ |g x| = 3, M = 1: a quarter of the wealth is left, where 1 + R would become −148."""
    w, after = bet((3.0, 3.0, 1.0, 1.0), 1.0, 100.0)
    assert w == 1.5
    assert after == [-97.0, 103.0, 2.0 * 0.25 - 1.0, 100.0]


def test_heavy_examples_ruin_no_bettor():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5))
    y = np.where(X @ [3, 1, -1, 2, -2] + 2 * rng.normal(size=2000) > 0, 1, -1)
    model = Perceptron(rule="kt", random_state=0, class_weight={-1: 1000, 1: 1})
    model.partial_fit(X, y, classes=[-1, 1], sample_weight=10.0 ** rng.uniform(0, 3, 2000))
    assert (model._state.own["numbers.reward"] > -1.0 + 1e-9).all()
