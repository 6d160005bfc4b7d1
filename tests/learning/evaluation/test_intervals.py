"""Intervals of an error rate: coverage at all times, width, and refused arguments."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import progressive


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
    """Of 400 runs with drifting error probabilities, at most about 5 % may ever leave it."""
    rng = np.random.default_rng(0)
    times = np.unique(np.geomspace(1, 2000, 40).astype(int))
    left, interval_of = 0, cache(progressive.anytime_interval)  # many runs have the same counts
    for run in range(400):
        p = 0.05 + 0.3 * (np.arange(2000) < rng.integers(0, 2000)) * (run % 2)
        wrong = rng.random(2000) < p
        for n in times:
            low, high = interval_of(int(wrong[:n].sum()), int(n))
            if not low <= p[:n].mean() <= high:
                left += 1
                break
    assert left <= 20


def test_the_interval_is_tight_enough_to_be_of_use():
    low, high = progressive.anytime_interval(2000, 100_000)
    assert 0.0175 < low < 0.02 < high < 0.0225


@pytest.mark.parametrize(("errors", "n", "confidence"), [(3, 2, 0.9), (-1, 2, 0.9), (1, 2, 1.0)])
def test_impossible_counts_are_refused(errors, n, confidence):
    with pytest.raises(ValueError, match="must lie between"):
        progressive.anytime_interval(errors, n, confidence)
