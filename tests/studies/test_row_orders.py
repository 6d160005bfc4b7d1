"""Orders of the rows: separators, bounds, angles and errors of each run."""

from functools import cache

import numpy as np
import pytest

from rosenblatt import Perceptron, certify, studies, theory, toys
from rosenblatt.studies import common


@cache
def many_orders():
    toy, new = toys.unit_square(60), toys.unit_square(500, seed=1)
    return studies.orders(toy.X, toy.signs, new.X, new.signs, orders=40, max_iter=500)


@pytest.fixture
def square():
    toy = toys.unit_square(60)
    return toy.X, toy.signs


def test_L3_6_each_order_ends_at_a_separator_within_the_one_bound(square):
    study, bound = many_orders(), certify(*square).mistake_bound
    for runs in study:
        assert (runs.mistakes <= bound).all()
        assert ((runs.margin > 0) | ~runs.converged).all()
    assert study.shuffled.converged.all()
    assert len(set(study.shuffled.mistakes.tolist())) > 10  # and the order matters


def test_L3_6_a_run_is_that_of_the_estimator(square):
    X, y = square
    order = common.random_orders(60, 40, 0)[7]
    model = Perceptron(shuffle=False, tol=None, max_iter=500).fit(X[order], y[order])
    fixed, new = many_orders().fixed, toys.unit_square(500, seed=1)
    assert (fixed.mistakes[7], fixed.epochs[7]) == (model.mistakes_, model.n_iter_)
    assert fixed.margin[7] == pytest.approx(
        theory.margin(X, y, model.coef_[0], model.intercept_[0]), rel=1e-9
    )
    assert fixed.error[7] == pytest.approx(1 - model.score(new.X, new.signs))


def test_L3_6_sorted_by_label_is_the_worst_order():
    study = many_orders()
    assert study.once_by_label.error.min() > np.median(study.once.error)
    assert study.once_by_label.mistakes.max() < study.once.mistakes.min()
    assert study.fixed_by_label.epochs.min() > np.median(study.fixed.epochs)


def test_L3_6_the_angles_are_to_the_mean_of_the_random_orders(square):
    X, y = square
    models = [
        Perceptron(shuffle=False, tol=None, max_iter=1).fit(X[order], y[order])
        for order in common.random_orders(60, 40, 0)
    ]
    units = np.array([model.coef_[0] / np.linalg.norm(model.coef_[0]) for model in models])
    mean = units.mean(axis=0) / np.linalg.norm(units.mean(axis=0))
    expected = np.degrees(np.arccos(np.clip(units @ mean, -1, 1)))
    np.testing.assert_allclose(many_orders().once.angle, expected, rtol=1e-6)
    for place, order in enumerate((np.argsort(y, kind="stable"), np.argsort(-y, kind="stable"))):
        w = Perceptron(shuffle=False, tol=None, max_iter=1).fit(X[order], y[order]).coef_[0]
        angle = np.degrees(np.arccos(w @ mean / np.linalg.norm(w)))
        assert many_orders().once_by_label.angle[place] == pytest.approx(angle)


def test_L3_6_without_new_rows_the_error_is_that_of_training(square):
    study = studies.orders(*square, orders=5)
    assert (study.fixed.error[study.fixed.converged] == 0).all()
    assert study.once.error.max() > 0


def test_L3_6_weights_of_zero_have_no_margin_and_no_angle():
    toy = toys.xor()
    study = studies.orders(toy.X, toy.y, orders=5, max_iter=2)
    assert np.isnan(study.once.margin).all()
    assert np.isnan(study.once.angle).all()
    assert (study.once.error == 1).all()
    assert str(study).count("–") >= 10
