"""Mistakes by margin, dimension and noise stay within their bounds."""

import numpy as np
import pytest

from rosenblatt import Perceptron, studies, theory, toys
from rosenblatt.studies.growth import least_slack_bound


def test_L2_4_mistakes_stay_within_the_margins_bound_and_grow_with_it():
    growth = studies.mistakes_by_margin((0.3, 0.1, 0.03), repeats=10)
    np.testing.assert_allclose(growth.x, [1 / 0.09, 100, 1 / 0.0009])
    assert growth.mistakes.shape == growth.bound.shape == (3, 10)
    assert (growth.mistakes <= growth.bound).all()
    np.testing.assert_allclose(np.median(growth.bound, axis=1), growth.x, rtol=1e-6)
    assert (np.diff(np.median(growth.mistakes, axis=1)) > 0).all()


def test_L2_4_the_bound_is_the_same_in_every_dimension_and_holds():
    growth = studies.mistakes_by_dimension((2, 30, 300), n=200, margin=0.2, repeats=10)
    np.testing.assert_allclose(growth.bound, 25, rtol=1e-6)
    assert (growth.mistakes <= 25).all()


def test_L2_4_rows_turned_into_more_dimensions_bring_the_same_mistakes(rng):
    toy = toys.separable(200, 2, margin=0.02)
    model = Perceptron(fit_intercept=False, shuffle=False, tol=None)
    plain = model.fit(toy.X, toy.y).mistakes_
    turn = np.linalg.qr(rng.standard_normal((50, 2)))[0]
    assert plain > 1
    assert model.fit(toy.X @ turn.T, toy.y).mistakes_ == plain


def test_L2_4_wrong_labels_bring_mistakes_without_end_and_slack_bounds_them():
    growth = studies.mistakes_by_noise((0.0, 0.05, 0.2), n=300, epochs=4, repeats=5)
    assert (growth.mistakes <= growth.bound).all()
    assert (np.median(growth.bound, axis=1)[1:] < 300).all()  # it says something
    assert growth.x.tolist() == [0, 5, 20]
    clean, few, many = growth.mistakes
    assert clean.max() < few.min()
    assert few.max() < many.min()


def test_L2_4_the_least_slack_bound_is_the_least_of_true_bounds(rng):
    X, u = rng.standard_normal((50, 3)), np.array([1.0, 0.0, 0.0])
    y = np.where(X[:, 0] + rng.standard_normal(50) > 0, 1, -1)
    R = theory.radius(X)
    for epochs in (1, 9):
        least = least_slack_bound(X, y, u, epochs)
        twice, labels = np.tile(X, (epochs, 1)), np.tile(y, epochs)
        bounds = [
            theory.slack_bound(R, theory.slack(twice, labels, u, gamma), gamma)
            for gamma in R * np.linspace(0.01, 1, 300)
        ]
        assert least == pytest.approx(min(bounds), rel=1e-2)
