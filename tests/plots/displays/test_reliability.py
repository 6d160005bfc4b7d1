"""Reliability diagrams: where the points are, and which of them chance does not explain."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from sklearn.linear_model import LogisticRegression

from rosenblatt import Perceptron, metrics
from rosenblatt.plots import ReliabilityDisplay, style


def test_points_are_the_bins_and_purple_outside_the_band(rng):
    p = rng.random(3000)
    y = np.where(rng.random(3000) < p**2, "spam", "ham")
    display = ReliabilityDisplay.from_predictions(y, p, bins=10)
    found = metrics.ece(y, p, bins=10)
    assert display.reliability == found
    expected = [(one.predicted, one.observed) for one in found.bins]
    np.testing.assert_allclose(display.points_.get_offsets(), expected)
    purple = (display.points_.get_facecolors() == to_rgba(style.PURPLE)).all(axis=1)
    assert purple.tolist() == [not one.low <= one.observed <= one.high for one in found.bins]
    assert display.outside == purple.sum() > 3
    assert display.ax_.get_xlabel() == "probability of spam"
    assert f"{found.ece:.3f}" in display.ax_.get_title(loc="left")


def test_the_bars_have_all_rows(rng):
    p = rng.random(500)
    display = ReliabilityDisplay.from_predictions(rng.random(500) < p, p)
    heights = np.array([bar.get_height() for bar in display.bars_])
    counts = np.histogram(p, len(heights), (0, 1))[0]
    np.testing.assert_allclose(heights / heights.max(), counts / counts.max())


def test_any_estimator_with_probabilities_is_drawn(rng):
    X = rng.standard_normal((300, 3))
    y = (X[:, 0] + rng.standard_normal(300) > 0).astype(int) + (X[:, 1] > 1)
    for model in (LogisticRegression(), Perceptron(rule="logistic", eta0=0.1)):
        display = ReliabilityDisplay.from_estimator(model.fit(X, y), X, y)
        p = model.predict_proba(X)
        np.testing.assert_array_equal(display.probabilities, p.max(axis=1))
        assert display.reliability.ece == metrics.ece(y, p).ece
        assert display.ax_.get_xlabel() == "probability of the most probable class"


def test_an_estimator_without_probabilities_is_refused():
    model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="must have predict_proba"):
        ReliabilityDisplay.from_estimator(model, [[0.0], [1.0]], [0, 1])
