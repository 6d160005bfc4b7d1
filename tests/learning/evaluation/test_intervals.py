"""Intervals of an error rate: coverage at all times, width, and refused arguments."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import progressive
from rosenblatt.learning.evaluation.intervals import anytime_intervals


@given(st.integers(0, 3000), st.integers(1, 3000), st.floats(0.5, 0.999))
def test_intervals_contain_the_share_and_widen_with_confidence(errors, n, confidence):
    errors = min(errors, n)
    for interval in (progressive.anytime_interval, progressive.wilson_interval):
        low, high = interval(errors, n, confidence)
        assert 0.0 <= low <= errors / n + 1e-12
        assert errors / n - 1e-12 <= high <= 1.0
        wider = interval(errors, n, 0.9995)
        assert wider[0] <= low + 1e-9
        assert wider[1] >= high - 1e-9


def test_L2_4_the_interval_holds_at_every_time_at_once():
    """Of 100 runs with drifting error probabilities, at most about 5 % may ever leave it."""
    rng = np.random.default_rng(0)
    times = np.unique(np.geomspace(1, 2000, 40).astype(int))
    left, interval_of = 0, cache(progressive.anytime_interval)  # many runs have the same counts
    for run in range(100):
        p = 0.05 + 0.3 * (np.arange(2000) < rng.integers(0, 2000)) * (run % 2)
        wrong = rng.random(2000) < p
        for n in times:
            low, high = interval_of(int(wrong[:n].sum()), int(n))
            if not low <= p[:n].mean() <= high:
                left += 1
                break
    assert left <= 5


def test_the_interval_is_tight_enough_to_be_of_use():
    low, high = progressive.anytime_interval(2000, 100_000)
    assert 0.0175 < low < 0.02 < high < 0.0225


@pytest.mark.parametrize(("errors", "n", "confidence"), [(3, 2, 0.9), (-1, 2, 0.9), (1, 2, 1.0)])
def test_impossible_counts_are_refused(errors, n, confidence):
    with pytest.raises(ValueError, match="must lie between"):
        progressive.anytime_interval(errors, n, confidence)


def test_many_intervals_at_once_are_those_of_each_alone(rng):
    n = np.concatenate([np.arange(1, 40), (10 ** rng.uniform(1, 7, 160)).astype(int)])
    share = rng.choice([0.0, 1e-3, 0.05, 0.5, 0.97, 1.0], len(n))
    errors = rng.binomial(n, share)
    low, high = anytime_intervals(errors, n)
    alone = np.array([progressive.anytime_interval(e, k) for e, k in zip(errors, n, strict=True)])
    width = alone[:, 1] - alone[:, 0]
    for wider in (alone[:, 0] - low, high - alone[:, 1]):  # as its docstring says
        assert (wider < 0.01 * width).all()
        assert (wider > -1e-5 * width).all()
    assert np.median((high - low) / width) < 1 + 1e-4


def test_no_example_leaves_everything_possible():
    low, high = anytime_intervals(np.array([0, 0, 3]), np.array([0, 5, 3]))
    assert (low[0], high[0], low[1], high[2]) == (0.0, 1.0, 0.0, 1.0)
    assert [len(ends) for ends in anytime_intervals(np.zeros(0), np.zeros(0))] == [0, 0]
