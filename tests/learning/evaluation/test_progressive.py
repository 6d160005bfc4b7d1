"""The progressive table: its numbers, its interval, its independence of the batches."""

from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris

from rosenblatt import Perceptron, progressive


class Batch(NamedTuple):
    X: object
    y: object


def batches(X, y, size):
    return [Batch(X[i : i + size], y[i : i + size]) for i in range(0, len(y), size)]


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
    left = 0
    for run in range(400):
        p = 0.05 + 0.3 * (np.arange(2000) < rng.integers(0, 2000)) * (run % 2)
        wrong = rng.random(2000) < p
        for n in times:
            low, high = progressive.anytime_interval(int(wrong[:n].sum()), int(n))
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


def test_learning_in_any_batches_gives_the_same_table():
    X, y = load_digits(return_X_y=True)
    tables = []
    for size in (1, 7, 256, 5000):
        lines = []
        model = Perceptron(shuffle=False)
        summary = progressive.learn(model, batches(X, y, size), report=lines.append)
        tables.append([line._replace(rate=0.0) for line in [*lines, summary.last]])
    assert tables[0] == tables[1] == tables[2] == tables[3]
    assert [line.examples for line in tables[0]] == [*(2**k for k in range(11)), 1797]


def test_L1_2_and_L2_4_the_error_is_that_of_predicting_before_learning():
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(150)
    X, y = X[order], y[order]
    model, wrong = Perceptron(shuffle=False), 0
    for i in range(150):
        known = i > 0 and y[i] in model.classes_
        wrong += not known or model.predict(X[i : i + 1])[0] != y[i]
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    summary = progressive.learn(Perceptron(shuffle=False), batches(X, y, 40))
    assert abs(summary.last.errors - wrong) <= 1  # a score of exactly zero is an error of its own
    assert summary.constant_error == pytest.approx(100 / 150)
    assert summary.radius == pytest.approx(np.linalg.norm(X, axis=1).max())


def test_more_passes_until_nothing_moves():
    X, y = load_iris(return_X_y=True)
    summary = progressive.learn(Perceptron(shuffle=False), batches(X, y == 0, 50), epochs=100)
    assert summary.converged
    assert summary.epochs < 100
    assert summary.last.examples == 150


def test_batches_may_grow_wider():
    X = sp.csr_array(np.eye(6))
    stream = [Batch(X[:3, :3], np.array([0, 1, 0])), Batch(X[3:], np.array([1, 0, 1]))]
    model = Perceptron(shuffle=False)
    progressive.learn(model, stream)
    assert model.coef_.shape == (1, 6)
    at_once = Perceptron(shuffle=False).partial_fit(X, np.array([0, 1, 0, 1, 0, 1]))
    np.testing.assert_array_equal(model.coef_, at_once.coef_)


def test_an_empty_stream_is_an_answer():
    summary = progressive.learn(Perceptron(), [])
    assert summary.last.examples == 0
    assert summary.last.error == 0.0
    assert not summary.converged
