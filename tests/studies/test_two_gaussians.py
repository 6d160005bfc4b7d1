"""Lines and quadrics learned from two Gaussians, compared with exact formulas."""

import numpy as np
import pytest

from rosenblatt import studies


def test_L4_4_the_error_of_a_line_by_formula_is_that_of_a_simulation(rng):
    pair = studies.TwoGaussians(
        np.array([[-1.0, 0.5], [1.0, 0.0]]),
        np.array([[[1.0, 0.6], [0.6, 1.0]], [[2.0, -0.3], [-0.3, 0.5]]]),
    )
    X, y = pair.draw(200_000, rng)
    w, b = np.array([1.0, -0.4]), 0.3
    assert pair.error(w, b) == pytest.approx((y * (X @ w + b) <= 0).mean(), abs=0.004)
    for sign in (-1, 1):
        side, which = X[y == sign], int(sign > 0)
        np.testing.assert_allclose(side.mean(axis=0), pair.means[which], atol=0.03)
        np.testing.assert_allclose(np.cov(side.T), pair.covariances[which], atol=0.05)


def test_L4_4_no_line_beats_the_bayes_line(rng):
    pair = studies.gaussians(2.0, sizes=(10,), repeats=1).pair
    w, b = pair.line
    assert pair.error(w, b) == pytest.approx(0.158655, abs=1e-6)  # Φ(−1)
    for _ in range(50):
        assert pair.error(w + 0.1 * rng.standard_normal(2), b + 0.1 * rng.standard_normal()) > (
            pair.error(w, b)
        )


def test_L4_4_with_one_covariance_the_log_odds_are_the_bayes_line(rng):
    covariance = np.array([[1.0, 0.6], [0.6, 2.0]])
    pair = studies.TwoGaussians(rng.standard_normal((2, 2)), np.array([covariance, covariance]))
    X, (w, b) = pair.draw(20, rng)[0], pair.line
    np.testing.assert_allclose(pair.score(X), X @ w + b)


def test_L4_4_the_average_nears_bayes_with_more_rows_and_the_last_weights_do_not():
    study = studies.gaussians(sizes=(30, 1000), repeats=6, max_iter=10)
    few, many = np.median(study.error, axis=2).T - study.bayes
    where = {name: place for place, name in enumerate(study.names)}
    for name in ("averaged", "pocket", "logistic"):
        assert 0 < many[where[name]] < min(few[where[name]], 0.005), name
    assert many[where["perceptron"]] > 0.01
    angles = np.median(study.angle, axis=2)
    assert angles[where["averaged"], 1] < angles[where["averaged"], 0]
    assert not study.stopped[1].any()


def test_L4_4_farther_apart_more_samples_are_separable():
    near, far = (
        studies.gaussians(apart, sizes=(50,), repeats=6, max_iter=30) for apart in (1.0, 7.0)
    )
    assert near.stopped.mean() < 0.1 < 0.9 < far.stopped.mean()
    assert far.bayes < near.bayes


def test_L4_4_unequal_covariances_ask_for_a_quadric():
    study = studies.unequal_gaussians()
    line, lift, kernel = study.error
    assert study.bayes < min(lift, kernel)
    assert max(lift, kernel) < study.bayes + 0.02 < line
    with pytest.raises(ValueError, match="covariances must be equal for a line"):
        _ = study.pair.line


def test_a_line_needs_a_direction():
    pair = studies.TwoGaussians(np.zeros((2, 2)), np.array([np.eye(2)] * 2))
    with pytest.raises(ValueError, match="w must have a direction"):
        pair.error([0.0, 0.0], 1.0)
